"""Asking: one probe put to one run, from the question to the Result, with what it cost."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import diagnostics.probes.questions  # noqa: F401  (registers every probe)
from diagnostics.diagnose import whole_span
from diagnostics.evidence import Evidence
from diagnostics.probes.answer import Answer, Judged, Result
from diagnostics.probes.bench import Bench, Limits, Listener, OutOfReach, Wish, peak_bytes
from diagnostics.probes.registry import PROBES, Probe, pages
from diagnostics.report.provenance import product
from runs.errors import RunError
from runs.run import Run


class UnknownProbe(ValueError):
    """No probe has this name."""


def ask(
    name: str, run: Run, span: tuple[int, int] | None = None, *, wish: Wish | None = None, limits: Limits | None = None,
    listener: Listener | None = None, changed_limits: Mapping[str, Any] | None = None,
) -> Result:
    """Put the question. Raises Cancelled; what stands in the way of an answer is in the result.

    Nothing is written anywhere, least of all into the run's folder.
    """
    probe = probe_named(name)
    bench = bench_at(run, span, wish=wish, limits=limits, listener=listener)
    try:
        answer = probe.ask(bench, **(changed_limits or {}))
    except OutOfReach as reason:
        answer = left_open(name, reason.missing)
    except RunError as error:
        run.book.add_error(error)
        answer = left_open(name, (str(error),))
    return Result(name, str(run.path), answer, bench.curves, bench.seconds, peak_bytes(),
                  datetime.now().astimezone().isoformat(timespec="seconds"), product())


def bench_at(
    run: Run, span: tuple[int, int] | None = None, *, wish: Wish | None = None, limits: Limits | None = None,
    listener: Listener | None = None,
) -> Bench:
    """A bench for one question; its clock starts now."""
    return Bench(Evidence(run, span or whole_span(run)), wish or Wish(), limits or Limits(), listener or Listener())


def probe_named(name: str) -> Probe:
    """Raises UnknownProbe."""
    if name not in PROBES:
        raise UnknownProbe(f"there is no probe '{name}'; there are {', '.join(pages())}")
    return PROBES[name]


def left_open(name: str, missing: tuple[str, ...]) -> Answer:
    """An answer that says why there is none, for every pattern that the probe settles."""
    judged = tuple(Judged(pattern, missing=missing) for pattern in pages()[name].settles)
    return Answer(f"The question stays open: {'; '.join(missing)}.", judged, missing=missing)
