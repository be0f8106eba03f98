"""Probes put to runs of the lab, in worker processes of one thread each."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

from diagnostics.probes.ask import ask
from tests.lab.case import Half, Size
from tests.lab.corpus import cases
from tests.lab.opened import opened
from tests.lab.probing.meant import meant
from tests.lab.suite import quiet


@dataclass(frozen=True)
class Asked:
    """One question to one run."""

    probe: str
    fault: str  # "" for healthy runs
    slug: str
    half: Half
    size: Size


@dataclass(frozen=True)
class Heard:
    """What came of it."""

    asked: Asked
    right: bool  # on a faulty run: it found what it should; on a healthy one: it found nothing
    outcome: str  # "finding", "clear", "open"
    says: str
    seconds: float
    failure: str = ""  # the probe broke: a bug of the product


Told = Callable[[int, int, Heard], None]


def questions(probe: str, size: Size, half: Half) -> Iterator[Asked]:
    """To every run of the half with a fault that the probe is meant for, and to the healthy ones."""
    task = meant()[probe]
    for case in cases(size, half):
        if case.name in task.finds if case.sick else task.healthy:
            yield Asked(probe, case.name if case.sick else "", case.slug, half, size)


def heard(chosen: Sequence[Asked], *, jobs: int, told: Told) -> tuple[Heard, ...]:
    """Every answer, in the order in which they came."""
    answers: list[Heard] = []
    with quiet(), ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        try:
            for future in as_completed([pool.submit(hear, asked) for asked in chosen]):
                answers.append(future.result())
                told(len(answers), len(chosen), answers[-1])
        finally:
            pool.shutdown(cancel_futures=True)
    return tuple(answers)


def hear(asked: Asked) -> Heard:
    """Put one question; a probe that breaks is told, and ends nothing."""
    task = meant()[asked.probe]
    try:
        result = ask(asked.probe, opened(asked.slug), wish=task.wish_for(asked.fault))
    except Exception as error:
        return Heard(asked, False, "failed", "", 0.0, f"{type(error).__name__}: {error}")
    right = task.hit(result, task.finds[asked.fault]) if asked.fault else not task.alarm(result)
    return Heard(asked, right, result.outcome, result.answer.says, result.seconds)

