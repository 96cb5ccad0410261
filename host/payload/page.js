// Draws the page of a payload from its result.json and the samples beside it.
const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const result = data.result;

function element(space, tag, attributes, children) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  for (const child of children.flat()) if (child !== null) node.append(child);
  return node;
}
const html = (tag, attributes, ...children) => element(null, tag, attributes, children);
const svg = (tag, attributes, ...children) => element("http://www.w3.org/2000/svg", tag, attributes, children);

function digits(value, count = 4) {
  if (value === null || !Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(count))).replace("-", "−");
}
const percent = share => share === null ? "–" : digits(100 * share, 3) + " %";

function table(head, rows) {
  return html("div", {class: "scroll"},
      html("table", {}, html("thead", {}, html("tr", {}, head.map(text => html("th", {}, text)))),
          html("tbody", {}, rows.map(row => html("tr", {}, row.map(cell => html("td", {}, cell)))))));
}

/// Lines over time: series are {values, name}; gaps where time jumps.
function plot(time, unit, title, series) {
  const width = 960, height = 150, left = 58, bottom = height - 20, top = 16;
  let low = Infinity, high = -Infinity;
  for (const {values} of series)
    for (const value of values) low = Math.min(low, value), high = Math.max(high, value);
  if (!(high > low)) high = low + 1;
  const last = time.length - 1;
  const X = t => left + (t - time[0]) / (time[last] - time[0] || 1) * (width - left - 8);
  const Y = value => bottom - (value - low) / (high - low) * (bottom - top);
  const node = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title});
  for (const value of [low, (low + high) / 2, high])
    node.append(svg("line", {class: "tick", x1: left, x2: width - 8, y1: Y(value), y2: Y(value)}),
        svg("text", {x: left - 6, y: Y(value) + 4, "text-anchor": "end"}, digits(value, 3)));
  for (const t of [time[0], time[last]])
    node.append(svg("text", {x: X(t), y: height - 4, "text-anchor": t === time[0] ? "start" : "end"},
        digits(t) + (data.moves ? " s" : "")));
  node.append(svg("text", {x: left, y: 11}, `${title} [${unit}]`));
  const step = data.longest_step;
  for (const {values, name} of series) {
    let path = "";
    values.forEach((value, i) => {
      const pen = i === 0 || time[i] - time[i - 1] > step ? "M" : "L";
      path += pen + X(time[i]).toFixed(1) + " " + Y(value).toFixed(1);
    });
    node.append(svg("path", {class: name, d: path}));
  }
  return node;
}

/// The body seen along an axis: the mesh, the ellipsoid that has its moments, the centre of mass, the sensor's axes.
function view(across, up, size, centre) {
  const names = "xyz", width = 300;
  const X = p => width / 2 + (p[across] - centre[across]) / size * width;
  const Y = p => width / 2 - (p[up] - centre[up]) / size * width;
  const place = p => X(p).toFixed(1) + " " + Y(p).toFixed(1);
  const node = svg("svg", {viewBox: `0 0 ${width} ${width}`, width, height: width, role: "img", "aria-label": "the body"});
  let mesh = "";
  for (let k = 0; k + 2 < data.corners.length; k += 3)
    mesh += `M${place(data.corners[k])}L${place(data.corners[k + 1])}L${place(data.corners[k + 2])}Z`;
  node.append(svg("path", {class: "mesh", d: mesh}));
  if (data.covariance) {
    // outline of the solid ellipsoid with this covariance: c + sqrt(5 C) on the circle of directions
    const a = 5 * data.covariance[across][across], b = 5 * data.covariance[across][up], d = 5 * data.covariance[up][up];
    const l = Math.sqrt(a), m = b / l, n = Math.sqrt(Math.max(d - m * m, 0));
    let outline = "";
    for (let k = 0; k <= 72; ++k) {
      const angle = k * Math.PI / 36, p = [...result.payload.com];
      p[across] += l * Math.cos(angle);
      p[up] += m * Math.cos(angle) + n * Math.sin(angle);
      outline += (k ? "L" : "M") + place(p);
    }
    node.append(svg("path", {class: "body", d: outline}));
  }
  const origin = [0, 0, 0];
  [across, up].forEach(axis => {
    const tip = [0, 0, 0];
    tip[axis] = size / 8;
    node.append(svg("path", {class: "predicted", d: "M" + place(origin) + "L" + place(tip)}),
        svg("text", {x: X(tip) + 3, y: Y(tip) - 3}, names[axis]));
  });
  node.append(svg("circle", {class: "com", cx: X(result.payload.com), cy: Y(result.payload.com), r: 4}));
  return node;
}

function views() {
  const points = [[0, 0, 0], result.payload.com, ...data.corners];
  for (let axis = 0; axis < 3 && data.covariance; ++axis)
    for (const sign of [-1, 1]) {
      const p = [...result.payload.com];
      p[axis] += sign * Math.sqrt(5 * data.covariance[axis][axis]);
      points.push(p);
    }
  const low = [0, 1, 2].map(k => points.reduce((least, p) => Math.min(least, p[k]), Infinity));
  const high = [0, 1, 2].map(k => points.reduce((most, p) => Math.max(most, p[k]), -Infinity));
  const size = 1.15 * Math.max(...[0, 1, 2].map(k => high[k] - low[k]), 1e-3);
  const centre = [0, 1, 2].map(k => (low[k] + high[k]) / 2);
  return html("div", {class: "three"}, [[0, 1], [0, 2], [1, 2]].map(([across, up]) => view(across, up, size, centre)));
}

const p = result.payload;
const range = (interval, unit, scale) => interval.every(x => x !== null) ?
    `${digits(scale * interval[0])} to ${digits(scale * interval[1])} ${unit}` : "the log does not tell";
page.append(
    html("h1", {}, `${digits(p.mass)} kg`),
    html("p", {class: "muted"}, `By ${p.method}, in the sensor's frame. Prior: ${p.prior}.`),
    ...result.doubts.map(doubt => html("p", {class: doubt.severity === "serious" && !doubt.accepted ? "serious" : "muted"}, `${doubt.words}. ${doubt.remedy}.${doubt.accepted ? " Accepted." : ""}`)),
    table(["", "", "95 %"],
        [["mass", digits(p.mass, 5) + " kg", range(p.intervals.mass, "kg", 1)],
          ...[0, 1, 2].map(k => ["centre of mass " + "xyz"[k], digits(1e3 * p.com[k]) + " mm",
            range(p.intervals.com[k], "mm", 1e3)]),
          ...["Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"].map((name, k) => [name + " about the centre of mass",
            digits(p.inertia_com[k]) + " kg m²", p.set_by_prior.includes(name) ? "set by the prior" : ""])]),
    html("h2", {}, "The body"),
    html("p", {class: "muted"}, "Blue: the solid ellipsoid that has its moments; dot: centre of mass; orange: the sensor's axes, from its origin" +
        (data.corners.length ? "; grey: the shape given." : ".")),
    views(),
    html("h2", {}, "Methods"),
    html("p", {class: "muted"}, "Held out: each half of the log as predicted from the other, error over wrench without bias."),
    table(["method", "mass [kg]", "m cx, m cy, m cz [g m]", "possible", "certified", "held-out force", "held-out torque"],
        result.methods.map(m => m.failure ? [m.name, m.failure, "", "", "", "", ""] :
            [m.name, digits(m.parameters[0], 5), m.parameters.slice(1, 4).map(h => digits(1e3 * h)).join(", "),
              m.possible ? "yes" : "no", m.certified === null ? "–" : m.certified ? "yes" : "no",
              percent(m.held_out_force), percent(m.held_out_torque)])),
    html("h2", {}, "Wrench"),
    html("p", {class: "muted"}, "Grey: measured; orange: predicted with bias; blue: compensated, what is left of the measured one" +
        (data.stride > 1 ? `. Every ${data.stride}th sample is drawn.` : ".")),
    ...["fx", "fy", "fz", "nx", "ny", "nz"].map((name, c) => plot(data.time, c < 3 ? "N" : "N m", name, [
      {values: data.measured[c], name: "measured"}, {values: data.predicted[c], name: "predicted"},
      {values: data.measured[c].map((value, i) => value - data.predicted[c][i]), name: "rest"}])));
