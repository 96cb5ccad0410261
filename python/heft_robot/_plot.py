"""Plots by matplotlib, which is loaded when one is requested."""
from __future__ import annotations

import numpy as np

from ._errors import optional


def plot_result(result, axes=None):
    """Masses with their intervals next to those of the file, and the error of every channel next to its torque."""
    plt = optional("matplotlib.pyplot", "plot()")
    if axes is None:
        _, axes = plt.subplots(1, 2, figsize=(11, 0.3 * len(result.bodies) + 2.5), layout="constrained")
    left, right = axes
    _draw_masses(left, result)
    _draw_errors(right, result.to_dict())
    for side in axes:
        side.invert_yaxis()
    left.legend()
    title = result.robot + (": " + "; ".join(d.get("words", "") for d in result.doubts[:2]) if result.doubts else "")
    left.figure.suptitle(title, fontsize="medium")
    return left.figure


def _draw_masses(axes, result):
    """Bars with intervals; gray if the prior determines them, so that they are not mistaken for measured values."""
    uncertainty = result.to_dict().get("uncertainty") or {}
    parameters = {row["name"]: row for row in uncertainty.get("parameters", [])}
    bodies = list(result.bodies.values())
    rows = np.arange(len(bodies))
    of_masses = [parameters.get(f"{body.name}.m", {}) for body in bodies]
    by_prior = np.array([bool(row.get("set_by_prior")) for row in of_masses])
    masses = np.array([body.mass for body in bodies])
    for chosen, color, label in ((~by_prior, "C0", "identified"), (by_prior, "0.75", "decided by the prior")):
        if chosen.any():
            axes.barh(rows[chosen], masses[chosen], color=color, label=label)
    measured = [k for k, row in enumerate(of_masses) if row.get("interval")]
    if measured:
        low, high = np.array([of_masses[k]["interval"] for k in measured]).T
        reach = np.clip([masses[measured] - low, high - masses[measured]], 0, None)
        axes.errorbar(masses[measured], rows[measured], xerr=reach, fmt="none", ecolor="0.2", capsize=3,
                      label=f"{100 * uncertainty['confidence']:g} % interval")
    axes.plot([body.prior[0] for body in bodies], rows, "k|", markersize=12, label="robot file")
    axes.set_yticks(rows, [body.name for body in bodies])
    axes.set_xlabel("mass [kg]")


def _draw_errors(axes, document: dict):
    kind = "validation" if document.get("validation") else "training"
    channels = document[kind]["per_channel"]
    rows = np.arange(len(channels))
    axes.barh(rows, [_share(channel) for channel in channels])
    axes.set_yticks(rows, [channel["channel"] for channel in channels])
    axes.set_xlabel(f"rms error / rms torque [%], {'held out' if kind == 'validation' else 'training'}")


def _share(channel: dict) -> float:
    return 100 * channel["rms_error"] / channel["rms_torque"] if channel["rms_torque"] else np.nan
