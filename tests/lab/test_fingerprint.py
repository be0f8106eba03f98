"""Cache keys: a stale result would be a figure about a program that no longer exists."""

from dataclasses import replace
from functools import partial

import pytest

from tests.lab.broken import gradients, growth
from tests.lab.case import Case
from tests.lab.corpus import plan_of
from tests.lab.fingerprint import diagnosis_key, training_key
from tests.lab.plan import Plan, Resume
from tests.lab.scenes import photo_transforms, transforms

CASE = Case("usual-studio-0", False, 0.0, "studio", 0, "mini", "tuning")


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_of(CASE)


def test_the_same_plan_made_twice_has_one_key(plan: Plan) -> None:
    """Else nothing would ever be taken from the cache."""
    assert training_key(plan_of(CASE)) == training_key(plan)


CHANGES = {
    "seed": lambda plan: plan.settings_changed(seed=1),
    "setting": lambda plan: plan.settings_changed(opacity_lr=0.051),
    "setting done but not recorded": lambda plan: plan.done_otherwise(opacity_lr=0.051),
    "setting recorded but not done": lambda plan: plan.recorded_as(opacity_lr=0.051),
    "step": lambda plan: plan.with_steps(prune=growth.never_prune),
    "step's argument": lambda plan: plan.with_steps(gradients=partial(gradients.cut, group="means")),
    "step's other argument": lambda plan: plan.with_steps(gradients=partial(gradients.cut, group="sh0")),
    "one photo": lambda plan: plan.with_scene(photo_transforms.blurred(plan.scene, 0.5, ("train_000.png",))),
    "poses": lambda plan: plan.with_scene(transforms.perturbed_poses(plan.scene, 1e-6, 0.0)),
    "points": lambda plan: plan.with_scene(transforms.points_kept(plan.scene, 1_499)),
    "data folder alone": lambda plan: replace(plan, scene=transforms.points_kept(plan.scene, 1_499)),
    "trainer's data alone": lambda plan: replace(plan, data=transforms.points_kept(plan.scene, 1_499).data),
    "layout": lambda plan: replace(plan, layout="gsplat"),
    "resume": lambda plan: replace(plan, resume=Resume(400)),
    "resume later": lambda plan: replace(plan, resume=Resume(401)),
}


def test_every_change_has_a_key_of_its_own(plan: Plan) -> None:
    """Whatever could change the folder must change its key."""
    keys = {training_key(plan), *(training_key(change(plan)) for change in CHANGES.values())}
    assert len(keys) == len(CHANGES) + 1


def test_a_diagnosis_belongs_to_its_run(plan: Plan) -> None:
    """A verdict on another run is none on this."""
    assert diagnosis_key(training_key(plan)) != diagnosis_key(training_key(plan.settings_changed(seed=1)))
