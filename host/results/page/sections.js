// The page, from top to bottom.

/// Color of the block, and the sentence that it begins with.
const LEVELS = {
  green: "Certified, and no serious doubt is open.",
  amber: "Certified, but at least one serious doubt is open. Read the doubts before you use the numbers.",
  red: "No certificate.",
};

function verdictBlock(verdict) {
  return html(
      "section", {id: "verdict", class: "verdict " + verdict.level},
      html("p", {}, html("b", {}, LEVELS[verdict.level])),
      html("p", {}, html("b", {}, "Doubts: "), verdict.doubts.length ? "" : "none."),
      doubtList(verdict.doubts),
      html("p", {}, html("b", {}, "Identified: "), verdict.identified),
      html("p", {}, html("b", {}, "How well: "), verdict.accuracy, verdict.reference ? " " : null, verdict.reference),
      html("p", {}, html("b", {}, "Physics: "), verdict.physics));
}

function tiles(result) {
  const mass = result.bodies.filter(b => !b.rotor).reduce((sum, b) => sum + b.parameters.m, 0);
  const known = result.uncertainty;
  return html(
      "div", {class: "tiles"},
      result.validation ?
          tile(percent(result.validation.overall_relative), "error on held-out logs, relative to the torque") :
          null,
      tile(percent(result.training.overall_relative), "error on the training logs"),
      tile(digits(mass, 4) + " kg", "mass of the moving bodies"),
      known ? tile(
                  `${known.parameters.filter(p => !p.set_by_prior).length} of ${known.parameters.length}`,
                  "parameters determined by the data") :
              null,
      result.certificate ? tile(
                               result.certificate.certified ? "certified" : "not certified",
                               `gap ${digits(result.certificate.gap, 2)} of the cost`) :
                           tile("no certificate", "least squares"));
}

/// A clause that names the links whose shapes are not drawn; empty if all are drawn.
function missingShapes(outlines) {
  if (!outlines || outlines.missing.length === 0) return null;
  return html(
      "p", {class: "hint"},
      `Not drawn because their meshes were not found or not readable: ${outlines.missing.join(", ")}. Name their folder with --package-path.`);
}

function bodiesSection(result, skeleton, outlines) {
  const ofLog = skeleton && skeleton.postures[0].time_s !== null;
  return section(
      "bodies", "The bodies",
      `Each body is drawn as the ellipsoid of uniform density with the same mass, center of mass and inertia, ${
          ofLog ? "in the posture of the log in which the ellipsoids overlap least" : "with all coordinates at zero"}. An ellipsoid that is larger than the real part, or lies beside it, indicates parameters that the data do not determine.`,
      skeleton ?
          [
            legend([["ellipsoid", "identified"], ["prior", "prior (URDF)"]], "ellipse"),
            robotFigure(skeleton, outlines, ["identified", "prior"]), missingShapes(outlines)
          ] :
          null,
      bodyTable(result), result.whole ? wholeTable(result) : null);
}

function knowableSection(result, observability) {
  const parts = [];
  if (observability && observability.error)
    parts.push(html("p", {}, sentence("not analyzed: " + observability.error)));
  if (observability && observability.parameters) {
    parts.push(
        html(
            "p", {},
            `The kinematics alone make ${observability.num_base} of ${
                observability
                    .num_parameters} inertial parameters, or combinations of them, identifiable: `,
            "● alone, ◐ only in combination with others, ○ not at all."),
        ...visibilityTables(observability),
        details(
            `the ${observability.identifiable.length} combinations`,
            html("ul", {}, observability.identifiable.map(terms => html("li", {}, combinationText(terms))))));
  }
  return section(
      "knowable", "Identifiability",
      "Parameters that are identifiable by motion of this robot, independent of data (heft observe).", parts);
}

/// Which known parts standard errors include, if any.
function knownParts(known) {
  const names = {torque_scale: "torque scales", time_offset: "the time between torques and motion"};
  const included = Object.keys(names).filter(part => known.base_parameters.some(quantity => part in quantity));
  if (!included.length) return null;
  return html("p", {}, `Standard errors include errors of ${included.map(part => names[part]).join(" and ")}.`);
}

function conditioningSection(result) {
  const known = result.uncertainty,
        ranks = result.estimates.filter(e => e.rank).map(e => `${e.name} ${e.rank}`);
  const parts = [];
  if (known && known.base_parameters.length) {
    parts.push(html(
        "p", {},
        `The training motion excites ${known.rank} of the ${
            known.base_parameters.length} combinations that are identifiable on this robot (friction included).`));
    if (known.unexcited.length)
      parts.push(
          html("p", {}, "Not excited:"),
          html("ul", {}, known.unexcited.map(direction => html("li", {}, direction))));
    parts.push(
        html(
            "p", {},
            `Standard errors are computed from ${Math.min(known.blocks, 12)} sums of ${
                known.blocks} blocks of the log, each at least ${digits(known.shortest_block_s, 2)} s.`),
        known.calibration ?
            html(
                "p", {},
                `The halves of the logs differ ${digits(known.calibration.ratio, 2)} times as much as their noise explains (p = ${
                    digits(known.calibration.p_value, 2)})` +
                    (known.calibration.widened_by > 1 ?
                         `; standard errors are ${digits(known.calibration.widened_by, 2)} times as large because of this.` :
                         ".")) :
            null,
        known.separate_fits && known.separate_fits.widened_by > 1 ?
            html(
                "p", {},
                `One fit of the logs leaves ${digits(known.separate_fits.ratio, 2)} times as much noise as separate fits of their halves; standard errors are ${
                    digits(known.separate_fits.widened_by, 2)} times as large because of this.`) :
            null,
        knownParts(known), details("all combinations with their standard errors", baseTable(known)));
  }
  if (known && known.no_intervals) parts.push(html("p", {}, sentence("no intervals: " + known.no_intervals)));
  if (ranks.length)
    parts.push(html("p", {}, `Directions that least squares determined from the data: ${ranks.join(", ")}.`));
  if (result.certificate)
    parts.push(
        html("p", {}, `Condition number of the scaled problem: ${digits(result.certificate.condition, 2)}.`));
  return section(
      "conditioning", "Conditioning", "The part of the identifiable parameters that this log excites.", parts);
}

function weightChart(trials, chosen) {
  const errors = trials.map(t => 100 * t.relative_error), low = Math.min(...errors),
        high = Math.max(...errors), air = 0.1 * (high - low) || 1;
  return chart({
    width: Math.min(640, widthOfPage()),
    height: 190,
    label: "held-out error by prior weight",
    x: {low: trials[0].weight / 1.5, high: trials.at(-1).weight * 1.5, label: "weight", logarithmic: true},
    y: {low: low - air, high: high + air},
    series: [{x: trials.map(t => t.weight), lower: errors, style: "residual"}],
    markers:
        trials.map((t, i) => ({x: t.weight, y: errors[i], chosen: Math.abs(t.weight / chosen - 1) < 1e-9}))
  });
}

function priorSection(result) {
  const parts = [], price = result.price_of_physics, cv = result.prior.cross_validation;
  const bounds = result.bounding_ellipsoids;
  if (bounds)
    parts.push(html("h3", {}, "Bounds on the location of mass"), ...bounds.words.map(clause => html("p", {}, sentence(clause))));
  if (price) {
    parts.push(
        html("h3", {}, "The price of physics"), ...price.words.map(clause => html("p", {}, sentence(clause))),
        details(
            "by joint and constraint",
            table(
                "price_by_joint",
                [text("joint"), number("squared error, constrained"), number("unconstrained"), number("ratio")],
                price.channels.map(
                    c =>
                        [c.channel, num(c.cost), num(c.unconstrained_cost), num(c.cost / c.unconstrained_cost, 3)])),
            table(
                "price_by_constraint",
                [text("constraint"), number("price")],
                price.constraints.slice(0, 12).map(c => [c.name, num(c.price, 3)]))));
  }
  parts.push(
      html("h3", {}, "The prior"),
      html(
          "p", {},
          `Measure of the distance from the URDF: ${result.prior.kind}; weight: ${digits(result.prior.weight, 3)}${
              cv ?
                  ", chosen by cross-validation on the training logs; the plot shows the held-out error [%] by weight, with the chosen weight filled" :
                  ""}.`));
  if (cv) parts.push(html("figure", {}, weightChart(cv.trials, result.prior.weight)));
  return section(
      "price", "Physics and prior",
      "The cost of requiring physically consistent bodies, and the strength of the prior from the URDF.", parts);
}

function resultPage(result) {
  document.title = `${result.robot}: identified`;
  const torques = data.traces ? torqueSections(data.traces, result) : null;
  const sections = [
    torques ? torques.torque : null,
    section(
        "errors", "Errors by joint",
        "The prediction error compared with the torque, and the errors of other estimates from the same data.",
        errorTable(result), estimateTable(result)),
    result.selection ?
        section(
            "selection", "How the model was chosen",
            `Selected from ${
                result.selection
                    .options} options by cross-validated error on the training logs (${
                result.selection.folds} folds). Held-out logs were not used.`,
            selectionTables(result.selection)) :
        null,
    torques ? [torques.residual, torques.parts] : null, bodiesSection(result, data.skeleton, data.outlines),
    section(
        "parameters", "Parameters and their priors",
        "Parameters refer to the origin and axes of the body's frame. “Prior share” is the share of a parameter that the URDF determines instead of the data; above 50 % there is no interval, because it would only repeat the prior. “Standard error” contains noise and errors of the URDF; “filter” is the shift caused by the low-pass. The gray line marks zero.",
        barLegend(), parameterTable(result)),
    result.columns.length ?
        section(
            "friction", "Friction and other terms", null, ...frictionFigures(data.traces), ...positionFigures(result), columnTable(result),
            result.gains ? gainTable(result) : null) :
        null,
    knowableSection(result, data.observability), conditioningSection(result), priorSection(result),
    section("rows", "Rows", "Rows that were read, and rows that were not used.", logTable(result), droppedTable(result),
        result.log_weights ? logWeightTable(result.log_weights) : null),
    section("provenance", "Provenance", "Inputs and options that reproduce this result.", provenance(result))
  ].flat().filter(Boolean);
  return {
    draw: torques ? torques.draw : () => {},
    nodes: [
      html("h1", {}, result.robot), html("p", {class: "lead"}, "Inertial parameters identified from logs"),
      verdictBlock(data.verdict), tiles(result),
      html(
          "nav", {},
          sections.map(node => html("a", {href: "#" + node.id}, node.querySelector("h2").textContent))),
      ...sections
    ]
  };
}

const built =
    data.results.length === 2 ? comparisonPage(data.results, data.names, data) : resultPage(data.results[0]);
document.getElementById("page").append(...built.nodes.filter(Boolean));
built.draw();
window.addEventListener(
    "beforeprint", () => document.querySelectorAll("details:not(:has(pre))").forEach(node => {
      node.open = true;
    }));
