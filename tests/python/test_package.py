"""The contents of the package python3-sotto: the module with its types and data, its page, the notebook and the
examples.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sotto

SOURCE = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2]))
SCRIPT = Path(sotto.__file__).parents[1] / "cmake_install.cmake"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    if not SCRIPT.exists() or shutil.which("cmake") is None:
        pytest.skip("the package is not that of a build tree, or cmake is not installed")
    where = tmp_path_factory.mktemp("installed")
    command = ["cmake", "-DCMAKE_INSTALL_COMPONENT=python", f"-DCMAKE_INSTALL_PREFIX={where}", "-P", str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return where


def test_every_file_of_the_package_is_there(prefix):
    folder = next(prefix.glob("lib/**/sotto"))
    there = {path.name for path in folder.iterdir()}
    sources = {path.name for path in (SOURCE / "apps/python/sotto").iterdir() if path.is_file()}
    assert sources | {"digits.csv", "digits.LICENSE"} <= there
    code = "import sotto; print(sotto.__file__); print(len(sotto.datasets.digits()[-1]))"
    environment = {**os.environ, "PYTHONPATH": str(folder.parent)}
    said = subprocess.run([sys.executable, "-B", "-c", code], env=environment, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == [str(folder / "__init__.py"), "1797"]


def test_its_page_leads_to_files_that_are_installed(prefix):
    doc = prefix / "share/doc/python3-sotto"
    page = (doc / "python.md").read_text()
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page)
    assert len(links) >= 10
    for link in links:
        # The package sotto installs its files in the same folders as in the source tree.
        place = SOURCE / link[len("../sotto/") :] if link.startswith("../sotto/") else doc / link
        assert place.exists(), link
    assert len(list((doc / "tour").glob("*.ipynb"))) == 4


def test_an_example_runs_where_it_is_installed(prefix):
    folder = prefix / "share/doc/python3-sotto/examples"
    assert len(list(folder.glob("[0-9]*.py"))) >= 9
    done = subprocess.run([sys.executable, "-B", "1_millionaires.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
