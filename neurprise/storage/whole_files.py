"""Files that are replaced as a whole: whatever happens, a reader finds the old content or the new one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO

from neurprise.errors import StorageError

_OLD_DRAFT_SECONDS = 3600.0
#: The path itself is wrong; everything else is the disk's fault.
_BAD_PATHS = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` when the block ends well, and vanishes when it does not."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    _remove_old_drafts(path)
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
        sync_folder(path.parent)
    except _BAD_PATHS as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None  # not the draft's name
    except OSError as error:
        kept = "its old content is kept" if path.exists() else "nothing of it is stored"
        raise StorageError(
            f"cannot write {path} ({error.strerror or error}): {kept}; make room and run it again."
        ) from None
    finally:
        draft.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Replace the file or leave it unchanged; on return, the new content is on the disk."""
    with replacing(path) as file:
        file.write(content)


def _remove_old_drafts(path: Path) -> None:
    """Remove drafts of killed processes; no living process writes one for that long."""
    with suppress(OSError):
        for draft in path.parent.glob(f".{escape(path.name)}.*.tmp"):
            if time.time() - draft.stat().st_mtime > _OLD_DRAFT_SECONDS:
                draft.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make new names in the folder survive a power cut; systems that cannot open folders go without."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
