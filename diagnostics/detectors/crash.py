"""Ways in which a training dies, told by the last words of its log, each with what to do about it."""

from collections.abc import Mapping

from diagnostics.facts import cameras  # noqa: F401  (train_cameras)
from diagnostics.facts.crash import ABOUT_SHAPES, Failure, Remaining, final
from diagnostics.facts.crash_before import Before
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace
from runs.cameras import Camera
from runs.events import EventKind

LONGEST_QUOTE = 200
MOST_OTHERS = 5
GIB = 2.0**30
SEGFAULT = "Segmentation fault"

ENVIRONMENT: Mapping[EventKind, str] = {
    "environment": "The trainer, or an extension that it needs, could not be loaded: it is missing, was built against another "
                   "PyTorch or CUDA, or no driver answers. Nothing of the scene or of the settings has a part in it.",
    "no_kernel": "The CUDA extension was compiled for other GPUs than this one (its compute capability is not in the list that "
                 "it was built with).",
    "wild_request": "No GPU has that much memory: the number is garbage. It comes from a rasteriser that was built for another "
                    "GPU, CUDA or PyTorch and reads its own counts wrongly. It is no lack of memory.",
    "device_assert": "A check inside a CUDA kernel failed, most often an index outside its array. The line that Python names is "
                     "where the error was noticed, not where it happened: kernels run behind.",
    "cuda_error": "CUDA refused a call. The line that Python names is where the error was noticed, not where it happened.",
}
SOFTWARE: frozenset[EventKind] = frozenset({*ENVIRONMENT, "killed"})  # the system also ends what reads outside its memory
KILLED = ("The system (or a scheduler) ended the process with a signal and no word of its own. Most often main memory ran out; a "
          "time limit or a person leave the same line.")
REBUILD = Fix("Build the CUDA extensions anew on this machine, with the PyTorch that trains and with this GPU's compute "
              "capability in TORCH_CUDA_ARCH_LIST", "the first iterations pass")
SYNCHRONOUS = Fix("Run once more with the environment variable CUDA_LAUNCH_BLOCKING=1 from the last save before the error",
                  "the traceback then names the call that fails", risk="training is several times slower while it is set")
FIXES: Mapping[EventKind, tuple[Fix, ...]] = {
    "environment": (Fix("Install what the last line of the log names, in the environment that training runs in",
                        "python -c 'import …' of that module passes"), REBUILD),
    "no_kernel": (REBUILD,), "wild_request": (REBUILD,), "device_assert": (SYNCHRONOUS,), "cuda_error": (SYNCHRONOUS, REBUILD),
}
SURE: Mapping[EventKind, float] = {"device_assert": 0.6, "cuda_error": 0.6}


@detects("environment-broken")
def environment_broken(failures: tuple[Failure, ...], *, errors: int = 1) -> Finding | None:
    """The last words are about software: modules, drivers, kernels."""
    failure = final(failures, SOFTWARE)
    if failure is None or (failure.event.kind == "killed" and SEGFAULT not in failure.event.text):
        return None
    kind, asked = failure.event.kind, failure.event.fields.get("requested_bytes")
    return Finding(
        f"The software failed, not the training: “{quoted(failure.says)}”{_when(failure)}",
        evidence=(*told_by(failure, errors), *(() if asked is None else (
            EvidenceRow("memory that was asked for", asked / GIB, None, "GiB", failure.event.iteration, failure.file),))),
        iterations=_at(failure), confidence=SURE.get(kind, 0.9),
        cause=ENVIRONMENT.get(kind, "Native code read outside its memory, which ends the process without a Python error."),
        fixes=FIXES.get(kind, (REBUILD,)),
    )


@detects("host-memory-exhausted")
def host_memory_exhausted(
    failures: tuple[Failure, ...], train_cameras: tuple[Camera, ...] | None = None, *, errors: int = 1,
) -> Finding | None:
    """The machine's own memory, not the GPU's, ran out; or the system ended the process, which is how it answers to that."""
    failure = final(failures, frozenset({"out_of_host_memory", "killed"}))
    if failure is None or SEGFAULT in failure.event.text:
        return None
    killed = failure.event.kind == "killed"
    asked = failure.event.fields.get("requested_bytes")
    pictures = sum(3 * 4 * camera.size_px[0] * camera.size_px[1] for camera in train_cameras or ())
    return Finding(
        f"{'The system ended the process' if killed else 'The computer has no memory left'}: "
        f"“{quoted(failure.says)}”{_when(failure)}",
        evidence=(
            *told_by(failure, errors),
            EvidenceRow("memory that was asked for", None if asked is None else asked / GIB, None, "GiB", failure.event.iteration,
                        failure.file),
            EvidenceRow("all training pictures as 32-bit numbers", pictures / GIB if pictures else None, None, "GiB"),
        ),
        iterations=_at(failure), confidence=0.6 if killed else 0.95,
        cause=KILLED if killed else "",
    )


@detects("disk-full")
def disk_full(failures: tuple[Failure, ...], *, errors: int = 1) -> Finding | None:
    """Something could not be written. Where training went on, a save is missing or cut off."""
    told = [failure for failure in failures if failure.event.kind == "disk_error"]
    if not told:
        return None
    failure = final(told, frozenset({"disk_error"})) or told[-1]
    return Finding(
        f"A file could not be written: “{quoted(failure.says)}”{_when(failure)}"
        + ("; training went on" if failure.goes_on else ""),
        evidence=told_by(failure, errors), iterations=_at(failure), confidence=0.95,
        severity="minor" if failure.goes_on else None,
    )


@detects("crashed-with-an-exception")
def crashed(failures: tuple[Failure, ...], *, errors: int = 1) -> Finding | None:
    """Any other exception, by its place in the trainer's own code. One that training survives is only told."""
    told = [failure for failure in failures if failure.event.kind == "traceback" and not is_about_shapes(failure)]
    failure = final(told, frozenset({"traceback"})) or (told[-1] if told else None)
    if failure is None:
        return None
    place = f" at {failure.event.frame}" if failure.event.frame else ""
    return Finding(
        f"{'An exception was printed and training went on' if failure.goes_on else 'Training ended with an exception'}{place}: "
        f"“{quoted(failure.says)}”{_when(failure)}",
        evidence=told_by(failure, errors), iterations=_at(failure), confidence=0.9,
        severity="info" if failure.goes_on else None, facts={"error": quoted(failure.says), "place": failure.event.frame or None},
    )


@detects("illegal-memory-access")
def illegal_access(
    failures: tuple[Failure, ...], before_access: Before | None = None,
    *, errors: int = 1, large: float = 20.0, near: float = 0.01, full: float = 0.8,
) -> Finding | None:
    """A kernel read outside its memory. The last save before it tells whether the Gaussians had invited it."""
    failure = final(failures, frozenset({"illegal_access"}))
    if failure is None:
        return None
    why = () if before_access is None else before_access.reasons(large, near, full)
    before = before_access
    rows = None if before is None or not len(before.rows(large)) else GaussianPlace(
        before.rows(large), before.iteration, before.count)
    told = "" if before is None else f"; in the save of iteration {before.iteration:,} " + (
        "; ".join(why) if why else "no value, size or count explains it")
    return Finding(
        f"A CUDA kernel read outside its memory{_when(failure)}{told}",
        evidence=(*told_by(failure, errors), *(() if before is None else before.evidence(large, near, full))),
        iterations=_at(failure), gaussians=rows, confidence=0.9,
        cause="" if why else "The last save holds no pre-condition that is known for this error, so the software is the first "
              "suspect: a rasteriser of another version, or built for another GPU or CUDA.",
        fixes=() if why or before is None else (REBUILD,),
        facts={"last_good": None if before is None else before.iteration,
               "why": "; ".join(why) if why else None},
    )


@detects("no-gaussians-left")
def nobody_left(remaining: Remaining, *, fewest: int = 10) -> Finding | None:
    """Pruning removed (nearly) every Gaussian: the rasteriser then gets nothing, and its gradient has no rows."""
    left = remaining
    lost = left.before is not None and left.before >= fewest  # a toy of five Gaussians is a choice
    if left.count >= fewest or not (lost or left.count == 0):
        return None
    before = "" if left.before is None else f", of {left.before:,} before"
    return Finding(
        f"{left.count:,} Gaussians were left{before}" + ("" if left.iteration is None else f", at iteration {left.iteration:,}")
        + ("" if left.failure is None else f"; then training ended: “{quoted(left.failure.says)}”"),
        evidence=(
            EvidenceRow("Gaussians at the end", left.count, fewest, "Gaussians", left.iteration, left.source),
            EvidenceRow("most Gaussians before", left.before, None, "Gaussians", None, left.source),
            *(() if left.failure is None else told_by(left.failure, 1)),
        ),
        iterations=None if left.iteration is None else (left.iteration, left.iteration), confidence=0.95,
        facts={"left": left.count},
    )


def quoted(says: str) -> str:
    return says if len(says) <= LONGEST_QUOTE else f"{says[:LONGEST_QUOTE]}…"


def is_about_shapes(failure: Failure) -> bool:
    """An exception about tensors whose sizes do not fit is told by another pattern."""
    return any(sign in failure.says for sign in ABOUT_SHAPES)


def told_by(failure: Failure, errors: int) -> tuple[EvidenceRow, ...]:
    """What the log says: which line, when, what, where, and what came after it."""
    event, file = failure.event, failure.file
    return (
        EvidenceRow("errors in this place of the log", 1 + len(failure.others), errors - 1, "errors", event.iteration, file),
        EvidenceRow("line of the log", failure.line, None, "", event.iteration, file),
        EvidenceRow("what it says", quoted(failure.says), None, "", event.iteration, file),
        EvidenceRow("where the trainer's own code stood", event.frame or None, None, "", event.iteration, file),
        *(EvidenceRow("what came with it", quoted(other.text.strip().splitlines()[-1]), None, "", other.iteration, file)
          for other in failure.others[:MOST_OTHERS] if other.text.strip()),
    )


def _when(failure: Failure) -> str:
    return "" if failure.event.iteration is None else f", after iteration {failure.event.iteration:,}"


def _at(failure: Failure) -> tuple[int, int] | None:
    return None if failure.event.iteration is None else (failure.event.iteration, failure.event.iteration)
