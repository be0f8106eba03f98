"""What a family of trainers offers: a look that recognises its folder, and a reader that opens it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runs.run import Run, Trainer


@dataclass(frozen=True)
class Family:
    """One row of the table of trainers."""

    name: str
    recognise: Callable[[Path], Trainer | None]  # names and small files only; None: another family's folder
    read: Callable[[Path, Trainer, Path | None], Run]  # path, what `recognise` said, the user's data folder

    def knows(self, path: Path) -> Trainer | None:
        """What `recognise` says; a sign that may not be read is none."""
        try:
            return self.recognise(path)
        except OSError:
            return None
