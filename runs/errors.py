"""What can go wrong while a run is read.

RunError                 any trouble with one file or folder: says what, names the file, says what to do
├── NotARun              nothing in the folder looks like a training run or a splat file
├── UnreadableFile       the file is damaged, half-written, empty or of another kind
└── RefusedFile          the file asks to run code, or claims sizes that cannot be true
"""

from pathlib import Path

from runs.storage import address_of


class RunError(Exception):
    """One clear sentence about one file; `str(error)` ends with the file's path, or its address on another machine."""

    def __init__(self, says: str, file: Path) -> None:
        # A sentence may quote the file, which may hold line ends, control characters and halves of UTF-16 pairs.
        self.says = "".join(character if character.isprintable() else "�" for character in says)
        super().__init__(f"{self.says}: {address_of(file)}")
        self.file = file


class NotARun(RunError):
    """The path holds neither a training run nor a splat file."""


class UnreadableFile(RunError):
    """The file is truncated, half-written, empty, not permitted, or not of the kind its name says."""


class RefusedFile(RunError):
    """The file would have to be trusted to be read, and it is not."""
