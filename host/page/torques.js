// Torques over time, with one zoom for all joints, and what the residual looks like.

/// The part of the time axis that is shown; redraws what listens to it.
class Zoom {
  constructor(time) {
    this.full = {low: time[0], high: time[time.length - 1]};
    if (!(this.full.low < this.full.high)) this.full.high = this.full.low + 1;
    this.range = {...this.full};
    this.listeners = [];
  }
  show(low, high) {
    const span = Math.min(
        Math.max(high - low, 1e-3 * (this.full.high - this.full.low)), this.full.high - this.full.low);
    const start = Math.min(Math.max(low, this.full.low), this.full.high - span);
    this.range = {low: start, high: start + span};
    for (const listener of this.listeners) listener();
  }
  all() { this.show(this.full.low, this.full.high); }
  scaleBy(factor) {
    const centre = (this.range.low + this.range.high) / 2,
          half = factor * (this.range.high - this.range.low) / 2;
    this.show(centre - half, centre + half);
  }
  moveBy(fraction) {
    const step = fraction * (this.range.high - this.range.low);
    this.show(this.range.low + step, this.range.high + step);
  }
}

/// Drag across a chart to zoom in, double-click to see all; `readout(time)` says what is under the pointer.
function listenToPointer(node, zoom, readout) {
  const {X, left, right, top, bottom} = node.scales;
  const {low, high} = zoom.range;
  const timeAt = event => {
    const box = node.getBoundingClientRect();
    const pixel = (event.clientX - box.left) * node.viewBox.baseVal.width / box.width;
    return low + (Math.min(Math.max(pixel, left), right) - left) / (right - left) * (high - low);
  };
  let start = null;
  const selection = svg("rect", {class: "selection", y: top, height: bottom - top, width: 0});
  const cursor = svg("line", {class: "cursor", y1: top, y2: bottom, x1: -9, x2: -9});
  node.append(selection, cursor);
  node.classList.add("zoom");
  node.addEventListener("pointerdown", event => {
    start = timeAt(event);
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", event => {
    const time = timeAt(event);
    cursor.setAttribute("x1", X(time));
    cursor.setAttribute("x2", X(time));
    readout(time);
    if (start === null) return;
    selection.setAttribute("x", Math.min(X(start), X(time)));
    selection.setAttribute("width", Math.abs(X(time) - X(start)));
  });
  node.addEventListener("pointerleave", () => {
    cursor.setAttribute("x1", -9);
    cursor.setAttribute("x2", -9);
    readout(null);
  });
  node.addEventListener("pointerup", event => {
    const end = timeAt(event), begin = start;
    start = null;
    selection.setAttribute("width", 0);
    if (begin !== null && Math.abs(X(end) - X(begin)) > 5)
      zoom.show(Math.min(begin, end), Math.max(begin, end));
  });
  node.addEventListener("dblclick", () => zoom.all());
}

function zoomButtons(zoom) {
  const button = (text, title, action) => {
    const node = html("button", {type: "button", title}, text);
    node.addEventListener("click", action);
    return node;
  };
  return html(
      "p", {class: "hint"}, "Drag across a plot to zoom in on a stretch of time, in all plots at once. ",
      button("+", "zoom in", () => zoom.scaleBy(0.5)), " ", button("−", "zoom out", () => zoom.scaleBy(2)),
      " ", button("◀", "earlier", () => zoom.moveBy(-0.5)), " ", button("▶", "later", () => zoom.moveBy(0.5)),
      " ", button("all", "see all", () => zoom.all()));
}

function widthOfPage() {
  return Math.min(1040, Math.max(340, document.getElementById("page").clientWidth - 40));
}

/// Charts over time one above the other in one figure: `rows` are {series: [{..., name}], height, label}.
function timeFigure(title, unit, rows, zoom) {
  const value = html("span", {});
  const holder = html("div", {});
  const readout = time => {
    if (time === null) {
      value.textContent = "";
      return;
    }
    const texts = rows.flatMap(row => row.series).map(series => {
      const k = Math.max(0, Math.min(lowerBound(series.x, time), series.x.length - 1));
      const lower = series.lower[k], upper = series.upper ? series.upper[k] : lower;
      return series.name + " " +
          (digits(lower, 3) === digits(upper, 3) ? digits(lower, 3) :
                                                   `${digits(lower, 3)} … ${digits(upper, 3)}`);
    });
    value.textContent = `${digits(time, 5)} s: ${texts.join(", ")} ${unit}`;
  };
  const draw = () => {
    holder.replaceChildren(...rows.map((row, i) => {
      const node = chart({
        width: widthOfPage(),
        height: row.height,
        series: row.series,
        label: `${row.label} of ${title}`,
        x: {...zoom.range, label: i === rows.length - 1 ? "s" : null},
        y: valueRange(row.series, zoom.range)
      });
      if (rows.length > 1) node.append(svg("text", {x: margin.left + 6, y: margin.top + 13}, row.label));
      listenToPointer(node, zoom, readout);
      return node;
    }));
  };
  zoom.listeners.push(draw);
  return html(
      "figure", {}, html("figcaption", {}, html("span", {}, html("b", {}, title), ` [${unit}]`), value),
      holder);
}

function torqueSections(traces) {
  const time = traces.time_s, gaps = new Set(traces.gaps), zoom = new Zoom(time);
  const series = (envelope, style, name) =>
      ({x: time, lower: envelope.lower, upper: envelope.upper, gaps, style, name});
  const where = traces.held_out ? "on the held-out logs, which the fit has never seen" :
                                  "on the training logs (no held-out log was given)";
  const kept = traces.samples_per_bin > 1 ?
      ` ${traces.num_samples.toLocaleString("en")} samples in steps of ${
          traces.samples_per_bin}: least and largest value of each step, so that every peak is there.` :
      "";
  const dropped = traces.channels.some(channel => channel.measured.lower.includes(null)) ?
      " Where the measured line is missing, rows were not used: see Rows." :
      "";
  const torque = section(
      "torque", "Measured and predicted torque",
      `What the joints were measured to do and what the identified robot would take for the same motion, ${
          where}.${kept}${dropped}`,
      legend([
        ["measured", "measured"], ["predicted", "predicted"],
        ["residual", "error: measured minus predicted (own scale)"]
      ]),
      zoomButtons(zoom),
      traces.channels.map(
          channel => timeFigure(
              channel.channel, unitText(channel.unit),
              [
                {
                  label: "torque",
                  height: 150,
                  series: [
                    series(channel.measured, "measured", "measured"),
                    series(channel.predicted, "predicted", "predicted")
                  ]
                },
                {label: "error", height: 78, series: [series(channel.residual, "residual", "error")]}
              ],
              zoom)));
  const names = {
    inertia: "inertia: accelerations, Coriolis and centrifugal forces",
    gravity: "gravity: the weight of all bodies",
    friction: "friction and other added terms",
    rotors: "rotors and reflected inertia",
    "known torque": "known torque, subtracted before the fit"
  };
  const parts = section(
      "contributions", "What the torque is made of",
      "The predicted torque, taken apart. A part that never grows large cannot be identified well from this motion.",
      legend(traces.parts.map((part, i) => ["part" + i, names[part] || part])), zoomButtons(zoom),
      traces.channels.map(
          channel => timeFigure(
              channel.channel, unitText(channel.unit), [{
                label: "contributions",
                height: 160,
                series: traces.parts.map((part, i) => series(channel.parts[i], "part" + i, part))
              }],
              zoom)));
  window.addEventListener("resize", () => zoom.show(zoom.range.low, zoom.range.high));
  return {torque, residual: residualSection(traces), parts, draw: () => zoom.all()};
}

/// Bars of the residual and the normal distribution of the same width.
function histogramChart(channel, width) {
  const counts = channel.counts, half = (counts.length - 1) / 2, total = counts.reduce((a, b) => a + b, 0);
  const edge = k => (k - half - 0.5) * channel.bin_width;
  const variance = counts.reduce((sum, count, k) => sum + count * ((k - half) * channel.bin_width) ** 2, 0) /
      Math.max(1, total);
  const curve = {x: [], lower: [], style: "normal"};
  for (let i = 0; i <= 200 && variance > 0; ++i) {
    const e = edge(0) + i / 200 * (edge(counts.length) - edge(0));
    curve.x.push(e);
    curve.lower.push(
        100 * channel.bin_width * Math.exp(-0.5 * e * e / variance) / Math.sqrt(2 * Math.PI * variance));
  }
  const bars = counts.map((count, k) => [edge(k), edge(k + 1), 100 * count / Math.max(1, total)]);
  return chart({
    width,
    height: 150,
    bars,
    series: [curve],
    label: `histogram of the error of ${channel.channel}`,
    x: {low: edge(0), high: edge(counts.length), label: unitText(channel.unit)},
    y: {low: 0, high: 1.06 * Math.max(1e-9, ...bars.map(bar => bar[2]), ...curve.lower)}
  });
}

function spectrumChart(traces, channel, width) {
  const values = channel.amplitude_density.map(value => (value > 0 ? value : null)),
        present = values.filter(value => value !== null);
  if (present.length === 0) return html("p", {class: "lead"}, "The log is too short for a spectrum.");
  const high = 1.5 * Math.max(...present);
  return chart({
    width,
    height: 150,
    label: `spectrum of the error of ${channel.channel}`,
    x: {low: traces.frequency_hz[0], high: traces.frequency_hz.at(-1), label: "Hz", logarithmic: true},
    y: {low: Math.max(0.7 * Math.min(...present), high * 1e-4), high, logarithmic: true},
    series: [{x: traces.frequency_hz, lower: values, style: "residual"}]
  });
}

function residualSection(traces) {
  const width = Math.max(300, Math.floor(widthOfPage() / 2) - 10);
  return section(
      "residual", "What is left: the error",
      "Left: amplitude spectral density of the error. A flat line is noise; a peak is something that the model lacks, a resonance or a gear. Right: how often an error was how large, in % of the samples; dashed, the normal distribution of the same width. The outermost bars hold all beyond.",
      traces.channels.map(
          channel => html(
              "figure", {},
              html(
                  "figcaption", {},
                  html(
                      "span", {}, html("b", {}, channel.channel),
                      ` [${unitText(channel.unit)}/√Hz] and [%]`)),
              html(
                  "div", {class: "pair"}, spectrumChart(traces, channel, width),
                  histogramChart(channel, width)))));
}
