"""Files of torch.save from before torch 1.6: pickles one behind the other, then the numbers of each storage.

In order: a magic number, the version of the protocol, a note about the machine, the saved object, the keys of its
storages, and for each key the count of its values and the values themselves (torch/serialization.py, _legacy_save).
"""

from dataclasses import dataclass
from typing import Any

from runs.arrays import U8
from runs.formats.torch import pickle_stub
from runs.formats.torch.pickle_stub import Globals, PickleDamaged
from runs.formats.torch.values import Storages, StorageType, shapes_only

MAGIC = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."  # protocol 2, LONG1 of 0x1950a86a20f9469cfc6c
PROTOCOL = 1001
COUNT_BYTES = 8


def read(data: U8, known: Globals) -> Any:
    """The saved object of a whole file, mapped. Raises PickleRefused or PickleDamaged."""
    protocol, at = _next(data, len(MAGIC))
    machine, at = _next(data, at)
    if protocol != PROTOCOL or not isinstance(machine, dict) or machine.get("little_endian") is not True:
        raise PickleDamaged("is of an unknown kind")
    described = Storages(_nothing)
    _, end = pickle_stub.load_first(_window(data, at), shapes_only(), described.find)
    keys, start = _next(data, at + end)
    places = _places(data, start, keys, {key: storage.kind for (key, _), storage in described.found.items()})
    return pickle_stub.load_first(_window(data, at), known, Storages(lambda key: _slice(data, places, key)).find)[0]


def _window(data: U8, at: int) -> bytes:
    return bytes(data[at:at + pickle_stub.LARGEST_PICKLE_BYTES])


def _next(data: U8, at: int) -> tuple[Any, int]:
    """A pickle of plain values, and where the next one begins."""
    value, end = pickle_stub.load_first(_window(data, at), {}, Storages(_nothing).find)
    return value, at + end


def _nothing(_: str) -> U8:
    raise PickleDamaged("names a tensor where none can be")


@dataclass(frozen=True)
class _Place:
    start: int
    stop: int


def _places(data: U8, start: int, keys: Any, used: dict[str, StorageType]) -> dict[str, _Place]:
    """Where the values of each storage lie."""
    if not isinstance(keys, list) or len(keys) > len(data) // COUNT_BYTES:
        raise PickleDamaged("lists its tensors in an unknown way")
    found = {}
    for key in keys:
        if not isinstance(key, str) or key not in used:
            raise PickleDamaged("lists a tensor that it never names")
        count = int.from_bytes(bytes(data[start:start + COUNT_BYTES]), "little")
        stop = start + COUNT_BYTES + count * used[key].item_bytes
        if stop > len(data):
            raise PickleDamaged(f"claims {count:,} values for a tensor beyond the end of the file")
        found[key] = _Place(start + COUNT_BYTES, stop)
        start = stop
    return found


def _slice(data: U8, places: dict[str, _Place], key: str) -> U8:
    if key not in places:
        raise PickleDamaged("names a tensor that it never lists")
    return data[places[key].start:places[key].stop]
