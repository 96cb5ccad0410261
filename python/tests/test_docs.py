"""The blocks of docs/python.md run in order and print what the page shows. Notebooks run from their own folder."""
import contextlib
import io
import os
import subprocess
import sys
import warnings

import pytest

from conftest import SOURCE

sys.path.append(str(SOURCE / "tests" / "tools"))  # last: some modules there share names with ours
from docs_commands import blocks_of, is_printed  # noqa: E402


def test_page(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools").symlink_to(SOURCE / "tools")
    namespace, printed, tested = {}, "", 0
    for language, text in blocks_of(SOURCE / "docs" / "python.md"):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, "docs/python.md", "exec"), namespace)
            printed = out.getvalue()
        elif language == "text":
            for line in text.splitlines():
                assert line == ".." or is_printed(line, printed), f"docs/python.md shows: {line}\nprinted:\n{printed}"
                tested += 1
    assert tested


NOTEBOOKS = sorted((SOURCE / "python" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path):
    beside = sorted(path.parent.iterdir())
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    if path.stem.startswith("mujoco"):
        pytest.importorskip("mujoco")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()  # as Jupyter does
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sorted(path.parent.iterdir()) == beside, "a notebook leaves files in the clone"
    assert any("text/html" in output.get("data", {}) or output.get("name") == "stdout" for output in outputs)


def test_mjcf_page(tmp_path, monkeypatch):
    """Commands and Python of docs/mjcf.md, in order and in one folder."""
    pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "bin" / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    namespace, printed, tested = {}, "", 0
    for language, text in blocks_of(SOURCE / "docs" / "mjcf.md"):
        if language == "sh":
            done = subprocess.run(["bash", "-eu", "-c", text], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            printed = done.stdout
        elif language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(text, "docs/mjcf.md", "exec"), namespace)
            printed = out.getvalue()
        else:
            for line in text.splitlines():
                assert line == ".." or is_printed(line, printed), f"docs/mjcf.md shows: {line}\nprinted:\n{printed}"
                tested += 1
    assert tested
