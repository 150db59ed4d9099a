"""Immutable values that hold arrays: two are equal when their data are, and they can be sent to workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, fields
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from neurprise.arrays import frozen


class Record:
    """
    Base of frozen dataclasses of arrays: fields are made immutable, equality compares their data.

    A record has no hash; problems have one, of the data that differ most often.
    """

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, immutable(getattr(self, field.name)))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        return same(vars(self), vars(other))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """NumPy forgets on the way to another process that an array is read-only."""
        for name, value in state.items():
            object.__setattr__(self, name, immutable(value, owned=True))


class Sealed:
    """
    Attributes may be assigned until `_seal` is called, and never after.

    What is assigned before is the object's data. Public names are compared and count for equality; names with a leading
    underscore hold what follows from the data, such as a compiled graph, and are shared but not compared.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse_when_sealed(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse_when_sealed(name)
        object.__delattr__(self, name)

    def __getstate__(self) -> dict[str, Any]:
        return {name: _sendable(value) for name, value in self._data().items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._seal(state, owned=True)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def _seal(
        self, data: Mapping[str, Any], owned: bool = False, shared: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        """
        Hold these attributes, made immutable, and refuse any other.

        Parameters
        ----------
        owned
            No one else holds the arrays: they are frozen without a copy.
        shared
            Further attributes, taken from a sealed object as they are where `data` does not replace them.
        """
        held = {**shared, **{name: immutable(value, owned) for name, value in data.items()}}
        self.__dict__.update(held, _sealed=tuple(held))

    def _data(self) -> dict[str, Any]:
        """The attributes that the object was sealed with; caches that came later are not among them."""
        return {name: self.__dict__[name] for name in self.__dict__["_sealed"]}

    def _refuse_when_sealed(self, name: str) -> None:
        if "_sealed" in self.__dict__:
            raise FrozenInstanceError(
                f"a {type(self).__name__} cannot be changed, got {name!r}; in a class of your own assign attributes "
                "before super().__init__(), elsewhere build another object."
            )


def immutable(value: Any, owned: bool = False) -> Any:
    """
    The value itself if it is read-only, else a read-only copy; lists become tuples, dicts read-only mappings.

    Parameters
    ----------
    owned
        No one else holds the arrays: they are made read-only in place.
    """
    if isinstance(value, np.ndarray):
        return value if _is_read_only(value) else frozen(value if owned else value.copy())
    if sparse.issparse(value):
        return _immutable_matrix(value, owned)
    if isinstance(value, Mapping):
        return MappingProxyType({key: immutable(item, owned) for key, item in value.items()})
    if type(value) in (list, tuple):
        return tuple(immutable(item, owned) for item in value)
    return frozenset(value) if isinstance(value, set) else value


def same(ours: Any, theirs: Any) -> bool:
    """Whether two values hold equal data; never raises, whatever they are."""
    if ours is theirs:
        return True
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if sparse.issparse(ours) and sparse.issparse(theirs):
        return ours.shape == theirs.shape and all(map(np.array_equal, _matrix_parts(ours), _matrix_parts(theirs)))
    try:
        if isinstance(ours, np.ndarray) or isinstance(theirs, np.ndarray):
            return np.array_equal(ours, theirs)
        return bool(ours == theirs)
    except Exception:  # attributes that cannot be compared are not known to be equal
        return False


def digest(value: Any) -> str:
    """A fingerprint of a value's data: equal values have equal ones, in any process; of a problem, its public data."""
    found = sha256()
    _feed(found.update, value)
    return found.hexdigest()


def _feed(update: Callable[[bytes], None], value: Any) -> None:
    """Every number and text in the value, each behind its type and shape."""
    if isinstance(value, Sealed):
        public = {name: item for name, item in value._data().items() if not name.startswith("_")}
        _feed(update, (type(value).__qualname__, public))
    elif isinstance(value, Record):
        _feed(update, (type(value).__qualname__, vars(value)))
    elif isinstance(value, Mapping):
        _feed(update, [(str(key), value[key]) for key in sorted(value, key=str)])
    elif sparse.issparse(value):
        _feed(update, ("matrix", value.shape, *_matrix_parts(value)))
    elif isinstance(value, np.ndarray) and value.dtype != object:
        update(f"{value.dtype.kind} {value.shape} ".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (tuple, list, np.ndarray)):
        update(f"{len(value)} items ".encode())
        for item in value:
            _feed(update, item)
    else:
        update(repr(value).encode() + b" ")


def _matrix_parts(matrix: sparse.csr_array) -> tuple[NDArray[Any], ...]:
    return matrix.indptr, matrix.indices, matrix.data


def _immutable_matrix(matrix: sparse.csr_array, owned: bool) -> sparse.csr_array:
    if all(_is_read_only(part) for part in _matrix_parts(matrix)):
        return matrix
    own = matrix if owned else matrix.copy()
    for part in _matrix_parts(own):
        frozen(part)
    return own


def _is_read_only(array: Any) -> bool:
    """Neither the array nor what it is a view of can be written to."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return array is None or isinstance(array, bytes)


def _sendable(value: Any) -> Any:
    """Read-only mappings as dicts: the former cannot be sent to another process."""
    if isinstance(value, Mapping):
        return {key: _sendable(item) for key, item in value.items()}
    return tuple(map(_sendable, value)) if type(value) is tuple else value
