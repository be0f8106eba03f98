"""What trainers log beside the common files: W&B run files and their records, and the text of each trainer's terminal."""

from pathlib import Path

from runs.formats.logs.textlog import looks_like_log, read_log
from runs.formats.logs.wandb_log import read_summary, read_wandb
from tests.fuzz.target import Target
from tests.runs.formats.logs.test_phrases import GRENDEL, GSPLAT
from tests.runs.formats.logs.test_tails import TEXT
from tests.runs.formats.logs.test_troubles import REPORTS, TRACE
from tests.runs.formats.logs.test_wandb_log import REAL, row, written


def _as_record(path: Path) -> None:
    """The bytes as one record of history, whose checksums fit whatever they are."""
    read_wandb(written(path.with_name("as-record.wandb"), path.read_bytes()))


def _log(path: Path) -> None:
    looks_like_log(path)
    read_log(path)


def _texts() -> tuple[bytes, ...]:
    return GSPLAT.encode(), GRENDEL.encode(), TRACE.encode(), TEXT, "\n".join(line for _, line, _, _ in REPORTS).encode()


TARGETS = (
    Target("wandb", "run-1.wandb", read_wandb, lambda: (REAL.read_bytes()[:2_000],)),
    Target("wandb-record", "record", _as_record, lambda: (row(7, loss=0.5, nested={"a": 1}), row(8, **{"x/step": 3, "x/y": 1}))),
    Target("wandb-summary", "wandb-summary.json", read_summary, lambda: (b'{"_step": 5, "Train Loss": 0.1, "a/b": NaN}',)),
    Target("trainers-text", "train.log", _log, _texts),
)
