"""Results in a notebook: doubts on top, then what one looks at first."""
from __future__ import annotations

from html import escape


def result_html(result) -> str:
    parts = [f"<b>{escape(result.robot)}</b>: error {100 * result.error:.3g} % of the torque, {_proof(result)}"]
    if result.doubts:
        parts.append("<ul>" + "".join(_doubt(doubt) for doubt in result.doubts) + "</ul>")
    parts.append(_table(["body", "mass [kg]", "in the file [kg]", "centre of mass [m]"],
                        [[body.name, f"{body.mass:.4g}", f"{body.prior[0]:.4g}",
                          ", ".join(f"{x:.4f}" for x in body.com)] for body in result.bodies.values()]))
    document = result.to_dict()
    fit = document.get("validation") or document["training"]
    parts.append(_table(["channel" + (" (held out)" if document.get("validation") else ""), "rms error", "rms torque", "unit"],
                        [[channel["channel"], f"{channel['rms_error']:.3g}", f"{channel['rms_torque']:.3g}", channel["unit"]]
                         for channel in fit["per_channel"]]))
    return "<div>" + "".join(parts) + "</div>"


def _proof(result) -> str:
    certificate = result.to_dict().get("certificate")
    return escape(certificate["verdict"]) if certificate else "without certificate"


def _doubt(doubt: dict) -> str:
    words = escape(doubt.get("words") or doubt.get("id") or "")
    remedy = f" <i>{escape(doubt['remedy'])}</i>" if doubt.get("remedy") else ""
    serious = doubt.get("severity") == "serious" and not doubt.get("accepted")
    return f"<li>{'<b>' + words + '</b>' if serious else words}{remedy}</li>"


def _table(head: list[str], rows: list[list[str]]) -> str:
    line = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{line}</tr>{body}</table>"
