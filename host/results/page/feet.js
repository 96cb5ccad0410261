// Forces of the ground: the six equations of the base, forces on feet, and the times of contacts.

/// Stretches [from, to] of time in which an envelope of zeros and ones reaches 1.
function stretchesOf(envelope, time, gaps) {
  const stretches = [], values = envelope.upper || envelope.lower;
  for (let k = 0; k < values.length; ++k) {
    if (!(values[k] > 0.5)) continue;
    const isLast = k + 1 === values.length || gaps.has(k + 1);
    const end = isLast ? time[k] + (k > 0 && !gaps.has(k) ? time[k] - time[k - 1] : 0) : time[k + 1];
    const before = stretches.at(-1);
    if (before && before[1] === time[k] && !gaps.has(k))
      before[1] = end;
    else
      stretches.push([time[k], end]);
  }
  return stretches;
}

/// A bar under the time axis: contacts, extended by their margins.
function contactRow(foot, label, time, gaps) {
  return {
    label,
    height: 24,
    series: [],
    y: {low: 0, high: 1, hidden: true},
    strips: [
      ...stretchesOf(foot.in_contact, time, gaps).map(([from, to]) => [from, to, "margin"]),
      ...stretchesOf(foot.in_contact_unwidened, time, gaps).map(([from, to]) => [from, to, "touch"])
    ]
  };
}

/// Shares of contacts without sensors.
function contactTable(contacts) {
  return table(
      "contacts",
      [text("contact"), number("share of the time, with margin"), number("information that a sensor would add")],
      contacts.map(c => [c.frame, share(c.share_of_time), share(c.information_lost)]));
}

const stateWords = {
  flag: "from the log's column",
  threshold: "from the threshold of its force",
  residuals: "from the residuals (auto)"
};

function footFigures(foot, time, gaps, zoom, series) {
  const how = foot.measured ? "measured" : `computed, contact ${stateWords[foot.state]}`;
  const figure = (kind, unit, parts) =>
      parts.length === 0 ? null : timeFigure(`${foot.name}: ${kind} on the robot in the axes of ${foot.frame}, ${how}`, unit, [
        {
          label: kind,
          height: 130,
          series: parts.map(part => series(part.envelope, "part" + "xyz".indexOf(part.component[1]), part.component))
        },
        ...(foot.in_contact ? [contactRow(foot, "contact", time, gaps)] : [])
      ], zoom);
  return [
    figure("force", "N", foot.wrench.filter(part => part.component[0] === "f")),
    figure("torque", "N m", foot.wrench.filter(part => part.component[0] === "n"))
  ];
}

/// The sections "Base" and "Feet"; none for a robot with a fixed base.
function groundSections(traces, result, zoom, gaps, series) {
  const base = traces.channels.filter(channel => channel.base), feet = traces.feet || [];
  const unmeasured = feet.filter(foot => !foot.measured), time = traces.time_s;
  const root = result.whole ? result.whole.frame : "the base";
  const isCompared = base.some(channel => channel.measured.lower.some(value => value !== null));
  const widened = [...new Set(unmeasured.map(foot => `${digits(1e3 * foot.widen_s, 3)} ms`))].join(", ");
  return [
    base.length && isCompared ?
        section(
            "base", "Forces on the base",
            `No motor drives the root link ${root}: gravity and the forces on the feet alone accelerate the robot. These are the six equations of force and torque at the origin of ${
                root}, in its axes. “Exerted” is what the feet exert, “needed” what the identified bodies need for the motion.${
                unmeasured.length ?
                    " The forces of feet without sensors are computed from the same equations and those of the joints, so the error is smaller than with sensors." :
                    ""}`,
            legend([
              ["measured", "exerted by the feet"], ["predicted", "needed by the bodies"],
              ["residual", "error: exerted minus needed (own scale)"]
            ]),
            zoomButtons(zoom),
            base.map(channel => torqueFigure(channel, ["exerted", "needed"], zoom, series))) :
        null,
    feet.length ?
        section(
            "feet", "Forces on the feet",
            `Forces and torques of the surroundings on the robot, at the origin of the link and in its axes.${
                unmeasured.length ?
                    ` Computed ones explain the torques of each sample best; they are no measurement. Bars show when a foot touches the ground, and in a lighter color the margin that extends every contact (widen_s: ${
                        widened}).` :
                    ""}`,
            legend([["part0", "x"], ["part1", "y"], ["part2", "z"]]), zoomButtons(zoom),
            unmeasured.length > 1 ?
                timeFigure(
                    "Contacts", "", unmeasured.map(foot => contactRow(foot, foot.name, time, gaps)), zoom) :
                null,
            feet.flatMap(foot => footFigures(foot, time, gaps, zoom, series)),
            result.contacts ? contactTable(result.contacts) : null) :
        null
  ];
}
