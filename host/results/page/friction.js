// Friction by joint, against speed: the measured torque minus the model without friction and other extra columns, and the part that those columns predict.

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
