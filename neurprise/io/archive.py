"""
Named numeric arrays in one zip file (NumPy's `.npz`), read without trusting it.

Members are stored, not compressed, so a file can never announce more data than it holds; every member's own header
must agree with its size before anything is allocated. Object arrays (pickle) are refused.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from neurprise.errors import FormatError
from neurprise.storage.whole_files import replacing

#: Numbers, truth values and bytes; nothing that can hold code.
ALLOWED_TYPES = ("<f8", "<i8", "|b1", "|u1")
#: Largest archive that is read, in bytes.
MAX_BYTES = 8 * 2**30

Arrays = dict[str, NDArray[Any]]


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the archive completely or not at all; the same arrays give the same bytes."""
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            # A fixed date: zip files otherwise differ from second to second.
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            with archive.open(member, "w", force_zip64=True) as stream:
                npy.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)


def read_arrays(path: Path) -> Arrays:
    """All arrays of an archive, read-only; raises FormatError on anything corrupt, foreign or oversized."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check_sizes(path, members)
            return {member.filename.removesuffix(".npy"): _read_member(path, archive, member) for member in members}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path.name} is not a readable archive ({error}); write it again.") from None


def _check_sizes(path: Path, members: list[zipfile.ZipInfo]) -> None:
    on_disk = path.stat().st_size
    announced = sum(member.file_size for member in members)
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise FormatError(f"{path.name} has compressed members, which neurprise never writes; write it again.")
    if announced > min(on_disk, MAX_BYTES):
        raise FormatError(
            f"{path.name} announces {announced} bytes of arrays but has {on_disk} (at most {MAX_BYTES} are read); "
            "it is corrupt or not ours."
        )
    names = {member.filename for member in members}
    if len(names) != len(members):
        raise FormatError(f"{path.name} names an array twice; it is corrupt or not ours.")


def _read_member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as stream:
        shape, fortran, kind = _header(path, member, stream)
        size = math.prod(shape) * kind.itemsize
        payload = stream.read()
    if fortran or len(payload) != size:
        raise FormatError(
            f"{path.name}: array {member.filename!r} announces {size} bytes but holds {len(payload)}; it is corrupt."
        )
    return np.frombuffer(payload, dtype=kind).reshape(shape)


def _header(path: Path, member: zipfile.ZipInfo, stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = npy.read_magic(stream)
        if version != (1, 0):
            raise ValueError(f"array format {version}")
        shape, fortran, kind = npy.read_array_header_1_0(stream)
    except (ValueError, SyntaxError, TypeError, RecursionError, OverflowError, TokenError) as error:
        raise FormatError(f"{path.name}: {member.filename!r} is not a plain array ({error}).") from None
    if kind.str not in ALLOWED_TYPES or len(shape) > 2 or min(shape, default=0) < 0:
        raise FormatError(
            f"{path.name}: array {member.filename!r} has type {kind.str} and shape {shape}; "
            f"only {', '.join(ALLOWED_TYPES)} with at most 2 dimensions are read."
        )
    return shape, bool(fortran), kind
