// Two results side by side.

/// Two numbers and their difference.
function both(a, b) { return [digits(a), digits(b), digits(b - a, 3)]; }

function comparisonPage([a, b], names) {
  document.title = `${names[0]} and ${names[1]}`;
  const three = [number("A"), number("B"), number("B − A")];
  const known =
      [a, b].map(r => new Map((r.uncertainty ? r.uncertainty.parameters : []).map(p => [p.name, p])));
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
                   percent(other.rms_error / channel.rms_error - 1, 2), unitText(channel.unit)]);
  const inside = [text("B within A's interval"), text("A within B's")];
  const alone = [
    ...missing(a, b).map(name => `${name} (only in A)`), ...missing(b, a).map(name => `${name} (only in B)`)
  ];
  const same = fit(a).per_channel.length &&
      (a.logs.validation.map(l => l.path).join() === b.logs.validation.map(l => l.path).join());
  const nodes = [
    html("h1", {}, "Two results"),
    html("p", {}, html("b", {}, "A: "), names[0], html("br"), html("b", {}, "B: "), names[1]),
    section(
        "errors", "Errors",
        `Held out, or training where nothing was held out.${
            same ? "" : " The two were judged on different logs: their errors say little about each other."}`,
        table(
            [text(""), number("A"), number("B")],
            [
              [
                "error, held out", percent(a.validation && a.validation.overall_relative),
                percent(b.validation && b.validation.overall_relative)
              ],
              ["error, training", percent(a.training.overall_relative), percent(b.training.overall_relative)],
              ["status", a.status.replace("_", " "), b.status.replace("_", " ")],
              ["prior weight", digits(a.prior.weight), digits(b.prior.weight)]
            ]),
        table([text("rms error"), ...three, number("relative"), {head: "", kind: "unit"}], channelRows)),
    section(
        "parameters", "Parameters",
        alone.length ? "Bodies that only one of them has: " + alone.join(", ") + "." : null,
        table([text("parameter"), ...three, {head: "", kind: "unit"}, ...inside], parameterRows)),
    columnRows.length ?
        section(
            "friction", "Friction and other terms", null,
            table([text("term"), ...three, {head: "", kind: "unit"}, ...inside], columnRows)) :
        null
  ];
  return {nodes, draw: () => {}};
}
