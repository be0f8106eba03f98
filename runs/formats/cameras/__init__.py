"""Where cameras and the points of a data set are written: COLMAP's models, transforms.json, cameras.json, lists beside them."""
