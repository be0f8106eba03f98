"""Splat files differ in order, types, endianness and SH degree; whatever the layout, the same splats must come out."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plyfile import PlyData, PlyElement

from runs.errors import RefusedFile, RunError, UnreadableFile
from runs.formats.ply import read_gaussians, read_points, read_splat_header
from runs.formats.ply.columns import SH_C0
from runs.gaussians import COLUMNS, Gaussians
from tests.support.data import shared_data
from tests.support.files import faces, inria_columns, random_gaussians, write_ply, write_points, write_splats


def assert_same(found: Gaussians, expected: Gaussians) -> None:
    assert found.count == expected.count
    assert found.sh_degree == expected.sh_degree
    for name in (*COLUMNS, "sh_rest"):
        values = found.load(name)
        assert values.dtype == np.float32
        assert values.flags.c_contiguous
        np.testing.assert_array_equal(values, expected.load(name), err_msg=name)


def from_plyfile(path: Path, rest_count: int) -> Gaussians:
    """The slow reader that ours is compared with."""
    table = PlyData.read(str(path))["vertex"].data

    def stack(*names: str) -> np.ndarray:
        return np.stack([np.asarray(table[name], np.float32) for name in names], axis=-1)

    rest = np.zeros((len(table), 0, 3), np.float32)
    if rest_count:
        rest = stack(*[f"f_rest_{i}" for i in range(rest_count)]).reshape(len(table), 3, rest_count // 3).transpose(0, 2, 1)
    return Gaussians.from_arrays(
        means=stack("x", "y", "z"), log_scales=stack("scale_0", "scale_1", "scale_2"), sh0=stack("f_dc_0", "f_dc_1", "f_dc_2"),
        quats_wxyz=stack("rot_0", "rot_1", "rot_2", "rot_3"), logit_opacities=stack("opacity")[:, 0], sh_rest=rest,
    )


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_layout_reads_as_plyfile_reads_it(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Order, endianness, degree, types and extra columns vary between trainers; plyfile is the independent witness."""
    degree = data.draw(st.integers(0, 4), "degree")
    gaussians = random_gaussians(data.draw(st.integers(0, 9), "count"), degree=degree, seed=data.draw(st.integers(0, 99), "seed"))
    columns = dict(inria_columns(gaussians, normals=data.draw(st.booleans(), "normals")))
    for name in data.draw(st.lists(st.sampled_from(["confidence", "label", "filter_3D", "q"]), unique=True), "extra"):
        kind = data.draw(st.sampled_from(["u1", "i2", "u4", "f4", "f8"]), "type of extra")
        columns[name] = np.arange(gaussians.count).astype(kind)
    for name in data.draw(st.lists(st.sampled_from(sorted(columns)), max_size=4), "doubles"):
        columns[name] = columns[name].astype("f8")
    shuffled = {name: columns[name] for name in data.draw(st.permutations(sorted(columns)), "order")}
    path = tmp_path_factory.mktemp("ply") / "splats.ply"
    write_ply(path, shuffled, text=data.draw(st.booleans(), "text"), byte_order=data.draw(st.sampled_from("<>"), "byte order"))

    found = read_gaussians(path)

    assert_same(found, from_plyfile(path, 3 * ((degree + 1) ** 2 - 1)))
    table = PlyData.read(str(path))["vertex"].data
    assert set(found.extra_names) == {"confidence", "label", "filter_3D", "q"} & set(columns)
    for name in found.extra_names:
        np.testing.assert_array_equal(found.extra(name), table[name].astype(np.float32))


@settings(max_examples=200, deadline=None)
@given(noise=st.binary(min_size=1, max_size=300), at=st.integers(0, 2000), cut=st.integers(0, 3000))
def test_damage_is_told_in_one_sentence(noise: bytes, at: int, cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A damaged file must end in a RunError that names it, never in a crash or a huge allocation."""
    path = tmp_path_factory.mktemp("damaged") / "splats.ply"
    write_splats(path, random_gaussians(5, degree=1), before=[faces(2)])
    content = bytearray(path.read_bytes())
    content[at:at + len(noise)] = noise
    path.write_bytes(bytes(content[:cut]))
    says = ""
    try:
        gaussians = read_gaussians(path)
        assert gaussians.count < 1000
        assert len(gaussians.sh_rest) == len(gaussians.means) == gaussians.count
    except RunError as error:
        says = str(error)
    assert says == "" or (says.endswith(str(path)) and "\n" not in says)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("normals", [True, False])
def test_every_degree_with_and_without_normals(degree: int, normals: bool, tmp_path: Path) -> None:
    """The two layouts that INRIA and gsplat write must give equal splats."""
    gaussians = random_gaussians(50, degree=degree)
    found = read_gaussians(write_splats(tmp_path / "a b é.ply", gaussians, normals=normals))
    assert_same(found, gaussians)
    assert found.extra_names == ()


def renamed(element: PlyElement, name: str, length_type: str) -> PlyElement:
    return PlyElement.describe(element.data, name, len_types={"vertex_indices": length_type}, val_types={"vertex_indices": "i4"})


def test_other_elements_around_the_vertices_are_skipped(tmp_path: Path) -> None:
    """Lists before the vertices have no fixed size; skipping them wrongly would shift every splat."""
    gaussians = random_gaussians(7, degree=2)
    cameras = PlyElement.describe(np.array([(1.0, 2)], [("fx", "f8"), ("id", "u1")]), "camera")
    for text, order in ((False, "<"), (False, ">"), (True, "=")):
        lists = [faces(5), renamed(faces(0), "none", "u1"), renamed(faces(3), "wide", "i4")]
        around = {"before": [cameras, *lists], "after": [PlyElement.describe(cameras.data, "after")]}
        path = write_splats(tmp_path / "splats.ply", gaussians, **around, text=text, byte_order=order)
        assert_same(read_gaussians(path), gaussians)


def test_many_list_elements_before_the_vertices_stay_cheap(tmp_path: Path) -> None:
    """A header may declare thousands of list elements; walking them must not take exponential time."""
    path = tmp_path / "lists.ply"
    lists = "".join(f"element e{i} 1\nproperty list uchar float v\n" for i in range(3000))
    columns = inria_columns(random_gaussians(1, degree=0))
    vertex = "element vertex 1\n" + "".join(f"property float {name}\n" for name in columns)
    head = "ply\nformat binary_little_endian 1.0\n" + lists + vertex + "end_header\n"
    path.write_bytes(head.encode() + bytes(3000) + np.array(list(columns.values()), "<f4").tobytes())
    assert_same(read_gaussians(path), random_gaussians(1, degree=0))


def test_crlf_comments_and_type_aliases(tmp_path: Path) -> None:
    """Windows line ends, comments anywhere and `float32` for `float` are legal and common."""
    columns = inria_columns(random_gaussians(3, degree=1))
    lines = ["ply", "format binary_little_endian 1.0", "comment Generated by opensplat at iteration 30000", "element vertex 3"]
    lines += ["obj_info made by hand", *(f"property float32 {name}" for name in columns), "comment  last", "end_header"]
    path = tmp_path / "crlf.ply"
    path.write_bytes("\r\n".join([*lines, ""]).encode() + np.stack(list(columns.values()), axis=1).astype("<f4").tobytes())
    assert_same(read_gaussians(path), random_gaussians(3, degree=1))
    assert read_splat_header(path).comments == ("Generated by opensplat at iteration 30000", "made by hand", "last")


def test_nothing_is_read_before_a_column_is_used(tmp_path: Path) -> None:
    """Opening thirty large checkpoints must cost thirty headers."""
    path = write_splats(tmp_path / "splats.ply", random_gaussians(4))
    gaussians = read_gaussians(path)
    path.unlink()
    assert gaussians.count == 4
    with pytest.raises(UnreadableFile, match=r"cannot be opened .* moved or deleted: open the run again"):
        _ = gaussians.means


def test_a_file_rewritten_after_its_header_was_read_is_not_misread(tmp_path: Path) -> None:
    """A trainer overwrites files in place; old offsets on new bytes would show nonsense, or crash the mapping."""
    path = write_splats(tmp_path / "splats.ply", random_gaussians(4))
    gaussians = read_gaussians(path)
    write_splats(path, random_gaussians(3))
    with pytest.raises(UnreadableFile, match="changed after its header was read"):
        _ = gaussians.means
    half_read = read_gaussians(path)
    _ = half_read.means
    write_splats(path, random_gaussians(2))
    with pytest.raises(UnreadableFile, match="changed after its header was read"):
        _ = half_read.sh_rest


def test_a_column_is_read_once(tmp_path: Path) -> None:
    """`finite` and `take` ask for columns again; they must not read the file again."""
    gaussians = read_gaussians(write_splats(tmp_path / "splats.ply", random_gaussians(4)))
    assert gaussians.load("means") is gaussians.load("means")
    assert gaussians.finite.all()


def test_two_scales_become_flat_discs(tmp_path: Path) -> None:
    """2DGS stores no third scale; a splat without thickness must not become one of thickness exp(0) = 1."""
    columns = inria_columns(random_gaussians(5, degree=0))
    del columns["scale_2"]
    path = write_ply(tmp_path / "2dgs.ply", columns)
    np.testing.assert_array_equal(read_gaussians(path).log_scales[:, 2], np.full(5, np.float32(np.log(1e-6))))
    np.testing.assert_array_equal(read_gaussians(path).log_scales[:, :2], random_gaussians(5, degree=0).log_scales[:, :2])
    assert any("2DGS" in note for note in read_splat_header(path).notes)


@pytest.mark.parametrize(("kind", "white"), [("u1", 255), ("u2", 65535), ("f4", 1.0)])
def test_plain_colours_become_sh0(kind: str, white: float, tmp_path: Path) -> None:
    """nerfstudio's rgb mode stores 8-bit colours; colour = 0.5 + C0 · sh0 must give them back."""
    columns = {n: v for n, v in inria_columns(random_gaussians(2, degree=0)).items() if not n.startswith("f_dc")}
    colours = np.array([[0, white, white / 5], [white, 0, 0]])
    columns |= {name: colours[:, i].astype(kind) for i, name in enumerate(("red", "green", "blue"))}
    found = read_gaussians(write_ply(tmp_path / "rgb.ply", columns))
    np.testing.assert_allclose(0.5 + SH_C0 * found.sh0, colours / white, atol=1e-6)


def test_a_rest_that_fits_no_degree_is_left_out_with_a_note(tmp_path: Path) -> None:
    """With 44 coefficients nobody can tell which channel each belongs to; guessing would tint the scene."""
    columns = inria_columns(random_gaussians(2, degree=3))
    del columns["f_rest_44"]
    path = write_ply(tmp_path / "odd.ply", columns)
    assert read_gaussians(path).sh_degree == 0
    assert any("44 f_rest" in note for note in read_splat_header(path).notes)


def test_non_finite_and_absurd_values_are_kept(tmp_path: Path) -> None:
    """NaN rows are evidence: they are counted and hidden upstairs, so the reader must hand them on."""
    columns = inria_columns(random_gaussians(3, degree=0))
    columns["x"] = np.array([np.nan, 2e7, 1], np.float32)
    columns["scale_0"] = np.array([0, -np.inf, 0], np.float32)
    columns |= {f"rot_{i}": np.array([1, 1, 0], np.float32) for i in range(4)}
    for text in (False, True):
        found = read_gaussians(write_ply(tmp_path / "nan.ply", columns, text=text))
        np.testing.assert_array_equal(found.means[:, 0], columns["x"])
        np.testing.assert_array_equal(found.finite, [False, False, True])
        np.testing.assert_array_equal(found.quat_norms, [2, 2, 0])


def test_zero_rows_are_a_file_of_no_splats(tmp_path: Path) -> None:
    """A run that pruned everything leaves such a file; it must open."""
    found = read_gaussians(write_splats(tmp_path / "none.ply", random_gaussians(0)))
    assert found.count == 0
    assert found.sh_rest.shape == (0, 15, 3)


def test_a_truncated_file_says_how_many_rows_it_holds(tmp_path: Path) -> None:
    """The usual reason is that the trainer is still writing, so the sentence says so."""
    path = write_splats(tmp_path / "cut.ply", random_gaussians(5000, degree=0))
    whole = path.stat().st_size
    path.write_bytes(path.read_bytes()[: whole - 4000 * 17 * 4])
    with pytest.raises(UnreadableFile, match=r"holds 1,000 of 5,000 rows; open the run again once it is written, or copy"):
        read_splat_header(path)


@pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian"])
@pytest.mark.parametrize("count", ["99999999999", "9" * 18])
def test_hostile_row_counts_allocate_nothing(encoding: str, count: str, tmp_path: Path) -> None:
    """A claimed 10^17 rows must be compared with the file's size first."""
    path = tmp_path / "huge.ply"
    vertex = "".join(f"property float {name}\n" for name in inria_columns(random_gaussians(1)))
    lists = f"element lists {count}\nproperty list uchar int v\nelement vertex 1\n{vertex}"
    for head in (f"element vertex {count}\n{vertex}", lists):
        path.write_text(f"ply\nformat {encoding} 1.0\n{head}end_header\n0 0 0 0\n")
        with pytest.raises(UnreadableFile, match=r"rows|ends inside"):
            read_gaussians(path)


@pytest.mark.parametrize("count", ["-5", "1e9", "9" * 400])
def test_impossible_row_counts_are_refused(count: str, tmp_path: Path) -> None:
    """Such numbers are no accident of writing."""
    path = tmp_path / "negative.ply"
    path.write_text(f"ply\nformat ascii 1.0\nelement vertex {count}\nproperty float x\nend_header\n")
    with pytest.raises(RefusedFile, match="impossible number of rows"):
        read_gaussians(path)


def test_other_kinds_of_ply_are_named(tmp_path: Path) -> None:
    """"Not a splat file" helps nobody; what the file is does."""
    splats = inria_columns(random_gaussians(2, degree=0))
    xyz = {name: splats[name] for name in "xyz"}
    anchors = {**xyz, "f_anchor_feat_0": splats["x"], "f_offset_0": splats["x"]}
    packed = {name: np.zeros(2, np.uint32) for name in ("packed_position", "packed_rotation", "packed_scale", "packed_color")}
    chunk = PlyElement.describe(np.zeros(1, [("min_x", "f4")]), "chunk")
    cases = [
        (write_ply(tmp_path / "mesh.ply", xyz, after=[faces(1)]), "triangle mesh"),
        (write_ply(tmp_path / "points.ply", xyz), "plain point cloud.*no opacity"),
        (write_ply(tmp_path / "anchors.ply", anchors), "Scaffold-GS anchors"),
        (write_ply(tmp_path / "packed.ply", packed, before=[chunk]), "PlayCanvas compressed"),
        (write_ply(tmp_path / "grey.ply", {n: v for n, v in splats.items() if "f_dc" not in n}), "without any colour"),
    ]
    for path, says in cases:
        with pytest.raises(UnreadableFile, match=says) as caught:
            read_splat_header(path)
        assert str(caught.value).endswith(str(path))


@pytest.mark.parametrize(("content", "says"), [
    (b"", "is empty; open the run again once it is written"),
    (b"solid cube", "not a PLY file"),
    (b"ply\nformat ascii 1.0\nelement vertex 3\n", "has no end"),
    (b"ply\n" + b"comment long\n" * 100_000 + b"end_header\n", "longer than 1 MiB"),
    (b"ply\nformat binary_middle_endian 1.0\nend_header\n", "names no known format"),
    (b"ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n", "no known type"),
    (b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float x\nend_header\n", "`x` of `vertex` twice"),
    (b"ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int x\nend_header\n0\n", "plain point cloud"),
])
def test_broken_headers_say_what_is_wrong(content: bytes, says: str, tmp_path: Path) -> None:
    """Each of these has been met; each needs its own sentence."""
    path = tmp_path / "broken.ply"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=says):
        read_splat_header(path)


def test_a_text_row_that_is_cut_short_is_not_padded(tmp_path: Path) -> None:
    """A half-written last line must not become a splat."""
    path = write_splats(tmp_path / "text.ply", random_gaussians(3, degree=0), text=True)
    path.write_text(path.read_text()[:-60])
    with pytest.raises(UnreadableFile, match="row that is not 17 numbers"):
        _ = read_gaussians(path).means


@pytest.mark.parametrize("end", ["\n", ""])
def test_the_shortest_possible_text_is_not_taken_for_unfinished(end: str, tmp_path: Path) -> None:
    """One digit and one blank each: the check of the size before reading must allow it, with or without a last line end."""
    path = tmp_path / "points.ply"
    rows = "\n".join(f"{i} {i} {i}" for i in range(9)) + end
    declared = "".join(f"property float {axis}\n" for axis in "xyz")
    path.write_text(f"ply\nformat ascii 1.0\nelement vertex 9\n{declared}end_header\n{rows}")
    np.testing.assert_array_equal(read_points(path).xyz, np.repeat(np.arange(9.0)[:, None], 3, axis=1))


def test_points_keep_double_precision_and_colour(tmp_path: Path) -> None:
    """Georeferenced clouds lose metres in float32, so points stay in float64."""
    xyz = {name: np.array([500_000.25, 4_649_776.125], np.float64) for name in "xyz"}
    path = write_ply(tmp_path / "input.ply", {**xyz, **{n: np.array([0.5, 1], np.float32) for n in ("red", "green", "blue")}})
    points = read_points(path)
    assert points.xyz.dtype == np.float64
    np.testing.assert_array_equal(points.xyz[:, 1], xyz["y"])
    np.testing.assert_array_equal(points.rgb, [[128] * 3, [255] * 3])
    assert read_points(write_points(tmp_path / "plain.ply", np.zeros((3, 3)))).rgb is None


def test_real_files_read_as_plyfile_reads_them() -> None:
    """The synthetic files above are ours; these were written by real trainings."""
    for path in (shared_data("runs", "fox-a", "point_cloud", "iteration_3000", "point_cloud.ply"),
                 shared_data("runs", "sample", "point_cloud", "iteration_1500", "point_cloud.ply")):
        found = read_gaussians(path)
        assert_same(found, from_plyfile(path, 3 * ((found.sh_degree + 1) ** 2 - 1)))
    points = read_points(shared_data("inria-real", "input.ply"))
    table = PlyData.read(str(shared_data("inria-real", "input.ply")))["vertex"].data
    np.testing.assert_array_equal(points.xyz[:, 2], table["z"].astype(np.float64))
    assert points.rgb is not None
    np.testing.assert_array_equal(points.rgb[:, 0], table["red"])
    with pytest.raises(UnreadableFile, match="PlayCanvas"):
        read_splat_header(shared_data("splats", "biker.compressed.ply"))
