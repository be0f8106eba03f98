"""The process in which a probe runs for the window: it tells line by line what happens, and obeys three words."""

import _thread
import json
import math
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, BinaryIO

from diagnostics.evidence import Cancelled
from diagnostics.probes.answer import Shot
from diagnostics.probes.bench import Listener
from diagnostics.probes.json import shot_to_json

PAUSE, GO, CANCEL = "pause", "go", "cancel"
ADDRESSES = "SPLATDOCTOR_ADDRESSES"  # environment: addresses with user and password, as JSON; a command line is for all to read
TEMPORARY = "SPLATDOCTOR_TEMPORARY"  # environment: the folder that was made for this process alone
POLITE = 10  # niceness of the process: the window goes first
OFTEN_S = 0.05  # between two messages of a kind that replaces the one before
SHOT_S = 0.4  # between two states of one picture
BEAT_S = 1.0  # after which a probe that does not look up is interrupted wherever it stands
LAST_S = 15.0  # after which its process ends without asking


class Reins:
    """Pause and cancel, from whoever holds the other end; the probe looks at them between two steps."""

    def __init__(self) -> None:
        self._go, self._over = threading.Event(), threading.Event()
        self._go.set()
        self._raised = False  # once: a second one would break into what is being put away

    def obey(self, word: str) -> None:
        """Other words mean nothing."""
        if word == PAUSE:
            self._go.clear()
        elif word in (GO, CANCEL):
            if word == CANCEL:
                self._over.set()
            self._go.set()

    def wait(self) -> None:
        """Returns at once, unless paused. Raises Cancelled."""
        self._go.wait()
        if self._over.is_set():
            self._raise()

    def interrupt(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """Ends the work wherever it stands; a signal's handler."""
        self._over.set()
        if not self._raised:
            self._raise()

    def _raise(self) -> None:
        self._raised = True
        raise Cancelled


@dataclass(eq=False)
class Teller:
    """Writes messages; of what comes too fast, the newest is told."""

    write: Callable[[dict[str, Any]], None]
    now: Callable[[], float] = time.monotonic
    _text: str = ""
    _points: list[dict[str, Any]] = field(default_factory=list)
    _newest: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)  # kind and name -> not told yet
    _told: dict[tuple[str, ...], float] = field(default_factory=dict)  # kind and name -> when

    def progress(self, fraction: float, text: str) -> None:
        """Another text is told at once: what it announces may take long."""
        self._newest["progress",] = {"progress": [fraction, text]}
        if text != self._text:
            self._told.pop(("progress",), None)
        self._text = text
        self.flush()

    def point(self, curve: str, unit: str, step: int, value: float) -> None:
        self._points.append({"point": [curve, unit, int(step), float(value) if math.isfinite(value) else None]})
        self.flush()

    def shot(self, shot: Shot) -> None:
        self._newest["shot", shot.title] = {"shot": shot}
        self.flush()

    def flush(self, everything: bool = False) -> None:
        """Tell what is due."""
        if self._points and self._due(("point",), OFTEN_S, everything):
            points, self._points = self._points, []
            for point in points:
                self.write(point)
        for key in tuple(self._newest):
            if self._due(key, SHOT_S if key[0] == "shot" else OFTEN_S, everything):
                message = self._newest.pop(key)
                self.write({"shot": shot_to_json(message["shot"])} if key[0] == "shot" else message)

    def _due(self, key: tuple[str, ...], every: float, now: bool) -> bool:
        time_s = self.now()
        if not now and time_s - self._told.get(key, -math.inf) < every:
            return False
        self._told[key] = time_s
        return True


def told_apart() -> BinaryIO:
    """The standard output for messages alone: whatever else is printed, by libraries too, goes to the standard error."""
    kept = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return kept


def writer(stream: BinaryIO, reins: Reins) -> Callable[[dict[str, Any]], None]:
    """Writes one line at a time; where nobody reads any more, the work is cancelled."""

    def write(message: dict[str, Any]) -> None:
        rest = memoryview(json.dumps(message, allow_nan=False).encode() + b"\n")
        try:
            while rest:
                rest = rest[stream.write(rest) or 0:]
        except OSError:
            reins.obey(CANCEL)

    return write


def listener_of(teller: Teller, reins: Reins) -> Listener:
    def wait() -> None:
        teller.flush()
        reins.wait()

    return Listener(teller.progress, teller.point, teller.shot, wait)


@contextmanager
def terminable(reins: Reins) -> Iterator[None]:
    """SIGTERM means cancel, so that whatever the work has put somewhere is put away."""
    before = signal.signal(signal.SIGTERM, reins.interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def hold(reins: Reins) -> None:
    """Obey the words on standard input from now on; its end means cancel, for then nobody wants the answer."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(POLITE)
    threading.Thread(target=_listen, args=(reins,), name="words", daemon=True).start()


def _listen(reins: Reins) -> None:
    held = b""
    while piece := _read():
        *lines, held = (held + piece).split(b"\n")
        held = held[-100:]
        for line in lines:
            word = line.decode("utf-8", "replace").strip()
            reins.obey(word)
            if word == CANCEL:
                break
        else:
            continue
        break
    reins.obey(CANCEL)
    time.sleep(BEAT_S)
    _interrupt()
    time.sleep(LAST_S)
    put_away()
    os._exit(2)


def put_away() -> None:
    """Remove the folder that the window made for this process: a killed window cannot."""
    folder = os.environ.get(TEMPORARY)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def _interrupt() -> None:
    """A signal to the main thread, which wakes it even from a wait inside the system where there are such signals."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGTERM)
    else:
        _thread.interrupt_main(signal.SIGTERM)


def _read() -> bytes:
    """Not through sys.stdin: its lock is asked for when the interpreter ends."""
    try:
        return os.read(0, 4096)
    except OSError:
        return b""
