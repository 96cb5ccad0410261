#!/usr/bin/env python3
"""Figures of docs/payload.md, drawn from the tables that run.py wrote there, so that both say the same.

Usage: bench/payload/plots.py          needs matplotlib; run.py --docs draws them too, where it is installed
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, FIGURES = ROOT / "docs" / "payload.md", ROOT / "docs" / "figures"
COLORS = {"auto": "#c0392b", "metric": "#e59866", "pmd": "#2471a3", "geo": "#7d3c98", "wls": "#777777", "ols": "#bbbbbb"}


def tables(name):
    """[(first line of the header, [[cells of a row]])] between the markers of a part."""
    text = PAGE.read_text().split(f"<!-- {name}: begin -->")[1].split(f"<!-- {name}: end -->")[0]
    found = []
    for block in text.strip().split("\n\n"):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines() if line.startswith("|")]
        if rows:
            found.append((rows[0], rows[2:]))
        else:
            found.append(([block.strip()], []))
    return found


def numbers(cell):
    return [float(part) for part in cell.split("/")]


def pyplot():
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "heft", "font.size": 8})
    from matplotlib import pyplot as module
    return module


def save(figure, name):
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / name, metadata={"Date": None})


def draw_methods():
    """Errors of the eight objects over speed, one line per method, for both kinds of noise."""
    title, table = [part for part in tables("payload") if part[1]][0]
    figure, axes = pyplot().subplots(2, 3, figsize=(10, 5), constrained_layout=True, sharex=True)
    speeds = [1, 1.5, 2]
    for method, *cells in table:
        if method not in COLORS:
            continue
        for k, cell in enumerate(cells):
            axes[k // 3][k % 3].plot(speeds, numbers(cell), "o-", markersize=3, color=COLORS[method], label=method,
                                     linewidth=2 if method == "auto" else 1)
    for k, axis in enumerate(axes.flat):
        axis.set_yscale("log")
        axis.grid(alpha=0.3)
        axis.set_title(f"({'ab'[k // 3]}) {('mass', 'center of mass', 'inertia')[k % 3]}, mean error [%]", fontsize=8)
    for axis in axes[1]:
        axis.set_xlabel("speed [rad/s]")
        axis.set_xticks(speeds)
    axes[0][0].legend(frameon=False, fontsize=7, ncols=2)
    save(figure, "payload_methods.svg")


def draw_tools():
    """Errors of each workshop tool, with its mesh, with points and without a shape."""
    header, table = next(part for part in tables("tools") if part[0][0].startswith("tool,"))
    kinds = header[1:]
    colors = dict(zip(kinds, ("#c0392b", "#2471a3", "#999999")))
    figure, axes = pyplot().subplots(1, 4, figsize=(11, 4), constrained_layout=True, sharey=True)
    for kind, *columns in zip(kinds, *(row[1:] for row in table)):
        for k, axis in enumerate(axes):
            axis.plot([numbers(cell)[k] for cell in columns], range(len(table)), "o", markersize=4, color=colors[kind], label=kind)
    for axis, words in zip(axes, ("mass", "center of mass", "inertia", "held-out torque")):
        axis.set_xscale("log")
        axis.grid(alpha=0.3)
        axis.set_title(f"{words}, mean error [%]", fontsize=8)
    axes[0].set_yticks(range(len(table)), [row[0] for row in table])
    axes[0].invert_yaxis()
    axes[2].legend(frameon=False, fontsize=7, loc="lower right")
    save(figure, "payload_tools.svg")


def draw():
    draw_methods()
    draw_tools()


if __name__ == "__main__":
    draw()
