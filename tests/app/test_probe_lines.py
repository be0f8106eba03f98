"""What another process prints is foreign input: nothing in it may break the window or fill its memory."""

import json
import math

import numpy as np
import pytest

from app.probe_lines import Answered, Cost, Failed, Lines, Point, Progress, cost_told, message_of
from diagnostics.probes.answer import Shot
from diagnostics.probes.json import shot_to_json


def said(**message: object) -> bytes:
    return json.dumps(message).encode()


def test_lines_come_whole_however_they_are_cut():
    """A pipe hands over whatever it has; half a message must wait for its other half."""
    text = b"first\nsec\xc3\xb6nd\n\nlast"
    for cut in range(1, len(text)):
        lines = Lines()
        pieces = [text[:cut], text[cut:]]
        assert [line for piece in pieces for line in lines.feed(piece)] == [b"first", b"sec\xc3\xb6nd", b""]


def test_a_line_that_never_ends_is_left_out_and_the_next_is_read():
    """Memory is bounded, and one bad line costs only itself."""
    lines = Lines(longest=10)
    assert list(lines.feed(b"x" * 8)) == []
    assert list(lines.feed(b"x" * 8)) == []
    assert sum(map(len, lines._pieces)) <= 10
    assert list(lines.feed(b"x\nshort\n" + b"y" * 11 + b"\nend\n")) == [b"short", b"end"]


def test_every_message_is_understood():
    """The contract between the two processes."""
    shot = Shot("render | photo", np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3), "a.png")
    cost = Cost((1.0, 4.0), 1 << 20, "cpu", True, 5, 6, 7, (64, 48))
    assert message_of(said(progress=[0.25, "step"])) == Progress(0.25, "step")
    assert message_of(said(point=["PSNR", "dB", 3, 21.5])) == Point("PSNR", "dB", 3, 21.5)
    assert math.isnan(message_of(said(point=["PSNR", "dB", 3, None])).value)
    assert message_of(said(failed="no such run")) == Failed("no such run")
    assert message_of(said(estimate=cost_told(cost))) == cost
    assert message_of(said(estimate={"missing": ["photos"]})) == Cost(missing=("photos",))
    seen = message_of(said(shot=shot_to_json(shot)))
    assert isinstance(seen, Shot)
    assert np.array_equal(seen.rgb, shot.rgb)
    answered = message_of(said(result={"says": "x"}))
    assert isinstance(answered, Answered)
    assert answered.told == {"says": "x"}


@pytest.mark.parametrize("line", [
    b"", b"Compiling kernels...", b"{", b"[]", b"3", b"null", b'"progress"', b"\xff\xfe\x00", b"{}", b"[" * 100_000,
    said(unknown=1), said(progress=[0.1, "a"], point=["a", "b", 1, 2]), said(progress=0.5), said(progress=["x", "a"]),
    said(progress=[0.5, 7]), said(point=["a", "b", "c", 1]), said(point=["a", "b", 1e400, 1]), said(shot={"title": "a"}),
    said(shot={"title": "a", "camera": "", "png": "no"}), said(failed=["a"]), said(result=[1]), said(estimate={}),
    said(estimate=7), said(estimate={**cost_told(Cost()), "seconds": [float("nan"), 1]}),
    said(estimate={**cost_told(Cost()), "size_px": [1]}),
])
def test_what_is_no_message_is_left_out(line):
    """Libraries print, and a foreign program may send anything."""
    assert message_of(line) is None


def test_numbers_and_texts_are_held_within_bounds():
    """A progress bar knows 0 to 1, and a label no novel."""
    assert message_of(said(progress=[7, "x" * 10_000])) == Progress(1.0, "x" * 600)
    assert message_of(said(progress=[None, "x"])) == Progress(-1.0, "x")
