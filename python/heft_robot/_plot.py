"""Plots by matplotlib, which is loaded when one is asked for."""
from __future__ import annotations

import numpy as np

from ._errors import optional


def plot_result(result, axes=None):
    """Masses beside the file's, and the error of every channel beside its torque."""
    plt = optional("matplotlib.pyplot", "plot()")
    if axes is None:
        _, axes = plt.subplots(1, 2, figsize=(11, 0.3 * len(result.bodies) + 2.5), layout="constrained")
    left, right = axes
    document = result.to_dict()

    bodies = list(result.bodies.values())
    rows = np.arange(len(bodies))
    left.barh(rows, [body.mass for body in bodies], label="identified")
    left.plot([body.prior[0] for body in bodies], rows, "k|", markersize=12, label="robot file")
    left.set_yticks(rows, [body.name for body in bodies])
    left.set_xlabel("mass [kg]")

    kind = "validation" if document.get("validation") else "training"
    channels = document[kind]["per_channel"]
    rows = np.arange(len(channels))
    right.barh(rows, [_share(channel) for channel in channels])
    right.set_yticks(rows, [channel["channel"] for channel in channels])
    right.set_xlabel(f"rms error / rms torque [%], {'held out' if kind == 'validation' else 'training'}")
    for side in axes:
        side.invert_yaxis()
    left.legend()
    title = result.robot + (": " + "; ".join(d.get("words", "") for d in result.doubts[:2]) if result.doubts else "")
    left.figure.suptitle(title, fontsize="medium")
    return left.figure


def _share(channel: dict) -> float:
    return 100 * channel["rms_error"] / channel["rms_torque"] if channel["rms_torque"] else np.nan
