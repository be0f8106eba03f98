"""The command line: opens the window, or does the same work without one. Heavy imports wait until a command needs them."""

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from app.wrong_use import WRONG_USE, Parser

SEVERITY_CHOICES = ("critical", "major", "minor")
PANEL_NAMES = ("runs", "viewport", "timeline", "plots", "inspector", "diagnosis", "pattern", "memory", "probes")
DESCRIPTION = """\
A debugger for 3D Gaussian Splatting training runs.

  splatdoctor RUN                open the window on a run's folder
  splatdoctor diagnose RUN       find what is wrong, without a window
  splatdoctor info RUN           list what was found in the folder
  splatdoctor catalogue [CODE]   print the failure patterns, or one pattern's page
  splatdoctor screenshot RUN     draw the window into a PNG, without a display
  splatdoctor vram [RUN]         say where GPU memory goes, and which GPUs suffice
  splatdoctor probe [NAME [RUN]] settle a question by a short optimisation: list the probes, read about one, ask it

`splatdoctor COMMAND --help` says more. RUN is a training's output folder, a folder of PLY files, or one PLY.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code: 0 fine, 1 findings at the level asked for, 2 unreadable or wrong use."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = COMMANDS.get(arguments[0]) if arguments else None
    build, rest = (command, arguments[1:]) if command is not None else (_window_parser, arguments)
    options = build().parse_args(rest)
    act: Callable[[argparse.Namespace], int] = options.act
    return _without_traceback(act, options)


def _without_traceback(act: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    from runs.errors import RunError

    try:
        return act(options)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (RunError, OSError) as error:
        print(f"splatdoctor: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("splatdoctor: stopped", file=sys.stderr)
    return WRONG_USE


def _window_parser() -> Parser:
    parser = Parser("splatdoctor", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.add_argument("run", nargs="?", type=_place, metavar="RUN", help="open this run")
    _add_place(parser)
    parser.add_argument("--panel", choices=PANEL_NAMES, help="open this panel alone")
    parser.set_defaults(act=_open_window)
    return parser


def _diagnose_parser() -> Parser:
    parser = Parser("splatdoctor diagnose", description="Judge every failure pattern on a run. Exit code 0: nothing at the level "
                    "of --fail-on; 1: findings; 2: unreadable run or wrong use.")
    _add_run(parser)
    parser.add_argument("--from", dest="first", type=int, metavar="A", help="first iteration of the range")
    parser.add_argument("--to", dest="last", type=int, metavar="B", help="last iteration of the range")
    parser.add_argument("--json", metavar="FILE", help="write the diagnosis as JSON; - is standard output")
    parser.add_argument("--pdf", type=Path, metavar="FILE", help="write the report")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the report as one page for a browser")
    parser.add_argument("--fail-on", choices=SEVERITY_CHOICES, default="minor", help="lowest severity that makes the exit code 1 "
                        "(default: minor)")
    parser.add_argument("--reference", type=_place, action="append", default=[], metavar="RUN2", help="hold the run against this "
                        "one, at equal iterations; may be given several times: three runs alike measure the scene's noise")
    parser.add_argument("--record", action="store_true", help="remember this run's settings and curves in your cache folder, for "
                        "later runs of the same scene to be held against")
    parser.add_argument("--probed", type=Path, action="append", default=[], metavar="FILE", help="what a probe found out "
                        "about this run (splatdoctor probe NAME RUN --json FILE); may be given several times")
    parser.set_defaults(act=_diagnose)
    return parser


def _info_parser() -> Parser:
    parser = Parser("splatdoctor info", description="List what was found in a run's folder.")
    _add_run(parser)
    parser.add_argument("--json", action="store_true", help="as JSON on standard output")
    parser.set_defaults(act=_info)
    return parser


def _catalogue_parser() -> Parser:
    parser = Parser("splatdoctor catalogue", description="Print the failure patterns, or one pattern's page.")
    parser.add_argument("code", nargs="?", metavar="CODE", help="a code such as DF-05, or a name such as needle-gaussians")
    parser.add_argument("--html", type=Path, metavar="DIR", help="write all patterns and the guide as pages for a browser")
    parser.add_argument("--guide", nargs="?", const="", metavar="PAGE", help="list the pages of the guide, or print one of them")
    parser.set_defaults(act=_catalogue)
    return parser


def _screenshot_parser() -> Parser:
    parser = Parser("splatdoctor screenshot", description="Draw the window into a PNG, without a display.")
    _add_run(parser)
    _add_place(parser, data=False)
    parser.add_argument("--out", type=Path, required=True, metavar="PNG", help="where to write the picture")
    parser.add_argument("--size", type=_size, default=(1600, 1000), metavar="WxH", help="in pixels (default: 1600x1000)")
    parser.add_argument("--diagnose", action="store_true", help="diagnose first, and open the worst finding")
    parser.add_argument("--finding", metavar="CODE", help="diagnose first, and open this finding")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.set_defaults(act=_screenshot)
    return parser


def _vram_parser() -> Parser:
    from app.vram import vram_parser

    return vram_parser()


def _probe_parser() -> Parser:
    from app.probe_command import probe_parser

    return probe_parser()


COMMANDS: dict[str, Callable[[], Parser]] = {
    "diagnose": _diagnose_parser, "info": _info_parser, "catalogue": _catalogue_parser, "screenshot": _screenshot_parser,
    "vram": _vram_parser, "probe": _probe_parser,
}


def _add_run(parser: Parser) -> None:
    parser.add_argument("run", type=_place, metavar="RUN", help="a training's output folder, a folder of PLY files, one PLY, or "
                        "the address of any of them, such as sftp://host/path")
    parser.add_argument("--data", type=_place, metavar="DIR", help="folder with the photos and the COLMAP model")


def _add_place(parser: Parser, *, data: bool = True) -> None:
    if data:
        parser.add_argument("--data", type=_place, metavar="DIR", help="folder with the photos and the COLMAP model")
    parser.add_argument("--iteration", type=int, metavar="N", help="go to the saved iteration nearest to N")
    parser.add_argument("--camera", metavar="NAME", help="look through the camera of this image")
    parser.add_argument("--time", type=_moment, metavar="T", help="moment of a moving scene, usually 0 to 1")
    parser.add_argument("--colour-by", metavar="Q", help="rgb, depth, opacity, elongation, floater_score, …")


def _moment(text: str) -> float:
    try:
        moment = float(text)
    except ValueError:
        moment = math.nan
    if not math.isfinite(moment):
        raise argparse.ArgumentTypeError(f"{text!r} is no moment, such as 0.25")
    return moment


def _place(text: str) -> Path | str:
    from runs.remote.addresses import place_of

    return place_of(text)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and 1100 <= int(width) <= 8000 and 650 <= int(height) <= 8000):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size from 1100x650 to 8000x8000")
    return int(width), int(height)


class _Version(argparse.Action):
    def __call__(self, *_: object) -> None:
        from app.version import product_version

        print(f"splatdoctor {product_version()}")
        raise SystemExit(0)


def _open_window(options: argparse.Namespace) -> int:
    from app.show import open_window

    return open_window(options)


def _screenshot(options: argparse.Namespace) -> int:
    from app.show import draw_window

    return draw_window(options)


def _diagnose(options: argparse.Namespace) -> int:
    from app.terminal import run_diagnosis

    return run_diagnosis(options)


def _info(options: argparse.Namespace) -> int:
    from app.terminal import print_info

    return print_info(options)


def _catalogue(options: argparse.Namespace) -> int:
    from app.terminal import print_catalogue

    return print_catalogue(options)
