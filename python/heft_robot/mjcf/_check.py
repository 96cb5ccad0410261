"""Findings of `heft check` in an MJCF file, besides the rules for bodies and joints."""
from __future__ import annotations

import json
import os
import textwrap
import warnings

import numpy as np

from ._compiled import mujoco, warnings_in
from ._names import Names
from ._parts import Mjcf

_CHANGE = 0.01  # of mass or inertia, below which the mode of a mesh is not reported
_ORDER = {"error": 0, "warning": 1, "note": 2}


def findings(read: Mjcf) -> list[dict]:
    """Findings as in `heft check --json`: mass from shapes that cannot collide, inertia of meshes, options that change masses."""
    return [*_mass_from_shapes(read), *_mesh_inertia(read), *_options(read)]


def _finding(name: str, severity: str, subject: str, where: str, what: str, measure: float, unit: str, remedy: str) -> dict:
    return {"name": name, "severity": severity, "subject": subject, "where": where, "what": what, "measure": measure, "unit": unit,
            "remedy": remedy, "yaml": ""}


def _bodies_by_shapes(read: Mjcf):
    """Moving bodies whose inertia comes from geoms, if the file contains their text."""
    names = Names(mujoco(), read.model, read.text)
    for body in read.bodies:
        element = names.body_element(body.id)
        if element is not None and element.child("inertial") is None and read.model.body_weldid[body.id] and body.mass:
            yield body


def _mass_from_shapes(read: Mjcf):
    model = read.model
    for body in _bodies_by_shapes(read):
        geoms = np.flatnonzero(model.geom_bodyid == body.id)
        if len(geoms) and not np.any(model.geom_contype[geoms] | model.geom_conaffinity[geoms]):
            shapes = "a geom that cannot collide" if len(geoms) == 1 else f"{len(geoms)} geoms that cannot collide"
            yield _finding("mass-from-visuals", "warning", body.name, body.where,
                           f"{body.mass:.4g} kg come from volume and density of {shapes}", body.mass, "kg",
                           "give the body an <inertial>, or these geoms mass=\"0\"")


def _mesh_inertia(read: Mjcf):
    """Inertias in the mode "exact" of meshes in the default mode "legacy", which overestimates shapes that are not convex."""
    exact = _with_exact_meshes(read)
    if exact is None or exact.nbody != read.model.nbody:
        return
    meshes = int(mujoco().mjtGeom.mjGEOM_MESH)
    for body in _bodies_by_shapes(read):
        if not np.any(read.model.geom_type[read.model.geom_bodyid == body.id] == meshes):
            continue
        before, after = (np.r_[m.body_mass[body.id], m.body_inertia[body.id]] for m in (read.model, exact))
        change = float(np.max(np.abs(before - after) / np.maximum(after, 1e-300)))
        if change > _CHANGE:
            yield _finding("mesh-inertia-legacy", "warning", body.name, body.where,
                           f'the mesh mode "legacy" gives {_mass_and_moments(before)}, "exact" {_mass_and_moments(after)}', change, "",
                           'set inertia="exact" of its meshes, or give an <inertial>')


def _with_exact_meshes(read: Mjcf):
    """The model compiled with "exact" in place of "legacy"; None without such meshes, or if one has holes."""
    package = mujoco()
    with warnings_in([]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec = package.MjSpec.from_file(read.path)
        legacy = [mesh for mesh in spec.meshes if mesh.inertia == package.mjtMeshInertia.mjMESH_INERTIA_LEGACY]
        for mesh in legacy:
            mesh.inertia = package.mjtMeshInertia.mjMESH_INERTIA_EXACT
        try:
            return spec.compile() if legacy else None
        except (ValueError, RuntimeError, package.FatalError):
            return None


def _mass_and_moments(values) -> str:
    return f"{values[0]:.4g} kg and principal moments " + ", ".join(f"{value:.4g}" for value in values[1:]) + " kg m^2"


def _options(read: Mjcf):
    texts = {"inertiafromgeom": "inertias of <inertial> elements are not used", "settotalmass": "all masses are scaled",
             "boundmass": "smaller masses are raised", "boundinertia": "smaller inertias are raised",
             "balanceinertia": "impossible inertias are replaced by their mean"}
    for element in read.text.elements():
        if element.tag != "compiler":
            continue
        for attribute in texts.keys() & element.attributes.keys():
            value = element.attributes[attribute]
            if value not in ("auto", "false", "0", "-1"):
                remedy = "remove it before identification; identified.xml cannot be written with it"
                if attribute == "balanceinertia":
                    remedy = "compare the bodies with their <inertial> elements"
                what = f'{attribute}="{value}": {texts[attribute]}'
                yield _finding("compiler-changes-mass", "note", attribute, element.where, what, 0.0, "", remedy)


def report(read: Mjcf, document: dict) -> dict:
    """A document of `heft check --json` with the findings of MJCF."""
    found = sorted([*document["findings"], *findings(read)], key=lambda finding: _ORDER[finding["severity"]])
    counts = {word + "s": sum(finding["severity"] == word for finding in found) for word in _ORDER}
    return {**document, "path": read.path, **counts, "findings": found}


def text_of(document: dict, width: int = 100) -> str:
    """The table that `heft check` prints."""
    found = document["findings"]
    names = max((len(finding["name"]) for finding in found), default=0)
    lines = [document["path"], document["subject"], ""]
    for finding in found:
        line = finding["where"].rpartition(":")[2]
        lines.append(f"{finding['severity']:<8}{line if line.isdigit() else '':>5}  {finding['name']:<{names}}  {finding['subject']}")
        for words in (finding["what"], "-> " + finding["remedy"]):
            lines += textwrap.wrap(words, width, initial_indent=" " * 15, subsequent_indent=" " * (18 if words.startswith("->") else 15))
    counted = ", ".join(f"{document[word + 's']} {word}{'' if document[word + 's'] == 1 else 's'}" for word in _ORDER)
    return "\n".join([*lines, *([""] if found else []), counted])


def save(document: dict, path: str | os.PathLike) -> None:
    aside = f"{os.fspath(path)}.part"
    with open(aside, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
        file.write("\n")
    os.replace(aside, path)
