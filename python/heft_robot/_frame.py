"""Tables of a result, by pandas, which is loaded when one is requested."""
from __future__ import annotations

import numpy as np

from ._errors import HeftError, optional
from .inertia import PARAMETERS


def frame_of(document: dict, of: str):
    """The table of Result.to_frame()."""
    makers = {"base": _base, "all": _all, "channels": _channels}
    if of not in makers:
        raise HeftError("of", f"{of!r} is not a table", f"one of: {', '.join(makers)}")
    pandas = optional("pandas", "to_frame()")
    names, columns = makers[of](document)
    return pandas.DataFrame(columns, index=pandas.Index(names, name="name"))


def uncertainty_of(document: dict) -> dict:
    """Returns the section of intervals. Raises HeftError for results without intervals."""
    section = document.get("uncertainty")
    if not section:
        raise HeftError("result", "has no intervals, because least squares computes none",
                        "choose an estimation.solver other than ols and wls")
    return section


def _numbers(values) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _base(document: dict):
    rows = uncertainty_of(document)["base_parameters"]
    value, half = (_numbers(row[key] for row in rows) for key in ("estimate", "half_width"))
    return [row["name"] for row in rows], {
        "value": value, "standard_error": _numbers(row["standard_error"] for row in rows), "low": value - half, "high": value + half}


def _all(document: dict):
    rows = uncertainty_of(document)["parameters"]
    ends = [row["interval"] or (None, None) for row in rows]
    bodies = [(body["parameters"][key], body["prior"][key]) for body in document["bodies"] for key in PARAMETERS]
    columns = [(column["value"], None) for column in document["columns"]]
    value, prior = zip(*bodies, *columns)
    return [row["name"] for row in rows], {
        "value": _numbers(value), "prior": _numbers(prior), "unit": [row["unit"] for row in rows],
        "low": _numbers(low for low, _ in ends), "high": _numbers(high for _, high in ends),
        "prior_share": _numbers(row["prior_share"] for row in rows), "set_by_prior": [row["set_by_prior"] for row in rows]}


def _channels(document: dict):
    rows = (document.get("validation") or document["training"])["per_channel"]
    error, torque = (_numbers(row[key] for row in rows) for key in ("rms_error", "rms_torque"))
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(torque > 0, error / torque, np.nan)
    return [row["channel"] for row in rows], {
        "unit": [row["unit"] for row in rows], "rms_error": error, "rms_torque": torque, "relative": relative,
        "rows": [row["rows"] for row in rows]}
