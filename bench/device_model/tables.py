"""The tables of README.md in markdown: ceilings, cycles by pipe, and device time per robot of a fleet."""
import datetime

import heft_bench

SHOWN = ("fp64", "fp64 tensor", "fp32 and integer", "ALU", "special", "issue", "shared memory", "L1", "L2", "HBM")
PARTS = {"place_rows_kernel": "grid", "condition_values_kernel": "filters", "make_samples_kernel": "samples", "bus": "copies"}
BEGIN, END = "<!-- tables: written by run.py --write -->", "<!-- end of tables -->"


def rate(value):
    """Samples per second with an SI prefix."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.2f} {letter}" if value < 10 * size else f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


def spread(figures, form=rate):
    least, nominal, most = figures
    return f"**{form(nominal)}** ({form(least)} to {form(most)})"


def occupancy(figures):
    """Blocks and warps of the kernel with the most registers."""
    kernel = max(figures["occupancy"].values(), key=lambda kernel: kernel["registers"])
    return f"{kernel['blocks']}, {kernel['warps']}"


def ceilings_table(result, device, musts):
    yield "| | ceiling per second | must | most loaded | sectors of global memory | blocks, warps resident |"
    yield "|---|---|---|---|---|---|"
    for name, of in result.items():
        found = of["devices"][device]
        must_rate, must_sectors, _ = musts.get(name, (None, None, None))
        sectors = f"{found['sectors']:.4g}" + (f", must {must_sectors:g}" if must_sectors else "")
        yield (f"| {name} | {spread(found['ceiling'])} {of['unit']}s | {rate(must_rate) if must_rate else ''} | {found['most_loaded']} "
               f"| {sectors} | {occupancy(found)} |")


def cycles_table(result, device):
    yield f"| | {' | '.join(SHOWN)} |"
    yield "|---" * (len(SHOWN) + 1) + "|"
    for name, of in result.items():
        cycles = of["devices"][device]["cycles"]
        yield f"| {name} | {' | '.join(f'{cycles[pipe][1]:.3g}' for pipe in SHOWN)} |"


def waves_table(result, device, musts):
    """Milliseconds per robot."""
    waves = {name: of["devices"][device]["wave_ms"] for name, of in result.items() if "wave_ms" in of["devices"][device]}
    if not waves:
        return
    kernels = [part for part in next(iter(waves.values())) if part != "all"]
    yield f"| ms per robot | device time | must | {' | '.join(PARTS.get(part, part) for part in kernels)} |"
    yield "|---|---|---|" + "---|" * len(kernels)
    for name, parts in waves.items():
        must = musts.get(name, (None,) * 3)[2]
        yield (f"| {name} | {spread(parts['all'], '{:.2g}'.format)} | {must or ''} | "
               + " | ".join(f"{parts[part][1]:.2g}" for part in kernels) + " |")


def markdown(result, commit, musts):
    """All tables; musts: {workload: (rate, sectors, milliseconds)} of the first device."""
    lines = [f"Commit {commit}, {datetime.date.today().isoformat()}; nominal (least to most).", ""]
    devices = list(next(iter(result.values()))["devices"]) if result else []
    for number, device in enumerate(devices):
        judged = musts if number == 0 else {}
        lines += [f"**{device}**", "", *ceilings_table(result, device, judged), ""]
        waves = list(waves_table(result, device, judged))
        lines += [*waves, ""] if waves else []
        lines += [f"Cycles per sample, problem or robot on one multiprocessor, {device}, nominal:", "", *cycles_table(result, device), ""]
    return "\n".join(lines).rstrip()


def write(page, text):
    """Puts the tables between the marks of a page."""
    heft_bench.write_between(page, BEGIN, END, text.split("\n"))
