"""Writing what trainers write: run folders of the INRIA and gsplat layouts."""
