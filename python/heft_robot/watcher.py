"""Monitors a working robot: certified parameters, kept up to date, and what changed. docs/watch.md describes the lines."""
from __future__ import annotations

import json
import os
import tempfile

import numpy as np

from . import _arrays, _heft
from ._errors import HeftError
from .result import Result


class Watcher:
    """Monitors a robot while it works: push() takes samples as they arrive and returns what `heft watch` prints, as dictionaries.

        with heft.Watcher("model") as watcher:
            for t, q, tau in robot:
                for line in watcher.push(t, q, tau):
                    print(line["type"], line["what"])

    model     a Result, or the directory of a saved one
    forget    time constant with which older samples lose weight [s]; 0: all samples count equally
    every     samples between lines of type state; 0: one line per second
    baseline  fleet.json of a fleet, or a result.json: states and changes have a verdict (within, left, unresolved)
    snapshot  file to resume from if it exists; written after every minute of samples and by finish()

    The first 20 samples determine the rate. The solver runs in its own thread; several threads may call push(), one at a time.
    HeftError: a model that heft watch does not support, options out of range, a snapshot of another model or options.
    """

    def __init__(self, model: Result | str | os.PathLike, *, forget: float = 0.0, every: int = 0,
                 snapshot: str | os.PathLike | None = None, baseline: str | os.PathLike | None = None):
        options = (float(forget), int(every), *("" if path is None else os.fspath(path) for path in (snapshot, baseline)))
        if not isinstance(model, Result):
            self._native = _heft.Watcher.make(os.fspath(model), *options)
        else:
            with tempfile.TemporaryDirectory() as folder:
                model.save(folder)
                self._native = _heft.Watcher.make(folder, *options)
        self._joints, self._channels = self._native.joints, self._native.channels
        self._has_finished = False

    @property
    def joints(self) -> list[str]:
        """names of the positions of a sample, in their order"""
        return list(self._joints)

    @property
    def channels(self) -> list[str]:
        """names of the torques of a sample, in their order"""
        return list(self._channels)

    def push(self, t, q, tau) -> list[dict]:
        """Returns the lines that follow from a sample, often none: dictionaries with t, type (state, change or error), what, size, interval,
        onset_s, error_relative, certified, age_ms, latency_us and schema, as docs/watch.md describes them.

        t    time [s]; or (n,) times of n samples
        q    (joints,) positions [rad or m]; or (n, joints)
        tau  (channels,) torques [N m or N]; or (n, channels)

        Invalid samples (nan, a time that repeats, a clock that jumps back) are skipped and reported as lines of type error.
        HeftError: shapes that disagree, times that do not advance, a snapshot that cannot be written, a watcher that has finished.
        """
        if self._has_finished:
            raise HeftError("heft.Watcher", "has finished", "make another; with snapshot= it continues where this one ended")
        t, q, tau = self._rows(t, q, tau)
        return [json.loads(line) for line in self._native.push(t, q, tau)]

    def finish(self) -> list[dict]:
        """Ends the solver's thread, writes the snapshot and returns the last state. HeftError: fewer than 20 samples. The end of a
        `with` block calls it, too; there, too few samples are no error."""
        if self._has_finished:
            return []
        self._has_finished = True
        return [json.loads(line) for line in self._native.finish()]

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, kind, error, trace) -> None:
        try:
            self.finish()
        except HeftError as fault:
            if kind is None and "too few samples" not in fault.what:
                raise

    def __repr__(self) -> str:
        return f"Watcher({len(self._joints)} joints, {'finished' if self._has_finished else 'watching'})"

    def _rows(self, t, q, tau):
        """One sample or n of them as (n,), (n, joints), (n, channels)."""
        is_one = np.ndim(t) == 0
        times = np.array([t], dtype=np.float64) if is_one else _arrays.read("t", t, 1)
        arrays = []
        for name, array, names in (("q", q, self._joints), ("tau", tau, self._channels)):
            rows = _arrays.read(name, array, 1 if is_one else 2, "give one number for every name" if is_one else "give one row for every time")
            rows = rows[None, :] if is_one else rows
            if rows.shape != (len(times), len(names)):
                wanted = (len(names),) if is_one else (len(times), len(names))
                raise HeftError(name, f"has shape {_arrays.shape_text(np.shape(array))}; expected {_arrays.shape_text(wanted)}",
                                "give one number for each of " + ", ".join(names))
            arrays.append(rows)
        return times, *arrays
