// Two results side by side.

/// Two numbers and their difference.
function both(a, b) { return [num(a), num(b), num(b - a, 3)]; }

/// Times of B on the axis of A. Both begin with their first used sample, which depends on trim and filter. Unchanged if the
/// logs do not overlap.
function onAxisOf(a, b) {
  const shift = b.start_s - a.start_s;
  return Math.abs(shift) < a.time_s.at(-1) ? b.time_s.map(time => time + shift) : b.time_s;
}

/// Measured torques and the predictions of both results; empty if one of the results has no page.
function comparedTorques([a, b]) {
  const times = new Map([[a, a.time_s], [b, onAxisOf(a, b)]]), ends = [...times.values()].flatMap(t => [t[0], t.at(-1)]);
  const zoom = new Zoom([Math.min(...ends), Math.max(...ends)]);
  const series = (traces, envelope, style, name) =>
      ({x: times.get(traces), lower: envelope.lower, upper: envelope.upper, gaps: new Set(traces.gaps), style, name});
  const pairs = a.channels.map(channel => [channel, b.channels.find(other => other.channel === channel.channel)])
                    .filter(([, other]) => other);
  window.addEventListener("resize", () => zoom.show(zoom.range.low, zoom.range.high));
  const node = section(
      "torque", "Measured and predicted torque", "Measured torques of the joints, and the predictions of A and B.",
      legend([["measured", "measured"], ["predicted", "A"], ["other", "B"]]), zoomButtons(zoom),
      pairs.map(
          ([of_a, of_b]) => timeFigure(
              of_a.channel, unitText(of_a.unit),
              [
                {
                  label: "torque",
                  height: 150,
                  series: [
                    series(a, of_a.measured, "measured", "measured"), series(a, of_a.predicted, "predicted", "A"),
                    series(b, of_b.predicted, "other", "B")
                  ]
                },
                {
                  label: "error",
                  height: 90,
                  series: [
                    series(a, of_a.residual, "predicted", "error of A"), series(b, of_b.residual, "other", "error of B")
                  ]
                }
              ],
              zoom)));
  return {node, draw: () => zoom.all()};
}

/// The bodies of A, with those of B in place of the prior.
function comparedBodies([a, b]) {
  const others = new Map(b.skeleton.bodies.map(body => [body.name, body.identified]));
  const bodies = a.skeleton.bodies.map(body => ({...body, prior: others.get(body.name) || null}));
  return section(
      "bodies", "The bodies", "Each body is drawn as the ellipsoid of uniform density with the same mass, center of mass and inertia.",
      legend([["ellipsoid", "A"], ["prior", "B"]], "ellipse"), robotFigure({...a.skeleton, bodies}, a.outlines, ["A", "B"]),
      missingShapes(a.outlines));
}

/// Why torques or bodies of two results of one robot are not drawn.
function notDrawn(drawn, names) {
  const without = names.filter((_, i) => !drawn[i]);
  return without.length ?
      html(
          "p", {class: "lead"},
          `Torques and bodies are drawn from the report.html beside a result.json, which is missing for ${
              without.join(" and ")}.`) :
      null;
}

function comparisonPage([a, b], names, {words, same_robot: sameRobot, drawn}) {
  document.title = `${names[0]} and ${names[1]}`;
  const three = [number("A"), number("B"), number("B − A")];
  const known = [a, b].map(knownByName);
  const bodies = a.bodies.map(body => [body, b.bodies.find(other => other.name === body.name)])
                     .filter(([, other]) => other);
  const missing = (from, other) =>
      from.bodies.filter(x => !other.bodies.some(y => y.name === x.name)).map(x => x.name);
  const within = (name, value, i) => {
    const interval = known[i].get(name) && known[i].get(name).interval;
    return interval ? (value >= interval[0] && value <= interval[1] ? "yes" : "no") : "–";
  };
  const parameterRows =
      bodies.flatMap(([body, other]) => [{group: body.name}, ...Object.keys(body.parameters).map(name => {
                       const full = `${body.name}.${name}`;
                       return [
                         symbolOf(name), ...both(body.parameters[name], other.parameters[name]), unitOf(name),
                         within(full, other.parameters[name], 0), within(full, body.parameters[name], 1)
                       ];
                     })]);
  const columnRows = a.columns.map(c => [c, b.columns.find(other => other.name === c.name)])
                         .filter(([, other]) => other)
                         .map(
                             ([c, other]) =>
                                 [c.name, ...both(c.value, other.value), unitText(c.unit),
                                  within(c.name, other.value, 0), within(c.name, c.value, 1)]);
  const fit = r => r.validation || r.training;
  const channelRows =
      fit(a)
          .per_channel.map(channel => [channel, fit(b).per_channel.find(other => other.channel === channel.channel)])
          .filter(([, other]) => other)
          .map(
              ([channel, other]) =>
                  [channel.channel, ...both(channel.rms_error, other.rms_error),
                   share(other.rms_error / channel.rms_error - 1, 2), unitText(channel.unit)]);
  const inside = [text("B within A's interval"), text("A within B's")];
  const alone = [
    ...missing(a, b).map(name => `${name} (only in A)`), ...missing(b, a).map(name => `${name} (only in B)`)
  ];
  const hasBoth = key => sameRobot && drawn[0] && drawn[1] && drawn[0][key] && drawn[1][key];
  const torques = hasBoth("traces") ? comparedTorques(drawn.map(d => d.traces)) : null;
  const nodes = [
    html("h1", {}, sameRobot ? "Two results" : "Two robots"),
    html("p", {}, html("b", {}, "A: "), names[0], html("br"), html("b", {}, "B: "), names[1]),
    html("section", {id: "verdict", class: "verdict"}, words.map(sentenceOf => html("p", {}, sentenceOf))),
    section(
        "errors", "Errors", "Errors on held-out logs, or on training logs where no log was held out.",
        table(
            "overall", [{head: "", csv: ["what"]}, number("A"), number("B")],
            [
              [
                "held-out error", share(a.validation && a.validation.overall_relative),
                share(b.validation && b.validation.overall_relative)
              ],
              ["training error", share(a.training.overall_relative), share(b.training.overall_relative)],
              ["status", a.status.replace("_", " "), b.status.replace("_", " ")],
              ["prior weight", num(a.prior.weight), num(b.prior.weight)]
            ]),
        table("errors", [text("rms error"), ...three, number("relative"), {head: "", kind: "unit"}], channelRows)),
    torques && torques.node, sameRobot ? notDrawn(drawn, names) : null, hasBoth("skeleton") ? comparedBodies(drawn) : null,
    section(
        "parameters", "Parameters",
        alone.length ? "Bodies that only one result has: " + alone.join(", ") + "." : null,
        table("parameters", [text("parameter"), ...three, {head: "", kind: "unit"}, ...inside], parameterRows)),
    columnRows.length ?
        section(
            "friction", "Friction and other terms", null,
            table("friction", [text("term"), ...three, {head: "", kind: "unit"}, ...inside], columnRows)) :
        null
  ];
  return {nodes, draw: torques ? torques.draw : () => {}};
}
