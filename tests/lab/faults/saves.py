"""Faults of exports and of data folders: another space, other columns, fewer rows, lenses and photos that nobody heeded."""

from dataclasses import replace
from functools import partial

from tests.lab.broken import data_folder, saves
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Edit, Plan
from tests.lab.scenes import photo_transforms
from tests.lab.scenes.bent import bent


def _edited(plan: Plan, edit: Edit) -> Plan:
    return replace(plan, edit=edit)


def _activated(plan: Plan, _strength: float) -> Plan:
    return _edited(plan, saves.activated)


def _shifted(plan: Plan, _strength: float) -> Plan:
    return _edited(plan, saves.shifted)


def _flung(plan: Plan, rows: float) -> Plan:
    return _edited(plan, partial(saves.flung, rows=round(rows)))


def _dropped(plan: Plan, share: float) -> Plan:
    return _edited(plan, partial(saves.rows_dropped, share=share))


def _degree_cut(plan: Plan, degree: float) -> Plan:
    return _edited(plan, partial(saves.degree_cut, degree=round(degree)))


def _lost_photos(plan: Plan, registered: float) -> Plan:
    return _edited(plan, partial(data_folder.photos_added, registered=registered))


def _bent_lens(plan: Plan, k1: float) -> Plan:
    return _edited(plan.with_scene(bent(plan.scene, k1)), partial(data_folder.lens_told, k1=k1))


def _masks(plan: Plan, share: float) -> Plan:
    return plan.with_scene(photo_transforms.masked(plan.scene, share))


FAULTS = (
    Fault(
        "activated-values-exported", "saves", _activated, codes("N-13"),
        "The last save holds lengths and opacities of 0 to 1 where logarithms and logits are read; the training was sound.",
        acceptable=codes("N-06 AF-07 AF-04"), wrong=codes("IF-03 N-11 N-12 IF-04"),
    ),
    Fault(
        "columns-shifted-on-export", "saves", _shifted, codes("N-14"),
        "The last save holds the rotation under the names of opacity and scales, and those under the rotation's.",
        acceptable=codes("N-06 AF-07 AF-04"), wrong=codes("IF-03 N-11 N-12 IF-04"),
    ),
    Fault(
        "rows-flung-far", "saves", _flung, codes("F-01"),
        "A few Gaussians of the last save lie a million units away; which ones is known. The picture hardly changes.", (5.0, 3.0),
        wrong=codes("N-02 N-01 IF-04"),
    ),
    Fault(
        "rows-dropped-on-export", "saves", _dropped, codes("CK-3"),
        "A part of the last save's rows is missing; log and state tell the whole number.", (0.15, 0.3),
        codes("DF-05"), codes("N-28 IF-01 IF-04"),
    ),
    Fault(
        "harmonics-cut-on-export", "saves", _degree_cut, codes("CK-4"),
        "The last save holds fewer harmonics than were trained, and than the saves before it.", (0.0, 1.0),
        wrong=codes("IF-06 N-13 CK-3"),
    ),
    Fault(
        "photos-without-pose", "saves", _lost_photos, codes("N-19"),
        "More photos lie in the folder than the model has poses for; the others were trained well.", (0.4, 0.7),
        wrong=codes("IF-04 IF-01"),
    ),
    Fault(
        "lens-not-straightened", "saves", _bent_lens, codes("N-05"),
        "The photos are bent, and the model in the data folder says so; the trainer drew pinholes. Views contradict each other "
        "near the rim.", (0.25, 0.4), codes("AF-01 AF-03 CF-03 N-33 N-07"), codes("IF-04"),
    ),
    Fault(
        "masks-that-dilute", "saves", _masks, codes("N-27"),
        "A third of each photo counts, and the trainer divides by all pixels. What lies under a mask keeps the opacity of the "
        "last reset (DF-07): no gradient lifts it; evaluation counts what nobody trained (M-04).", (0.65, 0.7),
        codes("DF-01 DF-07 CF-03 AF-01 M-04"), codes("IF-01 IF-04 N-07"),
    ),
)
