"""Bodies as ten numbers in the conventions of other programs, and distances between bodies."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _arrays, _heft
from ._errors import HeftError

#: names of a body's ten parameters, about its frame's origin [kg, kg m, kg m^2]
PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def com_of(parameters) -> np.ndarray:
    """(3,) center of mass [m]; nan of a body without mass."""
    return np.asarray(parameters[1:4]) / parameters[0] if parameters[0] else np.full(3, np.nan)


def tensor_about_origin(parameters) -> np.ndarray:
    """(3, 3) tensor about the frame's origin [kg m^2]."""
    xx, xy, yy, xz, yz, zz = parameters[4:10]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def tensor_about_com(parameters) -> np.ndarray:
    """(3, 3) tensor about the center of mass, in the same axes [kg m^2]: that about the origin less m (c'c 1 - c c')."""
    c = com_of(parameters)
    return tensor_about_origin(parameters) - parameters[0] * (c @ c * np.eye(3) - np.outer(c, c))


@dataclass(frozen=True)
class Converted:
    """bodies (n, 10), of the manifold (n, 11), nan where there are none; status: ok, boundary or impossible of each;
    jacobians (n, 10, 10), d out / d in, or None."""

    bodies: np.ndarray
    status: list[str]
    jacobians: np.ndarray | None


def conventions() -> list[str]:
    """Returns the names that convert() accepts; docs/charts.md has the order of the numbers in each."""
    return _heft.conventions()


def convert(bodies, from_: str, to: str, *, prior=None, jacobian: bool = False) -> Converted:
    """Converts bodies to the convention of another program or to a chart.

    bodies  (n, 10) array, or (10,) of one body; of the manifold 11 numbers
    prior   (10,) or (n, 10) in Heft's convention, for exponential_at_prior
    """
    if "exponential_at_prior" in (from_, to) and prior is None:
        raise HeftError("prior", "is missing: the chart exponential_at_prior needs it", "give ten numbers in Heft's convention")
    bodies = _bodies("bodies", bodies, None)
    priors = None if prior is None else _bodies("prior", prior, 10)
    _one_or_as_many("prior", priors, bodies)
    numbers, status, jacobians = _heft.convert(bodies, from_, to, priors, jacobian)
    return Converted(numbers, status, jacobians if jacobian else None)


def distance(a, b) -> dict[str, np.ndarray]:
    """Returns distances of the bodies `a` from `b`, independent of frame and units: (n,) arrays affine_invariant, entropic_ab,
    entropic_ba, pullback. `a` (n, 10), `b` the same or (10,), in Heft's convention."""
    a, b = _bodies("a", a, 10), _bodies("b", b, 10)
    _one_or_as_many("b", b, a)
    return dict(zip(("affine_invariant", "entropic_ab", "entropic_ba", "pullback"), _heft.distance(a, b).T.copy()))


def _bodies(name: str, numbers, width: int | None) -> np.ndarray:
    if not isinstance(numbers, np.ndarray):
        numbers = np.asarray(numbers, dtype=float)
    numbers = _arrays.read(name, numbers[None] if numbers.ndim == 1 else numbers, 2)
    if width is not None and numbers.shape[1] != width:
        raise HeftError(name, f"has shape {_arrays.shape_text(numbers.shape)}; expected (n, {width})", "give ten numbers per body")
    return numbers


def _one_or_as_many(name: str, some, all_of) -> None:
    if some is not None and len(some) not in (1, len(all_of)):
        raise HeftError(name, f"has shape {_arrays.shape_text(some.shape)}, but the other input has shape {_arrays.shape_text(all_of.shape)}",
                        "give the same number of bodies, or one for all")
