"""Progress on standard error: a bar on a terminal, plain lines elsewhere."""

import shutil
from typing import TextIO

BAR = 24  # characters


class Progress:
    """Tell it a fraction and a text; call `end` before anything else is printed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._last = ""

    def __call__(self, fraction: float, text: str) -> None:
        """0..1, or below 0 where it is not known."""
        if self._terminal:
            self._draw(fraction, text)
        elif text != self._last:
            share = f"{fraction:4.0%} " if fraction >= 0 else ""
            print(f"{share}{text}", file=self._stream, flush=True)
        self._last = text

    def end(self) -> None:
        """Take the bar away."""
        if self._terminal and self._last:
            print("\r\x1b[K", end="", file=self._stream, flush=True)

    def _draw(self, fraction: float, text: str) -> None:
        done = round(min(max(fraction, 0.0), 1.0) * BAR)
        line = f"[{'█' * done}{'░' * (BAR - done)}] {max(fraction, 0.0):4.0%} {text}"
        width = shutil.get_terminal_size().columns - 1
        print(f"\r\x1b[K{line[:width]}", end="", file=self._stream, flush=True)
