"""Which events of the training lie before and around the iteration from which on a finding shows."""

from diagnostics.diagnosis import Reported
from diagnostics.schedule import Schedule

FROM_THE_START = ("file", "data", "settings")  # these were so before training began, whenever they first show


def timing(reported: Reported, span: tuple[int, int], schedule: Schedule | None) -> str:
    """One sentence, or nothing where the finding shows over the whole range, or no event is known.

    It names events and blames none: late in a usual training there is neither a reset nor pruning left to blame.
    """
    onset = reported.iterations[0]
    if schedule is None or onset <= span[0] or reported.pattern.layer in FROM_THE_START:
        return ""
    if onset in schedule.resets and onset in schedule.densifications:
        return f"It shows from iteration {onset:,} on, when opacities were reset and a densification took place."
    told = [_around("opacity reset", schedule.resets, onset), _around("densification", schedule.densifications, onset)]
    known = [each for each in told if each]
    return f"It shows from iteration {onset:,} on: {' and '.join(known)}." if known else ""


def _around(what: str, events: tuple[int, ...], onset: int) -> str:
    if not events:
        return ""
    if onset in events:
        return f"with the {what} of that iteration"
    before, later = [event for event in events if event < onset], [event for event in events if event > onset]
    if not before:
        return f"before the first {what} at {events[0]:,}"
    gap = onset - before[-1]
    return f"{gap:,} iterations after the {'' if later else 'last '}{what} at {before[-1]:,}"
