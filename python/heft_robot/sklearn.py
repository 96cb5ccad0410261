"""Identification as an estimator of scikit-learn, which this module needs; heft_robot loads it when Identifier is first used."""
from __future__ import annotations

import numpy as np

from . import _arrays
from ._errors import HeftError, optional
from .estimation import identify
from .log import Log
from .robot import as_robot

optional("sklearn", "Identifier")
from sklearn.base import BaseEstimator, RegressorMixin  # noqa: E402

#: samples are taken as they are: no filter, and motion is what X says
AS_GIVEN = {"filter": "none", "velocity": "logged", "trim": 0}


class BlockedSplit:
    """A splitter of scikit-learn for samples in time: n_splits consecutive parts, each held out once, without the `gap` samples
    on either side of it, in which neighboring samples are correlated."""

    def __init__(self, n_splits: int = 5, gap: int = 0):
        self.n_splits, self.gap = n_splits, gap

    def get_n_splits(self, X=None, y=None, groups=None) -> int:
        """Number of splits."""
        return self.n_splits

    def split(self, X, y=None, groups=None):
        """Pairs of indices of samples (train, held out) of X (n, ..), in time."""
        n = len(X)
        if not 2 <= self.n_splits <= n:
            raise HeftError("n_splits", f"must be from 2 to the number of samples, {n}, not {self.n_splits}", "give 5, for example")
        edges = np.linspace(0, n, self.n_splits + 1).astype(int)
        samples = np.arange(n)
        for begin, end in zip(edges, edges[1:]):
            yield samples[(samples < begin - self.gap) | (samples >= end + self.gap)], samples[begin:end]

    def __repr__(self) -> str:
        return f"BlockedSplit(n_splits={self.n_splits}, gap={self.gap})"


class Identifier(RegressorMixin, BaseEstimator):
    """fit(X, y) identifies a robot, predict(X) gives torques.

    X  (n, 3 joints): q, qd, qdd side by side [rad, rad/s, rad/s^2]; used without filtering, so filter them first
    y  (n, joints): torques [N m]

    Identifier(robot, **config): options of the configuration as in identify(), by section=dict(..) or, so that grids can search
    them, section__option=value: Identifier(robot, estimation__prior_weight=0.1). After fit, result_ is the Result.
    """

    def __init__(self, robot, **config):
        self.robot, self.config = robot, config

    def get_params(self, deep: bool = True) -> dict:
        """The robot and every option, by the names of set_params()."""
        return {"robot": self.robot, **self.config}

    def set_params(self, **params):
        """Changes the robot or options, section__option=value; returns self."""
        self.robot = params.pop("robot", self.robot)
        self.config = {**self.config, **params}
        return self

    def fit(self, X, y):
        """Identifies from X (n, 3 joints) [rad, rad/s, rad/s^2] and y (n, joints) [N m]; returns self, with result_."""
        robot = as_robot(self.robot)
        motion = self._motion(robot, X)
        y = _arrays.read("y", y, 2)
        _arrays.same_rows("X", motion, "y", y, len(robot.joints))
        self.result_ = identify(robot, _log(motion, y), config=self._configuration(), progress=False)
        self.n_features_in_ = motion.shape[1]
        return self

    def predict(self, X) -> np.ndarray:
        """(n, joints) torques [N m] at X (n, 3 joints)."""
        if not hasattr(self, "result_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("this Identifier is not fitted yet: call fit(X, y) first")
        motion = self._motion(as_robot(self.robot), X)
        return self.result_.predict(_log(motion, None), progress=False).predicted

    def _motion(self, robot, X) -> np.ndarray:
        X = _arrays.read("X", X, 2)
        if X.shape[1] != 3 * len(robot.joints):
            raise HeftError("X", f"has shape {_arrays.shape_text(X.shape)}; "
                                 f"expected for this robot {_arrays.shape_text((len(X), 3 * len(robot.joints)))}", "give q, qd, qdd side by side")
        return X

    def _configuration(self) -> dict:
        config = {"conditioning": dict(AS_GIVEN)}
        for key, value in self.config.items():
            section, both, option = key.partition("__")
            if both:
                config.setdefault(section, {})[option] = value
            elif isinstance(value, dict):
                config.setdefault(section, {}).update(value)
            else:
                config[section] = value
        return config


def _log(motion: np.ndarray, torque) -> Log:
    joints = motion.shape[1] // 3
    q, qd, qdd = (motion[:, k * joints:(k + 1) * joints] for k in range(3))
    return Log(np.arange(len(motion)) * 1e-3, q, torque, qd, qdd, name="X")  # times count samples, no more
