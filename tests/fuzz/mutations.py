"""Mutations of valid files without coverage: for the short run in the test suite, and where atheris is not installed."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.folders import Places
from tests.fuzz.target import Target
from tests.fuzz.verdict import fault_of

EXAMPLES_PER_ROUND = 500
# Values that readers trip over: lengths and counts at their ends, in both byte orders, and texts that parsers love.
TOKENS = (
    b"", b"\0", b"\xff", b"\0" * 8, b"\xff" * 8, b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\xff" * 7 + b"\x7f",
    b"\0\0\0\0\0\0\0\x80", b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\x80\xff", b"-1", b"999999999999", b"1e400", b"nan", b"-inf",
    b"null", b"\r\n", b"\n\n", b" ", b"[", b"{", b"(" * 200, b"\xf0\x9f", b"\xed\xa0\x80", b"../", b"PK\x03\x04", b"\x80\x02",
    b"'", b'"', b"!!python/object:os.x",
)


@st.composite
def mutated(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """A seed with a few stretches replaced, inserted, taken out or repeated, and perhaps cut off."""
    content = draw(st.sampled_from(list(seeds)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        end = min(at + draw(st.integers(0, 12)), len(content))
        piece = draw(st.one_of(st.sampled_from(TOKENS), st.binary(max_size=12), st.just(content[at:at + 40] * 2)))
        content = content[:at] + piece + content[end:]
    return content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content


def mutate_for(target: Target, seconds: float) -> None:
    """Read mutations until the time is over, and keep the shortest input of each fault."""
    places = Places.of(target.name)
    seeds = target.seeds()
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:

        @settings(max_examples=EXAMPLES_PER_ROUND, deadline=None, database=None, phases=[Phase.generate],
                  suppress_health_check=list(HealthCheck))
        @given(mutated(seeds))
        def one_round(data: bytes) -> None:
            fault = fault_of(target, data, Path(folder)) if time.monotonic() < until else None
            if fault is not None:
                places.keep(fault.file_name, data)

        while time.monotonic() < until:
            one_round()
