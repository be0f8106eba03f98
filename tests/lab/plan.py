"""Plan: everything about one training before it starts: what lies in the data folder, what is done, and what is written down."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData
from tests.lab.scenes.scene import Scene

Layout = Literal["inria", "gsplat"]
Edit = Callable[[Path, int], tuple[int, ...] | None]  # (run folder, seed) -> guilty rows of the last save, where it touched rows


@dataclass(frozen=True)
class Resume:
    """The training is stopped after `at` iterations and goes on from what was saved."""

    at: int
    keeps_moments: bool = True  # Adam's
    keeps_schedule: bool = True  # else learning rates start anew


@dataclass(frozen=True, eq=False)
class Plan:
    """Three views of one training, which agree where it is sound: the data folder, the deeds, the records."""

    scene: Scene  # what the debugger is shown as the data
    settings: OptimiserSettings  # what the trainer does
    data: TrainingData  # what the trainer works on
    recipe: Recipe = field(default_factory=Recipe)
    believed: Mapping[str, Any] = field(default_factory=dict)  # recorded in place of what is done: a bug is not in the settings
    layout: Layout = "inria"
    ranks: int = 1  # processes among which gsplat's trainer shares out the Gaussians
    resume: Resume | None = None
    edit: Edit | None = None  # what happens to the folder afterwards
    guilty_rows: tuple[int, ...] | None = None  # of the last save, where they are known before
    guilty_cameras: tuple[str, ...] | None = None

    @classmethod
    def of(cls, scene: Scene, settings: OptimiserSettings) -> "Plan":
        """The healthy way: all three agree."""
        return cls(scene, settings, scene.data)

    def settings_changed(self, **changes: Any) -> "Plan":
        """Other settings, and recorded as such: a wrong setting can be read."""
        return replace(self, settings=replace(self.settings, **changes))

    def done_otherwise(self, **changes: Any) -> "Plan":
        """The trainer does something else than its settings say: a bug cannot be read."""
        said = {name: getattr(self.settings, name) for name in changes}
        return replace(self.settings_changed(**changes), believed={**self.believed, **said})

    def with_steps(self, **steps: Callable[..., Any]) -> "Plan":
        """Recipe steps replaced."""
        return replace(self, recipe=replace(self.recipe, **steps))

    def recorded_as(self, **believed: Any) -> "Plan":
        """The settings as they are, told otherwise."""
        return replace(self, believed={**self.believed, **believed})

    def with_scene(self, scene: Scene) -> "Plan":
        """Other data, for the trainer and for the debugger alike: what a user has is what was trained on."""
        return replace(self, scene=scene, data=scene.data)

    @property
    def recorded(self) -> Mapping[str, Any]:
        """What is written down as the settings."""
        return {**self.settings.as_mapping(), **self.believed}
