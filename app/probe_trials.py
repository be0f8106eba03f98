"""The fixes of the present diagnosis that a trial can try."""

from dataclasses import dataclass

from app.session import State
from diagnostics.diagnosis import Reported
from diagnostics.probes.registry import pages
from diagnostics.verdict import Fix
from runs.run import Run

TRIAL = "fix-trial"  # the probe that tries a fix


@dataclass(frozen=True, eq=False)
class Trial:
    """One fix of one finding."""

    reported: Reported
    number: int  # of the fix, from 1

    @property
    def key(self) -> tuple[str, int]:
        return self.reported.pattern.code, self.number

    @property
    def fix(self) -> Fix:
        return self.reported.fixes[self.number - 1]

    @property
    def title(self) -> str:
        return f"{self.reported.pattern.code} {self.reported.pattern.title}: fix {self.number}"


def trials_of(state: State) -> tuple[Trial, ...]:
    """Of every finding, in order."""
    findings = () if state.diagnosis is None else state.diagnosis.findings
    return tuple(Trial(found, number) for found in findings for number in triable_fixes(found, state.run))


def triable_fixes(reported: Reported, run: Run | None) -> tuple[int, ...]:
    """Numbers, from 1, of the fixes that can be tried."""
    if run is None or TRIAL not in pages():
        return ()
    from diagnostics.probes.trial_changes import triable  # not before it is needed

    return triable(reported, run)
