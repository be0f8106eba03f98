"""SH probe: do held-out views get better when degrees of the harmonics are cut?"""

from diagnostics.probes.answer import Answer, Judged
from diagnostics.probes.bench import Bench
from diagnostics.probes.material import checkpoint_of, source_of
from diagnostics.probes.registry import Workload, probe
from diagnostics.probes.sh_cost import costliest
from diagnostics.probes.sh_drawn import drawn_at
from diagnostics.probes.sh_views import LONGEST_PX, MOST_BLAMED, MOST_VIEWS, Cut, costs_of, cut_at, shot_of
from diagnostics.probes.sh_words import BLEEDING, FALLING, Judgement, Limits, finding, judged, nearest_deg, rows, sentence


def workload(bench: Bench) -> Workload:
    """Each chosen view with every degree, and each held-out one with gradients. Raises OutOfReach."""
    source, save = source_of(bench, bench.wish.longest_px or LONGEST_PX), checkpoint_of(bench)
    count = min(len(source.test), MOST_VIEWS)
    draws = (count + min(len(source.train), count)) * (save.sh_degree + 1)
    return Workload(min(count, MOST_BLAMED), draws, save.count, source.train[0].size_px)


@probe("sh", workload)
def sh(
    bench: Bench, *, surely: float = 0.975, rise_db: float = 0.05, fall_db: float = 0.3, visible_db: float = 0.3,
    unknown_db: float = 0.1, far_deg: float = 40.0, share_of_cost: float = 0.5,
) -> Answer:
    """Draws held-out views and as many training views at every degree, and compares view by view."""
    cut = cut_at(bench, drawn_at(bench, LONGEST_PX))
    found = judged(cut, Limits(surely, rise_db, fall_db, visible_db, unknown_db, far_deg, share_of_cost))
    missing = (_more_views(found),) if found.unknown else ()
    return Answer(
        f"{sentence(cut, found)}.", _over_fitted(bench, cut, found) if found.over_fitted else _not_found(cut, found, missing),
        rows(cut, found), (shot_of(cut, found.degree),), missing, cut.drawn.checkpoint.iteration, done(cut))


def done(cut: Cut) -> dict[str, object]:
    """What was reduced, and how."""
    return cut.drawn.told(**{"held-out views": len(cut.held_out.names), "training views": len(cut.train.names),
                             "Gaussians": len(cut.drawn.splats)})


def _over_fitted(bench: Bench, cut: Cut, found: Judgement) -> tuple[Judged, ...]:
    """Colours that bleed are seen: a rise that nobody would see says nothing of them."""
    told = finding(cut, found, costliest(costs_of(bench, cut, found.degree), found.limits.share_of_cost))
    bleeds = found.rise.mean_db >= found.limits.visible_db
    unseen = f"a rise of held-out PSNR that can be seen ({found.limits.visible_db:g} dB; it is {found.rise})"
    return Judged(FALLING, told), Judged(BLEEDING, told) if bleeds else Judged(BLEEDING, missing=(unseen,))


def _not_found(cut: Cut, found: Judgement, missing: tuple[str, ...]) -> tuple[Judged, ...]:
    """Harmonics that are sound clear nothing but themselves: held-out views may fall for another reason, and colours may
    bleed where no held-out view looks."""
    if missing:
        return Judged(FALLING, missing=missing), Judged(BLEEDING, missing=missing)
    other = "evaluations of held-out views while it trained (the harmonics are no reason for a fall: views do not gain by a cut)"
    angle = nearest_deg(cut)
    if angle is not None and angle > found.limits.far_deg:
        return Judged(FALLING, missing=(other,)), Judged(BLEEDING)
    near = "no surface" if angle is None else f"cameras {angle:.0f} degrees beside the nearest training camera"
    far = f"held-out views from more than {found.limits.far_deg:g} degrees beside every training camera (these show {near})"
    return Judged(FALLING, missing=(other,)), Judged(BLEEDING, missing=(far,))


def _more_views(found: Judgement) -> str:
    return (f"more held-out views than {found.rise.views}: without the harmonics above degree {found.degree} they change by "
            f"{found.rise}, which may be noise")
