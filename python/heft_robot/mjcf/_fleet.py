"""Fleets whose manifest names MJCF robots: URDFs and options next to the store, identified.xml next to every result."""
from __future__ import annotations

import csv
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from .. import _heft
from .._errors import HeftError
from . import _write
from ._command import option_value, without
from ._compiled import is_mjcf
from ._options import options_of_model, options_over
from ._read import read

_ACTIONS = ("run", "check", "map")
_PROGRAM = Path(__file__).parents[1] / "heft"
_PATHS = ("robot", "log", "config")


def main(words: list[str]) -> int | None:
    """Returns the exit code of `heft fleet WORDS`; None if the manifest names no MJCF robot."""
    manifest = next((word for word in words[1:] if word.endswith((".csv", ".jsonl")) and os.path.isfile(word)), None)
    if not words or words[0] not in _ACTIONS or manifest is None:
        return None
    rows = _rows(manifest)
    if not any(is_mjcf(_at(manifest, row["robot"])) for row in rows if row.get("robot")):
        return None
    try:
        return _run(words, manifest, rows)
    except HeftError as error:
        print(f"heft: {error}", file=sys.stderr)
        return 1


def _rows(manifest: str) -> list[dict]:
    with open(manifest, encoding="utf-8", newline="") as file:
        if manifest.endswith(".csv"):
            return [{key: value for key, value in row.items() if key and value} for row in csv.DictReader(file)]
        try:
            return [json.loads(line) for line in file if line.strip()]
        except ValueError:
            return []  # the program names the line


def _at(manifest: str, path: str) -> str:
    """Resolves paths relative to the manifest's folder."""
    return os.path.join(os.path.dirname(os.path.abspath(manifest)), str(path))


def _run(words: list[str], manifest: str, rows: list[dict]) -> int:
    from .. import fleet

    words, gravcomp = without(words, "--gravcomp")
    store = option_value(words, "--store")
    if store is not None and "://" in store:
        raise HeftError(manifest, "names MJCF robots, which a store behind a network does not support",
                        "use a folder as the store")
    with tempfile.TemporaryDirectory(prefix="heft-") as scratch:
        # beside the store, which refuses files of others
        folder = Path(scratch if store is None or words[0] == "check" else store.rstrip("/") + "_mjcf")
        folder.mkdir(parents=True, exist_ok=True)
        models = {}
        table = folder / f"{Path(manifest).stem}.jsonl"
        lines = [json.dumps(_row(manifest, row, option_value(words, "--config"), folder, models, gravcomp or "refuse")) for row in rows]
        _put(table, "\n".join(lines) + "\n")
        words = [str(table) if word == manifest else word for word in words]
        code = fleet.main(words)
        if code is None:
            sys.stdout.flush()
            code = subprocess.call([_PROGRAM, "fleet", *words])
        if words[0] == "run" and store is not None and "--dry-run" not in words:
            _write_models(Path(store), rows, manifest, models, "--keep-dynamics" in words)
        return code


def _row(manifest: str, row: dict, config: str | None, folder: Path, models: dict, gravcomp: str) -> dict:
    """A row with absolute paths; an MJCF robot becomes a URDF with options."""
    row = {key: _at(manifest, value) if key in _PATHS else value for key, value in row.items()}
    if not is_mjcf(row.get("robot", "")):
        return row
    key = (row["robot"], row.get("config", config))
    if key not in models:
        models[key] = _files(key, folder, gravcomp)
    _, urdf, options = models[key]
    return {**row, "robot": str(urdf.resolve()), "config": str(options.resolve())}


def _files(key, folder: Path, gravcomp: str):
    """(description, URDF, options) of a model under a configuration; names follow from the content."""
    path, config = key
    model = read(path)
    options = options_over(options_of_model(model, gravcomp), config, _heft.Configuration()).yaml
    digest = hashlib.sha256((model.urdf + options).encode()).hexdigest()[:10]
    urdf = folder / f"{Path(path).stem}-{digest}.urdf"
    _put(urdf, model.urdf)
    _put(urdf.with_suffix(".yaml"), options)
    return model, urdf, urdf.with_suffix(".yaml")


def _put(path: Path, text: str) -> None:
    """Writes a temporary file and renames it; a file that already has this content is not changed."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    aside = path.with_name(path.name + ".part")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)


def _write_models(store: Path, rows: list[dict], manifest: str, models: dict, keeps: bool) -> None:
    by_path = {path: model for (path, _), (model, _, _) in models.items()}
    robots = {row["robot_id"]: by_path[_at(manifest, row["robot"])] for row in rows
              if "robot_id" in row and _at(manifest, row.get("robot", "")) in by_path}
    for robot, model in robots.items():
        folder = store / "results" / quote(str(robot), safe="-_.")
        if not (folder / "result.json").is_file():
            continue
        try:
            _write.write(model, json.loads((folder / "result.json").read_text(encoding="utf-8")), folder, keeps)
        except HeftError as error:
            print(f"note: {robot}: no identified.xml: {error}", file=sys.stderr)
