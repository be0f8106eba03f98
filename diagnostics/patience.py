"""Work that may be left alone: whoever waits for it can be called away at once, though the work knows no place to stop."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

Value = TypeVar("Value")

LOOK_S = 0.05  # how often the waiting side looks up


def patiently(act: Callable[[], Value], beat: Callable[[], None]) -> Value:
    """What `act` returns or raises, from a thread of its own, while `beat` is called every 50 ms.

    Where `beat` raises, so does this, at once: a tree over a million points cannot be stopped half way, but nobody has to wait
    for it. Its thread ends at the next beat inside the work, and what it still returns is dropped.
    """
    told: dict[str, Any] = {}

    def work() -> None:
        try:
            told["value"] = act()
        except BaseException as error:
            told["error"] = error

    thread = threading.Thread(target=work, name="evidence", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(LOOK_S)
        beat()
    if "error" in told:
        raise told["error"]
    value: Value = told["value"]
    return value
