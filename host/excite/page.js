// Draws the page of a design from its design.json and the samples beside it.
const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const design = data.design;

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
const percent = share => share === null ? "–" : digits(100 * share, 4) + " %";

function table(head, rows) {
  return html("div", {class: "scroll"},
      html("table", {}, html("thead", {}, html("tr", {}, head.map(text => html("th", {}, text)))),
          html("tbody", {}, rows.map(row => html("tr", {}, row.map(cell => html("td", {}, cell)))))));
}

const units = angle => angle ?
    {position: "rad", velocity: "rad/s", acceleration: "rad/s²", jerk: "rad/s³", torque: "N m"} :
    {position: "m", velocity: "m/s", acceleration: "m/s²", jerk: "m/s³", torque: "N"};
const unit_of = use => units(data.joints.find(joint => joint.name === use.joint).angle)[use.name];

/// A quantity of a joint over time, with its limits and the moment that is nearest to them.
function plot(use, index) {
  const values = data[use.name][index];
  if (!values) return null;
  const time = data.time, middle = use.middle || 0, deviations = use.name === "torque" ? data.torque_deviation[index] : null;
  const width = 960, height = 130, left = 58, bottom = height - 18, top = 16, last = time.length - 1;
  const edge = use.limit === null ? Math.max(...values.map(Math.abs), 1e-9) : use.limit;
  const low = middle - 1.08 * edge, high = middle + 1.08 * edge;
  const X = t => left + (t - time[0]) / (time[last] - time[0] || 1) * (width - left - 8);
  const Y = value => bottom - (Math.min(Math.max(value, low), high) - low) / (high - low) * (bottom - top);
  const title = `${use.name} of ${use.joint}: ${percent(use.worst_ratio)} of its limit at ${digits(use.at_s)} s`;
  const node = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title});
  for (const value of [middle - edge, middle, middle + edge])
    node.append(svg("line", {class: value === middle || use.limit === null ? "tick" : "limit", x1: left, x2: width - 8, y1: Y(value), y2: Y(value)}),
        svg("text", {x: left - 6, y: Y(value) + 4, "text-anchor": "end"}, digits(value, 3)));
  node.append(svg("text", {x: left, y: 11}, `${title} [${unit_of(use)}]`),
      svg("text", {x: left, y: height - 3}, digits(time[0])),
      svg("text", {x: width - 8, y: height - 3, "text-anchor": "end"}, digits(time[last]) + " s"));
  const point = (value, i) => X(time[i]).toFixed(1) + " " + Y(value).toFixed(1);
  if (deviations && use.deviations) {
    const up = values.map((value, i) => point(value + use.deviations * deviations[i], i));
    const down = values.map((value, i) => point(value - use.deviations * deviations[i], i)).reverse();
    node.append(svg("path", {class: "band", d: "M" + up.concat(down).join("L") + "Z"}));
  }
  node.append(svg("path", {class: "value", d: "M" + values.map(point).join("L")}));
  if (use.worst_ratio !== null)
    node.append(svg("circle", {class: "nearest", r: 3.5, cx: X(use.at_s), cy: Y(values[time.reduce((best, t, i) => Math.abs(t - use.at_s) < Math.abs(time[best] - use.at_s) ? i : best, 0)])}));
  return node;
}

const kinds = ["position", "velocity", "acceleration", "jerk", "torque"];
const plots = html("div", {});
function draw(index) {
  plots.replaceChildren(...kinds.map(kind => design.limits.find(use => use.name === kind && use.joint === data.joints[index].name))
      .filter(use => use).map(use => plot(use, index)).filter(node => node));
}
const chooser = html("select", {"aria-label": "joint"}, data.joints.map((joint, i) => html("option", {value: i}, joint.name)));
chooser.addEventListener("change", () => draw(Number(chooser.value)));
draw(0);

const gained = parameter => parameter.sd_after / parameter.sd_before;
const sorted = [...design.parameters].sort((a, b) => gained(a) - gained(b));
const prior = sorted.filter(parameter => gained(parameter) > 0.9);
page.append(
    html("h1", {}, design.judged ? (design.status === "feasible" ? "Within its limits" : "Not within its limits") : design.status === "feasible" ? "A motion that is feasible" : design.status === "budget" ? "No feasible motion in time" : "No feasible motion"),
    html("p", {class: "muted"}, `${design.robot}; ${digits(design.motion.duration_s)} s; log det ${digits(design.log_det, 6)} nats, ${digits(design.log_det - design.log_det_prior, 5)} more than before.`),
    design.infeasible_because ? html("p", {class: "serious"}, `Because of ${design.infeasible_because}.`) : "",
    html("h2", {}, "Limits"),
    html("p", {class: "muted"}, "How near the motion comes to each, the nearest joint first. What is proved holds between samples too; the rest was looked at in steps that are named. Torques are those of the robot file, plus what the robot may be unlike it."),
    table(["limit", "joint", "used", "of", "at [s]", ""], [...design.limits].filter(use => use.limit !== null).sort((a, b) => b.worst_ratio - a.worst_ratio).slice(0, 12)
        .map(use => [use.name, use.joint, percent(use.worst_ratio), `${digits(use.limit)} ${unit_of(use)}`, digits(use.at_s), use.proved ? "proved" : `every ${digits(1e3 * use.step_s, 3)} ms`])),
    html("h2", {}, "Motion"),
    html("p", {}, "Joint ", chooser), plots,
    html("h2", {}, "What it tells"),
    html("p", {class: "muted"}, `Standard deviation of every parameter before and after. ${prior.length} of ${design.parameters.length} stay as they were believed: no motion of these joints can tell them alone, or this one does not.`),
    table(["parameter", "unit", "before", "after", "after / before"], sorted.map(parameter =>
        [parameter.name, parameter.unit, digits(parameter.sd_before, 3), digits(parameter.sd_after, 3), percent(gained(parameter))])),
    design.assumed.length ? html("h2", {}, "Assumed") : "",
    ...design.assumed.map(note => html("p", {class: "muted"}, note)));
