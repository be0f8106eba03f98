"""How far each probe is with the open run: not asked, running, or what it found out."""

from dataclasses import dataclass

from app.session import State
from app.theme import Theme
from diagnostics.probes.answer import Result
from diagnostics.report.probe_words import lead
from diagnostics.report.wording import percent


@dataclass(frozen=True)
class Badge:
    """A stage in words and colour."""

    stage: str  # "not asked", "running", "finding", "clear" or "open"
    text: str

    def colour(self, theme: Theme) -> str:
        return {"not asked": theme.muted, "running": theme.accent, "finding": theme.major, "clear": theme.good,
                "open": theme.minor}[self.stage]


def badge_of(name: str, state: State) -> Badge:
    """Of the probe of that name."""
    working = state.working
    if working is not None and working.question.probe == name:
        share = "" if working.fraction < 0 else f" {percent(working.fraction)}"
        return Badge("running", f"Paused{share}" if working.paused else f"Running{share}")
    result = latest_of(name, state)
    return Badge("not asked", "Not asked") if result is None else answered(result)


def answered(result: Result) -> Badge:
    """"Found", "Nothing found", "Left open"."""
    return Badge(result.outcome, lead(result))


def latest_of(name: str, state: State) -> Result | None:
    """What the probe found out last."""
    return next((result for result in reversed(state.probed) if result.probe == name), None)
