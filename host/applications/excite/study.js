// Draws the page of a study from its study.json.

const page = document.getElementById("page");
const path = text => encodeURI(text).replaceAll("#", "%23").replaceAll("?", "%3F");
const isWritten = design => design.digest !== null;

/// A design's name, which links to its page if there is one.
function designName(design) {
  return isWritten(design) ? html("a", {href: path(design.folder + "/report.html")}, design.name) : design.name;
}

/// A design's name for a page, and for the table's file.
function named(design) { return {shown: designName(design), values: [design.name]}; }

function limitWords(limit) {
  return limit === null ? "–" : `${limit.name} of ${limit.joint}: ${percent(limit.worst_ratio, 4)}`;
}

const gained = design => (design.log_det === null || design.log_det_prior === null ? NaN : design.log_det - design.log_det_prior);
const bestOf = robot => robot.designs.find(design => design.name === robot.best) ?? null;

/// One row per robot with its best design.
function bestTable() {
  const columns = [
    {head: "robot"}, {head: "best design"}, {head: "options"}, {head: "log det", kind: "number"}, {head: "gained", kind: "number"},
    {head: "duration [s]", kind: "number"}, {head: "torque error", kind: "number"}, {head: "closest limit"}, {head: "feasible", kind: "number"}
  ];
  return table("best designs", columns, data.robots.map(robot => {
    const best = bestOf(robot), feasible = robot.designs.filter(design => design.status === "feasible").length;
    const counts = {shown: `${feasible} of ${robot.designs.length}`, values: [feasible]};
    if (!best) return [robot.name, "none is feasible", "", "–", "–", "–", "–", "–", counts];
    return [robot.name, named(best), best.options, num(best.log_det, 6), num(gained(best), 5), num(best.duration_s),
      share(best.torque_error), limitWords(best.closest_limit), counts];
  }));
}

/// All designs of one robot.
function designTable(robot) {
  const columns = [
    {head: "design"}, {head: "options"}, {head: "status"}, {head: "log det", kind: "number"}, {head: "gained", kind: "number"},
    {head: "vs best", kind: "number"}, {head: "torque error", kind: "number"}, {head: "duration [s]", kind: "number"}, {head: "closest limit"}
  ];
  return table("designs of " + robot.name, columns, robot.designs.map(design => [
    named(design), design.options, design.name === robot.best ? html("b", {}, "best") : design.status, num(design.log_det ?? NaN, 6),
    num(gained(design), 5), num(design.efficiency_vs_best ?? NaN, 3), share(design.torque_error ?? NaN), num(design.duration_s ?? NaN),
    limitWords(design.closest_limit)
  ]));
}

/// Reasons of designs without a feasible motion.
function reasons(robot) {
  const without = robot.designs.filter(design => design.error !== null || design.infeasible_because !== null);
  return without.length === 0 ? null : html("ul", {class: "errors"},
      without.map(design => html("li", {}, html("b", {}, design.name), ": " + (design.error ?? design.infeasible_because))));
}

const counts = Object.entries(data.totals).filter(([, number]) => number > 0).map(([state, number]) => `${number} ${state}`);
page.append(
    html("h1", {}, `A study of ${data.robots.length} ${data.robots.length === 1 ? "robot" : "robots"}`),
    html("p", {class: "lead"}, `Designs: ${counts.join(", ")}; heft ${data.heft}`),
    section("best", "Best designs", "The feasible design of each robot that gains most information (log det after minus before the motion, " +
        "natural logarithm). A name links to its page. Torque error: expected error of predicted torques relative to that before the motion.",
        bestTable()));
for (const robot of data.robots)
  page.append(section("robot-" + robot.name, robot.name,
      robot.comparable ? null : "These designs have different priors (beliefs, columns or moments), so only the information gained compares them.",
      designTable(robot), reasons(robot)));
