"""Image names under the address that readers of trainers know; see `runs.names`."""

from runs.names import PHOTO_ENDINGS as PHOTO_ENDINGS
from runs.names import NameIndex as NameIndex
from runs.names import stem_path as stem_path
