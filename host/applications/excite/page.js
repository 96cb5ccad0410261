// Draws the page of a design from its design.json and samples.

const design = data.design;

const units = angle => angle ?
    {position: "rad", velocity: "rad/s", acceleration: "rad/s²", jerk: "rad/s³", torque: "N m"} :
    {position: "m", velocity: "m/s", acceleration: "m/s²", jerk: "m/s³", torque: "N"};
// what is no joint is a sum of joints
const unitOf = use => units((data.joints.find(joint => joint.name === use.joint) ?? {angle: true}).angle)[use.name];


/// A quantity of a joint over time, with its limits and the moment that is nearest to them.
function limitFigure(use, index, zoom) {
  const values = data[use.name][index];
  if (!values) return null;
  const time = data.time, middle = use.middle || 0;
  const edge = use.limit === null ? Math.max(...values.map(Math.abs), 1e-9) : use.limit;
  const edges = use.limit === null ? [] : [middle - edge, middle + edge];
  const ends = [time[0], time[time.length - 1]];
  const deviations = use.name === "torque" && use.deviations ? data.torque_deviation[index] : null;
  const nearest = time.reduce((best, t, i) => (Math.abs(t - use.at_s) < Math.abs(time[best] - use.at_s) ? i : best), 0);
  const beyond = sign => values.map((value, i) => value + sign * use.deviations * deviations[i]);
  return timeFigure(
      `${use.name} of ${use.joint}: ${percent(use.worst_ratio, 4)} of its limit at ${digits(use.at_s)} s`, unitOf(use),
      [{
        label: use.name,
        height: 130,
        y: {low: middle - 1.08 * edge, high: middle + 1.08 * edge},
        series: [
          {x: time, lower: values, style: "value", name: use.name},
          ...edges.map((value, i) => ({x: ends, lower: [value, value], style: "limit", name: i ? "highest" : "lowest"}))
        ],
        bands: deviations ? [{x: time, lower: beyond(-1), upper: beyond(1)}] : [],
        markers: use.worst_ratio === null ? [] : [{x: use.at_s, y: values[nearest], chosen: true}]
      }],
      zoom);
}

const kinds = ["position", "velocity", "acceleration", "jerk", "torque"];
const figures = html("div", {});
let zoom = new Zoom(data.time);
function drawJoint(index) {
  const range = zoom.range;
  zoom = new Zoom(data.time);
  figures.replaceChildren(
      zoomButtons(zoom),
      ...kinds.map(kind => design.limits.find(use => use.name === kind && use.joint === data.joints[index].name))
          .filter(use => use).map(use => limitFigure(use, index, zoom)).filter(node => node));
  zoom.show(range.low, range.high);
}
const chooser =
    html("select", {"aria-label": "joint"}, data.joints.map((joint, i) => html("option", {value: i}, joint.name)));
chooser.addEventListener("change", () => drawJoint(Number(chooser.value)));
window.addEventListener("resize", () => zoom.show(zoom.range.low, zoom.range.high));

const gained = parameter => parameter.sd_after / parameter.sd_before;
const sorted = [...design.parameters].sort((a, b) => gained(a) - gained(b));
const asBefore = sorted.filter(parameter => gained(parameter) > 0.9);

/// Why a parameter stays at its prior; empty if it does not.
function reason(parameter) {
  if (gained(parameter) <= 0.9) return "";
  return parameter.sd_at_best > 0.9 * parameter.sd_before ? "the prior: no motion of these joints determines it alone" :
                                                            "the prior: this motion is too short or does not excite it";
}

function title() {
  if (design.judged) return design.status === "feasible" ? "Within its limits" : "Not within its limits";
  if (design.status === "feasible") return "Feasible motion";
  return design.status === "budget" ? "No feasible motion within the time budget" : "No feasible motion";
}

function limitTable() {
  const columns = [
    {head: "limit"}, {head: "joint"}, {head: "used", kind: "number"}, {head: "of", kind: "number"}, {head: "unit", kind: "unit"},
    {head: "at [s]", kind: "number"}, {head: ""}
  ];
  const known = design.limits.filter(use => use.limit !== null).sort((a, b) => b.worst_ratio - a.worst_ratio);
  const isSum = use => !data.joints.some(joint => joint.name === use.joint);
  return table("limits", columns, known.filter((use, i) => i < 12 || isSum(use)).map(use => [
    use.name, use.joint, share(use.worst_ratio, 4), num(use.limit), unitOf(use), {shown: momentButton(use.at_s), values: [use.at_s]},
    use.proved ? "verified" : `every ${digits(1e3 * use.step_s, 3)} ms`
  ]));
}

function parameterTable() {
  const columns = [
    {head: "parameter"}, {head: "unit", kind: "unit"}, {head: "before", kind: "number"}, {head: "after", kind: "number"},
    {head: "after / before", kind: "number"}, {head: "set by", kind: "words"}
  ];
  return table("parameters", columns, sorted.map(parameter => [
    parameter.name, unitText(parameter.unit), num(parameter.sd_before, 3), num(parameter.sd_after, 3), share(gained(parameter)),
    reason(parameter) || "the motion"
  ]));
}

/// Expected torque errors for robots drawn from the prior, before and after the motion.
function torqueTable() {
  const columns = [
    {head: "joint"}, {head: "unit", kind: "unit"}, {head: "before", kind: "number"}, {head: "after", kind: "number"},
    {head: "after / before", kind: "number"}
  ];
  return table("torque errors", columns, design.torque_errors.map((error, i) => [
    error.joint, data.joints[i].angle ? "N m" : "N", num(error.sd_before, 3), num(error.sd_after, 3), share(error.sd_after / error.sd_before)
  ]));
}

function longer() {
  const times = design.times_longer_for_half_the_error;
  return times === null ? "A longer motion cannot halve this error." :
      `Halving this error takes ${digits(times, 3)} times as long: ${digits(times * design.motion.duration_s, 3)} s of such motion.`;
}

/// Benefit of the motion: the number of identified parameters and the improvement of predicted torques.
function summary() {
  const told = sorted.filter(parameter => gained(parameter) <= 0.9);
  const middle = told.length ? 1 / gained(told[Math.floor(told.length / 2)]) : 1;
  const size = key => Math.hypot(...design.torque_errors.map(error => error[key] || 0));
  return html("ul", {class: "summary"},
      html("li", {}, html("b", {}, `${told.length} of ${design.parameters.length} parameters`), told.length ?
          ` become more certain, by a median factor of ${digits(middle, 2)}` : " become more certain",
          `: their standard deviation falls by more than a tenth.`),
      size("sd_after") > 0 ? html("li", {}, "Expected error of predicted torques: ",
          html("b", {}, `${digits(size("sd_before") / size("sd_after"), 2)} times smaller`), " than before the motion.") : "",
      html("li", {}, `log det of the information: ${digits(design.log_det, 4)}, ${
          digits(design.log_det - design.log_det_prior, 4)} more than before (natural logarithm; comparable between designs of one robot).`));
}

/// The link nearest to each obstacle and to the floor, with its time.
function obstacleTable() {
  if (!design.obstacles || design.obstacles.length === 0) return "";
  const columns = [{head: "obstacle"}, {head: "nearest link"}, {head: "distance [m]", kind: "number"}, {head: "at [s]", kind: "number"}];
  return table("obstacles", columns, design.obstacles.map(({name, nearest}) => nearest === null ?
      [name, "out of reach", "–", "–"] :
      [name, nearest.link, num(nearest.distance, 3), {shown: momentButton(nearest.at_s), values: [nearest.at_s]}]));
}

/// The smallest distance between two links or a link and its surroundings, with its time.
function clearanceWords() {
  const least = design.min_clearance;
  if (!least) return html("p", {}, "Collisions were not checked: the notes below say why.");
  const how = least.proved ? "verified for all times" : `checked every ${digits(1e3 * least.step_s, 3)} ms`;
  return html(
      "p", {id: "clearance"}, `Clearance ${digits(least.value, 3)} m between ${least.pair[0]} and ${least.pair[1]} at `,
      momentButton(least.at_s), `, ${how}; the required clearance is ${digits(least.wanted, 3)} m.`);
}

const robot = robotMotion(data.skeleton, data.outlines, () => {});
/// A link that moves the view to a moment of the motion.
function momentButton(seconds) {
  const button = html("button", {type: "button", class: "moment", title: "show the robot at this time"}, `${digits(seconds)} s`);
  button.addEventListener("click", () => robot.showTime(seconds));
  return button;
}

document.getElementById("page").append(
    html("h1", {}, title()),
    html(
        "p", {class: "lead"},
        `${design.robot}; ${digits(design.motion.duration_s)} s`),
    summary(),
    design.infeasible_because ? html("p", {class: "serious"}, `Reason: ${design.infeasible_because}.`) : "",
    section("robot", "Robot", null, robot.node, clearanceWords(), obstacleTable()),
    section(
        "limits", "Limits",
        "How close the motion comes to each limit, with the closest joint first. Verified limits also hold between samples; the others were checked at the given time steps. Torques are those of the robot file, plus a margin for its errors.",
        limitTable()),
    section("motion", "Motion", "Dashed lines: limits. Dot: the moment closest to the limit. Band: margin of the torque for errors of the robot file.", html("p", {}, "Joint ", chooser), figures),
    section(
        "parameters", "Identified parameters",
        `Standard deviation of every parameter before and after the motion. ${asBefore.length} of ${
            design.parameters.length} remain set by the prior; the last column says why.`,
        parameterTable()),
    section(
        "torques", "Expected error of torques",
        "Standard deviation of predicted torques caused by unknown parameters, rms over states throughout the limits.", torqueTable(),
        html("p", {id: "longer"}, longer())),
    design.assumed.length ? section("assumed", "Assumed", null, design.assumed.map(note => html("p", {class: "lead"}, note))) : "");
drawJoint(0);
robot.show(0);
