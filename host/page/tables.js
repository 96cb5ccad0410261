// Tables of one result: errors, bodies, parameters, what can be known, rows, provenance.

const number = head => ({head, kind: "number"}), text = head => ({head});

const parameterUnits = {
  m: "kg",
  mcx: "kg m",
  mcy: "kg m",
  mcz: "kg m"
};
const unitOf = name => unitText(parameterUnits[name] || "kg m^2");

/// "mcx" -> "m c_x", as in the text books.
const symbolOf = name => name.replace(/^mc(.)$/, "m·c$1");

function errorTable(result) {
  const heldOut = result.validation, fits = heldOut ? [heldOut, result.training] : [result.training];
  const columns = [
    text("joint"),
    ...fits.flatMap(
        (_, i) =>
            [number(`error, rms${heldOut ? (i ? " (training)" : " (held out)") : ""}`), number("torque, rms"),
             number("relative"), number("rows")]),
    {head: "", kind: "unit"}
  ];
  return table(
      columns,
      fits[0].per_channel.map(
          (channel, j) =>
              [channel.channel, ...fits.flatMap(fit => {
                const f = fit.per_channel[j];
                return [
                  digits(f.rms_error, 3), digits(f.rms_torque, 3), percent(f.rms_error / f.rms_torque),
                  f.rows.toLocaleString("en")
                ];
              }),
               unitText(channel.unit)]));
}

const estimateNames = {
  ols: "ordinary least squares",
  wls: "weighted least squares",
  constrained: "physical, with prior (this result)"
};

function estimateTable(result) {
  const last = result.estimates.at(-1);
  return table(
      [text("estimate"), number("error, held out"), number("error, training"), text("impossible bodies")],
      result.estimates.map(
          e =>
              [estimateNames[e.name] + (e === last && e.name !== "constrained" ? " (this result)" : ""),
               percent(e.validation_overall_relative), percent(e.training_overall_relative),
               e.impossible_bodies.length ?
                   `${e.impossible_bodies.length}: ${e.impossible_bodies.join(", ")}` :
                   "none"]));
}

function bodyTable(result) {
  const centre = p => ["mcx", "mcy", "mcz"].map(name => digits(1e3 * p[name] / p.m, 3));
  return table(
      [
        number(""), text("body"), number("mass [kg]"), number("prior [kg]"), number("centre of mass [mm]: x"),
        number("y"), number("z"), number("prior [mm]: x"), number("y"), number("z"), text("")
      ],
      result.bodies.map(
          (body, i) =>
              [String(i + 1), body.name, digits(body.parameters.m), digits(body.prior.m),
               ...centre(body.parameters), ...centre(body.prior),
               (body.rotor ? "rotor " : "") +
                   (body.merged_links.length ? "with " + body.merged_links.join(", ") : "")]));
}

/// The steps of a model that was left to the data, then what was refused.
function selectionTables(selection) {
  const inErrors = step => (step.standard_errors === null ? "–" : digits(step.standard_errors, 2));
  return [
    table(
        [
          text("step"), number("cross-validated error"), number("gain"), number("in standard errors"),
          number("held out")
        ],
        selection.steps.map(
            (step, i) =>
                [step.option, percent(step.cross_validated_error), i ? percent(step.gain) : "",
                 i ? inErrors(step) : "", percent(step.held_out_error)])),
    selection.refused.length ?
        details(
            `${selection.refused.length} refused`,
            table(
                [text("option"), number("gain"), number("in standard errors"), text("reason")],
                selection.refused.map(
                    refusal => [refusal.option, percent(refusal.gain), inErrors(refusal), refusal.reason]))) :
        null
  ];
}

/// Interval, or in a word why there is none.
function certainty(known) {
  if (!known) return ["–", ""];
  const share = percent(known.prior_share, 2);
  if (known.set_by_prior) return ["set by the prior", share];
  return [
    known.interval ? `${digits(known.interval[0])} … ${digits(known.interval[1])}` : "no interval", share
  ];
}

/// All inertial parameters against their priors.
function parameterTable(result) {
  const known = new Map((result.uncertainty ? result.uncertainty.parameters : []).map(p => [p.name, p]));
  const confidence =
      result.uncertainty ? `${Math.round(100 * result.uncertainty.confidence)} % interval` : "interval";
  const columns = [
    text("parameter"), number("identified"), number("prior"), number("change"), {head: "", kind: "unit"},
    text(confidence), number("prior decides")
  ];
  const rows = result.bodies.flatMap(
      body =>
          [{group: body.name + (body.rotor ? " (rotor)" : "")}, ...Object.keys(body.parameters).map(name => {
            const value = body.parameters[name], prior = body.prior[name];
            return [
              symbolOf(name), digits(value), digits(prior), digits(value - prior, 3), unitOf(name),
              ...certainty(known.get(`${body.name}.${name}`))
            ];
          })]);
  return table(columns, rows);
}

function columnTable(result) {
  const known = new Map((result.uncertainty ? result.uncertainty.parameters : []).map(p => [p.name, p]));
  return table(
      [
        text("term"), number("identified"), {head: "", kind: "unit"}, text("interval"),
        number("prior decides")
      ],
      result.columns.map(c => [c.name, digits(c.value), unitText(c.unit), ...certainty(known.get(c.name))]));
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
      [text("combination"), number("estimate"), number("standard error"), number("relative")],
      uncertainty.base_parameters.map(
          q =>
              [q.name, digits(q.estimate), digits(q.standard_error, 2),
               percent(q.relative_standard_deviation, 2)]));
}

function logTable(result) {
  const rows = (logs, role) => logs.map(
      log =>
          [role, log.path.split("/").at(-1), log.rows.toLocaleString("en"), digits(log.duration_s),
           digits(log.rate_hz), String(log.segments), log.samples.toLocaleString("en")]);
  return table(
      [
        text(""), text("log"), number("rows"), number("seconds"), number("rate [Hz]"), number("segments"),
        number("samples used")
      ],
      [...rows(result.logs.training, "training"), ...rows(result.logs.validation, "held out")]);
}

function droppedTable(result) {
  const entries = Object.entries(result.dropped).filter(([, count]) => count > 0);
  if (entries.length === 0) return html("p", {}, "No row was dropped.");
  return table(
      [text("reason"), number("rows, over all joints")],
      entries.map(([reason, count]) => [reason, count.toLocaleString("en")]));
}

function provenance(result) {
  const p = result.provenance;
  return [
    html(
        "p", {}, `${p.program} ${p.version}, ${p.backend || "from moments"}. `,
        Object.entries(result.timings).map(([stage, t]) => `${stage}: ${digits(t.value, 3)} s`).join("; "),
        "."),
    table(
        [text("input"), text("SHA-256")],
        p.inputs.map(input => [input.path, html("span", {class: "digest"}, input.sha256)])),
    details("every option, as used", html("pre", {}, JSON.stringify(p.options, null, 2)))
  ];
}
