"""A Result as JSON and back: what `splatdoctor probe --json` writes, `diagnose --probed` reads, and another process sends."""

import base64
import io
import zlib
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar

import numpy as np
from PIL import Image

from diagnostics.probes.answer import Answer, Curve, Judged, Result, Shot, Tried
from diagnostics.report.plain import plain
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace

SCHEMA = 1
Kind = TypeVar("Kind")


class NotAResult(ValueError):
    """The text is not a probe's result as this version writes it."""


def to_json(result: Result) -> dict[str, Any]:
    """Plain dicts, lists, strings and finite numbers; what is not finite is None. Pictures are PNG in base64."""
    answer = result.answer
    return {
        "schema": SCHEMA, "product": result.product, "probe": result.probe, "run": result.run, "outcome": result.outcome,
        "says": answer.says, "judged": [_judged(each) for each in answer.judged],
        "rows": [plain(asdict(row)) for row in answer.rows], "missing": list(answer.missing), "iteration": answer.iteration,
        "done": plain(answer.done), "tried": [plain(asdict(each)) for each in answer.tried],
        "curves": [plain(asdict(curve)) for curve in result.curves], "shots": [shot_to_json(shot) for shot in answer.shots],
        "seconds": result.seconds, "peak_bytes": result.peak_bytes, "finished_at": result.finished_at,
    }


def from_json(told: Any) -> Result:
    """The inverse of `to_json`. Raises NotAResult; nothing in it is executed."""
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise NotAResult("this is not a probe's result of this version (splatdoctor probe NAME RUN --json FILE writes one)")
    try:
        answer = Answer(
            told["says"], tuple(_judged_back(each) for each in told["judged"]), tuple(map(_row, told["rows"])),
            tuple(map(shot_from_json, told["shots"])), tuple(told["missing"]), told["iteration"], told["done"],
            tuple(_of(Tried, each) for each in told["tried"]),
        )
        return Result(told["probe"], told["run"], answer, tuple(map(_curve, told["curves"])), told["seconds"],
                      told["peak_bytes"], told["finished_at"], told["product"])
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise NotAResult(f"this result of a probe is damaged ({type(error).__name__}: {error})") from error


def shot_to_json(shot: Shot) -> dict[str, Any]:
    """A picture with its title; PNG in base64."""
    stream = io.BytesIO()
    Image.fromarray(shot.rgb).save(stream, "PNG")
    return {"title": shot.title, "camera": shot.camera, "png": base64.b64encode(stream.getvalue()).decode()}


def shot_from_json(told: Mapping[str, Any]) -> Shot:
    """The inverse of `shot_to_json`. Raises ValueError for what is no picture."""
    try:
        with Image.open(io.BytesIO(base64.b64decode(told["png"])), formats=("PNG",)) as image:
            return Shot(told["title"], np.asarray(image.convert("RGB")), told["camera"])
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"a picture in it is damaged ({error})") from error


def _judged(each: Judged) -> dict[str, Any]:
    return {"pattern": each.pattern, "missing": list(each.missing),
            "finding": None if each.finding is None else _finding(each.finding)}


def _finding(finding: Finding) -> dict[str, Any]:
    told = {entry.name: getattr(finding, entry.name) for entry in fields(Finding)}
    place = finding.gaussians
    return {**{name: plain(value) for name, value in told.items() if name not in ("evidence", "fixes", "gaussians")},
            "evidence": [plain(asdict(row)) for row in finding.evidence], "fixes": [plain(asdict(fix)) for fix in finding.fixes],
            "gaussians": None if place is None else {"rows": _packed(place), "iteration": place.iteration, "of": place.of}}


def _packed(place: GaussianPlace) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(place.rows, "<i8").tobytes(), 1)).decode()


def _judged_back(told: Mapping[str, Any]) -> Judged:
    finding = None if told["finding"] is None else _finding_back(told["finding"])
    return Judged(told["pattern"], finding, tuple(told["missing"]))


def _finding_back(told: Mapping[str, Any]) -> Finding:
    place, span = told["gaussians"], told["iterations"]
    return Finding(**{
        **{entry.name: told[entry.name] for entry in fields(Finding)}, "evidence": tuple(map(_row, told["evidence"])),
        "fixes": tuple(_of(Fix, fix) for fix in told["fixes"]), "cameras": tuple(told["cameras"]),
        "iterations": None if span is None else (int(span[0]), int(span[1])),
        "gaussians": None if place is None else _place(place),
    })


def _place(told: Mapping[str, Any]) -> GaussianPlace:
    of = int(told["of"])
    unpacked = zlib.decompressobj().decompress(base64.b64decode(told["rows"]), 8 * max(1, of))  # no more than there can be
    rows = np.frombuffer(unpacked, "<i8").astype(np.int64)
    if len(rows) and not (rows.min() >= 0 and rows.max() < of):
        raise ValueError(f"it points at Gaussians beyond the {of:,} that there are")
    return GaussianPlace(rows, int(told["iteration"]), of)


def _row(told: Mapping[str, Any]) -> EvidenceRow:
    return _of(EvidenceRow, told)


def _curve(told: Mapping[str, Any]) -> Curve:
    values = tuple(float("nan") if value is None else float(value) for value in told["values"])
    return Curve(told["name"], told["unit"], tuple(map(int, told["steps"])), values)


def _of(kind: type[Kind], told: Mapping[str, Any]) -> Kind:
    """A dataclass of plain fields, told by name; unknown names are refused."""
    return kind(**told)
