"""Identified bodies and other values by name, with a readable printed form."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _html
from ._words import no_such_name
from .inertia import PARAMETERS, com_of, tensor_about_com, tensor_about_origin

BY_PRIOR = "set by the prior"


@dataclass(frozen=True)
class Body:
    """An identified body, in the axes of its link's frame. print() shows mass, interval and center of mass.

    mass            [kg]
    mass_interval   (low, high) [kg] at the result's confidence, 95 % by default; nan: the logs do not determine the mass
    set_by_prior    names of the parameters that the prior determines by more than half, such as m or Izz
    com             (3,) center of mass [m]
    inertia         (3, 3) about the center of mass [kg m^2], as in a URDF
    inertia_origin  (3, 3) about the frame's origin [kg m^2]
    parameters      (10,) m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the frame's origin
    prior           the same of the robot's file
    """

    name: str
    joint: str | None
    parameters: np.ndarray
    prior: np.ndarray
    mass_interval: tuple[float, float] = (np.nan, np.nan)
    set_by_prior: tuple[str, ...] = ()
    confidence: float = 0.95

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(self.parameters[0])

    @property
    def com(self) -> np.ndarray:
        """(3,) center of mass in the link's frame [m]"""
        return com_of(self.parameters)

    @property
    def inertia(self) -> np.ndarray:
        """(3, 3) about the center of mass, in the link's axes [kg m^2]"""
        return tensor_about_com(self.parameters)

    @property
    def inertia_origin(self) -> np.ndarray:
        """(3, 3) about the frame's origin [kg m^2]"""
        return tensor_about_origin(self.parameters)

    @property
    def com_by_prior(self) -> str:
        """axes along which the prior determines the center of mass: "", "z", "xyz"; all of them if it determines the mass"""
        return "".join(axis for axis in "xyz" if {"m", f"mc{axis}"} & set(self.set_by_prior))

    def interval_text(self) -> str:
        """The interval of the mass as text: "low to high", "set by the prior", or empty."""
        if "m" in self.set_by_prior:
            return BY_PRIOR
        return "" if np.isnan(self.mass_interval[0]) else "{:.4g} to {:.4g}".format(*self.mass_interval)

    def com_text(self, unit: str = "") -> str:
        """The center of mass [m] as text, with the axes along which the prior set it."""
        axes = self.com_by_prior
        note = f" ({'' if axes == 'xyz' else ', '.join(axes) + ' '}{BY_PRIOR})" if axes else ""
        return f"[{', '.join(_meters(x) for x in self.com)}]{unit}{note}"

    def __repr__(self) -> str:
        interval = self.interval_text()
        known = f" ({interval if interval == BY_PRIOR else f'{100 * self.confidence:g} %: {interval}'})" if interval else ""
        com = self.com_text(" m")
        return f"Body({self.name!r}, {self.mass:.4g} kg{known}, center of mass {com})"


def _meters(x: float) -> str:
    """Tenths of a millimeter, without the sign of a rounded zero."""
    return f"{round(x, 4) + 0.0:.4f}"


class Named(dict):
    """Values by name. An unknown name raises UnknownName, a KeyError that lists the nearest names and all names."""

    where, note = "values", ""

    def __missing__(self, name):
        raise no_such_name(self.where, name, self, self.note)

    def copy(self):
        """The same values in a new mapping of this kind."""
        return type(self)(self)


class Bodies(Named):
    """Body by name, a dictionary. print() shows a table of masses with intervals and centers of mass."""

    where, note = "bodies", "a link on a fixed joint counts to the body that carries it"

    @classmethod
    def of_document(cls, document: dict) -> Bodies:
        """The bodies of result.json."""
        uncertainty = document.get("uncertainty") or {}
        told = {row["name"]: row for row in uncertainty.get("parameters", [])}

        def numbers(parameters):
            return np.array([parameters[key] for key in PARAMETERS], dtype=float)

        def body(entry):
            name = entry["name"]
            interval = (told.get(f"{name}.m") or {}).get("interval") or (np.nan, np.nan)
            by_prior = tuple(key for key in PARAMETERS if (told.get(f"{name}.{key}") or {}).get("set_by_prior"))
            return Body(name, entry.get("joint"), numbers(entry["parameters"]), numbers(entry["prior"]), tuple(interval), by_prior,
                        uncertainty.get("confidence", 0.95))

        return cls({entry["name"]: body(entry) for entry in document["bodies"]})

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Header and cells of the table."""
        confidence = next((body.confidence for body in self.values()), 0.95)
        head = ["body", "mass [kg]", f"{100 * confidence:g} % interval", "robot file [kg]", "center of mass [m]"]
        return head, [[body.name, f"{body.mass:.4g}", body.interval_text() or "-", f"{body.prior[0]:.4g}", body.com_text()]
                      for body in self.values()]

    def __repr__(self) -> str:
        head, cells = self.rows()
        widths = [max(len(row[k]) for row in [head, *cells]) for k in range(len(head))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [head, *cells])

    def _repr_html_(self) -> str:
        return _html.bodies_html(self)


class Columns(Named):
    """Values of friction, offsets and the other extra columns by name, a dictionary."""

    where = "columns"
