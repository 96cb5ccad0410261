// Draws the page of a payload from its result.json and samples.

const result = data.result;

/// Samples after which time jumps: nothing is drawn across.
function jumps(time) {
  return new Set([...time.keys()].filter(i => i > 0 && time[i] - time[i - 1] > data.longest_step));
}

/// The body seen along an axis: the mesh, the ellipsoid that has its moments, the center of mass, the sensor's axes.
function view(across, up, size, center) {
  const names = "xyz", width = 300;
  const X = p => width / 2 + (p[across] - center[across]) / size * width;
  const Y = p => width / 2 - (p[up] - center[up]) / size * width;
  const place = p => X(p).toFixed(1) + " " + Y(p).toFixed(1);
  const label = `the body, ${names[across]} to the right and ${names[up]} up`;
  const node = svg("svg", {viewBox: `0 0 ${width} ${width}`, width, height: width, role: "img", "aria-label": label});
  let mesh = "";
  for (let k = 0; k + 2 < data.corners.length; k += 3) {
    let [a, b, c] = data.corners.slice(k, k + 3);
    // all triangles the same way around: those behind do not cancel those in front in the filled silhouette
    if ((b[across] - a[across]) * (c[up] - a[up]) < (c[across] - a[across]) * (b[up] - a[up])) [b, c] = [c, b];
    mesh += `M${place(a)}L${place(b)}L${place(c)}Z`;
  }
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
    node.append(svg("path", {class: "axis", d: "M" + place(origin) + "L" + place(tip)}),
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
  const center = [0, 1, 2].map(k => (low[k] + high[k]) / 2);
  return html("div", {class: "triple"}, [[0, 1], [0, 2], [1, 2]].map(([across, up]) => view(across, up, size, center)));
}

/// Force and torque over time, or over poses at rest.
function wrenchSection() {
  const time = data.time, gaps = jumps(time), zoom = new Zoom(time, data.moves ? "s" : "pose");
  const series = (lower, style, name) => ({x: time, lower, gaps, style, name});
  const figures = ["fx", "fy", "fz", "nx", "ny", "nz"].map((name, c) => {
    const measured = data.measured[c], predicted = data.predicted[c];
    return timeFigure(name, c < 3 ? "N" : "N m", [
      {
        label: "wrench",
        height: 130,
        series: [series(measured, "measured", "measured"), series(predicted, "predicted", "predicted")]
      },
      {
        label: "compensated",
        height: 78,
        series: [series(measured.map((value, i) => value - predicted[i]), "residual", "compensated")]
      }
    ], zoom);
  });
  window.addEventListener("resize", () => zoom.show(zoom.range.low, zoom.range.high));
  const every = data.stride > 1 ? ` Every ${data.stride}th sample is drawn.` : "";
  return {
    node: section(
        "wrench", "Wrench",
        `The measured wrench and the predicted wrench, including the bias.${every}`,
        legend([["measured", "measured"], ["predicted", "predicted"], ["residual", "compensated: measured minus predicted (own scale)"]]),
        zoomButtons(zoom), figures),
    draw: () => zoom.all()
  };
}

/// Part of the joints' torques that the payload explains.
function torqueSection() {
  const columns = [
    {head: "joint"}, {head: "unit", kind: "unit"}, {head: "measured", kind: "number"}, {head: "without payload", kind: "number"},
    {head: "with payload", kind: "number"}, {head: "identification", kind: "number"}, {head: "mass by this joint [kg]", kind: "number"}
  ];
  const rows = result.channels.map(
      c =>
          [c.channel, c.unit, num(c.rms_torque), num(c.rms_without_payload), num(c.rms_with_payload), num(c.rms_identified),
           num(c.mass)]);
  return {
    node: section(
        "torques", "Torques",
        "Root mean squares over the log: the measured torque, the residual of the robot alone, the residual of robot and payload, and " +
            "the residual of the robot's own identification. The mass by one joint assumes the center of mass and tensor of the result. Torque scales " +
            `have a standard deviation of ${digits(100 * result.torque_scales.sd)} %.`,
        table("torques", columns, rows)),
    draw: () => {}
  };
}

const payload = result.payload;
const doubts = result.doubts.map(doubt => ({...doubt, serious: doubt.severity === "serious"}));

/// An interval as displayed text and as two numbers for the file.
function interval(values, unit, factor) {
  const told = values.every(value => value !== null);
  return {
    shown: told ? `${digits(factor * values[0])} to ${digits(factor * values[1])} ${unit}` : "not determined",
    values
  };
}

function parameterTable() {
  const columns = [
    {head: "parameter"}, {head: "value", kind: "number"}, {head: "unit", kind: "unit"},
    {head: "95 % interval", csv: ["low [SI]", "high [SI]"]}
  ];
  const moments = ["Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"];
  return table("payload", columns, [
    ["mass", num(payload.mass, 5), "kg", interval(payload.intervals.mass, "kg", 1)],
    ...[...payload.com.keys()].map(k => [
      "center of mass " + "xyz"[k], {shown: digits(1e3 * payload.com[k]), values: [1e3 * payload.com[k]]}, "mm",
      interval(payload.intervals.com[k], "mm", 1e3)
    ]),
    ...moments.map((name, k) => [
      name + " about the center of mass", num(payload.inertia_com[k]), "kg m²",
      {shown: payload.set_by_prior.includes(name) ? "set by the prior" : "", values: [null, null]}
    ])
  ]);
}

function methodTable() {
  const columns = [
    {head: "method"}, {head: "mass [kg]", kind: "number"},
    {head: "m cx, m cy, m cz [g m]", csv: ["m cx [kg m]", "m cy [kg m]", "m cz [kg m]"]}, {head: "physically possible"},
    {head: "certified"}, {head: "held-out force", kind: "number"}, {head: "held-out torque", kind: "number"}
  ];
  const nothing = {shown: "", values: [null, null, null]};
  return table("methods", columns, result.methods.map(m => m.failure ?
      [m.name, m.failure, nothing, "", "", "", ""] :
      [
        m.name, num(m.parameters[0], 5),
        {shown: m.parameters.slice(1, 4).map(h => digits(1e3 * h)).join(", "), values: m.parameters.slice(1, 4)},
        m.possible ? "yes" : "no", m.certified === null ? "–" : m.certified ? "yes" : "no",
        share(m.held_out_force), share(m.held_out_torque)
      ]));
}

const wrench = result.channels ? torqueSection() : wrenchSection();
document.getElementById("page").append(
    html("h1", {}, `${digits(payload.mass)} kg`),
    html("p", {class: "lead"}, `Method ${payload.method}, ${result.channels ? "from joint torques, in the frame of " + payload.frame : "in the sensor's frame"}. Prior: ${payload.prior}.`),
    result.verdict ? html("section", {class: "verdict " + result.verdict.level}, html("p", {}, html("b", {}, sentence(result.verdict.words))), doubtList(doubts)) :
                     doubtList(doubts),
    parameterTable(),
    section(
        "body", "The body",
        "Blue: the solid ellipsoid with the same moments; dot: center of mass; orange: the axes of that frame at its origin" +
            (data.corners.length ? "; gray: the given shape." : "."),
        views()),
    section(
        "methods", "Methods",
        "Held out: each half of the log is predicted from the other half; the error is relative to the wrench without bias.", methodTable()),
    wrench.node);
wrench.draw();
