// Torques over time, and the spectrum and distribution of the residual.

/// Two signals of a channel and their difference.
function torqueFigure(channel, [measured, predicted], zoom, series) {
  const kind = channel.unit === "N" ? "force" : "torque";
  return timeFigure(
      channel.channel, unitText(channel.unit),
      [
        {
          label: kind,
          height: 150,
          series: [series(channel.measured, "measured", measured), series(channel.predicted, "predicted", predicted)]
        },
        {label: "error", height: 78, series: [series(channel.residual, "residual", "error")]}
      ],
      zoom);
}

function torqueSections(traces, result) {
  const time = traces.time_s, gaps = new Set(traces.gaps), zoom = new Zoom(time);
  const joints = traces.channels.filter(channel => !channel.base);
  const series = (envelope, style, name) =>
      ({x: time, lower: envelope.lower, upper: envelope.upper, gaps, style, name});
  const where = traces.held_out ? "on the held-out logs, which the fit did not use" :
                                  "on the training logs (no held-out log was given)";
  const start = traces.start_s ? ` Time 0 is the first used sample, at the stamp ${digits(traces.start_s, 7)} s.` : "";
  const kept = traces.samples_per_bin > 1 ?
      ` ${traces.num_samples.toLocaleString("en")} samples in steps of ${
          traces.samples_per_bin}: the curves show the least and largest value of each step.` :
      "";
  const dropped = joints.some(channel => channel.measured.lower.includes(null)) ?
      " Rows were not used where the measured line is missing: see Rows." :
      "";
  const torque = section(
      "torque", "Measured and predicted torque",
      `Measured torques of the joints, and torques that the identified robot needs for the same motion, ${
          where}.${start}${kept}${dropped}`,
      legend([
        ["measured", "measured"], ["predicted", "predicted"],
        ["residual", "error: measured minus predicted (own scale)"]
      ]),
      zoomButtons(zoom),
      joints.map(channel => torqueFigure(channel, ["measured", "predicted"], zoom, series)));
  const names = {
    inertia: "inertia: accelerations, Coriolis and centrifugal forces",
    gravity: "gravity: the weight of all bodies",
    friction: "friction and other added terms",
    rotors: "rotors and reflected inertia",
    "known torque": "known torque, such as that of measured foot forces, subtracted before the fit"
  };
  const parts = section(
      "contributions", "Parts of the torque",
      "The predicted torque, split into its parts. A part that stays small cannot be identified well from this motion.",
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
  return {
    torque: [torque, ...groundSections(traces, result, zoom, gaps, series)],
    residual: residualSection(traces),
    parts,
    draw: () => zoom.all()
  };
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
      "residual", "Residual",
      "First plot: amplitude spectral density of the error. A flat line is noise; a peak is an effect that the model lacks, such as a resonance or a gear. Second plot: histogram of the error, in % of the samples; the dashed line is the normal distribution of the same width. The outermost bars include all larger errors.",
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
