"""What a line of a log says went wrong, and the numbers in it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from runs.events import EventKind
from runs.formats.logs.out_of_memory import HOST_SIGNS, out_of_memory_fields
from runs.formats.logs.out_of_memory import SIGNS as OUT_OF_MEMORY

Fields = Callable[[str], Mapping[str, float]]


def no_fields(_line: str) -> Mapping[str, float]:
    return {}


INVALID_GRADIENT = re.compile(r"returned an invalid gradient at index (\d{1,6}) - got \[(\d{1,12})")
COLLECTIVE_TIMEOUT = re.compile(r"Timeout\(ms\)=(\d{1,12})\) ran for (\d{1,12}) milliseconds")


def _gradient(line: str) -> Mapping[str, float]:
    match = INVALID_GRADIENT.search(line)
    return {"index": float(match[1]), "rows": float(match[2])} if match else {}


def _timeout(line: str) -> Mapping[str, float]:
    match = COLLECTIVE_TIMEOUT.search(line)
    return {"timeout_ms": float(match[1]), "ran_ms": float(match[2])} if match else {}


# No GPU has as much. Such requests come from a rasteriser that was built for another GPU or CUDA (graphdeco-inria#587,
# pixelsplat#45): its garbled counts are no lack of memory.
WILD_BYTES = 2.0**44


@dataclass(frozen=True)
class Trouble:
    """One way to die, by what only that way prints."""

    kind: EventKind
    sign: re.Pattern[str]
    fields: Fields = no_fields


# In this order: the first that matches names the line. Wordings as public reports quote them.
TROUBLES: Sequence[Trouble] = (
    Trouble("out_of_memory", OUT_OF_MEMORY, out_of_memory_fields),
    Trouble("out_of_host_memory", HOST_SIGNS, out_of_memory_fields),
    Trouble("disk_error", re.compile(
        r"No space left on device|Disk quota exceeded|inline_container\.cc:\d+\] ?\. ?unexpected pos"
        r"|PytorchStreamWriter failed writing file")),
    Trouble("no_kernel", re.compile(r"no kernel image is available for execution on the device|cudaErrorNoKernelImageForDevice")),
    Trouble("illegal_access", re.compile(
        r"an illegal memory access was encountered|cudaErrorIllegalAddress|CUDA error: misaligned address")),
    Trouble("device_assert", re.compile(r"device-side assert triggered|cudaErrorAssert\b")),
    Trouble("nccl_error", re.compile(
        r"NCCL error|nccl(?:System|UnhandledCuda|Internal|Remote|Invalid\w+)Error|Watchdog caught collective operation timeout"
        r"|DistBackendError|Some NCCL operations have failed or timed out"), _timeout),
    Trouble("invalid_gradient", INVALID_GRADIENT, _gradient),
    Trouble("environment", re.compile(
        r"CUDA_HOME environment variable is not set|ModuleNotFoundError: No module named"
        r"|ImportError: (?:DLL load failed|lib\S+: cannot|cannot import name|.{0,200}undefined symbol)"
        r"|The detected CUDA version \([\d.]+\) mismatches|Found no NVIDIA driver"
        r"|CUDA driver version is insufficient|Torch not compiled with CUDA enabled|Error compiling objects for extension")),
    Trouble("cuda_error", re.compile(
        r"CUDA error: |\[CUDA ERROR\]|CUDNN_STATUS_[A-Z]|CUBLAS_STATUS_[A-Z]|Failed to set maximum shared memory size")),
    Trouble("killed", re.compile(
        r"^Killed$|\bKilled\s+\S*python|Out of memory: Killed process|\bSIGKILL\b|\bexit ?code ?:? *(?:-9|137)\b"
        r"|Segmentation fault")),
    Trouble("nan", re.compile(r"\b(?:loss|grad\w*|tensor|gradient)\b.{0,40}\bnan\b", re.IGNORECASE)),
)


def trouble_of(line: str) -> Trouble | None:
    """None for a line that reports none; a warning is none."""
    if "Warning:" in line:
        return None
    found = next((trouble for trouble in TROUBLES if trouble.sign.search(line)), None)
    if found is not None and found.kind == "out_of_memory" and found.fields(line).get("requested_bytes", 0) > WILD_BYTES:
        return Trouble("wild_request", found.sign, found.fields)
    return found


FRAME = re.compile(r'\s*File "([^"]{1,400})", line (\d{1,9}), in (\S{1,200})')
LIBRARIES = re.compile(r"site-packages|dist-packages|[/\\]lib[/\\]python\d|[/\\]torch[/\\]|<frozen|<string>")


def deepest_frame(lines: Sequence[str]) -> str:
    """"scene/gaussian_model.py:380 in densify_and_split": where the trainer's own code stood last; "" if nothing says."""
    frames = [match for line in lines if (match := FRAME.match(line))]
    own = [frame for frame in frames if not LIBRARIES.search(frame[1])] or frames
    if not own:
        return ""
    path = "/".join(re.split(r"[/\\]", own[-1][1])[-2:])
    return f"{path}:{own[-1][2]} in {own[-1][3]}"
