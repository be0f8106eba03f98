"""Faults of learning: steps that are too long, and parameters that no gradient reaches."""

from diagnostics.facts.habits import files_alone
from diagnostics.facts.rates import SPELLINGS, TITLES, USUAL, Rate, set_for
from diagnostics.facts.saved import file_of
from diagnostics.facts.trained import Motion, Silence
from diagnostics.measures.curves import best, last_finite, until
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, Fix, Severity
from runs.run import Run
from runs.series import Series
from runs.settings import Settings

USUAL_NOISE = 5e5  # noise_lr of 3dgs-mcmc and of gsplat's MCMCStrategy
# Rounding of a rate on its way through a file.
SAME_RATE = 0.01


@detects("learning-rate-too-high")
def rate_too_high(
    rates: tuple[Rate, ...], span: tuple[int, int], late_motion: Motion | None = None, schedule: Schedule | None = None,
    quality: Series | None = None, settings: Settings | None = None,
    *, times: float = 10.0, times_position: float = 30.0, times_noise: float = 20.0, wander: float = 1.0, drop_db: float = 1.0,
) -> Finding | None:
    """A step of some parameter is many times the usual one. Gradient norms say nothing under Adam, so they are not asked.

    Where the rates are usual or not known, means that still wander far count if quality falls meanwhile.
    """
    limits = {group: times_position if group == "xyz" else times for group in USUAL}
    guilty = [rate for rate in rates if rate.times_usual > limits[rate.group]]
    if not guilty:
        return _wandering(late_motion, schedule, quality, wander, drop_db) or _noisy(settings, span, times_noise)
    told = ", ".join(f"{TITLES[rate.group]} {rate.times_usual:.0f} times" for rate in guilty)
    return Finding(
        f"Steps are far longer than usual: {told} the usual learning rate{against_settings(guilty)}",
        evidence=(
            *(rate_row(rate, limits[rate.group] * USUAL[rate.group], span[0]) for rate in guilty),
            *(() if late_motion is None else (_motion_row(late_motion, None),)),
        ),
        iterations=span, confidence=0.7,
        fixes=tuple(usual_rate(rate) for rate in guilty),
    )


def _noisy(settings: Settings | None, span: tuple[int, int], times: float) -> Finding | None:
    """MCMC shakes faint Gaussians by noise_lr × the rate of the means × their covariance."""
    told = None if settings is None else settings.get("noise_lr")
    if told is None or not told.stored or not isinstance(told.value, (int, float)) or told.value <= times * USUAL_NOISE:
        return None
    return Finding(
        f"MCMC's noise is {told.value / USUAL_NOISE:.0f} times as strong as usual: {told.name} = {told.value:g}",
        evidence=(EvidenceRow("strength of the noise", float(told.value), times * USUAL_NOISE, "", span[0], told.source),),
        iterations=span, confidence=0.6, severity="minor",
        fixes=(Fix("Set the strength of the noise back to its usual value", "Gaussians settle, and late saves hardly differ",
                   told.name, told.value, USUAL_NOISE),),
    )


def rate_row(rate: Rate, limit: float, iteration: int) -> EvidenceRow:
    """A learning rate beside the limit that it passed, both per step and, of the means, per extent."""
    unit = "extents / step" if rate.group == "xyz" else "per step"
    return EvidenceRow(f"learning rate of the {TITLES[rate.group]}", rate.value, limit, unit, iteration, rate.source)


def against_settings(rates: list[Rate]) -> str:
    """Which of them the optimiser did not take from the settings: then the code or the extent is at fault, not the setting."""
    other = [rate.setting for rate in rates
             if rate.setting is not None and abs(rate.setting.value - rate.value) > SAME_RATE * rate.value]
    told = ", ".join(f"{setting.name} = {setting.value:g}" for setting in other)
    return f" (the settings say {told})" if told else ""


def usual_rate(rate: Rate) -> Fix:
    """The setting of the means is per unit of extent, as the rate here is."""
    name = rate.setting.name if rate.setting is not None else (*SPELLINGS[rate.group], "")[0]
    return Fix(
        f"Set the learning rate of the {TITLES[rate.group]} back to its usual value",
        "the same quality is reached with steadier curves; if it was changed on purpose, compare both runs on test views",
        name, rate.value, USUAL[rate.group],
    )


def _wandering(
    motion: Motion | None, schedule: Schedule | None, quality: Series | None, wander: float, drop_db: float,
) -> Finding | None:
    """Only after the end of densification, where rows stay the same Gaussians and each should settle."""
    end = None if schedule is None else schedule.densify_until
    if motion is None or end is None or motion.first < end or not motion.in_sizes > wander:
        return None
    before = None if quality is None else best(until(quality, motion.first))
    after = None if quality is None else last_finite(quality.between(motion.first + 1, motion.last))
    if quality is None or before is None or after is None or before[1] - after[1] < drop_db:
        return None
    return Finding(
        f"Gaussians still wander: the median one moved {motion.in_sizes:.1f} times its own size from iteration {motion.first:,} "
        f"to {motion.last:,}, while their count stayed the same and {quality.name} fell by {before[1] - after[1]:.1f} dB",
        evidence=(
            _motion_row(motion, wander),
            EvidenceRow(f"drop of {quality.name} below its earlier best", before[1] - after[1], drop_db, "dB", after[0],
                        quality.source),
        ),
        iterations=(motion.first, motion.last), confidence=0.6,
    )


def _motion_row(motion: Motion, limit: float | None) -> EvidenceRow:
    return EvidenceRow("median way between the last saves / own size", motion.in_sizes, limit, "", motion.last, motion.source)


@detects("gradients-vanish")
def vanished(
    run: Run, silences: tuple[Silence, ...], settings: Settings | None = None, *, zero_share: float = 1.0,
) -> Finding | None:
    """A group of parameters receives no gradient at all, although it is meant to learn."""
    silent = [silence for silence in silences if silence.zero_share >= zero_share and silence.group in USUAL
              and not _frozen_on_purpose(silence, settings) and not _of_loose_files(silence, run)]
    if not silent:
        return None
    names = ", ".join(TITLES.get(silence.group, silence.group) for silence in silent)
    first, last = min(silence.first for silence in silent), max(silence.last for silence in silent)
    sources = ", ".join(dict.fromkeys(silence.source for silence in silent))
    halted = all(silence.halted for silence in silent)
    happened = "The optimiser's learning rate is 0, though another is set, for the" if halted else "No gradient reached the"
    return Finding(
        f"{happened} {names} from iteration {first:,} to {last:,}, as {sources} shows",
        evidence=tuple(
            EvidenceRow(f"share that did not learn, {TITLES.get(silence.group, silence.group)}", silence.zero_share, zero_share,
                        "share", silence.last, silence.source) for silence in silent),
        iterations=(first, last), confidence=0.95, severity=_severity(silent),
        colour_by="opacity" if any(silence.group == "opacity" for silence in silent) else "",
        facts={"groups": names, "first": first},
    )


def _of_loose_files(silence: Silence, run: Run) -> bool:
    """Splat files without a trainer's folder may be edited copies of one another."""
    return files_alone(run) and silence.source in {file_of(checkpoint) for checkpoint in run.checkpoints}


def _frozen_on_purpose(silence: Silence, settings: Settings | None) -> bool:
    """A learning rate of zero says so."""
    told = set_for(silence.group, settings)
    return told is not None and told.value == 0


def _severity(silent: list[Silence]) -> Severity | None:
    """Without opacities, means or scales nothing can be built; frozen rotations or colours cost about 1 dB in the calibration."""
    return "critical" if any(silence.group in ("opacity", "xyz", "scaling") for silence in silent) else None
