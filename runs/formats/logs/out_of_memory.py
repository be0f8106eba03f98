"""The numbers in an out-of-memory text, in bytes, for every wording that PyTorch and others have used."""

import re
from collections.abc import Mapping

SIZE = r"\b([\d.]{1,30}) ?(bytes|[KMGT]i?B)"
UNITS: Mapping[str, float] = {
    "bytes": 1, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
}

# What only an exhausted memory says. A sentence that merely mentions memory must not match: it would be a false alarm.
SIGNS = re.compile(
    r"(?:CUDA|HIP|MPS backend) out of memory|CUDA error: out of memory|\bOutOfMemoryError\b|cudaErrorMemoryAllocation"
    r"|CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED|cuda runtime error \(2\) ?: ?out of memory"
    r"|^Line \d+: out of memory$|^RuntimeError: out of memory$|BufferTooBig\("
    r"|cudaMalloc(?:Async|Managed)? failed.{0,80}out of memory"
)
HOST_SIGNS = re.compile(
    r"DefaultCPUAllocator: (?:can't allocate|not enough) memory|\b_?(?:Array)?MemoryError\b|std::bad_alloc"
    r"|OSError: \[Errno 12\]|Cannot allocate memory"
)

# Old PyTorch lists amounts in brackets, newer PyTorch (2.0 on, first with "capacty") writes sentences.
AMOUNTS: Mapping[str, re.Pattern[str]] = {
    "requested_bytes": re.compile(rf"(?:[Tt]ried|Unable) to allocate {SIZE}"),
    "capacity_bytes": re.compile(rf"{SIZE} total capacity|total capac(?:i)?ty of {SIZE}"),
    "allocated_bytes": re.compile(rf"{SIZE} already allocated|allocated memory {SIZE} is allocated by PyTorch"),
    "free_bytes": re.compile(rf"{SIZE} free|of which {SIZE} is free"),
    "reserved_bytes": re.compile(rf"{SIZE} reserved in total by PyTorch|{SIZE} cached"),
    "unallocated_bytes": re.compile(rf"{SIZE} is reserved by PyTorch but unallocated"),
    "process_bytes": re.compile(rf"this process has {SIZE} memory in use"),
    "allowed_bytes": re.compile(rf"{SIZE} allowed"),
}
BUFFER = re.compile(r"BufferTooBig\((\d{1,18})\)")


def out_of_memory_fields(text: str) -> dict[str, float]:
    """Amounts by name; a name is absent where the text does not say it.

    `reserved_bytes` is everything that PyTorch holds. Newer texts give only the unused part of it: then it is the
    sum of `allocated_bytes` and `unallocated_bytes`.
    """
    found = {name: amount for name, pattern in AMOUNTS.items() if (amount := _amount(pattern, text)) is not None}
    if buffer := BUFFER.search(text):
        found["requested_bytes"] = float(buffer[1])
    if "reserved_bytes" not in found and {"allocated_bytes", "unallocated_bytes"} <= found.keys():
        found["reserved_bytes"] = found["allocated_bytes"] + found["unallocated_bytes"]
    return found


def _amount(pattern: re.Pattern[str], text: str) -> float | None:
    match = pattern.search(text)
    if match is None:
        return None
    number, unit = (group for group in match.groups() if group is not None)
    try:
        return float(number) * UNITS[unit]
    except ValueError:  # "1.2.3"
        return None
