"""The suite: trains and judges cases in worker processes of one thread each; what did not change is taken from the cache."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from runs.writers.atomic import write_text
from tests.lab.case import Case
from tests.lab.corpus import onset_of, plan_of
from tests.lab.fingerprint import diagnosis_key, training_key
from tests.lab.judge import judge
from tests.lab.outcome import Outcome, Trained, from_plain, to_plain, trained_from_plain
from tests.lab.plan import Plan
from tests.lab.scenes.building import cache_folder
from tests.lab.train import train

# One thread per process: two threads with any busy neighbour are up to 16 times slower than one, two processes twice as fast.
QUIET = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
         "MKL_NUM_THREADS": "1"}
Told = Callable[[int, int, Outcome], None]  # (done, of, the newest)


def run_suite(chosen: Sequence[Case], *, jobs: int = 2, told: Told = lambda *_: None) -> tuple[Outcome, ...]:
    """Outcomes in the order of the cases; an error or a stop lets go of what has not begun."""
    by_case: dict[Case, Outcome] = {}
    with quiet(), ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        try:
            for future in as_completed([pool.submit(outcome_of, case) for case in chosen]):
                outcome = future.result()
                by_case[outcome.case] = outcome
                told(len(by_case), len(chosen), outcome)
        finally:
            pool.shutdown(cancel_futures=True)
    return tuple(by_case[case] for case in chosen)


def outcome_of(case: Case) -> Outcome:
    """Train and judge one case, as far as the cache does not hold it."""
    plan = plan_of(case)
    key = training_key(plan)
    place, trained = made(case, plan, key)
    judged = place.judged(diagnosis_key(key))
    if judged is None:
        judged = judge(case, trained, place.run, place.data)
        place.keep_judged(diagnosis_key(key), judged)
    return replace(judged, case=case, trained=trained)


def made(case: Case, plan: Plan, key: str) -> tuple["Place", Trained]:
    """Where the run lies and how it came out; trained only where that was not done before."""
    place = Place(case, key)
    trained = place.trained()
    if trained is None:
        place.clear()
        plan.scene.write(place.data)
        trained = replace(train(plan, place.run), onset=onset_of(case))
        place.keep(trained)
    return place, trained


class Place:
    """Where one case lies: its run, its data, how they came out, and what the doctor said last."""

    def __init__(self, case: Case, key: str) -> None:
        self.folder, self.key = cache_folder().parent / "runs" / case.slug, key
        self.run, self.data = self.folder / "run", self.folder / "data"

    def trained(self) -> Trained | None:
        """None where nothing is there, or what is there was made otherwise."""
        entry = _entry(self.folder / "trained.json", self.key)
        return None if entry is None else trained_from_plain(entry)

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def keep(self, trained: Trained) -> None:
        _write(self.folder / "trained.json", self.key, asdict(trained))

    def judged(self, key: str) -> Outcome | None:
        entry = _entry(self.folder / "judged.json", key)
        return None if entry is None else from_plain(entry)

    def keep_judged(self, key: str, outcome: Outcome) -> None:
        _write(self.folder / "judged.json", key, to_plain(outcome))


def _entry(path: Path, key: str) -> dict[str, Any] | None:
    try:
        stored = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return stored["entry"] if stored["key"] == key else None


def _write(path: Path, key: str, entry: dict[str, Any]) -> None:
    write_text(path, json.dumps({"key": key, "entry": entry}))


@contextmanager
def quiet() -> Iterator[None]:
    """Workers inherit the environment; it must be set before they import numba."""
    before = {name: os.environ.get(name) for name in QUIET}
    os.environ.update(QUIET)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
