"""What is kept of a run: an outcome from the cache must be the one that was put there."""

import json

from tests.lab.made_up import found, outcome
from tests.lab.outcome import from_plain, to_plain


def test_an_outcome_survives_json() -> None:
    """Tuples become lists in JSON; a row list that came back as a list would no longer equal itself."""
    told = outcome(
        found("IF-04", rows=(1, 2), rows_iteration=400, cameras=("a.png",)), found("AF-01", "minor", consequence_of=("IF-04",)),
        guilty_rows=(1,), guilty_cameras=("a.png",), onset=240,
    )
    assert from_plain(json.loads(json.dumps(to_plain(told)))) == told
