"""Whether a target read some bytes as it must: with a value, or with one sentence in a `RunError`."""

import hashlib
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

from runs.errors import RunError
from tests.fuzz.target import Target

LONGEST_SENTENCE = 1000


@dataclass(frozen=True)
class Fault:
    """What a read did that it must not do; equal for the same cause, whatever the bytes."""

    kind: str  # of the exception, or what is wrong with our own sentence
    place: str  # file and function of the product's innermost frame

    @property
    def file_name(self) -> str:
        """One file for each cause, so that finds do not pile up."""
        return f"{self.kind}-{hashlib.sha256(repr(self).encode()).hexdigest()[:8]}"


def fault_of(target: Target, data: bytes, folder: Path) -> Fault | None:
    """Read `data` as a file in `folder`. MemoryError and RecursionError are faults like any other exception."""
    path = folder / target.file_name
    path.unlink(missing_ok=True)  # never overwritten in place: an older read may still map it
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # as in the test suite: a warning would be printed at the user's terminal
            target.read(path)
    except RunError as error:
        return _of_sentence(error)
    except Exception as error:
        return Fault(type(error).__name__, _place(error))
    return None


def _of_sentence(error: RunError) -> Fault | None:
    """A refusal is one short line that also says what to do."""
    if not error.says.isprintable() or len(error.says) > LONGEST_SENTENCE or "; " not in error.says:
        return Fault("Sentence", _place(error))
    return None


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "runs" in Path(frame.filename).parts]
    frame = (ours or frames)[-1]
    return f"{Path(frame.filename).name}:{frame.name}"
