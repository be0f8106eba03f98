"""Where the shared real data lies, for tests that need it; absent data skips the test and says why."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def shared_data(*parts: str) -> Path:
    """The path below the data folder (`SPLATDOCTOR_DATA`, default `../shared/data`); skips the test when it is absent."""
    root = Path(os.environ.get("SPLATDOCTOR_DATA", REPOSITORY.parent / "shared" / "data"))
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the shared data is not on this machine: {path}")
    return path
