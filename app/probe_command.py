"""The command `splatdoctor probe`: lists the probes, tells about one, says what it costs, or asks it."""

import argparse
import json
import math
import os
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.probe_child import ADDRESSES, Reins, Teller, hold, listener_of, put_away, terminable, told_apart, writer
from app.probe_lines import Cost, cost_told
from app.probe_question import GIB, Question
from app.probe_words import cost_text, page_text
from app.progress import Progress
from app.terminal import check_folders, chosen_span, find_pattern, wrapped
from app.wrong_use import Parser, WrongUse
from diagnostics.evidence import Cancelled
from diagnostics.probes.answer import Result
from diagnostics.probes.bench import Limits, Listener, OutOfReach, Wish
from diagnostics.probes.json import to_json
from diagnostics.probes.registry import Page, pages
from diagnostics.report.probe_words import answer_text
from runs.errors import RunError
from runs.open_run import open_run
from runs.remote.addresses import place_name, place_of
from runs.remote.mounting import remember_typed
from runs.run import Run
from runs.storage import following

CODES = {"clear": 0, "finding": 1, "open": 3}
STOPPED = 2


def probe_parser() -> Parser:
    parser = Parser("splatdoctor probe", description="Settle a question by a short optimisation. Without NAME: list the probes; "
                    "without RUN: tell about one. Exit code 0: clear; 1: a finding; 2: unreadable run or wrong use; 3: the "
                    "question stays open. Nothing is written into the run.")
    parser.add_argument("probe", nargs="?", metavar="NAME", help="such as overfit")
    parser.add_argument("run", nargs="?", type=place_of, metavar="RUN", help="a training's output folder, or its address")
    parser.add_argument("--data", type=place_of, metavar="DIR", help="folder with the photos and the COLMAP model")
    parser.add_argument("--from", dest="first", type=int, metavar="A", help="first iteration of the range")
    parser.add_argument("--to", dest="last", type=int, metavar="B", help="last iteration of the range")
    parser.add_argument("--iteration", type=int, metavar="N", help="the save nearest to N (default: the last of the range)")
    parser.add_argument("--size", type=_whole(16), default=0, metavar="PX", help="longer side of the pictures")
    parser.add_argument("--steps", type=_whole(1), default=0, metavar="N", help="length of each optimisation")
    parser.add_argument("--seed", type=_whole(0), default=0, metavar="N", help="of the random numbers (default: 0)")
    parser.add_argument("--seeds", type=_whole(1), default=0, metavar="N", help="trainings on each side, for probes that repeat")
    parser.add_argument("--engine", choices=("auto", "cpu", "cuda"), default="auto", help="default: CUDA where it is")
    parser.add_argument("--seconds", type=_positive, default=Limits().seconds, metavar="S", help="default: %(default)g")
    parser.add_argument("--memory", type=_positive, default=Limits().memory_bytes / GIB, metavar="GIB",
                        help="default: %(default)g")
    parser.add_argument("--finding", metavar="CODE", help="the finding whose fix is tried")
    parser.add_argument("--fix", type=_whole(1), default=1, metavar="N", help="which of its fixes (default: 1)")
    parser.add_argument("--json", metavar="FILE", help="write the result as JSON, for `splatdoctor diagnose --probed FILE`; - is "
                        "standard output")
    parser.add_argument("--estimate", action="store_true", help="only say what it would cost")
    parser.add_argument("--stream", action="store_true", help="one JSON object a line on standard output; obeys pause, go and "
                        "cancel on standard input")
    parser.set_defaults(act=run_probe)
    return parser


def run_probe(options: argparse.Namespace) -> int:
    """Raises RunError, WrongUse, KeyboardInterrupt."""
    if options.probe is None:
        return list_probes()
    page = page_named(options.probe)
    if options.run is None:
        print(page_text(page))
        return 0
    question = question_of(options)
    if options.stream:
        return stream(question, options)
    check_folders(options.json)
    return ask_in_words(question, options)


def list_probes() -> int:
    """The first to try first."""
    wide = max(map(len, pages()), default=0) + 2
    for page in pages().values():
        print(f"{page.name:<{wide}}{page.title}\n{wrapped(page.question, ' ' * wide)}")
    if not pages():
        print("There are no probes.")
    return 0


def page_named(name: str) -> Page:
    """Raises WrongUse."""
    if name not in pages():
        raise WrongUse(f"there is no probe {name!r}; run `splatdoctor probe` to see them all")
    return pages()[name]


def question_of(options: argparse.Namespace) -> Question:
    """What was asked for on the command line; the range is fitted into the run later. Raises WrongUse."""
    finding = find_pattern(options.finding).code if options.finding else ""
    wish = Wish(options.size, options.engine, options.seed, options.seeds, options.steps, options.iteration, finding, options.fix)
    return Question(options.probe, wish, Limits(options.seconds, round(options.memory * GIB)))


def ask_in_words(question: Question, options: argparse.Namespace) -> int:
    """Progress on standard error, then the answer."""
    progress, reins = Progress(sys.stderr), Reins()
    try:
        with terminable(reins):
            run = opened(options)
            asked = within(question, run, options)
            listener = Listener(progress=progress, wait=reins.wait)
            if options.estimate:
                cost = cost_of(asked, run, listener)
            else:
                result = put(asked, run, listener)
    except Cancelled:
        raise KeyboardInterrupt from None
    finally:
        progress.end()
    if options.estimate:
        print(wrapped(cost_text(cost, question.limits), ""))
        return CODES["open"] if cost.missing else 0
    write_result(result, options.json)
    if options.json != "-":
        print(answer_text(result))
    return CODES[result.outcome]


def stream(question: Question, options: argparse.Namespace) -> int:
    """The same for a program that reads along; every trouble is a message."""
    reins = Reins()
    write = writer(told_apart(), reins)
    teller = Teller(write)
    try:
        with terminable(reins):
            hold(reins)
            return _streamed(question, options, teller, reins)
    except Cancelled:
        return STOPPED
    except (RunError, OSError) as error:
        write({"failed": str(error)})
    except Exception as error:  # whoever reads along learns of every end
        traceback.print_exc()
        write({"failed": f"something went wrong inside the {question.probe} probe ({type(error).__name__}: {error})"})
    finally:
        put_away()
    return STOPPED


def _streamed(question: Question, options: argparse.Namespace, teller: Teller, reins: Reins) -> int:
    listener = listener_of(teller, reins)

    def fetching(_part: float, address: str) -> None:
        reins.wait()
        teller.progress(0.0, f"Fetching {address}")

    with following(fetching):
        for typed in json.loads(os.environ.pop(ADDRESSES, "[]")):
            remember_typed(typed)
        teller.progress(0.0, f"Opening {place_name(options.run)}")
        run = opened(options)
        asked = within(question, run, options)
        if options.estimate:
            cost = cost_of(asked, run, listener)
            teller.write({"estimate": cost_told(cost)})
            return CODES["open"] if cost.missing else 0
        result = put(asked, run, listener)
    teller.flush(everything=True)
    teller.write({"result": to_json(result)})
    return CODES[result.outcome]


def opened(options: argparse.Namespace) -> Run:
    """Raises RunError."""
    return open_run(options.run, options.data)


def within(question: Question, run: Run, options: argparse.Namespace) -> Question:
    """With the range inside the run. Raises WrongUse where it is empty."""
    from diagnostics.diagnose import whole_span  # every detector: not for a list of probes

    return replace(question, span=chosen_span(options.first, options.last, whole_span(run)))


def put(question: Question, run: Run, listener: Listener) -> Result:
    """Ask. Raises Cancelled."""
    from diagnostics.probes.ask import ask

    return ask(question.probe, run, question.span, wish=question.wish, limits=question.limits, listener=listener)


def cost_of(question: Question, run: Run, listener: Listener) -> Cost:
    """What it would cost, or what is missing. Raises Cancelled."""
    from diagnostics.probes.ask import bench_at, probe_named
    from diagnostics.probes.estimate import estimate

    try:
        bench = bench_at(run, question.span, wish=question.wish, limits=question.limits, listener=listener)
        found = estimate(probe_named(question.probe), bench)
    except OutOfReach as reason:
        return Cost(missing=reason.missing)
    work = found.workload
    return Cost(
        found.seconds, found.memory_bytes, found.engine, found.grows, work.steps, work.draws, work.gaussians, work.size_px)


def write_result(result: Result, target: str | None) -> None:
    """As JSON into a file, or on standard output. Raises OSError."""
    if target is None:
        return
    text = json.dumps(to_json(result), indent=2, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, encoding="utf-8")
        print(f"Written: {target}", file=sys.stderr)


def _whole(least: int) -> Any:
    """A type of argparse: a whole number from `least` on."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} on")
        return int(text)

    return number


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value
