"""SOG hides splats in images: each kind of scene must give the splats that were put in, from a folder and from a zip alike."""

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from runs.arrays import Array
from runs.errors import RefusedFile, RunError, UnreadableFile
from runs.formats.exchange.sog_parts import META
from runs.formats.ply import read_gaussians
from runs.formats.splat_formats import look_at
from runs.gaussians import Gaussians
from tests.support.exchange import FOREIGN, assert_within, clipped, foreign, partners, source

QUATS = 3 * np.sqrt(2) / 255  # splat-transform cuts bytes off: up to a step of √2/255 in each of three components
Change = Callable[[dict[str, Any]], object]


def place_steps(expected: Gaussians, meta: dict[str, Any]) -> Array:
    """float64 [N, 3]: one of 65,535 steps between the bounds of sign(x)·log(1 + |x|), at each splat."""
    logs = (np.array(meta["means"]["maxs"]) - meta["means"]["mins"]) / 65535
    return np.asarray((np.abs(expected.means) + 1) * logs, np.float64)


def codebook_gaps(values: Array, codebook: list[float]) -> Array:
    """Half the distance between the two entries around each value: the error of the nearest one; outside, to the last one."""
    codes = np.sort(np.array(codebook))
    upper = np.clip(np.searchsorted(codes, values), 1, len(codes) - 1)
    low, high = codes[upper - 1], codes[upper]
    return np.asarray(np.maximum((high - low) / 2, np.maximum(low - values, values - high)), np.float64)


def meta_of(path: Path) -> dict[str, Any]:
    if path.suffix == ".json":
        return dict(json.loads(path.read_text()))
    with zipfile.ZipFile(path) as archive:
        return dict(json.loads(archive.read(META)))


@pytest.mark.parametrize(("name", "degree"), [*[(f"transform_sh{d}.sog", d) for d in range(3)], ("transform_sog/meta.json", 3)])
def test_version_2_by_splat_transform(name: str, degree: int) -> None:
    """Codebooks for sizes and colours, a palette for SH; places in 16 bits of a logarithm."""
    found, expected, meta = foreign(name), source(degree), meta_of(FOREIGN / name)
    rows = expected.take(partners(found, expected))
    bounds = {
        "means": place_steps(rows, meta) * 1.01, "quats_wxyz": QUATS, "opacities": 1 / 255,
        "sh_rest": np.inf,  # clusters have no step: compared as a whole below
        "log_scales": codebook_gaps(rows.log_scales, meta["scales"]["codebook"]),
        "sh0": np.where(found.opacities[:, None] < 0.9 / 255, np.inf, codebook_gaps(rows.sh0, meta["sh0"]["codebook"])),
    }
    assert (found.opacities > 0.9 / 255).sum() > 280  # the image drops the colour of what has alpha 0
    assert_within(found, expected, bounds)
    if degree:
        assert np.abs(found.sh_rest - rows.sh_rest).mean() < 0.25 * np.abs(rows.sh_rest).mean()
        entries = meta["shN"]["codebook"]
        assert np.isin(found.sh_rest, np.float32(entries)).all()


@pytest.mark.parametrize(("ours", "theirs"), [
    ("sog_v1/meta.json", "sog_v1_as_transform_reads_it.ply"),
    ("transform_sog/meta.json", "transform_sog_as_transform_reads_it.ply"),
])
def test_as_splat_transform_reads_it(ours: str, theirs: str) -> None:
    """Its own reader is the witness for the palette of SH, and for version 1, which no tool at hand still writes."""
    found, expected = foreign(ours), read_gaussians(FOREIGN / theirs)
    for name in ("means", "log_scales", "quats_wxyz", "sh0", "sh_rest"):
        np.testing.assert_allclose(found.load(name), expected.load(name), rtol=2e-6, atol=4e-6, err_msg=name)
    inside = clipped(expected, logit_opacities=(np.log(0.5 / 254.5), np.log(254.5 / 0.5)) if "v1" not in ours else (-99, 99))
    np.testing.assert_allclose(found.logit_opacities, inside.logit_opacities, rtol=2e-6, atol=4e-6)


def test_version_1_keeps_logits() -> None:
    """Version 1 stores opacities as logits between bounds: half a step of 1/255 of their range."""
    found, expected = foreign("sog_v1/meta.json"), source(3)
    rows = expected.take(partners(found, expected))
    meta = meta_of(FOREIGN / "sog_v1" / META)

    def half(part: str, channels: slice = slice(None)) -> Array:
        return np.asarray((np.array(meta[part]["maxs"]) - meta[part]["mins"])[channels] / 255 / 2)

    assert np.abs(found.logit_opacities - rows.logit_opacities).max() <= half("sh0")[3] * 1.001
    assert_within(found, expected, {
        "means": place_steps(rows, meta) / 2 * 1.01, "log_scales": half("scales"), "sh0": half("sh0", slice(3)),
        "opacities": np.inf, "quats_wxyz": QUATS, "sh_rest": float(meta["shN"]["maxs"] - meta["shN"]["mins"]) / 255 / 2,
    })
    assert np.abs(found.opacities - rows.opacities).max() < 0.06


def test_the_png_folder_of_gsplat() -> None:
    """`compression/rank0` of simple_trainer: quaternions and logits between bounds, SH clusters in 6 bits."""
    found, expected = foreign("gsplat_png/meta.json"), source(3).take(np.arange(289))
    rows, meta = expected.take(partners(found, expected)), meta_of(FOREIGN / "gsplat_png" / META)

    def half(part: str, steps: int = 255) -> Array:
        return np.asarray((np.array(meta[part]["maxs"]) - meta[part]["mins"]) / steps / 2)

    assert np.abs(found.logit_opacities - rows.logit_opacities).max() <= half("opacities").max() * 1.001
    logs = (np.array(meta["means"]["maxs"]) - meta["means"]["mins"]) / 65535 / 2
    assert_within(found, expected, {
        "means": (np.abs(rows.means) + 1) * logs * 1.01, "log_scales": half("scales"), "quats_wxyz": half("quats"),
        "sh0": half("sh0").ravel(), "sh_rest": float(half("shN", 63)), "opacities": np.inf,
    })


def test_what_meta_json_tells() -> None:
    file = look_at(FOREIGN / "transform_sog" / META)
    assert (file.format, file.count, file.sh_degree, file.keeps_rows, file.antialiased) == ("SOG", 300, 3, False, None)
    assert file.stamp.size_bytes == sum(path.stat().st_size for path in (FOREIGN / "transform_sog").iterdir())
    assert file == look_at(file.path)
    assert look_at(FOREIGN / "gsplat_png" / META).format == "PNG folder"


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A copy of the folder, to change."""
    return Path(shutil.copytree(FOREIGN / "transform_sog", tmp_path / "scene")) / META


def changed(meta: Path, change: Change) -> Path:
    content = json.loads(meta.read_text())
    change(content)
    meta.write_text(json.dumps(content))
    return meta


def zipped(meta: Path, prefix: str = "") -> Path:
    path = meta.parent.with_suffix(".sog")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in meta.parent.iterdir():
            archive.write(part, prefix + part.name)
    return path


@pytest.mark.parametrize("prefix", ["", "scene/"])
def test_a_zip_reads_as_its_folder(prefix: str, scene: Path) -> None:
    """Compressed members, and those in a folder of the zip, as archivers make them."""
    found, expected = look_at(zipped(scene, prefix)).read(), look_at(scene).read()
    for name in ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0", "sh_rest"):
        np.testing.assert_array_equal(found.load(name), expected.load(name))


def test_png_may_stand_for_webp_and_the_filter_is_told(scene: Path) -> None:
    """Each part names its own file, in any 8-bit RGBA format."""
    with Image.open(scene.with_name("means_l.webp")) as image:
        image.save(scene.with_name("low.png"))
    expected = look_at(scene).read().means
    changed(scene, lambda meta: (meta["means"]["files"].__setitem__(0, "low.png"), meta.update(antialias=True)))
    assert look_at(scene).antialiased is True
    np.testing.assert_array_equal(look_at(scene).read().means, expected)


@pytest.mark.parametrize(("change", "kind", "says"), [
    (lambda m: m["means"]["files"].__setitem__(0, "../secret.webp"), RefusedFile, "outside its folder"),
    (lambda m: m["means"]["files"].__setitem__(0, "/etc/passwd"), RefusedFile, "outside its folder"),
    (lambda m: m["means"]["files"].__setitem__(0, "absent.webp"), UnreadableFile, "moved or deleted"),
    (lambda m: m.update(count=10**12), RefusedFile, "impossible number"),
    (lambda m: m.update(count=2**30), RefusedFile, "claims to unpack"),
    (lambda m: m.update(version=3), UnreadableFile, "version 3"),
    (lambda m: m.pop("quats"), UnreadableFile, "no `quats`"),
    (lambda m: m["shN"].update(bands=9), RefusedFile, "SH degree"),
])
def test_contradictions_are_told_at_once(change: Change, kind: type[RunError], says: str, scene: Path) -> None:
    with pytest.raises(kind, match=says):
        look_at(changed(scene, change))


@pytest.mark.parametrize(("change", "column", "says"), [
    (lambda m: m["scales"].update(codebook=[0.0] * 3), "log_scales", "not 256 numbers"),
    (lambda m: m["scales"].update(codebook=["x"] * 256), "log_scales", "not 256 numbers"),
    (lambda m: m["means"].update(mins=[float("nan")] * 3), "means", "not 3 numbers"),
    (lambda m: m.update(count=321), "means", "pixels"),
    (lambda m: m["shN"].update(bands=2), "sh_rest", "pixels wide"),
])
def test_contradictions_are_told_by_the_column(change: Change, column: str, says: str, scene: Path) -> None:
    found = look_at(changed(scene, change)).read()
    with pytest.raises(UnreadableFile, match=says):
        found.load(column)


def test_an_image_bomb_is_refused_before_it_is_decoded(scene: Path) -> None:
    """A few kilobytes of WebP can hold 16,383² equal pixels: a gigabyte."""
    Image.new("RGBA", (8000, 8000)).save(scene.with_name("quats.webp"), lossless=True, method=0)
    with pytest.raises(RefusedFile, match="far beyond"):
        look_at(scene).read().load("quats_wxyz")


def test_a_zip_bomb_is_refused(scene: Path) -> None:
    path = zipped(scene)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(scene, META)
        for part in scene.parent.glob("*.webp"):
            archive.writestr(part.name, bytes(30_000_000) if part.name == "quats.webp" else part.read_bytes())
    with pytest.raises(RefusedFile, match="unpack"):
        look_at(path).read().load("means")


def test_a_palette_that_is_too_short_is_told(scene: Path) -> None:
    """Labels beyond the palette would otherwise be read from elsewhere."""
    with Image.open(scene.with_name("shN_centroids.webp")) as image:
        image.crop((0, 0, 960, 1)).save(scene.with_name("shN_centroids.webp"), lossless=True)
    with pytest.raises(UnreadableFile, match="beyond the 64 entries"):
        look_at(scene).read().load("sh_rest")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"{}", b"[1]", b"{\"means\": 3}", b"not json"])
def test_other_contents(content: bytes, tmp_path: Path) -> None:
    for name in (META, "a.sog"):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(UnreadableFile):
            look_at(path)


def test_a_zip_without_meta_json_is_none(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.sog", "w") as archive:
        archive.writestr("other.txt", io.BytesIO(b"x").getvalue())
    with pytest.raises(UnreadableFile, match=r"no meta\.json"):
        look_at(tmp_path / "a.sog")
