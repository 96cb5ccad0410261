// Friction by joint, against speed: the measured torque minus the model without friction and other extra columns, and the part that those columns predict.
// The feed-forward table against position, at the highest speeds and at rest, for joints whose friction depends on position.

/// The points of a joint in order of speed.
function bySpeed({speed, torque, fit}) {
  const order = speed.map((_, k) => k).sort((a, b) => speed[a] - speed[b]);
  const sorted = values => order.map(k => values[k]);
  return {speed: sorted(speed), torque: sorted(torque), fit: sorted(fit)};
}

function frictionChart(channel, width) {
  const {speed, torque, fit} = bySpeed(channel.friction);
  const air = 0.03 * (speed.at(-1) - speed[0]) || 1;
  const x = {low: speed[0] - air, high: speed.at(-1) + air, label: channel.unit === "N" ? "m/s" : "rad/s"};
  const line = {x: speed, lower: fit, style: "predicted"};
  const value = html("span", {});
  const node = chart({
    width,
    height: 210,
    label: `friction of ${channel.channel} against speed`,
    x,
    y: valueRange([line, {x: speed, lower: torque}], x),
    points: speed.map((s, k) => [s, torque[k]]),
    series: [line]
  });
  node.addEventListener("pointermove", event => {
    const box = node.getBoundingClientRect(), {X, Y} = node.scales, pixels = node.viewBox.baseVal.width / box.width;
    const at = [(event.clientX - box.left) * pixels, (event.clientY - box.top) * pixels];
    const away = speed.map((s, k) => Math.hypot(X(s) - at[0], Y(torque[k]) - at[1]));
    const k = away.indexOf(Math.min(...away));
    value.textContent = `${digits(speed[k], 3)} ${x.label}: ${digits(torque[k], 3)}, fit ${digits(fit[k], 3)} ${
        unitText(channel.unit)}`;
  });
  node.addEventListener("pointerleave", () => {
    value.textContent = "";
  });
  return html(
      "figure", {},
      html("figcaption", {}, html("span", {}, html("b", {}, channel.channel), ` [${unitText(channel.unit)}]`), value),
      node);
}

/// The curves of all joints that have points; an empty list if none has.
function frictionFigures(traces) {
  const channels = traces ? traces.channels.filter(channel => channel.friction) : [];
  if (channels.length === 0) return [];
  const page = widthOfPage(), width = page > 640 ? Math.floor(page / 2) - 10 : page;
  return [
    html(
        "p", {class: "lead"},
        "Points: the measured torque minus the rest of the model, at samples spread evenly over the log. Line: the fitted terms. A line that misses its points indicates a different form of friction; a cloud that follows no line indicates an effect that does not depend on speed."),
    legend([["points", "measured minus the rest of the model"], ["predicted", "friction and other terms"]]),
    html("div", {class: "pair"}, channels.map(channel => frictionChart(channel, width)))
  ];
}

/// The unloaded curves of friction_curves at the positions of a joint, by joint.
function positionTables(curves) {
  const tables = new Map();
  for (const curve of curves || []) {
    if (curve.position === undefined || curve.load !== 0) continue;
    if (!tables.has(curve.joint)) tables.set(curve.joint, []);
    tables.get(curve.joint).push(curve);
  }
  return tables;
}

function positionChart(joint, curves, unit, width) {
  const middle = (curves[0].speed.length - 1) / 2, last = curves[0].speed.length - 1;
  const isLinear = unit === "N";
  const position = curves.map(curve => curve.position);
  const x = {low: position[0], high: position.at(-1), label: isLinear ? "m" : "rad"};
  const series = [[last, "measured"], [middle, "predicted"], [0, "residual"]].map(
      ([k, style]) => ({x: position, lower: curves.map(curve => curve.torque[k]), style}));
  return html(
      "figure", {},
      html(
          "figcaption", {}, html("span", {}, html("b", {}, joint), ` [${unitText(unit)}]`),
          html("span", {}, `±${digits(curves[0].speed[last], 3)} ${isLinear ? "m/s" : "rad/s"}`)),
      chart({width, height: 210, label: `friction of ${joint} against position`, x, y: valueRange(series, x), series}));
}

/// Tables of joints whose friction depends on the position; an empty list if none does.
function positionFigures(result) {
  const tables = positionTables(result.friction_curves);
  if (tables.size === 0) return [];
  const page = widthOfPage(), width = page > 640 ? Math.floor(page / 2) - 10 : page;
  const units = new Map(result.channels.map(channel => [channel.name, channel.unit]));
  return [
    html(
        "p", {class: "lead"},
        "The feed-forward table of joints whose friction depends on the position, without load: torque relative to that at rest at position zero."),
    legend([["measured", "at the highest speed"], ["predicted", "at rest"], ["residual", "at the highest negative speed"]]),
    html(
        "div", {class: "pair"},
        [...tables].map(([joint, curves]) => positionChart(joint, curves, units.get(joint), width)))
  ];
}
