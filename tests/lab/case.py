"""One run of the lab: which fault or healthy control, how strong, on which scene, how large, and in which half it counts."""

from dataclasses import dataclass
from typing import Literal

Half = Literal["tuning", "test"]
HALVES: tuple[Half, ...] = ("tuning", "test")
Size = Literal["mini", "large"]
SIZES: tuple[Size, ...] = ("mini", "large")


@dataclass(frozen=True)
class Case:
    """The name of a run; everything that is trained follows from it."""

    name: str  # of the fault or of the healthy control
    sick: bool
    strength: float  # in the fault's own unit; 0 for healthy controls
    scene: str
    seed: int
    size: Size
    half: Half

    @property
    def title(self) -> str:
        strength = f"@{self.strength:g}" if self.sick else ""
        return f"{self.name}{strength} {self.scene}/{self.seed} {self.size}"

    @property
    def slug(self) -> str:
        """As a folder's name."""
        return self.title.replace(" ", "_").replace("/", "-").replace("@", "-at-")
