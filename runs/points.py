"""A sparse point cloud: what the Gaussians started from."""

from dataclasses import dataclass

from runs.arrays import F32, F64, U8


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Points of structure from motion or of `input.ply`."""

    xyz: F64  # float64 [N, 3], world units
    rgb: U8 | None  # uint8 [N, 3]
    source: str  # the file, as shown to the user
    error_px: F32 | None = None  # float32 [N], mean reprojection error
    track_lengths: F32 | None = None  # float32 [N], how many images see the point

    def __len__(self) -> int:
        return len(self.xyz)
