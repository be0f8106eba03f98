"""The installed product: what a user gets from the wheel, not what lies in the checkout."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("app", "diagnostics", "render", "runs", "resources")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder holding nothing but the wheel's own files."""
    work = tmp_path_factory.mktemp("wheel")
    source = work / "source"  # a copy: setuptools leaves a build folder, and would pack what an older one holds
    for package in PACKAGES:
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip_wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip_wheel, "--wheel-dir", str(work), str(source)], check=True, cwd=work)
    site = work / "site"
    with zipfile.ZipFile(next(work.glob("splatdoctor-*.whl"))) as wheel:
        wheel.extractall(site)
    return site


def splatdoctor(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command, run from the installed files, in a folder that is not the checkout."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONWARNINGS": "error"}
    command = [sys.executable, "-m", "app", *words]
    return subprocess.run(command, cwd=installed.parent, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_holds_every_package_and_resource_and_no_test(installed: Path) -> None:
    """A forgotten package or data file works in the checkout and fails at the user's."""
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    assert expected <= held
    assert {path.split("/")[0] for path in held if ".dist-info" not in path} == set(PACKAGES)


def test_the_installed_command_diagnoses_the_sample_run(installed: Path, tmp_path: Path) -> None:
    """Catalogue, fonts and sample run must be found beside the code, wherever that is."""
    report = tmp_path / "report.pdf"
    told = splatdoctor(installed, "diagnose", str(installed / "resources" / "sample_run"), "--pdf", str(report))
    assert told.returncode == 1, told.stderr
    assert "IF-05" in told.stdout
    assert report.read_bytes().startswith(b"%PDF")


def test_the_installed_command_asks_a_probe(installed: Path) -> None:
    """Its page, its limits and the compact trainer must be there; a sound colour balance is answered with 0."""
    told = splatdoctor(installed, "probe", "exposure", str(installed / "resources" / "sample_run"))
    assert told.returncode == 0, told.stderr
    assert "Nothing found" in told.stdout


def test_the_installed_command_prints_a_pattern_page(installed: Path) -> None:
    """The catalogue is prose that users read from the installed product."""
    told = splatdoctor(installed, "catalogue", "AF-06")
    assert told.returncode == 0, told.stderr
    assert "Needle" in told.stdout


def test_the_shaders_are_in_the_installed_product(installed: Path) -> None:
    """Without them the OpenGL viewport stays black."""
    shaders = {path.name for path in (ROOT / "resources" / "shaders").iterdir()}
    assert shaders
    assert {path.name for path in (installed / "resources" / "shaders").iterdir()} == shaders
