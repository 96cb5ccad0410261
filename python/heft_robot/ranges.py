"""Randomization ranges of an identified robot: how far mass, center of mass, inertia, friction and armature may lie from the result.

The covariance combines the information of the logs, K, with a prior around the result: C = (P + R' K R)^-1, where R maps the ten
parameters of every
body to base parameters and P is the metric tr(J^-1 dJ J^-1 dJ) / s^2 of every pseudo-inertia J (docs/FORMULAS.md, sections 6 and 9).
A body moves as J' = k T J T', with k > 0 and an invertible affine map T, so every draw is physically consistent.
"""
from __future__ import annotations

import numbers
import re
from dataclasses import dataclass, field

import numpy as np

from ._errors import HeftError
from ._frame import uncertainty_of
from ._words import check_word, no_such_name

#: coordinates of a body: logarithm of the mass, offset of the center of mass [m], stretch and shear of the mass about that center
COORDINATES = ("mass", "com_x", "com_y", "com_z", "stretch_x", "stretch_y", "stretch_z", "shear_xy", "shear_xz", "shear_yz")
_STRETCHES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
#: parameters of result.json that decide whether the prior sets a coordinate
_DECIDED_BY = {"mass": ("m",), "com_x": ("m", "mcx"), "com_y": ("m", "mcy"), "com_z": ("m", "mcz")}
_INERTIAS = ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
#: columns of friction and rotors: name in a table, whether negative values are excluded
_KINDS = {"viscous": ("damping", True), "coulomb": ("frictionloss", True), "reflected_inertia": ("armature", True)}


_FINEST = 1e-6  # of the prior's deviation, below which intervals are rounding
_CHANGE = "armature change "  #: columns of models from MJCF, whose armature is a known torque


@dataclass(frozen=True)
class Range:
    """A quantity of a body or joint: nominal (the result's), low, high [unit]; by_prior: the prior determines more than half of it; file:
    the value in the robot's file, if any."""

    of: str
    quantity: str
    nominal: float
    low: float
    high: float
    unit: str
    by_prior: bool
    file: float | None = None

    def factors(self, relative_to: str = "identified") -> tuple[float, float]:
        """(low, high) as factors of the nominal value or of the file's value."""
        base = self.nominal if relative_to == "identified" else self.file
        return (float(self.low / base), float(self.high / base)) if base else (float("nan"), float("nan"))


@dataclass(frozen=True)
class Ranges:
    """Ranges of Result.ranges(); iterate over them, or see `to_dict`, `to_frame`, `to_isaac_lab`, `to_mjlab` and `sample`.

    level   probability that each range contains the truth
    rows    Range of every quantity: mass, com_x, com_y, com_z, inertia_scale, stretch_*, shear_* of every body, damping, frictionloss,
            armature of every joint. Any combination of values inside is physically consistent.
    fixed   bodies without ranges: those without mass or volume
    """

    level: float
    rows: list[Range]
    fixed: list[str]
    _parts: dict = field(repr=False)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, key: tuple[str, str]) -> Range:
        """Range of (body or joint, quantity). Error: UnknownName, which lists the available names."""
        by_name: dict[str, dict[str, Range]] = {}
        for row in self.rows:
            by_name.setdefault(row.of, {})[row.quantity] = row
        name, quantity = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        if name not in by_name:
            raise no_such_name("ranges", name, by_name, 'write ranges["body or joint", "quantity"]')
        if quantity not in by_name[name]:
            raise no_such_name(f"ranges of {name}", quantity, by_name[name])
        return by_name[name][quantity]

    def __repr__(self) -> str:
        return f"Ranges({len(self.rows)} quantities at {100 * self.level:g} %)"

    def to_dict(self) -> dict:
        """{level, fixed, bodies: {name: {quantity: {..}}}, joints: {name: {..}}}, ready for JSON; masses also have `scale`, factors of the
        result, and `scale_of_file`, factors of the robot's file."""
        document: dict = {"level": self.level, "fixed": list(self.fixed), "bodies": {}, "joints": {}}
        for row in self.rows:
            entry = {"nominal": row.nominal, "low": row.low, "high": row.high, "unit": row.unit, "by_prior": row.by_prior}
            if row.quantity == "mass":
                entry["scale"] = list(row.factors())
                entry["scale_of_file"] = list(row.factors("file")) if row.file else None
            group = "bodies" if row.of in self._parts["bodies"] else "joints"
            document[group].setdefault(row.of, {})[row.quantity] = entry
        return document

    def to_frame(self):
        """A pandas table: body or joint, quantity, nominal, low, high, unit, by_prior."""
        from ._errors import optional

        pandas = optional("pandas", "to_frame()")
        names = ("of", "quantity", "nominal", "low", "high", "unit", "by_prior")
        return pandas.DataFrame([[getattr(row, name) for name in names] for row in self.rows], columns=names)

    def __str__(self) -> str:
        lines = [f"{'of':24} {'quantity':14} {'nominal':>11} {'low':>11} {'high':>11} unit"]
        lines += [f"{row.of:24} {row.quantity:14} {row.nominal:11.4g} {row.low:11.4g} {row.high:11.4g} {row.unit}"
                  f"{'  (prior)' if row.by_prior else ''}" for row in self.rows]
        return "\n".join(lines)

    def to_isaac_lab(self) -> list[dict]:
        """Terms of Isaac Lab's event manager as {func, params}, one body or joint each: mass as a factor, the center of mass as an offset
        [m], frictionloss and armature as values. They refer to a robot with the identified values (identified.urdf). Untested in Isaac
        Sim."""
        terms = []
        for name in self._parts["moving"]:
            low_high = {quantity: self[name, quantity] for quantity in COORDINATES[:4]}
            asset = {"name": "robot", "body_names": [name]}
            terms.append({"func": "randomize_rigid_body_mass", "params": {
                "asset_cfg": asset, "operation": "scale", "mass_distribution_params": low_high["mass"].factors()}})
            terms.append({"func": "randomize_rigid_body_com", "params": {"asset_cfg": asset, "com_range": {
                axis: (low_high[f"com_{axis}"].low - low_high[f"com_{axis}"].nominal,
                       low_high[f"com_{axis}"].high - low_high[f"com_{axis}"].nominal) for axis in "xyz"}}})
        for row in self.rows:
            word = {"frictionloss": "friction", "armature": "armature"}.get(row.quantity)
            if word:
                terms.append({"func": "randomize_joint_parameters", "params": {
                    "asset_cfg": {"name": "robot", "joint_names": [row.of]}, "operation": "abs",
                    f"{word}_distribution_params": (row.low, row.high)}})
        return terms

    def to_mjlab(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Arguments of mjlab's dr.pseudo_inertia by body: alpha_range, d1_range .. t3_range. Its maps stretch about the body's origin, so
        the ranges differ from those of `rows`, which stretch about the center of mass."""
        names = ("alpha", "t1", "t2", "t3", "d1", "d2", "d3", "s12", "s13", "s23")
        document = {}
        for at, name in enumerate(self._parts["moving"]):
            J = self._parts["pseudo_inertias"][at]
            half = self._parts["quantile"] * _deviations(J, self._parts["body_covariances"][at], np.zeros(3))
            half[0] /= 2  # the mass grows by exp(2 alpha)
            document[name] = {f"{key}_range": (-float(h), float(h)) for key, h in zip(names, half)}
        return document

    def to_mujoco(self, path, count: int, seed: int | None = None, draw: str = "joint") -> list:
        """Draws robots as mujoco.MjModel, as `sample` does. path: identified.xml of this result (docs/mjcf.md). Every draw replaces the
        bodies and changes damping, frictionloss and armature by the draw's distance from the result."""
        from .mjcf._randomized import randomized

        nominal = {(row.of, row.quantity): row.nominal for row in self._parts["columns"]}
        bodies = dict(zip(self._parts["moving"], self._parts["pseudo_inertias"]))
        return randomized(path, self.sample(count, seed, draw), self._parts["merged"], nominal, bodies)

    def sample(self, count: int, seed: int | None = None, draw: str = "joint") -> dict:
        """Draws robots: {bodies, mass (count, bodies) [kg], com (count, bodies, 3) [m], inertia (count, bodies, 3, 3) about the center of
        mass [kg m^2], joints: {quantity: {joint: (count,)}}}.

        draw  "joint": normal, with the correlations of the covariance, so that torques are as certain as the logs make them;
              "independent": uniform within every range, as simulators randomize
        """
        check_word("draw", draw, ("joint", "independent"))
        if isinstance(count, bool) or not isinstance(count, numbers.Integral) or count < 1:
            raise HeftError("count", f"must be a positive whole number, not {count!r}", "give the number of robots")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0):
            raise HeftError("seed", f"must be a whole number or None, not {seed!r}", "give a whole number of at least 0, or None")
        random, parts = np.random.default_rng(seed), self._parts
        bodies, size = len(parts["moving"]), 10 * len(parts["moving"])
        if draw == "joint":
            changes = random.standard_normal((count, parts["factor"].shape[1])) @ parts["factor"].T
        else:
            changes = random.uniform(-1, 1, (count, len(parts["half"]))) * parts["half"]
        J = np.stack([_moved(J, changes[:, 10 * at:10 * at + 10]) for at, J in enumerate(parts["pseudo_inertias"])], 1) if bodies else \
            np.zeros((count, 0, 4, 4))
        joints: dict = {}
        for at, row in enumerate(parts["columns"]):
            values = row.nominal + changes[:, size + at]
            joints.setdefault(row.quantity, {})[row.of] = np.clip(values, row.low, row.high) if _is_positive(row) else values
        return {"bodies": list(parts["moving"]), **_bodies_of(J), "joints": joints}


def ranges_of(result, level: float, prior_deviation: float) -> Ranges:
    """Ranges of Result.ranges()."""
    from statistics import NormalDist

    _check_number("level", level)
    _check_number("prior_deviation", prior_deviation)
    if not 0 < level < 1:
        raise HeftError("level", f"must be between 0 and 1, not {level}", "give a share such as 0.95")
    if not 0 < prior_deviation <= 2:
        raise HeftError("prior_deviation", f"must be above 0 and at most 2, not {prior_deviation}", "give a relative deviation such as 0.3")
    document, quantile = result.to_dict(), NormalDist().inv_cdf(0.5 + level / 2)
    uncertainty = uncertainty_of(document)
    if "information" not in uncertainty:
        reason = uncertainty.get("no_intervals") or "was written by an older program"
        raise HeftError("result", f"has no covariance: {reason}", "identify with longer logs, or identify again with this version")
    bodies = list(result.bodies.values())
    J = [pseudo_inertia(body.parameters) for body in bodies]
    moving = [at for at, one in enumerate(J) if np.linalg.eigvalsh(one)[0] > 0]
    factor, prior = _covariances(result, uncertainty, J, moving, prior_deviation)
    covariance = factor @ factor.T
    parts = _in_coordinates(J, moving, factor, prior)
    half = quantile * np.sqrt(np.diag(parts["covariance"]))
    by_prior = np.diag(parts["covariance"]) > 0.5 * np.diag(parts["prior"])
    set_by_prior = {row["name"] for row in uncertainty["parameters"] if row["set_by_prior"]}
    rows = [row for k, at in enumerate(moving)
            for row in _rows_of_body(bodies[at], J[at], half[10 * k:10 * k + 10], by_prior[10 * k:10 * k + 10], set_by_prior,
                                     quantile * parts["log_trace"][k])]
    columns = _rows_of_columns(document, half[10 * len(moving):], by_prior[10 * len(moving):], set_by_prior)
    kept = [at for at, row in enumerate(columns) if row is not None]
    take = [*range(10 * len(moving)), *(10 * len(moving) + at for at in kept)]
    columns = [columns[at] for at in kept]
    return Ranges(level, rows + columns, [body.name for at, body in enumerate(bodies) if at not in moving], {
        "bodies": {body.name for body in bodies}, "merged": {body["name"]: body.get("merged_links", []) for body in document["bodies"]},
        "moving": [bodies[at].name for at in moving], "columns": columns, "quantile": quantile,
        "pseudo_inertias": [J[at] for at in moving], "half": half[take], "factor": parts["factor"][take],
        "body_covariances": [covariance[10 * k:10 * k + 10, 10 * k:10 * k + 10] for k in range(len(moving))]})


def _check_number(name: str, value) -> None:
    if not isinstance(value, numbers.Real):
        raise HeftError(name, f"is a {type(value).__name__}", "give a number")


def pseudo_inertia(parameters) -> np.ndarray:
    """(4, 4) pseudo-inertia of ten parameters about the frame's origin: [[tr(I)/2 - I, m c], [(m c)', m]]."""
    from .inertia import tensor_about_origin

    I = tensor_about_origin(parameters)
    J = np.empty((4, 4))
    J[:3, :3] = 0.5 * np.trace(I) * np.eye(3) - I
    J[:3, 3] = J[3, :3] = np.asarray(parameters)[1:4]
    J[3, 3] = parameters[0]
    return J


def _covariances(result, uncertainty: dict, J: list, moving: list[int], deviation: float):
    """F of the covariance F F' of ten parameters of every moving body, then of the columns, and the covariance of the prior alone."""
    R = _base_map(result, uncertainty)
    num_columns = len(result.columns)
    keep = [10 * at + k for at in moving for k in range(10)] + [R.shape[1] - num_columns + k for k in range(num_columns)]
    prior = np.zeros((len(keep), len(keep)))
    for k, at in enumerate(moving):
        prior[10 * k:10 * k + 10, 10 * k:10 * k + 10] = _metric(J[at]) / deviation**2
    prior[10 * len(moving):, 10 * len(moving):] = np.diag((_column_scales(result) * deviation) ** -2.0)
    scale = 1 / np.sqrt(np.diag(prior))  # units of the parameters differ by orders of magnitude
    of_prior = _inverse(prior, scale)
    kept = R[:, keep]
    W = _information_root(uncertainty, R @ result.parameters, np.sqrt(np.einsum("ij,jk,ik->i", kept, of_prior, kept)))
    # by roots, so that logs without noise leave no negative variance: W'W and the prior's root on top of each other
    root = np.vstack([W @ kept * scale, np.linalg.cholesky(scale[:, None] * prior * scale).T])
    return scale[:, None] * np.linalg.inv(np.linalg.qr(root, mode="r")), of_prior


def _information_root(uncertainty: dict, values: np.ndarray, of_prior: np.ndarray) -> np.ndarray:
    """W of the (quantities, quantities) information W'W about base quantities, reduced to agree with their intervals, (K^-1 + D)^-1: D
    contains the squared distance of the result, `values`, from the estimate without constraints and prior. The precision of a quantity is
    at most _FINEST of its deviation under the prior, `of_prior`."""
    K = np.zeros((len(values), len(values)))
    for at, row in enumerate(uncertainty["information"]):
        K[at, :at + 1] = K[:at + 1, at] = row
    quantities = uncertainty["base_parameters"]
    estimate = np.array([value if row["estimate"] is None else row["estimate"] for row, value in zip(quantities, values)])
    error = np.maximum([row["standard_error"] or 0 for row in quantities], _FINEST * of_prior)
    scale = 1 / np.sqrt(np.maximum(np.diag(K), 1e-300))
    unit = np.linalg.pinv(scale[:, None] * K * scale, hermitian=True)
    wider = np.maximum(1, error / (scale * np.sqrt(np.diag(unit))))  # over the error that K alone gives
    K = K / np.outer(wider, wider)
    scale = scale * wider
    eigenvalues, vectors = np.linalg.eigh(scale[:, None] * K * scale)
    root = (vectors * np.sqrt(np.where(eigenvalues > 1e-14 * eigenvalues[-1], eigenvalues, 0))).T / scale  # K = root' root
    return np.linalg.solve(np.linalg.cholesky(np.eye(len(K)) + root * (values - estimate)**2 @ root.T), root)


def _inverse(A: np.ndarray, scale: np.ndarray) -> np.ndarray:
    unit = np.linalg.inv(scale[:, None] * A * scale)
    return scale[:, None] * (0.5 * (unit + unit.T)) * scale


def _base_map(result, uncertainty: dict) -> np.ndarray:
    """(quantities, 10 bodies + columns): the quantities of the information from all parameters."""
    from .before_data import observe

    seen = observe(_robot_of(result), channels=False)
    num_columns, num_bodies = len(result.columns), len(result.bodies)
    names = [row["name"] for row in uncertainty["base_parameters"]]
    is_same = seen.base_matrix.shape == (len(names) - num_columns, 10 * num_bodies) and all(
        seen.labels[at] in name for at, name in zip(seen.base_parameters, names))
    if not is_same:
        raise HeftError("result", "its base parameters differ from those that joint torques identify for its robot file",
                        "randomize with the intervals of result.to_frame('all')")
    R = np.zeros((len(uncertainty["information"]), 10 * num_bodies + num_columns))
    R[:len(seen.base_matrix), :10 * num_bodies] = seen.base_matrix
    R[len(seen.base_matrix):, 10 * num_bodies:] = np.eye(num_columns)
    return R


def _robot_of(result):
    from .robot import Robot

    options = result.to_dict()["provenance"]["options"]
    if options["robot"]["rotors"]:
        raise HeftError("result", "has motor rotors as bodies, which ranges do not support",
                        "add the column reflected_inertia instead of the rotor file (docs/columns.md), and identify again")
    return Robot.from_urdf_text(result.urdf, floating_base=options["robot"]["floating_base"], gravity=options["robot"]["gravity"],
                                locked=options["joints"].get("locked") or None)


def _metric(J: np.ndarray) -> np.ndarray:
    """(10, 10) H_ij = tr(J^-1 E_i J^-1 E_j) of the ten parameters."""
    inverse = np.linalg.inv(J)
    turned = np.array([inverse @ pseudo_inertia(unit) for unit in np.eye(10)])
    return np.einsum("iab,jba->ij", turned, turned)


def _column_scales(result) -> np.ndarray:
    """(columns,) reference of a column's relative deviation: its value, but at least the rms of its kind."""
    document = result.to_dict()
    columns = document["columns"]
    values = np.array([abs(column["value"] + _armature_of_file(document, column)) for column in columns])
    kinds = np.array([column["kind"] for column in columns])
    rms = np.array([np.sqrt(np.mean(values[kinds == kind]**2)) for kind in kinds])
    return np.maximum(np.maximum(values, rms), 1e-6)


def _generators(center: np.ndarray) -> np.ndarray:
    """(10, 4, 4) derivatives of sqrt(k) T by the coordinates: mass, three offsets, six stretches and shears about a point."""
    E = np.zeros((10, 4, 4))
    E[0] = 0.5 * np.eye(4)
    for axis in range(3):
        E[1 + axis, axis, 3] = 1
    for at, (row, column) in enumerate(_STRETCHES):
        E[4 + at, row, column] = 1
        E[4 + at, row, 3] = -center[column]
    return E


def _to_coordinates(J: np.ndarray, center: np.ndarray) -> np.ndarray:
    """(10, 10) coordinates from changes of the ten parameters, at zero."""
    E = _generators(center)
    changes = E @ J + J @ E.transpose(0, 2, 1)
    return np.linalg.inv(np.stack([_parameters_of(change) for change in changes], 1))


def _parameters_of(J: np.ndarray) -> np.ndarray:
    S = J[:3, :3]
    I = np.trace(S) * np.eye(3) - S
    return np.array([J[3, 3], *J[:3, 3], I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def _deviations(J: np.ndarray, covariance: np.ndarray, center: np.ndarray) -> np.ndarray:
    to = _to_coordinates(J, center)
    return np.sqrt(np.einsum("ij,jk,ik->i", to, covariance, to))


def _in_coordinates(J: list, moving: list[int], factor: np.ndarray, prior: np.ndarray) -> dict:
    """F of the covariance, it and that of the prior in coordinates of the bodies, and the deviation of log tr(I) about the center of mass."""
    to = np.eye(len(prior))
    for k, at in enumerate(moving):
        to[10 * k:10 * k + 10, 10 * k:10 * k + 10] = _to_coordinates(J[at], J[at][:3, 3] / J[at][3, 3])
    factor, prior = to @ factor, to @ prior @ to.T
    covariance = factor @ factor.T
    trace = []
    for k, at in enumerate(moving):
        S = _central(J[at])
        slope = np.zeros(10)  # tr(A S A') grows by 2 S_ij of the stretch or shear ij
        slope[0], slope[4:] = 1, [2 * S[row, column] / np.trace(S) for row, column in _STRETCHES]
        trace.append(np.sqrt(slope @ covariance[10 * k:10 * k + 10, 10 * k:10 * k + 10] @ slope))
    return {"factor": factor, "covariance": covariance, "prior": prior, "log_trace": trace}


def _central(J: np.ndarray) -> np.ndarray:
    """(3, 3) second moments about the center of mass [kg m^2]."""
    return J[:3, :3] - np.outer(J[:3, 3], J[:3, 3]) / J[3, 3]


def _rows_of_body(body, J, half, by_prior, set_by_prior: set[str], log_trace: float) -> list[Range]:
    prior_mass = float(body.prior[0]) or None
    decided = [bool(flag) or any(f"{body.name}.{key}" in set_by_prior for key in _DECIDED_BY.get(name, ()))
               for name, flag in zip(COORDINATES, by_prior)]
    mass, com = body.mass, body.com
    rows = [Range(body.name, "mass", mass, float(mass * np.exp(-half[0])), float(mass * np.exp(half[0])), "kg", decided[0], prior_mass)]
    file_com = body.prior[1:4] / body.prior[0] if prior_mass else [None] * 3
    rows += [Range(body.name, f"com_{axis}", float(com[k]), float(com[k] - half[1 + k]), float(com[k] + half[1 + k]), "m",
                   decided[1 + k], None if file_com[k] is None else float(file_com[k])) for k, axis in enumerate("xyz")]
    inertias = sum(f"{body.name}.{key}" in set_by_prior for key in _INERTIAS) >= 3
    rows.append(Range(body.name, "inertia_scale", 1.0, float(np.exp(-log_trace)), float(np.exp(log_trace)), "1",
                      inertias or all(decided[4:7])))
    rows += [Range(body.name, name, float(name.startswith("stretch")), *_ends(name, half[4 + k]), "1", decided[4 + k])
             for k, name in enumerate(COORDINATES[4:])]
    return rows


def _ends(name: str, half: float) -> tuple[float, float]:
    return (float(np.exp(-half)), float(np.exp(half))) if name.startswith("stretch") else (-float(half), float(half))


def _rows_of_columns(document: dict, half, by_prior, set_by_prior: set[str]) -> list[Range | None]:
    """Range of every column of friction or rotors; None: simulators have no such quantity."""
    rows: list[Range | None] = []
    for column, h, flag in zip(document["columns"], half, by_prior):
        kind = "reflected_inertia" if column["name"].startswith(_CHANGE) else column["kind"]
        if kind not in _KINDS or len(column["joints"]) != 1:
            rows.append(None)
            continue
        name, positive = _KINDS[kind]
        value = float(column["value"]) + _armature_of_file(document, column)
        ends = (value, value - h, value + h)
        nominal, low, high = (max(0.0, float(end)) if positive else float(end) for end in ends)
        rows.append(Range(column["joints"][0], name, nominal, low, high, column["unit"],
                          bool(flag) or column["name"] in set_by_prior))
    return rows


def _armature_of_file(document: dict, column: dict) -> float:
    """The file's armature, a known torque of models from MJCF; 0 for columns that are not a change of armature."""
    if not column["name"].startswith(_CHANGE):
        return 0.0
    joint = column["joints"][0]
    known = (document["provenance"]["options"].get("known_torque") or {}).get(joint, "")
    own = re.escape("_" + "".join(c if c.isalnum() and c.isascii() else "_" * len(c.encode()) for c in joint))  # as expressions write it
    return sum(float(number) for number in re.findall(rf"\(([-+.\de]+)\*qdd{own}\)", known))


def _is_positive(row: Range) -> bool:
    return any(name == row.quantity and positive for name, positive in _KINDS.values())


def _moved(J: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
    """(n, 4, 4) pseudo-inertias of (n, 10) coordinates: k T J T' with T: x to A (x - c) + c + offset."""
    n, c = len(coordinates), J[:3, 3] / J[3, 3]
    A = np.zeros((n, 3, 3))
    for at, (row, column) in enumerate(_STRETCHES):
        A[:, row, column] = np.exp(coordinates[:, 4 + at]) if row == column else coordinates[:, 4 + at]
    T = np.zeros((n, 4, 4))
    T[:, :3, :3], T[:, 3, 3] = A, 1
    T[:, :3, 3] = c + coordinates[:, 1:4] - A @ c
    return np.exp(coordinates[:, 0])[:, None, None] * (T @ J @ T.transpose(0, 2, 1))


def _bodies_of(J: np.ndarray) -> dict[str, np.ndarray]:
    """mass, com and inertia about the center of mass of (.., 4, 4) pseudo-inertias."""
    mass = J[..., 3, 3]
    com = J[..., :3, 3] / mass[..., None]
    S = J[..., :3, :3] - mass[..., None, None] * com[..., :, None] * com[..., None, :]
    trace = np.trace(S, axis1=-2, axis2=-1)
    return {"mass": mass, "com": com, "inertia": trace[..., None, None] * np.eye(3) - S}
