"""What broke within one per cent of an iteration at which a setting begins or ends something."""

from diagnostics.facts.crash_phases import Boundary, Break
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding
from runs.settings import Setting


@detects("fails-at-a-phase-boundary")
def fails_at_boundary(
    boundaries: tuple[Boundary, ...], breaks: tuple[Break, ...], schedule: Schedule | None = None, *, within: float = 0.01,
    coarse: float = 0.02,
) -> Finding | None:
    """The first break that a boundary explains. Dips that recover, growth, and what happens at a reset are no breaks."""
    for one in sorted(breaks, key=lambda found: found.iteration):
        if one.iteration - one.before > max(coarse * one.iteration, 2 * BAR):
            continue  # a log as coarse as that holds several boundaries between two of its values
        near = [b for b in boundaries if _is_near(b, one, within) and not _at_a_reset(b, schedule)]
        if near:
            return _finding(one, near, within)
    return None


# Iterations: progress bars and tables of trainers come every ten, levels of single views move after 25.
BAR = 25


def _is_near(boundary: Boundary, one: Break, within: float) -> bool:
    slack = within * boundary.iteration
    return one.before - slack <= boundary.iteration <= one.iteration + slack


def _at_a_reset(boundary: Boundary, schedule: Schedule | None) -> bool:
    return schedule is not None and any(abs(reset - boundary.iteration) <= 1 for reset in schedule.resets)


def _finding(one: Break, near: list[Boundary], within: float) -> Finding:
    closest = min(near, key=lambda boundary: abs(boundary.iteration - one.iteration))
    named = ", ".join(f"{name} = {value}" for name, value in _settings([b.setting for b in near]))
    when = f"At iteration {one.iteration:,}" if one.before + 1 >= one.iteration else (
        f"Between iterations {one.before:,} and {one.iteration:,}")
    return Finding(
        f"{when} {one.what}, about iteration {closest.iteration:,}, where the settings begin or end a phase ({named})",
        evidence=(
            EvidenceRow(one.what, one.value, one.limit, one.unit, one.iteration, one.source),
            *(EvidenceRow(f"distance to {b.setting.name} ({b.iteration:,})", abs(one.iteration - b.iteration),
                          round(max(within * b.iteration, BAR)), "iterations", b.iteration, b.setting.source) for b in near),
        ),
        iterations=(one.before, one.iteration), confidence=0.6,
        facts={"key": closest.setting.name, "at": closest.iteration, "before": one.before},
    )


def _settings(settings: list[Setting]) -> list[tuple[str, object]]:
    return list({setting.name: setting.value for setting in settings}.items())
