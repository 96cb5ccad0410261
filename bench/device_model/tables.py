"""The tables of README.md in markdown: ceilings and cycles, of the baseline and of the current state."""

SHOWN = ("fp64", "fp64 tensor", "fp32 and integer", "ALU", "special", "issue", "shared memory", "L1", "L2", "HBM")


def rate(value):
    """Samples per second with an SI prefix."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.2f} {letter}" if value < 10 * size else f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


def spread(figures):
    least, nominal, most = figures["ceiling"]
    return f"**{rate(nominal)}** ({rate(least)} to {rate(most)})"


def change(before, now, form):
    return form(now) if before is None or form(before) == form(now) else f"{form(before)} → {form(now)}"


def of_baseline(baseline, workload, device=None):
    found = (baseline or {}).get("figures", {}).get(workload)
    return found if device is None or found is None else found["devices"].get(device)


def ceilings_table(result, baseline, device):
    lines = ["| | ceiling, samples or problems a second | most loaded | sectors of global memory | blocks, warps resident |",
             "|---|---|---|---|---|"]
    for name, of in result.items():
        now, before = of["devices"][device], of_baseline(baseline, name, device)
        sectors_before = (of_baseline(baseline, name) or {}).get("sectors")
        kernel = max(now["occupancy"], key=lambda k: now["occupancy"][k]["registers"])
        occupancy = lambda figures: "{blocks}, {warps}".format(**figures["occupancy"].get(kernel, {"blocks": "-", "warps": "-"}))
        lines.append(f"| {name} | " + " | ".join([
            change(before, now, spread), change(before, now, lambda f: f["most_loaded"]),
            change(sectors_before, of["sectors"], lambda s: f"{s:.4g}"), change(before, now, occupancy)]) + " |")
    return lines


def cycles_table(result, baseline, device):
    lines = [f"| | {' | '.join(SHOWN)} |", "|---" * (len(SHOWN) + 1) + "|"]
    for name, of in result.items():
        now, before = of["devices"][device]["cycles"], of_baseline(baseline, name, device)
        cells = [change(before and before["cycles"][pipe][1], now[pipe][1], lambda c: f"{c:.3g}") for pipe in SHOWN]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def markdown(result, baseline, commit):
    if baseline and baseline["commit"] == commit:
        baseline = None  # nothing has changed since
    devices = list(next(iter(result.values()))["devices"]) if result else []
    what = f"{baseline['commit']} ({baseline['date']}) → {commit}" if baseline else f"Commit {commit}"
    lines = []
    for device in devices:
        lines += [f"**{device}**, {what}; (least to most):", "", *ceilings_table(result, baseline, device), "",
                  f"Cycles a sample (or problem) and multiprocessor, {device}, nominal:", "",
                  *cycles_table(result, baseline, device), ""]
    return "\n".join(lines)
