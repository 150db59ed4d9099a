"""
Renews the files of others that the page embeds: fetches the package that vendor.json names, checks it, unpacks it.

    python -m docs.vendor       # `make vendor`; needs npm. For another version change it and its integrity there first
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "neurprise" / "report" / "page" / "vendor"
MANIFEST = FOLDER / "vendor.json"


def manifest() -> dict[str, Any]:
    """What is embedded: package, version, licence, the registry's integrity of the archive, and a hash per file."""
    data: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return data


def hashes() -> dict[str, str]:
    """SHA-256 of the files that lie there now, by name."""
    return {name: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for name in manifest()["files"]}


def renew(wanted: dict[str, Any]) -> dict[str, Any]:
    """Fetch the archive, refuse one with another integrity, and put its files in place; the new manifest."""
    with tempfile.TemporaryDirectory() as folder:
        package = f"{wanted['package']}@{wanted['version']}"
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("*.tgz")
        digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if wanted["integrity"] != f"sha512-{digest}":
            raise SystemExit(f"{package} should have the integrity {wanted['integrity']}, got sha512-{digest}.")
        with tarfile.open(archive) as members:
            for name, entry in wanted["files"].items():
                member = members.extractfile(entry["from"])
                assert member is not None
                (FOLDER / name).write_bytes(member.read())
    files = {name: {"from": entry["from"], "sha256": hashes()[name]} for name, entry in wanted["files"].items()}
    return {**wanted, "files": files}


def main() -> int:
    """Renew, and say what lies there."""
    MANIFEST.write_text(json.dumps(renew(manifest()), indent=2) + "\n", encoding="utf-8")
    for name, digest in hashes().items():
        print(f"{digest}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
