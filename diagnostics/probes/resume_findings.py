"""What the resume probe says: sentences and verdicts from what was measured."""

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.facts.rates import TITLES
from diagnostics.probes.answer import Judged
from diagnostics.probes.resume_measured import Followed, Kick, kick, longest
from diagnostics.probes.resume_state import LOST, Left
from diagnostics.probes.resume_ways import Way
from diagnostics.verdict import EvidenceRow, Finding, Fix, NotEvaluable
from diagnostics.wording import percent

DOES_NOT_CONTINUE = "resume-does-not-continue"
NO_STATE = "a resumable training state in the chosen range: a point cloud alone always starts anew"
NOT_MOMENTS = "the next densification: what files miss in the state is none of Adam's moments, and costs nothing before"
BESIDE_RESET = "a state that was not saved right after an opacity reset, where long updates are by design"
OTHER_ROWS = ("Rows of the parameters and of the moments were put in another order, or the moments are from another training: "
              "each Gaussian is moved by the history of another.")
LEAST_DB = 0.01  # smaller differences are not worth a word
AFTER_RESET = 100  # iterations; opacities at 0.01 come back to half in 92 steps at a rate of 0.05


@dataclass(frozen=True, eq=False)
class Measured:
    """Continuations of one save."""

    left: Left
    stored: Way  # as a trainer would load it
    anew: Way  # with no moments at all; the same where the save holds none
    warm: Way  # with moments gathered at rest in place of those that lack; of all where none does
    agreement: Mapping[str, float]  # rank correlation of stored moments with gathered ones, by group
    followed: Followed | None  # which of them the log went on, where an earlier resume is looked at
    since_reset: int | None  # iterations since the last opacity reset; None: none is known
    shrunk: float

    @property
    def lacking(self) -> tuple[str, ...]:
        return self.left.lacking

    @property
    def broken(self) -> Way:
        """What goes wrong, or would: the save as it is where moments lack, else the same save without them."""
        return self.stored if self.lacking else self.anew

    @property
    def yardstick(self) -> Way:
        """The unbroken continuation: the moments of the state where all are there, else gathered ones."""
        return self.warm if self.lacking else self.stored

    @property
    def cost(self) -> Kick:
        return kick(self.broken, self.yardstick)

    @property
    def after_reset(self) -> bool:
        """Opacities were reset so shortly before that long steps are by design."""
        return self.since_reset is not None and self.since_reset < AFTER_RESET

    @property
    def best_agreement(self) -> float:
        return max(self.agreement.values(), default=float("nan"))


def says(measured: Measured) -> str:
    """One sentence for the whole answer."""
    left, stored = measured.left, measured.stored
    begins = f"Continued for {len(stored.psnr)} iterations from {left.source} (iteration {left.state.iteration:,})"
    if not left.is_state:
        return f"{begins}, which holds parameters alone: {_updates(stored)}; {_costs(measured)}."
    if measured.lacking:
        begins = f"{begins}, which has no usable moments of the {_titles(measured.lacking)}"
        return f"{begins}: {_updates(stored)}; {_costs(measured)}."
    begins = f"{begins} with all its moments{_reset(measured)}: {_updates(stored)}"
    return f"{begins}. Without its moments {_updates(measured.anew)}, and {_costs(measured)}."


def does_not_continue(measured: Measured, first_update: float, least: float) -> Judged:
    """Whether the state takes up training where it was left."""
    group, times = longest(measured.stored, measured.lacking)
    if not measured.left.is_state:
        return Judged(DOES_NOT_CONTINUE, missing=(NO_STATE,))
    if measured.lacking and times > first_update:
        return Judged(DOES_NOT_CONTINUE, _kicks(measured, group, first_update))
    if measured.lacking and measured.after_reset:
        return Judged(DOES_NOT_CONTINUE, missing=(BESIDE_RESET,))
    if measured.agreement and measured.best_agreement < least and not measured.after_reset:
        return Judged(DOES_NOT_CONTINUE, _of_others(measured, least))
    return Judged(DOES_NOT_CONTINUE)


def lost(measured: Measured) -> Judged:
    """What files say about the moments, with what their loss costs."""
    verdict, restarted = measured.left.verdict, measured.left.restarted
    if isinstance(verdict, NotEvaluable):
        return Judged(LOST, missing=verdict.missing)
    if verdict is None:
        return Judged(LOST)
    if not measured.lacking and restarted is None:
        return Judged(LOST, missing=(NOT_MOMENTS,))
    when = "" if restarted is None else f", as this run did at iteration {restarted:,}{_log(measured)}"
    return Judged(LOST, Finding(
        f"Going on from {measured.left.source} without Adam's moments{when}: {_updates(measured.broken)}, and {_costs(measured)}",
        (*_lengths(measured.broken, None), *_kick_rows(measured), *_log_rows(measured)), iterations=verdict.iterations,
        confidence=verdict.confidence, fixes=_gathering(measured), facts=verdict.facts,
    ))


def rows(measured: Measured) -> tuple[EvidenceRow, ...]:
    """Everything measured, whatever the verdict."""
    source, iteration = measured.left.source, measured.left.state.iteration
    holds = tuple(EvidenceRow(what, value, None, "", iteration, source) for what, value in measured.left.holds.items())
    anew = () if measured.anew is measured.stored else _lengths(measured.anew, None)
    return (*holds, *_lengths(measured.stored, None), *anew, *_lengths(measured.warm, None), *_kick_rows(measured),
            *_agreement_rows(measured, None), *_log_rows(measured))


def _kicks(measured: Measured, group: str, limit: float) -> Finding:
    left = measured.left
    return Finding(
        f"A resume from {left.source} (iteration {left.state.iteration:,}) does not take up where training was left: no moments "
        f"of the {_titles(measured.lacking)} can be used, the first update of the {TITLES.get(group, group)} is "
        f"{measured.stored.times(group):.1f} times as long as its later ones, and {_costs(measured)}",
        (*_lengths(measured.stored, limit), *_kick_rows(measured)), iterations=(left.state.iteration, left.state.iteration),
        confidence=0.9, fixes=_gathering(measured), facts={"iteration": left.state.iteration},
    )


def _of_others(measured: Measured, least: float) -> Finding:
    left = measured.left
    return Finding(
        f"Adam's moments in {left.source} are not those of its Gaussians: their rank correlation with moments gathered now is "
        f"{measured.best_agreement:.2f} at best",
        (*_agreement_rows(measured, least), *_lengths(measured.stored, None)),
        iterations=(left.state.iteration, left.state.iteration), confidence=0.8, fixes=_gathering(measured), cause=OTHER_ROWS,
        facts={"iteration": left.state.iteration},
    )


def _gathering(measured: Measured) -> tuple[Fix, ...]:
    """The yardstick is also a cure, and its effect was measured; beside a reset it cures nothing."""
    if measured.after_reset:
        return ()
    warm, steps = measured.warm, len(measured.warm.psnr)
    group, times = longest(measured.broken)
    return (Fix(
        f"Before continuing, run {steps} iterations with every learning rate at 0, so that Adam gathers its moments while "
        "nothing moves; then set the rates as they were",
        f"the first update of the {TITLES.get(group, group)} is {warm.times(group):.1f} times as long as its later ones instead "
        f"of {times:.1f} (both measured here)",
        risk=f"the time of {steps} iterations; what was lost beside the moments is not brought back",
        falsified_by="the first updates are several times as long as later ones all the same",
        seen_at=measured.left.state.iteration + steps,
    ),)


def _updates(way: Way) -> str:
    times = [way.times(group) for group in way.updates]
    if not times:
        return "nothing moves"
    return f"first updates are {min(times):.1f} to {max(times):.1f} times as long as later ones"


def _costs(measured: Measured) -> str:
    cost = measured.cost
    stands_out = cost.mean_db < -max(2 * cost.error_db, LEAST_DB)
    what = f"the same views {'change by' if stands_out else 'lose nothing that stands out:'} {cost.told}"
    return what if measured.shrunk == 1 else f"{what} (on smaller pictures, to which the Gaussians also adapt)"


def _reset(measured: Measured) -> str:
    if not measured.after_reset:
        return ""
    return f", {measured.since_reset} iterations after an opacity reset, which makes the updates of opacities long by design"


def _log(measured: Measured) -> str:
    """Which continuation the run's own log went on."""
    told = measured.followed
    if told is None or told.anew >= told.stored:
        return ""
    return (f" (its logged losses are within {percent(told.anew)} of this continuation, and {percent(told.stored)} off the one "
            "with the moments)")


def _titles(groups: tuple[str, ...]) -> str:
    return ", ".join(TITLES.get(group, group) for group in groups)


def _lengths(way: Way, limit: float | None) -> tuple[EvidenceRow, ...]:
    return tuple(
        EvidenceRow(f"{way.name}: first update of the {TITLES.get(group, group)} ({way.first(group):.2f} learning rates) / later",
                    way.times(group), limit, "times") for group in way.updates
    )


def _kick_rows(measured: Measured) -> tuple[EvidenceRow, ...]:
    cost, who = measured.cost, f"PSNR of the same views, {measured.broken.name} less {measured.yardstick.name}"
    found = (
        EvidenceRow(f"{who}, first iterations", cost.mean_db, None, "dB"),
        EvidenceRow(f"{who}, standard error", cost.error_db, None, "dB"),
        EvidenceRow(f"{who}, last third", cost.late_db, None, "dB"),
        EvidenceRow("standard deviation of PSNR from view to view", cost.views_db, None, "dB"),
    )
    if measured.lacking:
        return found
    gathered = kick(measured.warm, measured.yardstick)
    return (*found, EvidenceRow(f"PSNR of the same views, {measured.warm.name} less {measured.stored.name}, first iterations",
                                gathered.mean_db, None, "dB"))


def _agreement_rows(measured: Measured, least: float | None) -> tuple[EvidenceRow, ...]:
    return tuple(EvidenceRow(f"rank correlation of stored moments of the {TITLES.get(group, group)} with gathered", value, least)
                 for group, value in measured.agreement.items())


def _log_rows(measured: Measured) -> tuple[EvidenceRow, ...]:
    told = measured.followed
    if told is None:
        return ()
    median = f"median of {told.iterations} iterations"
    return (EvidenceRow(f"logged L1 against the continuation with the state's moments, {median}", told.stored, None, "share"),
            EvidenceRow(f"logged L1 against the continuation without moments, {median}", told.anew, None, "share"))
