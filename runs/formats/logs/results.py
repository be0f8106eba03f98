"""`results.json` and `per_view.json`, which INRIA's metrics.py writes after a training."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from runs.advice import FOREIGN
from runs.errors import UnreadableFile
from runs.formats.logs.columns import Columns
from runs.formats.small_files import as_number, read_json
from runs.series import Series

SCORES: Mapping[str, str] = {"PSNR": "psnr", "SSIM": "ssim", "LPIPS": "lpips"}
METHOD = re.compile(r"ours_(\d{1,15})")  # one rendered iteration


def read_results(path: Path) -> dict[str, Series]:
    """test/psnr, test/ssim and test/lpips by iteration; NaN is kept. Raises UnreadableFile."""
    columns = Columns(path.name)
    for iteration, scores in _iterations(path):
        for key, name in SCORES.items():
            number = as_number(scores.get(key))
            if number is not None:
                columns.add(f"test/{name}", iteration, number)
    return columns.series()


def read_per_view(path: Path) -> dict[int, dict[str, dict[str, float]]]:
    """Iteration -> "psnr", "ssim" or "lpips" -> rendered image name -> score.

    Rendered images are numbered by their place in the split ("00000.png"), not named as the photos are.
    Raises UnreadableFile.
    """
    return {
        iteration: {name: _numbers(scores[key]) for key, name in SCORES.items() if isinstance(scores.get(key), dict)}
        for iteration, scores in _iterations(path)
    }


def _iterations(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    stored = read_json(path)
    if not isinstance(stored, dict):
        raise UnreadableFile(f"this results file holds no JSON object; {FOREIGN}", path)
    for method, scores in stored.items():
        match = METHOD.fullmatch(method)
        if match and isinstance(scores, dict):
            yield int(match[1]), scores


def _numbers(scores: object) -> dict[str, float]:
    items = scores.items() if isinstance(scores, dict) else ()
    return {image: number for image, value in items if (number := as_number(value)) is not None}
