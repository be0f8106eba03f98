"""The command `splatdoctor vram`: where a training's GPU memory goes, what is to come, and which GPUs suffice."""

import argparse
import json
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from app.wording_memory import by_size, full_at, millions
from app.wrong_use import Parser, WrongUse
from diagnostics.memory.account import Account, account, logged_of
from diagnostics.memory.fits import FITTED, measured_for
from diagnostics.memory.gpus import Gpu, gpu_named, known_gpus
from diagnostics.memory.model import Setup, Usage
from diagnostics.memory.photos import photos_given
from diagnostics.memory.setup import course_of, setup_of
from diagnostics.memory.sizes import size_text
from runs.open_run import open_run
from runs.remote.addresses import place_of
from runs.run import Run

TRAINERS = ("inria", "gsplat", "gsplat-mcmc", "gsplat-2dgs", "splatfacto")
COLUMNS = 100


def vram_parser() -> Parser:
    parser = Parser("splatdoctor vram", description="Where a training's GPU memory goes, its expected peak, and which GPUs "
                    "suffice, by published measurements. Give a run, or a count.")
    parser.add_argument("run", nargs="?", type=place_of, metavar="RUN", help="a training's output folder")
    parser.add_argument("--data", type=place_of, metavar="DIR", help="folder with the photos and the COLMAP model")
    parser.add_argument("--count", type=_count, metavar="N", help="Gaussians; of a run, the final count that you expect")
    parser.add_argument("--sh-degree", type=int, choices=range(5), metavar="D", help="0 to 4 (default: the run's, else 3)")
    parser.add_argument("--trainer", choices=TRAINERS, help="default: the run's, else inria")
    parser.add_argument("--images", type=_count, metavar="N", help="photos that the trainer loads")
    parser.add_argument("--size", type=_pixels, metavar="WxH", help="of each photo as it is loaded, in pixels")
    parser.add_argument("--gpu", metavar="NAME|GiB", help="ask about this card only, such as 'RTX 3080' or 24")
    parser.add_argument("--json", action="store_true", help="as JSON on standard output")
    parser.set_defaults(act=print_vram)
    return parser


def print_vram(options: argparse.Namespace) -> int:
    """Raises RunError, WrongUse."""
    told, name = _account(options)
    print(json.dumps(as_json(told, name), indent=2, allow_nan=False) if options.json else as_text(told, name))
    return 0


def _account(options: argparse.Namespace) -> tuple[Account, str]:
    gpus = _gpus(options.gpu)
    run = None if options.run is None else open_run(options.run, options.data)
    setup = _setup(options, run)
    course = None if run is None else course_of(run, final=options.count)
    if course is None and options.count is None:
        raise WrongUse("the count of Gaussians is not known: give a run that holds it, or --count N")
    if course is None or run is None:
        return account(setup, gpus, count=options.count), "A training that was described" if run is None else run.name
    count = round(float(course.counts[course.iterations == course.known_until][0]))
    return account(setup, gpus, count=max(count, 0), iteration=course.known_until, course=course,
                   logged=logged_of(run, setup, course)), run.name


def _gpus(asked: str | None) -> tuple[Gpu, ...]:
    if asked is None:
        return known_gpus()
    gpu = gpu_named(asked)
    if gpu is None:
        raise WrongUse(f"no GPU {asked!r} is in the list; give its memory in GiB instead, such as --gpu 24")
    return (gpu,)


def _setup(options: argparse.Namespace, run: Run | None) -> Setup:
    """The run's, with what was given on the command line in its place."""
    if (options.images is None) != (options.size is None):
        raise WrongUse("--images and --size belong together")
    name = options.trainer or "inria"
    measured = measured_for(name.removesuffix("-mcmc"), mcmc=name.endswith("-mcmc"))
    setup = Setup(measured) if run is None else setup_of(run)
    if options.trainer is not None:
        setup = replace(setup, measured=measured)
    if options.sh_degree is not None:
        setup = replace(setup, sh_degree=options.sh_degree)
    if options.images is not None:
        trainer = name if options.trainer is not None or run is None else run.trainer.name
        width, height = options.size
        setup = replace(setup, photos=photos_given(trainer, options.images, width * height), view_pixels=width * height)
    return setup


def as_text(told: Account, name: str) -> str:
    """The table of bytes, the forecast, and the cards."""
    return "\n\n".join(block for block in (_head(told, name), "\n".join(_table(told)), "\n".join(_forecast(told)),
                                           "\n".join(_cards(told)), "\n".join(_doubts(told))) if block)


def _head(told: Account, name: str) -> str:
    fit = told.setup.measured.fit
    basis = "not measured: a floor only" if fit is None else f"measured on {fit.name} ({fit.scenes})"
    return (f"{name}\nSH degree {told.setup.sh_degree} · optimiser {told.setup.optimiser} · {basis}\n"
            "Peak of what PyTorch allocates; the CUDA context and kept blocks take about 0.5-2 GiB more (not verified)")


def _table(told: Account) -> Iterator[str]:
    two = told.peak.count != told.now.count
    here = "as given" if told.iteration is None else f"iteration {told.iteration:,}"
    yield f"{'':<26}{here:>20}" + (f"{'expected peak':>20}" if two else "")
    yield f"{'Gaussians':<26}{told.now.count:>20,}" + (f"{told.peak.count:>20,}" if two else "")
    later = {part.name: part.bytes for part in told.peak.parts}
    for part in told.now.parts:
        also = f"{size_text(later[part.name]):>20}" if two else ""
        yield f"{part.name:<26}{size_text(part.bytes):>20}{also}  {part.basis}"
    most = "Total" if told.now.complete else "At least"
    yield f"{most:<26}{size_text(told.now.total):>20}" + (f"{size_text(told.peak.total):>20}" if two else "")


def _forecast(told: Account) -> Iterator[str]:
    if told.logged is not None:
        expected = "" if told.logged.expected is None else f"; the model gives {told.logged.expected:.2f} GiB there"
        yield f"Logged by the trainer: {told.logged.gib:.2f} GiB at iteration {told.logged.iteration:,}{expected}"
    if told.course is not None and told.course.basis:
        yield (f"The count is known until iteration {told.course.known_until:,} and expected to reach {told.course.final:,} "
               f"at {told.course.iterations[-1]:,}: {told.course.basis}")


def _cards(told: Account) -> Iterator[str]:
    if not told.now.complete:
        yield "Which GPUs suffice: not available (nobody measured this trainer)"
        return
    yield f"{'GiB':>5}  {'':<10}{'full at iteration':>18}{'room for':>12}   GPUs"
    for size, rows in by_size(told.gpus):
        row, names = rows[0], ", ".join(row.gpu.name for row in rows)
        line = f"{size:>5g}  {row.fits:<10}{full_at(row.crossing):>18}{millions(row.most):>12}   "
        yield textwrap.fill(names, COLUMNS, initial_indent=line, subsequent_indent=" " * len(line))


def _doubts(told: Account) -> Iterator[str]:
    beyond = any(row.most > FITTED[1] for row in told.gpus) and told.now.complete
    for doubt in (*told.peak.doubts, *((f"room for more than {FITTED[1] / 1e6:g} million is extrapolated",) if beyond else ())):
        yield textwrap.fill(f"Note: {doubt}", COLUMNS, subsequent_indent="  ")


def as_json(told: Account, name: str) -> dict[str, Any]:
    """All of the account."""
    return {
        "run": name, "iteration": told.iteration, "complete": told.now.complete, "sh_degree": told.setup.sh_degree,
        "now": _usage(told.now), "peak": _usage(told.peak), "notes": list(told.peak.doubts),
        "known_until": None if told.course is None else told.course.known_until,
        "forecast": None if told.course is None else told.course.basis or None,
        "logged": None if told.logged is None else {
            "gib": told.logged.gib, "iteration": told.logged.iteration, "expected_gib": told.logged.expected},
        "gpus": [{"name": row.gpu.name, "gib": row.gpu.gib, "fits": row.fits, "full_at": row.crossing.surely,
                  "perhaps_full_at": row.crossing.maybe, "room_for": row.most, "source": row.gpu.source}
                 for row in (told.gpus if told.now.complete else ())],
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return {"gaussians": usage.count, "total_bytes": round(usage.total), "parts": [
        {"name": part.name, "bytes": round(part.bytes), "basis": part.basis, "why": part.why} for part in usage.parts]}


def _pixels(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and 0 < int(width) < 1e5 and 0 < int(height) < 1e5):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size in pixels, such as 1600x1066")
    return int(width), int(height)


def _count(text: str) -> int:
    try:
        value = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        value = 0
    if not 1 <= value <= 1e10:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of 1 or more")
    return int(value)
