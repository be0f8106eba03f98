"""glTF stores splats as attributes of a scene: values, axes and the nodes above them must all be undone."""

import base64
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from render.harmonics import basis
from runs.errors import RefusedFile, RunError, UnreadableFile
from runs.formats.splat_formats import look_at
from runs.gaussians import Gaussians
from tests.support.exchange import FOREIGN, assert_within, foreign, source, unit

EXACT = {"means": 0.0, "log_scales": 1e-6, "quats_wxyz": 1e-6, "opacities": 1e-7, "sh0": 0.0, "sh_rest": 1e-6}
KHR = "KHR_gaussian_splatting"
Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize("degree", [0, 3])
def test_values_of_splat_transform(degree: int) -> None:
    """It turns the scene by half a turn about z into glTF's y-up axes; floats come back as they were."""
    assert_within(unit(foreign(f"transform_sh{degree}.glb")), source(degree), EXACT)


def parsed(name: str = "transform_sh3.glb") -> tuple[dict[str, Any], bytes]:
    """The description and the binary chunk."""
    content = (FOREIGN / name).read_bytes()
    length = struct.unpack_from("<I", content, 12)[0]
    return json.loads(content[20:20 + length]), content[28 + length:]


def written(folder: Path, change: Change = lambda _document: None, *, uri: str = "splats of a.bin") -> Path:
    """The same scene as .gltf with its buffer beside it, after a change to the description."""
    document, binary = parsed()
    document["buffers"][0]["uri"] = uri.replace(" ", "%20")
    change(document)
    path = folder / "a.gltf"
    path.write_text(json.dumps(document))
    (folder / "splats of a.bin").write_bytes(binary)
    return path


def test_a_buffer_beside_the_file_or_inside_it(tmp_path: Path) -> None:
    """Both forms of .gltf hold the same scene as the .glb."""
    assert_within(unit(look_at(written(tmp_path)).read()), source(3), EXACT)
    inside = "data:application/octet-stream;base64," + base64.b64encode(parsed()[1]).decode()
    assert_within(unit(look_at(written(tmp_path, uri=inside)).read()), source(3), EXACT)


def test_what_the_description_tells() -> None:
    file = look_at(FOREIGN / "transform_sh3.glb")
    assert (file.format, file.count, file.sh_degree, file.keeps_rows, file.notes) == ("glTF", 300, 3, False, ())
    assert file == look_at(file.path)
    assert file.read == look_at(file.path).read


def turned(node: dict[str, Any]) -> Change:
    return lambda document: document.update(nodes=[{"children": [1], **node}, {"mesh": 0}])


def covariances(found: Gaussians) -> np.ndarray:
    axes = Rotation.from_quat(found.quats_wxyz[:, [1, 2, 3, 0]]).as_matrix() * found.scales[:, None]
    return np.asarray(axes @ axes.transpose(0, 2, 1))


@pytest.mark.parametrize("node", [
    {"rotation": [0.1, -0.5, 0.3, 0.8], "translation": [1, 2, 3], "scale": [2, 2, 2]},
    {"matrix": [0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 5, 6, 7, 1]},
    {"scale": [-1, 1, 1]},
])
def test_nodes_move_turn_and_mirror_all_of_a_splat(node: dict[str, Any], tmp_path: Path) -> None:
    """Place, shape and colour by direction must turn together: seen from the turned direction, colours stay the same."""
    plain, found = look_at(FOREIGN / "transform_sh3.glb").read(), look_at(written(tmp_path, turned(node))).read()
    half = np.diag([-1.0, -1, 1])
    matrix = half @ node_matrix(node)[:3] @ np.block([[half, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])
    linear = matrix[:, :3]
    np.testing.assert_allclose(found.means, plain.means @ linear.T + matrix[:, 3], atol=2e-5)
    np.testing.assert_allclose(covariances(found), linear @ covariances(plain) @ linear.T, atol=1e-5, rtol=1e-4)
    directions = np.random.default_rng(0).normal(size=(20, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    there = directions @ linear.T / np.cbrt(abs(np.linalg.det(linear)))
    before = np.einsum("dk,nkc->ndc", basis(directions, 3)[:, 1:], plain.sh_rest)
    after = np.einsum("dk,nkc->ndc", basis(there, 3)[:, 1:], found.sh_rest)
    np.testing.assert_allclose(after, before, atol=1e-5)


def node_matrix(node: dict[str, Any]) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    made = np.eye(4)
    made[:3, :3] = Rotation.from_quat(node.get("rotation", [0, 0, 0, 1])).as_matrix() * node.get("scale", [1, 1, 1])
    made[:3, 3] = node.get("translation", [0, 0, 0])
    return made


def test_two_clouds_are_one_scene(tmp_path: Path) -> None:
    """A file may hold many primitives; the one with less SH gets zeros."""
    def twice(document: dict[str, Any]) -> None:
        first = document["meshes"][0]["primitives"][0]
        few = {name: index for name, index in first["attributes"].items() if "SH_DEGREE" not in name or "DEGREE_0" in name}
        document["meshes"][0]["primitives"].append({**first, "attributes": few})

    found = look_at(written(tmp_path, twice)).read()
    assert (found.count, found.sh_degree) == (600, 3)
    np.testing.assert_array_equal(found.sh0[:300], found.sh0[300:])
    assert not found.sh_rest[300:].any()


def test_a_draft_with_logarithms_is_told_by_its_signs(tmp_path: Path) -> None:
    """Early drafts stored the logarithm of the size, and splat-transform before 2.7 did; a size is never negative."""
    document, binary = parsed()
    index = document["meshes"][0]["primitives"][0]["attributes"][f"{KHR}:SCALE"]
    view = document["bufferViews"][document["accessors"][index]["bufferView"]]
    changed = bytearray(binary)
    part = slice(view["byteOffset"], view["byteOffset"] + view["byteLength"])
    changed[part] = np.log(np.frombuffer(binary[part], np.float32)).astype(np.float32).tobytes()
    path = written(tmp_path)
    (tmp_path / "splats of a.bin").write_bytes(changed)
    assert_within(unit(look_at(path).read()), source(3), EXACT)


def test_integers_and_interleaved_rows(tmp_path: Path) -> None:
    """Rotations may be normalised shorts and opacities normalised bytes; a view may have a stride."""
    plain = foreign("transform_sh3.glb")
    document, binary = parsed()
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    stored = np.frombuffer(binary, np.float32, 1200, document["bufferViews"][attributes[f"{KHR}:ROTATION"]]["byteOffset"])
    rows = np.zeros(300, [("quat", "<i2", 4), ("alpha", "u1"), ("spare", "u1", 3)])
    lengths = np.linalg.norm(stored.reshape(300, 4), axis=1, keepdims=True)
    rows["quat"], rows["alpha"] = np.rint(stored.reshape(300, 4) / lengths * 32767), np.rint(plain.opacities * 255)

    def pack(found: dict[str, Any]) -> None:
        found["buffers"].append({"uri": "rows.bin", "byteLength": rows.nbytes})
        found["bufferViews"].append({"buffer": 1, "byteLength": rows.nbytes, "byteStride": 12})
        place = len(found["bufferViews"]) - 1
        common = {"bufferView": place, "count": 300, "normalized": True}
        found["accessors"][attributes[f"{KHR}:ROTATION"]] = {**common, "componentType": 5122, "type": "VEC4"}
        found["accessors"][attributes[f"{KHR}:OPACITY"]] = {**common, "componentType": 5121, "type": "SCALAR", "byteOffset": 8}

    rows.tofile(tmp_path / "rows.bin")
    found = look_at(written(tmp_path, pack)).read()
    assert_within(found, source(3), {**EXACT, "quats_wxyz": 0.5 / 32767 + 1e-6, "opacities": 0.5 / 255})
    assert found.opacities.min() == pytest.approx(0.5 / 255)


def accessor(document: dict[str, Any], **values: object) -> None:
    document["accessors"][0].update(values)


@pytest.mark.parametrize(("change", "kind", "says"), [
    (lambda d: d["buffers"][0].update(uri="../a.bin"), RefusedFile, "outside its folder"),
    (lambda d: d["buffers"][0].update(uri="/etc/passwd"), RefusedFile, "outside its folder"),
    (lambda d: d["buffers"][0].update(uri="https://example.org/a.bin"), RefusedFile, "outside its folder"),
    (lambda d: d["buffers"][0].update(uri="absent.bin"), UnreadableFile, "moved or deleted"),
    (lambda d: accessor(d, count=10**9), UnreadableFile, "beyond its view"),
    (lambda d: accessor(d, count=-1), RefusedFile, "impossible `count`"),
    (lambda d: accessor(d, byteOffset=2**60), RefusedFile, "impossible `byteOffset`"),
    (lambda d: accessor(d, componentType=1), UnreadableFile, "unknown type"),
    (lambda d: accessor(d, bufferView=99), UnreadableFile, "points to `bufferViews`"),
    (lambda d: accessor(d, sparse={}), UnreadableFile, "sparsely"),
    (lambda d: accessor(d, count=299), UnreadableFile, "differ in length"),
    (lambda d: d["bufferViews"][0].update(byteLength=10**7), UnreadableFile, None),
    (lambda d: d["meshes"][0]["primitives"][0]["attributes"].pop(f"{KHR}:SCALE"), UnreadableFile, "no proper"),
    (lambda d: d["meshes"][0]["primitives"][0]["attributes"].pop(f"{KHR}:SH_DEGREE_2_COEF_1"), UnreadableFile, "SH degree 2"),
    (lambda d: d["meshes"][0]["primitives"][0].pop("extensions"), UnreadableFile, "no Gaussian splats"),
    (lambda d: d["meshes"][0]["primitives"][0]["extensions"][KHR].update(extensions={"x_spz": {}}), UnreadableFile, "packs"),
    (turned({"children": [0]}), RefusedFile, "form a tree"),
    (turned({"scale": [1, 2, 1]}), UnreadableFile, "stretches"),
    (turned({"scale": [0, 0, 0]}), UnreadableFile, "stretches"),
    (turned({"matrix": [1, 2]}), UnreadableFile, "not 16 numbers"),
    (turned({"translation": [1, "x", 2]}), UnreadableFile, "not 3 numbers"),
])
def test_contradictions_are_told(change: Change, kind: type[RunError], says: str | None, tmp_path: Path) -> None:
    """Every index and size of the description is checked before a buffer is touched."""
    if says is None:  # a view may be longer than what is used of it
        assert look_at(written(tmp_path, change)).count == 300
        return
    with pytest.raises(kind, match=says):
        look_at(written(tmp_path, change))


def test_linear_light_is_noted(tmp_path: Path) -> None:
    def change(document: dict[str, Any]) -> None:
        document["meshes"][0]["primitives"][0]["extensions"][KHR].update(colorSpace="lin_rec709_display")

    assert "linear light" in look_at(written(tmp_path, change)).notes[0]


def test_half_a_file_is_told_when_it_is_looked_at(tmp_path: Path) -> None:
    content = (FOREIGN / "transform_sh0.glb").read_bytes()
    path = tmp_path / "a.glb"
    for size in (0, 3, 15, 100, 3000, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(UnreadableFile):
            look_at(path)
