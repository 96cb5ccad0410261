"""From robots and logs to results: identify() in one call, or moments, which can be added and solved repeatedly."""
from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import _arrays, _heft
from ._config import configuration, moving_joints, options_of
from ._errors import HeftError
from ._moments import Moments
from ._progress import listener
from .log import as_logs, check_torques, check_widths
from .mjcf import source_of
from .result import Result
from .robot import Robot, as_robot


def identify(robot, train, validate=None, config=None, *, start_s: float | None = None, end_s: float | None = None,
             progress=None) -> Result:
    """Identifies mass, center of mass and inertia of every body, friction, and the other columns of `config`.

    robot     a Robot, or the path of a URDF
    train     training data: a Log, a path, a table of named columns, or a list of these
    validate  held-out data in the same forms, which the fit does not use; "40%": the last 40 % of each training log
    start_s, end_s  use only the rows of the training logs between these times, both included [s]
    config    options as in the program's YAML file: its path, or a dictionary, {"conditioning": {"lowpass_hz": 5}}; its section
              `robot` overrides the options that the Robot was read with
    progress  None: a bar if tqdm is installed and the output is a terminal or a notebook; True; False; or a function of
              (stage, fraction), which stops the call by returning False

    Releases the interpreter's lock; Ctrl-C ends it. Errors are HeftError.
    """
    held_out = validate.strip() if isinstance(validate, str) and validate.strip().endswith("%") else ""
    robot, training, validation = as_robot(robot), as_logs(train), as_logs(None if held_out else validate)
    if not training:
        raise HeftError("train", "contains no log", "give at least one")
    options = options_of(config, robot, training)
    check_torques({"train": training, "validate": validation})
    check_widths({"train": training, "validate": validation}, moving_joints(robot, options))
    with listener(progress) as hears:
        return Result(_heft.identify(robot._native, [log._native for log in training], [log._native for log in validation],
                                     options, -math.inf if start_s is None else start_s, math.inf if end_s is None else end_s,
                                     held_out, hears), mjcf=source_of(robot))


def moments(robot, log, config=None, *, progress=None) -> Moments:
    """Conditions logs and returns the sums that estimation needs. Arguments as in identify()."""
    robot, logs = as_robot(robot), as_logs(log)
    if not logs:
        raise HeftError("log", "contains no log", "give at least one")
    options = options_of(config, robot, logs)
    check_torques({"log": logs})
    check_widths({"log": logs}, moving_joints(robot, options))
    with listener(progress) as hears:
        return Moments(_heft.moments(robot._native, [log._native for log in logs], options, hears))


def solve(moments: Moments, config=None, *, robot=None, progress=None) -> Result:
    """Estimates again from moments, without the logs. The priors and the estimation section of `config` override the options
    of the moments. `robot`: moments of another robot are refused."""
    robot = None if robot is None else as_robot(robot)
    native = _moments_of(moments, robot)
    options = _wanted(native, config)
    with listener(progress) as hears:
        return Result(_heft.solve(native, options, hears), mjcf=source_of(robot))


class Problem:
    """One convex problem: fit, prior, and physical consistency. Create it from moments or from your own normal equations."""

    def __init__(self, native: _heft.Problem):
        self._native = native

    @classmethod
    def from_moments(cls, moments: Moments, config=None, *, robot=None) -> Problem:
        """Returns the problem that solve() would solve."""
        native = _moments_of(moments, robot)
        return cls(_heft.Problem.of_moments(native, _wanted(native, config)))

    @classmethod
    def from_equations(cls, G, b, tau2: float, num_rows: float, references, *, bodies=None, prior_weight: float = 1e-2) -> Problem:
        """Minimize (x'Gx - 2 b'x + tau2) / num_rows + prior, with rows over their noise: G = Y'Y / s^2 (P, P), b = Y'tau / s^2
        (P,), tau2 = tau'tau / s^2. `references` (bodies, 10): the prior of every body; P = 10 bodies."""
        G, b = _arrays.read("G", G, 2), _arrays.read("b", b, 1)
        references = np.asarray(references)
        references = _arrays.read("references", references[None] if references.ndim == 1 else references, 2)
        size = 10 * len(references)
        for name, array, shape in (("references", references, (len(references), 10)), ("G", G, (size, size)), ("b", b, (size,))):
            if array.shape != shape:
                raise HeftError(name, f"has shape {_arrays.shape_text(array.shape)}, but {len(references)} bodies require "
                                      f"{_arrays.shape_text(shape)}", "give ten parameters per body")
        names = [f"body_{i + 1}" for i in range(len(references))] if bodies is None else list(bodies)
        if len(names) != len(references):
            raise HeftError("bodies", f"has {len(names)} names for {len(references)} references", "name every body")
        return cls(_heft.Problem.of_equations(G, b, float(tau2), float(num_rows), names, references, float(prior_weight)))

    bodies: list[str] = property(lambda self: self._native.bodies, doc="names, in the order of the unknowns")

    def __repr__(self) -> str:
        return f"Problem({len(self.bodies)} bodies)"


@dataclass(frozen=True)
class Batch:
    """Solutions of many problems, in their order: parameters, (n, P) if all have the same number of unknowns, else a list of (P,);
    certified (n,), gap (n,), objective (n,), status: one word per problem."""

    parameters: np.ndarray | list[np.ndarray]
    certified: np.ndarray
    gap: np.ndarray
    objective: np.ndarray
    status: list[str]

    def __repr__(self) -> str:
        return f"Batch({len(self.status)} problems, {int(np.sum(self.certified))} certified)"


def solve_batch(problems: Sequence[Problem | Moments], config=None, *, gap_tolerance: float = 1e-8, threads: int = 0,
                progress=None) -> Batch:
    """Solves many problems at once, each with a certificate. `config` turns moments among them into problems."""
    natives = [(p if isinstance(p, Problem) else Problem.from_moments(p, config))._native for p in problems]
    with listener(progress) as hears:
        done = _heft.solve_batch(natives, threads or os.cpu_count() or 1, gap_tolerance, hears)
    parameters = done["parameters"]
    if len({len(x) for x in parameters}) == 1:
        parameters = np.array(parameters)
    return Batch(parameters, np.array(done["certified"], dtype=bool), np.array(done["gap"]), np.array(done["objective"]),
                 done["status"])


def _moments_of(moments, robot) -> _heft.Moments:
    if not isinstance(moments, Moments):
        raise HeftError("moments", f"is a {type(moments).__name__}", "give moments that heft.moments() or Moments.load() returned")
    if robot is not None:
        difference = moments._native.difference_from(as_robot(robot)._native)
        if difference:
            raise HeftError("moments", f"are of another robot: {difference}", "give the robot whose logs were summed")
    return moments._native


def _wanted(native: _heft.Moments, config) -> _heft.Configuration:
    settled = native.configuration
    wanted = configuration(config, settled)
    for text in _heft.settled_options(settled, wanted):
        warnings.warn(text, stacklevel=3)
    return wanted
