"""Exposure probe: does each photo ask for a colour correction of its own?"""

from diagnostics.facts.matched import LEARNED
from diagnostics.probes.answer import Answer, Judged
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.exposure_views import LONGEST_PX, MOST_VIEWS, compared, shot_of
from diagnostics.probes.exposure_words import PATTERN, Limits, calm, done, finding, rows, sentence, varying
from diagnostics.probes.material import checkpoint_of, source_of
from diagnostics.probes.registry import Workload, probe
from diagnostics.probes.sh_drawn import drawn_at

SECONDS_PER_VIEW = 0.06  # nine fits to 20,000 pixels, measured


def workload(bench: Bench) -> Workload:
    """One picture of each chosen view, and the fits. Raises OutOfReach."""
    source = source_of(bench, bench.wish.longest_px or LONGEST_PX)
    count = min(len(source.train), MOST_VIEWS) + min(len(source.test), MOST_VIEWS)
    return Workload(0, count, checkpoint_of(bench).count, source.train[0].size_px, SECONDS_PER_VIEW * count)


@probe("exposure", workload)
def exposure(
    bench: Bench, *, spread: float = 0.04, explained: float = 0.1, adding_at_most: float = 1.0, serious: float = 0.08,
    unlearned: float = 0.5, absorbed: float = 2.0,
) -> Answer:
    """Fits an affine correction of colours per photo to half of the picture and tries it on the other half."""
    found = compared(bench, drawn_at(bench, LONGEST_PX))
    if not found.unexplained <= unlearned:
        raise OutOfReach(LEARNED)
    limits = Limits(spread, explained, adding_at_most, serious, absorbed)
    group = varying(found, limits)
    shot = shot_of(bench, found, group or found.train)
    return Answer(
        calm(found) if group is None else sentence(found, group),
        (Judged(PATTERN, None if group is None else finding(found, group, limits)),), rows(found, limits),
        () if shot is None else (shot,), iteration=found.drawn.checkpoint.iteration, done=done(found),
    )
