"""The notebook of the tour, executed unchanged."""

import os
import tempfile
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
preprocessors = pytest.importorskip("nbconvert.preprocessors")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

NOTEBOOK = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2])) / "apps/python/tour.ipynb"


def shown(cell):
    return "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)


def test_the_tour(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # for the kernel's connection
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in codes), "kept with outputs"
    executor = preprocessors.ExecutePreprocessor(timeout=240, kernel_name="python3")
    executor.preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    assert all(cell.execution_count is not None for cell in codes)
    plan, run = shown(codes[1]), shown(codes[2])
    assert plan.startswith("Plan(rounds=") and "\nRun(steps=5391, average_reward=0." in run
    assert any("image/png" in output.get("data", {}) for output in codes[3].outputs)
    assert all("<table>" in output.data["text/html"] for cell in codes[1:3] for output in cell.outputs)
    rounds = plan.partition("rounds=")[2].partition(",")[0]
    assert shown(codes[4]).startswith(f"({rounds}, ")
    assert float(shown(codes[6])) > 0.7
