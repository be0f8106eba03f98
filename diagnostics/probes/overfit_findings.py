"""The findings of the overfit probe: one view that cannot be fitted, and views that cannot be fitted together."""

from collections.abc import Iterator

from diagnostics.probes.answer import Judged
from diagnostics.probes.overfit_measured import Alone, Bars, Measured, Together
from diagnostics.probes.overfit_trials import WORDS, Trials
from diagnostics.verdict import EvidenceRow, Finding, Fix, Severity
from diagnostics.wording import percent

CANNOT, CONTRADICT = "one-view-cannot-be-fitted", "views-contradict-each-other"
FEWEST_VIEWS = 4
ALONE = "views that can be fitted alone (see one-view-cannot-be-fitted)"
FEW = f"at least {FEWEST_VIEWS} training views with photos"
NO_FIT = ("a photo that can be fitted at this size: even points placed in its picture and the reference's settings gain only "
          "{:.1f} dB over its mean colour, or hardly more than the run's own (try another --size)")
SHORT = "at least {:,} steps: the bar was measured there"
NAMED = 4  # cameras in a sentence


def judged(measured: Measured, bars: Bars) -> tuple[Judged, ...]:
    """One per pattern."""
    return _cannot(measured, bars), _contradict(measured, bars)


def _cannot(measured: Measured, bars: Bars) -> Judged:
    trials = measured.trials
    if trials is None:
        return Judged(CANNOT)
    if measured.steps < bars.steps:
        return Judged(CANNOT, missing=(SHORT.format(bars.steps),))
    blame = trials.blame(bars.gained_db, bars.margin_db)
    if blame is None:
        return Judged(CANNOT, missing=(NO_FIT.format(trials.both - trials.flat),))
    alone = next(each for each in measured.alone if each.camera == trials.view.name)
    doubtful = measured.gained > bars.gained_db / 2  # it learns, only slowly: growth may make up for it
    return Judged(CANNOT, Finding(
        f"After {measured.steps:,} steps on the photo {alone.camera} alone, from the run's own points and settings, the picture "
        f"reaches {trials.own:.1f} dB; the photo's mean colour alone would give {trials.flat:.1f} dB. "
        f"With {WORDS[_mending(blame)]} it reaches {_reached(trials, blame):.1f} dB",
        evidence=tuple(_trial_rows(trials, measured, bars)), cameras=tuple(
            each.camera for each in measured.alone if each.gained < bars.gained_db),
        cause=" ".join(_causes(blame, alone, measured)), fixes=tuple(_fixes(blame, measured)),
        confidence=0.6 if doubtful else 0.9, severity=_milder(blame) if doubtful else None,
    ))


def _milder(blame: str) -> Severity:
    """Growth, which this probe leaves out, makes up for a poor start: many sound trainings begin at random."""
    return "minor" if blame == "start" else "major"


def _mending(blame: str) -> str:
    return "both" if blame == "settings and start" else blame


def _reached(trials: Trials, blame: str) -> float:
    return float(getattr(trials, _mending(blame)))


def _trial_rows(trials: Trials, measured: Measured, bars: Bars) -> Iterator[EvidenceRow]:
    yield gain_row(measured, bars)
    for name, says in WORDS.items():
        yield EvidenceRow(f"{trials.view.name} alone, with {says}", getattr(trials, name), None, "dB")
    for each in measured.alone:
        yield EvidenceRow(f"{each.camera}: Gaussians in the picture at the end", each.visible)
        yield EvidenceRow(f"{each.camera}: start points in the picture", each.lies.inside, each.lies.of)


def gain_row(measured: Measured, bars: Bars) -> EvidenceRow:
    """What the bar is held against."""
    return EvidenceRow("gain over the photo's mean colour, median of the views fitted alone", measured.gained, bars.gained_db,
                       "dB", source=f"{measured.steps:,} steps on one view")


def _causes(blame: str, alone: Alone, measured: Measured) -> Iterator[str]:
    if blame in ("settings", "settings and start"):
        far = list(measured.settings.differing())
        told = "; ".join(f"{name} is {value:g} (reference: {usual:g})" for name, value, usual in far)
        yield ("The run's settings: the same points fit the photo with the reference's. "
               if blame == "settings" else "The run's settings and its start, both: neither alone mends it. ") + (
            f"Far from the reference: {told}." if told else "No single setting is far from the reference.")
    if blame == "background":
        yield ("The background: before the other one the same points and settings fit the photo. The photos lie on that colour, "
               "or show so bright a sky or wall that has no points.")
    if blame in ("start", "settings and start"):
        yield _start_cause(alone)


def _start_cause(alone: Alone) -> str:
    lies = alone.lies
    if not lies.inside:
        why = (f"not one of the {lies.of:,} start points lies in this picture: {lies.behind:,} are behind the camera, "
               f"{lies.too_near:,} nearer than the near plane, {lies.beside:,} beside the picture")
    else:
        why = (f"{lies.inside:,} of {lies.of:,} start points lie in this picture ({lies.behind:,} behind the camera, "
               f"{lies.too_near:,} nearer than the near plane), too few of them, too large, or where the photo shows nothing")
    return f"The start: points placed in the picture fit the photo with the run's settings, its own points do not; {why}."


def _fixes(blame: str, measured: Measured) -> Iterator[Fix]:
    if "settings" not in blame:
        return
    for name, value, usual in measured.settings.differing():
        yield Fix(f"Set {name} back to the reference's value", "this probe reaches its bar, and the training loss falls from the "
                  "first hundred iterations on", name, value, usual, falsified_by="the probe does not reach its bar with it")


def _contradict(measured: Measured, bars: Bars) -> Judged:
    together = measured.together
    if together is None:
        return Judged(CONTRADICT, missing=measured.stopped or (ALONE if measured.trials is not None else FEW,))
    if measured.steps < bars.steps:
        return Judged(CONTRADICT, missing=(SHORT.format(bars.steps),))
    reasons = tuple(_reasons(together, bars))
    if not reasons:
        return Judged(CONTRADICT)
    count = len(together.fitted.views)
    return Judged(CONTRADICT, Finding(
        f"Each photo can be fitted alone ({measured.gained:.1f} dB above its mean colour, median), but {count} together cannot: "
        + "; ".join(says for says, _, _ in reasons),
        evidence=tuple(contradiction_rows(together, bars)),
        cameras=tuple(dict.fromkeys(name for _, _, names in reasons for name in names)),
        confidence=0.8, cause=" ".join(cause for _, cause, _ in reasons),
    ))


def _reasons(together: Together, bars: Bars) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """What is measured, what it means, and which cameras show it."""
    found, residuals = together.disagreement, together.residuals
    if together.blind:
        yield (f"{_named(together.blind)} sees not one Gaussian of the start",
               "A camera that sees nothing of the scene was registered elsewhere.", together.blind)
    if together.at_odds:
        worst = together.at_odds[0]
        alone = together.fitted.psnr[worst] + together.lost[worst]
        yield (f"{_named(together.at_odds)} stays behind ({together.fitted.psnr[worst]:.1f} dB with the others, {alone:.1f} dB "
               "alone)", "One camera at odds with the others has a wrong pose, or another photo than its own; something may also "
               "stand in it that the others do not show. The pose probe measures by how much.", together.at_odds)
    if found.shift_px > bars.shift_px and found.moved > bars.moved:
        names = tuple(each.camera for each in residuals if each.moved is not None and each.moved > bars.moved)
        yield (f"renders lie {found.shift_px:.2f} px beside their photos (median)",
               "Renders that must be moved to lie on their photos mean poses or intrinsics that do not fit. The pose probe tells "
               "which.", names)
    if found.tint > bars.tint and found.tinted > bars.tinted:
        names = tuple(each.camera for each in residuals if each.tinted > bars.tinted)
        yield (f"photos differ from renders by gains of their own that vary by {percent(found.tint)} and explain "
               f"{percent(found.tinted)} of the difference",
               "Gains that vary from photo to photo mean exposure or white balance that varies. The exposure probe measures it.",
               names)


def contradiction_rows(together: Together, bars: Bars) -> Iterator[EvidenceRow]:
    """The numbers of views fitted together, with their limits."""
    found, source = together.disagreement, f"{len(together.fitted.views)} views fitted together"
    yield EvidenceRow("PSNR together, median", together.fitted.typical, None, "dB", source=source)
    yield EvidenceRow("shift between render and photo, median", found.shift_px, bars.shift_px, "px", source=source)
    yield EvidenceRow("part of the squared difference that the shift explains, median", found.moved, bars.moved, "share",
                      source=source)
    yield EvidenceRow("standard deviation of the log gain between renders and photos (robust)", found.tint, bars.tint, "",
                      source=source)
    yield EvidenceRow("part of the squared difference that a gain per photo explains, median", found.tinted, bars.tinted, "share",
                      source=source)
    for name, lost in together.lost.items():
        yield EvidenceRow(f"{name}: lost with the others against alone", lost, together.usual_loss + bars.stays_db, "dB",
                          source=source)
        yield EvidenceRow(f"{name}: kept of what it gains alone", 1 - lost / together.gained[name], bars.keeps, "share",
                          source=source)


def _named(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"
