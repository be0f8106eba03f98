"""The probe's end of the conversation: it obeys at once, says little and often, and is never left behind by a dead window."""

import json
import threading
import time

import numpy as np
import pytest

from app.probe_child import CANCEL, GO, PAUSE, SHOT_S, Reins, Teller, writer
from diagnostics.evidence import Cancelled
from diagnostics.probes.answer import Shot


def test_cancel_is_heard_while_paused():
    """Whoever pauses a probe and then closes the window must not wait for it."""
    reins = Reins()
    reins.obey(PAUSE)
    threading.Timer(0.05, reins.obey, [CANCEL]).start()
    with pytest.raises(Cancelled):
        reins.wait()


def test_pause_holds_until_go_and_other_words_mean_nothing():
    """A paused probe takes no processor time."""
    reins = Reins()
    reins.obey("nonsense")
    reins.wait()
    reins.obey(PAUSE)
    started = time.monotonic()
    threading.Timer(0.05, reins.obey, [GO]).start()
    reins.wait()
    assert time.monotonic() - started >= 0.04


def test_an_interrupt_breaks_in_once():
    """A second one would break into what is being put away."""
    reins = Reins()
    with pytest.raises(Cancelled):
        reins.interrupt()
    reins.interrupt()
    with pytest.raises(Cancelled):
        reins.wait()


def test_no_point_is_lost_and_of_pictures_the_newest_is_told():
    """A thousand steps a second must neither flood the pipe nor thin the curve."""
    told: list[dict] = []
    clock = iter(np.arange(0.0, 100.0, 0.001))
    teller = Teller(told.append, now=lambda: next(clock))
    for step in range(1000):
        teller.point("PSNR", "dB", step, float("nan") if step == 500 else step / 10)
        teller.progress(step / 1000, f"step {step}")
        teller.shot(Shot("view", np.full((2, 2, 3), step % 256, np.uint8)))
    teller.flush(everything=True)
    points = [message["point"] for message in told if "point" in message]
    assert [point[2] for point in points] == list(range(1000))
    assert points[500][3] is None
    assert [message["progress"][1] for message in told if "progress" in message][-1] == "step 999"
    shots = [message for message in told if "shot" in message]
    assert 2 <= len(shots) <= 2 + 1000 * 0.01 / SHOT_S
    json.dumps(told, allow_nan=False)


def test_a_reader_that_is_gone_cancels_the_work():
    """A probe that nobody listens to ends."""
    class Broken:
        def write(self, _data: object) -> int:
            raise BrokenPipeError

    reins = Reins()
    writer(Broken(), reins)({"progress": [0.0, "x"]})
    with pytest.raises(Cancelled):
        reins.wait()


def test_a_pipe_that_takes_little_at_a_time_gets_everything():
    """A raw write may take a part only; half a line would swallow the next one."""
    taken = bytearray()

    class Slow:
        def write(self, data: memoryview) -> int:
            taken.extend(data[:3])
            return min(3, len(data))

    writer(Slow(), Reins())({"failed": "a longer sentence"})
    assert json.loads(taken.decode()) == {"failed": "a longer sentence"}
    assert taken.endswith(b"\n")
