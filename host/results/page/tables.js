// Tables of one result: errors, bodies, parameters, identifiability, rows, provenance.

const number = (head, name) => ({head, kind: "number", csv: name && [name]}), text = head => ({head});

const parameterUnits = {
  m: "kg",
  mcx: "kg m",
  mcy: "kg m",
  mcz: "kg m"
};
const unitOf = name => unitText(parameterUnits[name] || "kg m^2");

/// "mcx" -> "m c_x", as in textbooks.
const symbolOf = name => name.replace(/^mc(.)$/, "m·c$1");

function errorTable(result) {
  const heldOut = result.validation, fits = heldOut ? [heldOut, result.training] : [result.training];
  const columns = [
    text("joint"),
    ...fits.flatMap(
        (_, i) => {
          const on = heldOut ? (i ? " (training)" : " (held out)") : "";
          return [
            number("error, rms" + on), number("torque, rms", "torque, rms" + on), number("relative", "relative" + on),
            number("rows", "rows" + on)
          ];
        }),
    {head: "", kind: "unit"}
  ];
  return table(
      "errors", columns,
      fits[0].per_channel.map(
          (channel, j) =>
              [channel.channel, ...fits.flatMap(fit => {
                const f = fit.per_channel[j];
                return [
                  num(f.rms_error, 3), num(f.rms_torque, 3), share(f.rms_error / f.rms_torque), counted(f.rows)
                ];
              }),
               unitText(channel.unit)]));
}

const estimateNames = {
  ols: "ordinary least squares",
  wls: "weighted least squares",
  constrained: "physically consistent, with prior (this result)"
};

function estimateTable(result) {
  const last = result.estimates.at(-1);
  return table(
      "estimates",
      [text("estimate"), number("held-out error"), number("training error"), text("impossible bodies")],
      result.estimates.map(
          e =>
              [estimateNames[e.name] + (e === last && e.name !== "constrained" ? " (this result)" : ""),
               share(e.validation_overall_relative), share(e.training_overall_relative),
               e.impossible_bodies.length ?
                   `${e.impossible_bodies.length}: ${e.impossible_bodies.join(", ")}` :
                   "none"]));
}

function bodyTable(result) {
  const centre = p => ["mcx", "mcy", "mcz"].map(name => num(1e3 * p[name] / p.m, 3));
  return table(
      "bodies",
      [
        number("", "number"), text("body"), number("mass [kg]"), number("prior [kg]"),
        number("center of mass [mm]: x", "x [mm]"), number("y", "y [mm]"), number("z", "z [mm]"),
        number("prior [mm]: x", "prior x [mm]"), number("y", "prior y [mm]"), number("z", "prior z [mm]"),
        number("distance from prior", "distance from prior"), {head: "", csv: ["remarks"]}
      ],
      result.bodies.map(
          (body, i) =>
              [String(i + 1), body.name, num(body.parameters.m), num(body.prior.m),
               ...centre(body.parameters), ...centre(body.prior),
               body.distance_to_prior === undefined ? "–" : num(body.distance_to_prior, 2),
               (body.rotor ? "rotor " : "") +
                   (body.merged_links.length ? "with " + body.merged_links.join(", ") : "")]));
}

/// A cell with an interval, or with a word if there is none.
function intervalCell(interval, word) {
  return interval ? {shown: `${digits(interval[0])} … ${digits(interval[1])}`, values: interval} :
                    {shown: word, values: [null, null]};
}

const intervalColumn = head => ({head, kind: "range", csv: ["interval from", "interval to"]});

/// Mass and center of mass of a robot with a floating base, all joints at zero.
function wholeTable(result) {
  const whole = result.whole, unknown = result.uncertainty && result.uncertainty.resamples ? "set by the prior" : "–";
  const row = (name, unit, value, interval, scale) => [
    name, num(scale * value), intervalCell(interval && interval.map(end => scale * end), unknown), unit];
  return table(
      "whole",
      [text("whole robot"), number("value"), intervalColumn(confidenceText(result)), {head: "", kind: "unit"}],
      [
        row("mass", "kg", whole.mass, whole.mass_interval, 1),
        ...["x", "y", "z"].map(
            (axis, i) => row(
                `center of mass in ${whole.frame}, all joints at zero: ${axis}`, "mm", whole.com[i],
                whole.com_interval[i], 1e3))
      ]);
}

/// Weights of kinds of logs, by channel.
function logWeightTable(weights) {
  const kinds = weights.kinds;
  return [
    html("h3", {}, "Weights of the logs"),
    html(
        "p", {},
        `Weight of a squared error by kind of log, ${
            weights.from === "residuals" ? "from the noise of the residuals" : "as given"}; the mean over all training rows of a channel is 1.`),
    table(
        "log_weights",
        [text("channel"), ...kinds.flatMap(kind => [number(`${kind.kind}: noise`), number(`${kind.kind}: weight`)]), {head: "", kind: "unit"}],
        kinds[0].channels.map((channel, c) => [
          channel.channel,
          ...kinds.flatMap(kind => (kind.channels[c].rows > 0 ? [num(kind.channels[c].noise, 3), num(kind.channels[c].relative, 3)] : ["–", "–"])),
          unitText(channel.unit)
        ]))
  ];
}

/// The steps of a model search, then the rejected additions.
function selectionTables(selection) {
  const inErrors = step => (step.standard_errors === null ? "–" : num(step.standard_errors, 2));
  return [
    table(
        "selection",
        [
          text("step"), number("cross-validated error"), number("gain"), number("in standard errors"),
          number("held out")
        ],
        selection.steps.map(
            (step, i) =>
                [step.option, share(step.cross_validated_error), i ? share(step.gain) : "",
                 i ? inErrors(step) : "", share(step.held_out_error)])),
    selection.refused.length ?
        details(
            `${selection.refused.length} refused`,
            table(
                "refused",
                [text("option"), number("gain"), number("in standard errors"), text("reason")],
                selection.refused.map(
                    refusal => [refusal.option, share(refusal.gain), inErrors(refusal), refusal.reason]))) :
        null
  ];
}

/// The interval, or in a word why there is none, the prior's share, and the parts of the interval: standard error and filter.
function certainty(known) {
  if (!known) return [intervalCell(null, "–"), "", num(null), num(null)];
  const prior = share(known.prior_share, 2), parts = [num(known.standard_error ?? null, 2), num(known.systematic ?? null, 2)];
  if (known.set_by_prior) return [intervalCell(null, "set by the prior"), prior, num(null), num(null)];
  return [intervalCell(known.interval, "no interval"), prior, ...parts];
}

const intervalColumns = confidence => [
  intervalColumn(confidence), {head: "", kind: "bars", csv: []}, number("prior share"),
  number("standard error"), number("filter")
];

/// Numbers of one unit on one scale: every entry {value, prior, interval}, the latter two if there are any, as a bar from
/// end to end of the interval, a dot for the value, a ring for the prior and a line at zero.
function intervalBars(entries) {
  const numbers = entries.flatMap(e => [e.value, e.prior, ...(e.interval || [])]).filter(Number.isFinite);
  const low = Math.min(0, ...numbers), high = Math.max(0, ...numbers), width = 170, height = 16, edge = 6;
  const X = scale({low, high}, edge, width - edge);
  return entries.map(e => {
    const words = (e.interval ? `interval ${digits(e.interval[0])} … ${digits(e.interval[1])}, ` : "no interval, ") +
        `value ${digits(e.value)}` + (Number.isFinite(e.prior) ? `, prior ${digits(e.prior)}` : "");
    return svg(
        "svg", {class: "interval", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words},
        svg("title", {}, words), svg("line", {class: "tick", x1: X(0), x2: X(0), y1: 0, y2: height}),
        e.interval ? svg("rect", {
          class: "bar",
          x: X(e.interval[0]) - 0.5,
          y: 4,
          width: Math.max(1, X(e.interval[1]) - X(e.interval[0]) + 1),
          height: 8,
          rx: 2
        }) :
                     null,
        Number.isFinite(e.prior) ? svg("circle", {class: "ring", cx: X(e.prior), cy: 8, r: 4.5}) : null,
        svg("circle", {class: "dot", cx: X(e.value), cy: 8, r: 2.5}));
  });
}

function confidenceText(result) {
  return result.uncertainty ? `${Math.round(100 * result.uncertainty.confidence)} % interval` : "interval";
}

function knownByName(result) {
  return new Map((result.uncertainty ? result.uncertainty.parameters : []).map(p => [p.name, p]));
}

/// Input of intervalBars for one unknown.
function barEntry(value, prior, known) {
  return {value, prior, interval: known && !known.set_by_prior ? known.interval : null};
}

function barLegend() {
  return legend([["bar", "interval"], ["dot", "identified"], ["ring", "prior"]], "mark");
}

/// All inertial parameters against their priors; bars of a body share one scale per unit.
function parameterTable(result) {
  const known = knownByName(result);
  const columns = [
    text("parameter"), number("identified"), number("prior"), number("change"), {head: "", kind: "unit"},
    ...intervalColumns(confidenceText(result))
  ];
  const rows = result.bodies.flatMap(body => {
    const names = Object.keys(body.parameters), bars = new Map();
    for (const unit of new Set(names.map(unitOf))) {
      const alike = names.filter(name => unitOf(name) === unit);
      intervalBars(alike.map(
                       name => barEntry(body.parameters[name], body.prior[name], known.get(`${body.name}.${name}`))))
          .forEach((bar, k) => bars.set(alike[k], bar));
    }
    return [{group: body.name + (body.rotor ? " (rotor)" : "")}, ...names.map(name => {
      const value = body.parameters[name], prior = body.prior[name];
      const [interval, ...parts] = certainty(known.get(`${body.name}.${name}`));
      return [
        symbolOf(name), num(value), num(prior), num(value - prior, 3), unitOf(name), interval, bars.get(name), ...parts
      ];
    })];
  });
  return table("parameters", columns, rows);
}

/// Extra columns; bars of one kind and unit share a scale.
function columnTable(result) {
  const known = knownByName(result), bars = new Map(), kinds = new Set(result.columns.map(c => c.kind + c.unit));
  for (const kind of kinds) {
    const alike = result.columns.filter(c => c.kind + c.unit === kind);
    intervalBars(alike.map(c => barEntry(c.value, null, known.get(c.name)))).forEach((bar, k) => bars.set(alike[k], bar));
  }
  return table(
      "friction",
      [
        text("term"), number("identified"), {head: "", kind: "unit"}, ...intervalColumns(confidenceText(result))
      ],
      result.columns.map(c => {
        const [interval, ...parts] = certainty(known.get(c.name));
        return [c.name, num(c.value), unitText(c.unit), interval, bars.get(c), ...parts];
      }));
}

/// Gains of drives: what the log shows of every unit of true torque.
function gainTable(result) {
  return table(
      "gains",
      [text("gain"), number("measured / true"), intervalColumn(confidenceText(result)), text("identifiable")],
      result.gains.map(
          gain =>
              [gain.joint, num(1 + gain.value), intervalCell(gain.interval && gain.interval.map(end => 1 + end), "–"),
               gain.identifiable ? "yes" : "no"]));
}

/// Filled, half and open circles, as `heft observe` prints them.
function visibilityTables(observability) {
  const circles = {alone: "●", in_combination: "◐", unidentifiable: "○"};
  const groups = new Map();
  for (const parameter of observability.parameters) {
    if (!groups.has(parameter.body)) groups.set(parameter.body, []);
    groups.get(parameter.body).push(parameter);
  }
  return [10, 4]
      .map(count => [...groups].filter(([, parameters]) => parameters.length === count))
      .filter(group => group.length > 0)
      .map(
          group => table(
              group[0][1].length === 10 ? "observability" : "observability_of_rotors",
              [text("body"), ...group[0][1].map(p => ({head: symbolOf(p.name), kind: "circle"}))],
              group.map(
                  ([body, parameters]) =>
                      [body,
                       ...parameters.map(
                           p => html(
                               "span", {title: p.visibility.replace("_", " ")}, circles[p.visibility]))])));
}

/// "m·c_x of a + 0.2 m of b" from an object label -> coefficient.
function combinationText(terms) {
  return Object.entries(terms)
      .map(([label, c], i) => {
        const size = Math.abs(Math.abs(c) - 1) < 1e-12 ? "" : digits(Math.abs(c), 3) + " ";
        return (c < 0 ? (i ? " − " : "−") : i ? " + " : "") + size + label;
      })
      .join("");
}

function baseTable(uncertainty) {
  return table(
      "combinations",
      [text("combination"), number("estimate"), number("standard error"), number("relative")],
      uncertainty.base_parameters.map(
          q =>
              [q.name, num(q.estimate), num(q.standard_error, 2), share(q.relative_standard_deviation, 2)]));
}

function logTable(result) {
  const rows = (logs, role) => logs.map(
      log =>
          [role, log.path.split("/").at(-1), counted(log.rows), num(log.duration_s), num(log.rate_hz),
           counted(log.segments), counted(log.samples)]);
  return table(
      "logs",
      [
        {head: "", csv: ["role"]}, text("log"), number("rows"), number("seconds"), number("rate [Hz]"), number("segments"),
        number("samples used")
      ],
      [...rows(result.logs.training, "training"), ...rows(result.logs.validation, "held out")]);
}

function droppedTable(result) {
  const entries = Object.entries(result.dropped).filter(([, count]) => count > 0);
  if (entries.length === 0) return html("p", {}, "No row was dropped.");
  return table(
      "dropped_rows",
      [text("reason"), number("rows, over all joints")],
      entries.map(([reason, count]) => [reason, counted(count)]));
}

function provenance(result) {
  const p = result.provenance;
  return [
    html(
        "p", {}, `${p.program} ${p.version}, ${p.backend || "from moments"}. Time: `,
        Object.entries(result.timings).map(([stage, t]) => `${stage} ${digits(t.value, 3)} s`).join("; "),
        "."),
    table(
        "inputs",
        [text("input"), text("SHA-256")],
        p.inputs.map(input => [input.path, html("span", {class: "digest"}, input.sha256)])),
    details("all options, as used", html("pre", {}, JSON.stringify(p.options, null, 2)))
  ];
}
