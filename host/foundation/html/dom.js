// Shared by all sections: elements, numbers and tables.

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

/// A cell of a table: a number as displayed, and as written to the table's file.
function num(value, count = 4) { return {shown: digits(value, count), values: [value]}; }
function share(fraction, count = 3) { return {shown: percent(fraction, count), values: [fraction]}; }
function counted(value) { return {shown: value.toLocaleString("en"), values: [value]}; }

/// A line of a CSV file (RFC 4180); numbers with all their digits, empty for missing ones.
function csvLine(values) {
  const text = value => (value === null || value === undefined || Number.isNaN(value) ? "" : String(value));
  return values.map(text).map(t => (/[",\r\n]/.test(t) ? `"${t.replaceAll('"', '""')}"` : t)).join(",") + "\r\n";
}

/// A table as CSV. A column is as many of the file as its `csv` has names, or one by its head; a group is a column too.
function csvOf(columns, rows) {
  const heads = columns.map(c => c.csv || [c.head || (c.kind === "unit" ? "unit" : "")]);
  const grouped = rows.some(row => row.group !== undefined);
  let group = "", text = csvLine([...(grouped ? ["group"] : []), ...heads.flat()]);
  for (const row of rows) {
    if (row.group !== undefined) {
      group = row.group;
      continue;
    }
    const values = row.flatMap((cell, i) => {
      if (heads[i].length === 0) return [];
      if (cell && cell.values) return cell.values;
      return [cell instanceof Node ? cell.textContent : cell, ...heads[i].slice(1).fill(null)];
    });
    text += csvLine([...(grouped ? [group] : []), ...values]);
  }
  return text;
}

/// Offers a text to the browser as a file.
function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
  const link = html("a", {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/// A table with a button for its file. Columns: {head, kind: "number" | "unit" | "weak" | "circle" | "bars" | "range" | "words" | undefined,
/// csv: names in the file if they are not the head; none for what is only looked at}; rows: arrays of cells (texts, nodes,
/// or {shown, values}, one value a name in the file), or {group: text} for a heading within the table. `name` is the file's.
function table(name, columns, rows) {
  const head =
      html("tr", {}, columns.map(c => html("th", {class: c.kind === "number" ? "number" : null}, c.head)));
  const shown = cell => (cell && cell.values ? cell.shown : cell);
  const body = rows.map(
      row => row.group !== undefined ?
          html("tr", {class: "group"}, html("th", {colspan: columns.length, scope: "rowgroup"}, row.group)) :
          html("tr", {}, row.map((cell, i) => html("td", {class: columns[i].kind}, shown(cell)))));
  const button = html("button", {type: "button", class: "csv", title: `${name}.csv: this table with all digits`}, "CSV");
  button.addEventListener("click", () => download(name + ".csv", csvOf(columns, rows)));
  return html(
      "div", {class: "table"}, html("div", {class: "scroll"}, html("table", {}, html("thead", {}, head), html("tbody", {}, body))),
      button);
}

/// A section of the page with a heading, an explanatory sentence and its content.
function section(id, title, lead, ...children) {
  return html(
      "section", {id}, html("h2", {}, title), lead ? html("p", {class: "lead"}, lead) : null, ...children);
}

/// A sentence from a clause.
function sentence(clause) { return clause[0].toUpperCase() + clause.slice(1) + "."; }

function details(title, ...children) { return html("details", {}, html("summary", {}, title), ...children); }

/// A legend: [[class of the line, text], ..]; `shape` is "line", "ellipse" or "mark".
function legend(entries, shape = "line") {
  const sign = name => {
    if (name === "points") return svg("path", {class: "points", d: "M4 4h0M10 8h0M16 5h0M23 8h0M29 4h0"});
    if (name === "bar") return svg("rect", {class: "bar", x: 1, y: 2, width: 32, height: 8, rx: 2});
    if (shape === "mark") return svg("circle", {class: name, cx: 17, cy: 6, r: name === "ring" ? 4.5 : 2.5});
    if (shape === "ellipse") return svg("ellipse", {class: name, cx: 17, cy: 6, rx: 15, ry: 5});
    return svg("path", {class: "series " + name, d: "M1 6H33"});
  };
  return html(
      "div", {class: "legend"},
      entries.map(
          ([name, text]) =>
              html("span", {}, svg("svg", {width: 34, height: 12, viewBox: "0 0 34 12"}, sign(name)), text)));
}
