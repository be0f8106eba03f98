"""PLY files: splats and point clouds in every layout that trainers write. What other rooms read them with is named here."""

from runs.formats.ply.splats import ReadPly, read_gaussians, read_points, read_splat_header

__all__ = ("ReadPly", "read_gaussians", "read_points", "read_splat_header")
