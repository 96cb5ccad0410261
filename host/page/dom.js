// Making elements, writing numbers, laying out tables: what all sections share.

const data = JSON.parse(document.getElementById("data").textContent);
const svgNamespace = document.querySelector("svg").namespaceURI;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== null) node.setAttribute(name, value);
  for (const child of children.flat())
    if (child !== undefined && child !== null) node.append(child);
  return node;
}

/// An HTML element; children are nodes or texts.
function html(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/// The same for SVG.
function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

/// A number with so many significant digits; a dash for none.
function digits(value, count = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4)
    return value.toExponential(Math.min(2, count - 1)).replaceAll("-", "−").replace("+", "");
  const decimals = Math.max(0, count - 1 - Math.floor(Math.log10(size)));
  return String(Number(value.toFixed(Math.min(decimals, 12)))).replace("-", "−");
}

function percent(fraction, count = 3) {
  return Number.isFinite(fraction) ? digits(100 * fraction, count) + " %" : "–";
}

/// kg m^2 -> kg m²
function unitText(unit) { return unit.replace("^2", "²").replace("sqrt(Hz)", "√Hz"); }

/// A table. Columns: {head, kind: "number" | "unit" | "weak" | "circle" | undefined}; rows: arrays of cells,
/// or {group: text} for a heading within the table.
function table(columns, rows) {
  const head =
      html("tr", {}, columns.map(c => html("th", {class: c.kind === "number" ? "number" : null}, c.head)));
  const body = rows.map(
      row => row.group !== undefined ?
          html("tr", {class: "group"}, html("th", {colspan: columns.length, scope: "rowgroup"}, row.group)) :
          html("tr", {}, row.map((cell, i) => html("td", {class: columns[i].kind}, cell))));
  return html("div", {class: "scroll"}, html("table", {}, html("thead", {}, head), html("tbody", {}, body)));
}

/// A section of the page with a heading, a sentence on how to read it, and what it shows.
function section(id, title, lead, ...children) {
  return html(
      "section", {id}, html("h2", {}, title), lead ? html("p", {class: "lead"}, lead) : null, ...children);
}

/// A sentence from a clause.
function sentence(clause) { return clause[0].toUpperCase() + clause.slice(1) + "."; }

function details(title, ...children) { return html("details", {}, html("summary", {}, title), ...children); }

/// A legend: [[class of the line, text], ..]; `shape` is "line" or "ellipse".
function legend(entries, shape = "line") {
  return html(
      "div", {class: "legend"},
      entries.map(
          ([name, text]) => html(
              "span", {},
              svg("svg", {width: 34, height: 12, viewBox: "0 0 34 12"},
                  shape === "line" ? svg("path", {class: "series " + name, d: "M1 6H33"}) :
                                     svg("ellipse", {class: name, cx: 17, cy: 6, rx: 15, ry: 5})),
              text)));
}
