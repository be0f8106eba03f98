"""Writes tests/runs/foreign/colmap again, where pycolmap is installed: `python scripts/foreign_colmap.py FOLDER`."""

import json
import sys
from pathlib import Path

import numpy as np
import pycolmap

# One image for each lens that has a focal length: COLMAP's parameters, in its order.
LENSES = {
    "SIMPLE_PINHOLE": [510, 321, 239], "PINHOLE": [500, 510, 322, 238], "SIMPLE_RADIAL": [505, 320.5, 240.5, -0.05],
    "RADIAL": [505, 320, 240, -0.05, 0.01], "OPENCV": [500, 510, 322, 238, -0.04, 0.012, 0.001, -0.002],
    "OPENCV_FISHEYE": [400, 401, 320, 240, 0.01, -0.002, 0.003, -0.0004],
    "FULL_OPENCV": [500, 510, 322, 238, -0.04, 0.012, 0.001, -0.002, 0.003, 0.01, 0.002, 0.0005],
    "FOV": [500, 510, 322, 238, 0.3],
    "SIMPLE_RADIAL_FISHEYE": [400, 320, 240, 0.01], "RADIAL_FISHEYE": [400, 320, 240, 0.01, -0.002],
    "THIN_PRISM_FISHEYE": [400, 401, 320, 240, 0.01, -0.002, 0.001, 0.0005, 0.0003, -0.0001, 0.0002, 0.0001],
    "RAD_TAN_THIN_PRISM_FISHEYE": [
        400, 401, 320, 240, 0.01, -0.002, 0.001, 0.0005, 0.0003, -0.0001, 0.0002, 0.0001, 0.0001, 0.0002, 0.0003, 0.0001],
    "SIMPLE_DIVISION": [500, 320, 240, -0.05], "DIVISION": [500, 510, 320, 240, -0.05], "SIMPLE_FISHEYE": [400, 320, 240],
    "FISHEYE": [400, 401, 320, 240], "EUCM": [400, 401, 320, 240, 0.5, 1.1],
}
ONE_FOCAL = {
    "SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL", "SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE", "SIMPLE_DIVISION", "SIMPLE_FISHEYE",
}
POINTS = 12


def reconstruction() -> pycolmap.Reconstruction:
    """Every image sees every point, where pycolmap projects it."""
    rng = np.random.default_rng(4)
    made = pycolmap.Reconstruction()
    for number, (name, params) in enumerate(LENSES.items(), 1):
        made.add_camera_with_trivial_rig(pycolmap.Camera(camera_id=number, model=name, width=640, height=480, params=params))
    xyz, rgb = rng.uniform(-1, 1, (POINTS, 3)), rng.integers(0, 256, (POINTS, 3), dtype=np.uint8)
    for number, name in enumerate(LENSES, 1):
        turn = pycolmap.Rotation3d(rng.normal(size=3) * 0.15)
        pose = pycolmap.Rigid3d(turn, np.array([0.1 * number - 0.8, 0.05 * number, 5.0]))
        seen = [pycolmap.Point2D(np.asarray(made.cameras[number].img_from_cam(pose * point)).reshape(2)) for point in xyz]
        image = pycolmap.Image(name=f"cam{number:02d}/{name.lower()}.jpg", camera_id=number, image_id=number, points2D=seen)
        made.add_image_with_trivial_frame(image, pose)
    for row in range(POINTS):
        track = pycolmap.Track([pycolmap.TrackElement(number, row) for number in range(1, len(LENSES) + 1)])
        made.add_point3D(xyz[row], track, rgb[row])
    made.update_point_3d_errors()
    return made


def truth(made: pycolmap.Reconstruction) -> dict[str, object]:
    """What pycolmap's own objects tell."""
    images = {}
    for image in made.images.values():
        camera = made.cameras[image.camera_id]
        one = camera.model.name in ONE_FOCAL
        images[image.name] = {
            "lens": camera.model.name, "camera_from_world": np.asarray(image.cam_from_world().matrix()).tolist(),
            "centre": np.asarray(image.projection_center()).tolist(),
            "focal": [camera.focal_length] * 2 if one else [camera.focal_length_x, camera.focal_length_y],
            "principal": [camera.principal_point_x, camera.principal_point_y],
            "keypoints": [np.asarray(point.xy).tolist() for point in image.points2D],
        }
    points = [{"id": number, "xyz": np.asarray(point.xyz).tolist(), "rgb": [int(value) for value in point.color],
               "error": point.error, "track": point.track.length()} for number, point in sorted(made.points3D.items())]
    return {"version": pycolmap.__version__, "images": images, "points": points}


def main(folder: Path) -> None:
    made = reconstruction()
    for encoding, write in (("binary", made.write_binary), ("text", made.write_text)):
        model = folder / encoding / "sparse" / "0"
        model.mkdir(parents=True, exist_ok=True)
        write(str(model))
    (folder / "truth.json").write_text(json.dumps(truth(made), separators=(",", ":")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
