"""How a run looks: pictures as arrays (raster) and pictures on the screen (viewport). No Qt."""
