"""Whether a filter was on in training decides how opacity is to be read; only comments of a PLY say so."""

from pathlib import Path

import pytest

from runs.formats.ply.render_mode import antialiased
from runs.formats.splat_formats import look_at
from tests.support.files import inria_columns, random_gaussians, write_ply


@pytest.mark.parametrize(("comments", "told"), [
    (["antialiased 1"], True), (["antialiased 0"], False), (["SplatRenderMode: mip"], True),
    (["SplatRenderMode: default"], False),
    (["Exported from Brush", "Vertical axis: y", "SplatRenderMode: mip"], True),
    (["antialiased perhaps", "the antialiased 1 of"], None), ([], None),
])
def test_comments_of_postshot_brush_and_gsplat(comments: list[str], told: bool | None, tmp_path: Path) -> None:
    assert antialiased(comments) is told
    path = tmp_path / "a.ply"
    write_ply(path, inria_columns(random_gaussians(2, degree=0)), comments=comments)
    assert look_at(path).antialiased is told
