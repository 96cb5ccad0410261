"""Results in a notebook: doubts first, then bodies and the combinations that the logs identify."""
from __future__ import annotations

from html import escape


def result_html(result) -> str:
    document = result.to_dict()
    which = "held-out" if document.get("validation") else "training"
    parts = [f"<b>{escape(result.robot)}</b>: {which} error {100 * result.error:.3g} % of the torque, {_proof(result)}"]
    parts.append(f"<p>{escape(str(result.verdict))}</p>")
    parts.append(_doubts(result.doubts))
    parts.append(bodies_html(result.bodies))
    parts.append(_identified(document))
    fit = document.get("validation") or document["training"]
    parts.append(_table(["channel" + (" (held out)" if document.get("validation") else ""), "rms error", "rms torque", "unit"],
                        [[channel["channel"], f"{channel['rms_error']:.3g}", f"{channel['rms_torque']:.3g}", channel["unit"]]
                         for channel in fit["per_channel"]]))
    return "<div>" + "".join(parts) + "</div>"


def _identified(document: dict) -> str:
    """Base parameters and columns: what the logs determine without the prior."""
    uncertainty = document.get("uncertainty")
    if not uncertainty or uncertainty.get("no_intervals"):
        return ""
    rows = [[row["name"], f"{row['estimate']:.4g}", f"{row['half_width']:.2g}"]
            for row in uncertainty["base_parameters"] if row["estimate"] is not None and row["half_width"] is not None]
    table = _table(["identified combination [SI]", "value", f"± ({100 * uncertainty['confidence']:g} %)"], rows)
    shown = " open" if len(rows) <= 20 else ""  # more would push everything else off the screen
    return f"<details{shown}><summary>identified from the logs: {len(rows)} combinations, to_frame(\"base\")</summary>{table}</details>"


def bodies_html(bodies) -> str:
    """Masses with intervals and centers of mass; marks those that the prior determines."""
    return _table(*bodies.rows())


def payload_html(result) -> str:
    """Verdict and doubts, then the payload with its intervals, and the results of other methods."""
    verdict = result.verdict
    parts = [f"<b>{result.mass:.5g} kg</b> in the frame of the {escape(result.frame)}: {escape(verdict['level'])}, {escape(verdict['words'])}",
             _doubts(result.doubts)]
    sides = [("mass [kg]", result.mass, result.mass_interval)] + [
        (f"center of mass {axis} [m]", x, interval) for axis, x, interval in zip("xyz", result.com, result.com_intervals)]
    parts.append(_table(["", "", "95 %"], [[name, f"{x:.5g}", f"{low:.5g} to {high:.5g}"] for name, x, (low, high) in sides]))
    inertia = result.inertia
    parts.append(_table(["tensor about the center of mass [kg m^2]", "x", "y", "z"],
                        [[axis, *(f"{x:.4g}" for x in row)] for axis, row in zip("xyz", inertia)]))
    if len(result.methods) > 1:
        parts.append(_table(["method", "mass [kg]", "held-out force", "held-out torque"],
                            [[name, "-" if m["parameters"] is None else f"{m['parameters'][0]:.5g}", _share(m["held_out_force"]),
                              _share(m["held_out_torque"])] for name, m in result.methods.items()]))
    return "<div>" + "".join(parts) + "</div>"


def design_html(design) -> str:
    """The status of the motion, its distance from the limits, and its information."""
    parts = [f"<b>{escape(design.status)}</b>: {len(design.t)} samples" +
             (f", {design.t[-1] - design.t[0]:.4g} s" if len(design.t) else "")]
    if design.infeasible_because:
        parts.append(f"<p>{escape(design.infeasible_because)}</p>")
    parts.append(_table(["limit", "joint", "share of it", "at [s]", "proved"],
                        [[limit["name"], limit["joint"] or "", _number(limit["worst_ratio"]), _number(limit["at_s"]),
                          "yes" if limit["proved"] else "no"] for limit in design.limits]))
    if design.obstacles:
        near = [(obstacle["name"], obstacle["nearest"] or {}) for obstacle in design.obstacles]
        parts.append(_table(["obstacle", "nearest link", "distance [m]", "at [s]"],
                            [[name, to.get("link") or "", _number(to.get("distance")), _number(to.get("at_s"))] for name, to in near]))
    parts.append(_table(["parameter", "standard deviation before", "after", "unit"],
                        [[p["name"], _number(p["sd_before"]), _number(p["sd_after"]), p.get("unit") or ""] for p in design.parameters]))
    return "<div>" + "".join(parts) + "</div>"


def observability_html(seen) -> str:
    """Number of identifiable parameters, and the status of each."""
    parts = [f"<b>{seen.num_base}</b> base parameters of {len(seen.labels)}"]
    parts.append(_table(["parameter", "visible", "base parameter"],
                        [[p["label"], p["visibility"], "yes" if p["is_base"] else ""] for p in seen.to_dict()["parameters"]]))
    return "<div>" + "".join(parts) + "</div>"


def check_html(report) -> str:
    """Findings with their remedies, errors first."""
    parts = [f"<b>{escape(report.path)}</b>: {escape(report.subject)}"]
    order = {"error": 0, "warning": 1, "note": 2}
    findings = sorted(report.findings, key=lambda finding: order.get(finding["severity"], 3))
    parts.append("<p>no findings</p>" if not findings else
                 _table(["", "", "what", "remedy"], [[f["severity"], f["subject"], f["what"], f["remedy"]] for f in findings]))
    return "<div>" + "".join(parts) + "</div>"


def _number(x) -> str:
    return "-" if x is None else f"{x:.3g}"


def _share(x) -> str:
    return "-" if x is None else f"{100 * x:.2f} %"


def _doubts(doubts) -> str:
    return "<ul>" + "".join(_doubt(doubt) for doubt in doubts) + "</ul>" if doubts else ""


def _proof(result) -> str:
    certificate = result.to_dict().get("certificate")
    return escape(certificate["verdict"]) if certificate else "without certificate"


def _doubt(doubt: dict) -> str:
    words = escape(doubt.get("words") or doubt.get("id") or "")
    remedy = f" <i>{escape(doubt['remedy'])}</i>" if doubt.get("remedy") else ""
    serious = doubt.get("severity") == "serious" and not doubt.get("accepted")
    return f"<li>{'<b>' + words + '</b>' if serious else words}{remedy}</li>"


def _table(head: list[str], rows: list[list[str]]) -> str:
    def cells(row, tag):
        left = ' style="text-align: left"'  # names; notebooks align cells to the right
        return "".join(f"<{tag}{'' if k else left}>{escape(cell)}</{tag}>" for k, cell in enumerate(row))

    line = cells(head, "th")
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><tr>{line}</tr>{body}</table>"
