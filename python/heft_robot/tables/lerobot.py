"""LeRobot datasets v2.0, v2.1 and v3.0: folders of Parquet files, read as one log with a pause between episodes."""

from __future__ import annotations

import json
import math
import os
import re

import numpy as np

from .._errors import HeftError
from . import parquet
from ._arrow_columns import Columns

_LARGEST_TEXT = 1 << 26
_PLACEHOLDER = re.compile(r"\{(episode_chunk|episode_index|chunk_index|file_index)(:0?[1-9]d)?\}")
_MOST_EPISODES = 1_000_000
_PAUSE_S = 10.0  # between episodes, at least: longer than any pause that is interpolated
_CONTAINER = "observation."
#: what LeRobot and its users call joint signals -> columns of logs
_FEATURES = {"state": "q", "position": "q", "velocity": "qd", "effort": "tau", "torque": "tau", "efforts": "tau", "torques": "tau"}
_SUFFIXES = {"pos": "q", "position": "q", "vel": "qd", "velocity": "qd", "effort": "tau", "torque": "tau", "tau": "tau"}
_OWN = ("timestamp", "frame_index", "episode_index", "index", "task_index", "next.done", "next.reward", "next.success")


def matches(path: str, head: bytes) -> bool:
    return os.path.isfile(os.path.join(path, "meta", "info.json"))


def unpack(path: str, sink) -> None:
    info = _Info(path)
    names = info.columns()
    if not any(name.startswith("tau_") or re.fullmatch(r"tau\d+", name) for columns in names.values() for name in columns):
        recorded = ", ".join(sorted(name for name in info.features if name.startswith(_CONTAINER))) or "none"
        raise HeftError(
            path,
            f"is a LeRobot dataset without joint torques (observations: {recorded})",
            "record them as the feature observation.effort, in N m, or as 'JOINT.effort' in observation.state; "
            "positions alone do not identify masses",
        )
    sink.note(f"{path}: a LeRobot dataset: its times are synthetic, frame number / {info.fps:g} Hz, not measured")
    sink.note(
        f"{path}: LeRobot's own drivers record positions in degrees or percent of their range: set log.angle_unit: deg or "
        "log.position_scale if they are not in rad"
    )
    rows = _Rows(path, info, names, sink)
    files = info.data_files()
    for file in files:
        rows.read(file)
    rows.check_total()


class _Info:
    """meta/info.json, checked."""

    def __init__(self, folder: str):
        self.folder, self.path = folder, os.path.join(folder, "meta", "info.json")
        document = _json_of(self.path)
        version = str(document.get("codebase_version", "none"))
        if version not in ("v2.0", "v2.1", "v3.0"):
            raise HeftError(
                self.path,
                f"is of the version '{version[:40]}'; v2.0, v2.1 and v3.0 are read",
                "convert the dataset with LeRobot's lerobot/datasets/v30/convert_dataset_v21_to_v30.py, older ones first with its scripts of v2",
            )
        self.is_v3 = version == "v3.0"
        self.fps = self._number(document, "fps", 1e-3, 1e6)
        self.num_frames = document.get("total_frames")
        self.chunk_size = int(self._number(document, "chunks_size", 1, 1e9)) if not self.is_v3 else 0
        self.features = document.get("features")
        if not isinstance(self.features, dict) or not all(isinstance(one, dict) for one in self.features.values()):
            raise HeftError(self.path, "has no features", "copy the dataset's folder meta again")
        self.template = self._template(document.get("data_path"))

    def _number(self, document, key, low, high) -> float:
        value = document.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or not low <= value <= high:
            raise HeftError(
                self.path,
                f"{key} is {str(value)[:40]}; it must be between {low:g} and {high:g}",
                "copy the dataset's folder meta again",
            )
        return float(value)

    def _template(self, template) -> str:
        """A path pattern inside the folder, with fields for numbers."""
        parts = template.replace("\\", "/").split("/") if isinstance(template, str) else []
        rest = _PLACEHOLDER.sub("", template) if parts else "{"
        if (
            not parts
            or ".." in parts
            or template.startswith(("/", "\\", "~"))
            or "{" in rest
            or "}" in rest
            or ":" in rest
            or "\0" in rest
            or len(template) > 500
        ):
            raise HeftError(
                self.path,
                f"data_path is {str(template)[:100]!r}, which is not a path inside the dataset",
                "write it as LeRobot does: data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
            )
        return template

    def columns(self) -> dict[str, list[str]]:
        """Names of the columns of every numeric feature."""
        result = {}
        for feature, about in self.features.items():
            if about.get("dtype") in ("video", "image", "string", "language", "audio"):
                continue
            shape = about.get("shape") or [1]
            if not isinstance(shape, list) or len(shape) != 1 or not isinstance(shape[0], int) or not 0 < shape[0] <= 4096:
                continue
            result[feature] = _names_of(feature, shape[0], _labels(about.get("names")))
        taken = {}
        for feature, names in result.items():
            for k, name in enumerate(names):
                if name in taken:  # two features of one kind: the first has the name
                    names[k] = f"{feature}.{k + 1}"
                taken[names[k]] = feature
        return result

    def data_files(self) -> list[str]:
        files = list(dict.fromkeys(self._files_v3() if self.is_v3 else self._files_v2()))
        if not files:
            raise HeftError(self.folder, "lists no episodes", "copy the dataset's folder meta again, or record an episode")
        for file in files:
            if not os.path.isfile(os.path.join(self.folder, file)):
                raise HeftError(
                    os.path.join(self.folder, file),
                    "is listed in the dataset but missing",
                    "download or copy the dataset again, with its folder data",
                )
        return files

    def _files_v2(self):
        path = os.path.join(self.folder, "meta", "episodes.jsonl")
        for line in _text_of(path).splitlines():
            if line.strip():
                number = _whole(path, _parsed(path, line), "episode_index")
                yield self._fill(episode_chunk=number // self.chunk_size, episode_index=number)

    def _files_v3(self):
        folder = os.path.join(self.folder, "meta", "episodes")
        names = sorted(
            os.path.join(at, name) for at, _, all_names in os.walk(folder) for name in all_names if name.endswith(".parquet")
        )
        if not names:
            raise HeftError(folder, "contains no Parquet files", "copy the dataset's folder meta again")
        keys = ("episode_index", "data/chunk_index", "data/file_index")
        rows = []
        for name in names:
            with parquet.open_file(name) as file:
                if len(rows) + file.metadata.num_rows > _MOST_EPISODES:
                    raise HeftError(name, f"lists more than {_MOST_EPISODES} episodes", "split the dataset, or copy its folder meta again")
                missing = next((key for key in keys if key not in file.schema_arrow.names), None)
                if missing:
                    raise HeftError(name, f"has no column '{missing}'", "copy the dataset's folder meta again")
                table = file.read(columns=list(keys)).to_pydict()
            rows += [
                {key: _whole(name, {key: value}, key) for key, value in zip(keys, row)}
                for row in zip(*(table[key] for key in keys))
            ]
        for row in sorted(rows, key=lambda row: row["episode_index"]):
            yield self._fill(chunk_index=row["data/chunk_index"], file_index=row["data/file_index"])

    def _fill(self, **numbers: int) -> str:
        try:
            return self.template.format(**numbers)
        except KeyError as error:
            raise HeftError(
                self.path,
                f"data_path has the field {error}, which datasets of this version do not have",
                f"write it with {', '.join('{' + name + '}' for name in numbers)}",
            ) from error


class _Rows:
    """Rows of all episodes, one after the other, as columns t, q_.., tau_.."""

    def __init__(self, path, info, names, sink):
        self.path, self.info, self.names, self.sink = path, info, names, sink
        self.episode, self.offset, self.last = None, 0.0, None
        self.order = None

    def read(self, name: str) -> None:
        file_path = os.path.join(self.path, name)
        with parquet.open_file(file_path) as file:
            for key in ("episode_index", "frame_index"):
                if key not in file.schema_arrow.names:
                    raise HeftError(file_path, f"has no column '{key}'", "download or copy the dataset again")
            wanted = [
                field for field in file.schema_arrow if field.name in self.names or field.name in ("episode_index", "frame_index")
            ]
            collected = _Collected()
            columns = Columns(
                file_path, wanted, collected, lambda path, width: [f"{'.'.join(path)}\0{k}" for k in range(width or 1)]
            )
            for batch in file.iter_batches(16384, columns=[field.name for field in wanted], use_threads=False):
                columns.add(batch)
                self._add(file_path, collected.names, collected.taken())
            for text in collected.notes:
                self.sink.note(text)

    def _add(self, file_path, names, columns) -> None:
        found: dict[str, list] = {}
        for name, column in zip(names, columns):
            found.setdefault(name.partition("\0")[0], []).append(column)
        for feature, wanted in self.names.items():
            if len(found.get(feature, [])) != len(wanted):
                raise HeftError(
                    file_path,
                    f"'{feature}' has {len(found.get(feature, []))} numbers per row, but meta/info.json declares {len(wanted)}",
                    "copy the dataset again, or correct the feature's shape in meta/info.json",
                )
        signals = [feature for feature in self.names if feature not in _OWN]
        if self.order is None:
            self.order = signals
            self.sink.begin(["t"] + [name for feature in signals for name in self.names[feature]] + ["episode_index"], self.path)
        episodes = found["episode_index"][0]
        if "timestamp" in found:
            self._compare(file_path, found["timestamp"][0], found["frame_index"][0])
        t = self._times(file_path, episodes, found["frame_index"][0])
        self.sink.add([t] + [column for feature in signals for column in found[feature]] + [episodes])

    def _compare(self, file_path, stamps, frames) -> None:
        """Refuses a rate that the recorded stamps contradict."""
        steps = np.diff(stamps)[np.diff(frames) == 1]
        steps = steps[np.isfinite(steps)]
        step = float(np.median(steps)) if len(steps) else np.nan
        if abs(step * self.info.fps - 1) > 0.05:
            raise HeftError(
                self.info.path,
                f"says fps {self.info.fps:g}; the column timestamp of {os.path.basename(file_path)} has steps of {step:.4g} s",
                "correct fps in meta/info.json, or download or copy the dataset again",
            )
        if np.nanmax(np.abs(stamps - frames / self.info.fps), initial=0) > 0.5 / self.info.fps:
            self.sink.note(f"{self.path}: its column timestamp is not frame_index / fps; times are taken from frame_index")

    def _times(self, file_path, episodes, frames) -> np.ndarray:
        if not np.isfinite(episodes).all():
            raise HeftError(file_path, "has rows without an episode_index", "download or copy the dataset again")
        t = np.empty(len(frames))
        begins = np.flatnonzero(np.concatenate([[True], episodes[1:] != episodes[:-1]]))
        for begin, end in zip(begins, [*begins[1:], len(frames)]):
            if self.episode != episodes[begin]:
                if self.last is not None:
                    self.offset = self.last + max(_PAUSE_S, 100 / self.info.fps)
                self.episode, self.first = episodes[begin], frames[begin]
            part = self.offset + (frames[begin:end] - self.first) / self.info.fps
            if not np.isfinite(part).all() or (np.diff(part) <= 0).any() or (self.last is not None and part[0] <= self.last):
                raise HeftError(
                    file_path, f"frame_index does not increase in episode {int(episodes[begin])}", "download or copy the dataset again"
                )
            t[begin:end] = part
            self.last = part[-1]
        return t

    def check_total(self) -> None:
        told = self.info.num_frames
        if isinstance(told, int) and told != self.sink.num_rows:
            raise HeftError(
                self.info.path,
                f"declares {told} frames, but the files of its episodes have {self.sink.num_rows}",
                "download or copy the dataset again, or correct total_frames",
            )


class _Collected:
    """A sink that keeps the columns of one batch."""

    def __init__(self):
        self.names, self.notes, self._columns = [], [], []

    def note(self, text):
        self.notes.append(text)

    def begin(self, names, path):
        self.names = names

    def add(self, columns):
        self._columns = columns

    def taken(self):
        return self._columns


def _labels(names) -> list[str] | None:
    """Names of a feature's numbers: a list, or {"motors": [..]}."""
    if isinstance(names, dict):
        lists = [value for value in names.values() if isinstance(value, list)]
        names = lists[0] if len(lists) == 1 else list(names) if all(isinstance(value, int) for value in names.values()) else None
    return [str(name) for name in names] if isinstance(names, list) and names else None


def _names_of(feature: str, width: int, labels) -> list[str]:
    if feature in _OWN:
        return [feature]
    base = feature.removeprefix(_CONTAINER)
    prefix = _FEATURES.get(base) if feature.startswith(_CONTAINER) else None
    if labels is None or len(labels) != width:
        return [f"{prefix or feature}{k + 1}" for k in range(width)] if width > 1 or prefix else [feature]
    names = []
    for label in labels:
        joint, dot, suffix = label.rpartition(".")
        if prefix and dot and suffix in _SUFFIXES:
            names.append(f"{_SUFFIXES[suffix]}_{joint}")
        elif prefix and dot and base == "state":
            names.append(f"{feature}.{label}")  # a current, a temperature
        else:
            names.append(f"{prefix}_{label}" if prefix else f"{feature}.{label}")
    return names


def _text_of(path: str) -> str:
    try:
        if os.path.getsize(path) > _LARGEST_TEXT:
            raise HeftError(path, f"has more than {_LARGEST_TEXT >> 20} MB", "copy the dataset's folder meta again")
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise HeftError(path, f"cannot be read: {error}", "copy the dataset's folder meta again") from error


def _parsed(path: str, text: str) -> dict:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise HeftError(path, f"is not JSON: {error}", "copy the dataset's folder meta again") from error
    if not isinstance(document, dict):
        raise HeftError(path, "is not a JSON object", "copy the dataset's folder meta again")
    return document


def _json_of(path: str) -> dict:
    return _parsed(path, _text_of(path))


def _whole(path: str, row: dict, key: str) -> int:
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise HeftError(
            path, f"{key} is {str(value)[:40]}; it must be a whole number of at least 0", "copy the dataset's folder meta again"
        )
    return value
