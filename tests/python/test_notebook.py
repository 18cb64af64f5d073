"""The notebooks of the tour: their form, and all cells in a process of their own, with the asserts in the cells. One is
also executed by Jupyter, if nbconvert is installed."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2])) / "apps/python/tour"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))
NEEDS_PROGRAM = {"3_a_log.ipynb", "4_roles_and_live.ipynb"}
KEYS = {
    "code": {"id", "cell_type", "metadata", "source", "outputs", "execution_count"},
    "markdown": {"id", "cell_type", "metadata", "source"},
}


def test_there_are_four():
    assert [name[0] for name in NOTEBOOKS] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_form_is_that_of_nbformat_4(name):
    notebook = json.loads((FOLDER / name).read_text())
    assert set(notebook) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert notebook["nbformat"] == 4 and notebook["nbformat_minor"] >= 5  # cells have ids from 4.5 on
    assert set(notebook["metadata"]["kernelspec"]) >= {"name", "display_name"}
    assert notebook["metadata"]["language_info"]["name"] == "python"
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", own) for own in ids)
    for cell in notebook["cells"]:
        assert set(cell) == KEYS[cell["cell_type"]], cell["id"]
        assert isinstance(cell["metadata"], dict) and isinstance(cell["source"], list)
        *lines, last = cell["source"]
        assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines) and "\n" not in last
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, "kept with outputs"
            compile("".join(cell["source"]), cell["id"], "exec")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_all_cells_run(name, tmp_path):
    if name.startswith("2"):
        pytest.importorskip("pandas")
    if name in NEEDS_PROGRAM and not os.environ.get("SOTTO_PROGRAM"):
        pytest.skip("SOTTO_PROGRAM does not name the program sotto")
    runner = Path(__file__).with_name("run_notebook.py")
    with tempfile.TemporaryDirectory(prefix="s-") as short:  # the paths of sockets are short
        variables = {**os.environ, "MPLBACKEND": "Agg", "TMPDIR": short}
        command = [sys.executable, "-B", "-W", "error::UserWarning:sotto", runner, FOLDER / name]
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert os.listdir(short) == [] and list(tmp_path.iterdir()) == []
    assert done.stdout.endswith("all cells have run\n")
    assert len(re.findall("HTML of [0-9]{3,} letters", done.stdout)) == {"1": 4, "2": 3, "3": 1, "4": 0}[name[0]]


def test_the_runner_runs_cells_in_their_order(tmp_path):
    def notebook(*cells):
        made = [{"cell_type": "code", "id": f"c{number}", "source": [cell]} for number, cell in enumerate(cells)]
        path = tmp_path / "n.ipynb"
        path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["x ="]}, *made]}))
        runner = Path(__file__).with_name("run_notebook.py")
        return subprocess.run([sys.executable, "-B", runner, path], capture_output=True, text=True, check=False)

    done = notebook("x = 1", "x += 1\nx", "None", "")
    assert (done.returncode, done.stdout) == (0, "2\nall cells have run\n"), done.stderr
    done = notebook("x = 1", "assert x == 2")
    assert done.returncode == 1 and 'n.ipynb, c1", line 1' in done.stderr


def test_jupyter_runs_the_first(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    pytest.importorskip("ipykernel")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # for the kernel's connection
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(FOLDER / NOTEBOOKS[0], as_version=4)
    nbformat.validate(notebook)
    executor = preprocessors.ExecutePreprocessor(timeout=240, kernel_name="python3")
    executor.preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("<table>" in output.get("data", {}).get("text/html", "") for output in outputs) == 4
