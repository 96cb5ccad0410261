// Draws the page of a fleet from fleet.json, with differences from the population.

const robots = data.robots, totals = data.totals;
const page = document.getElementById("page");
const atOnce = 200;  // rows of a table that a browser draws without a wait

/// Distribution of a value over the robots: bins of equal ratios.
function histogram(name, values, label) {
  const positive = values.filter(value => value > 0).sort((a, b) => a - b);
  if (positive.length < 2) return null;
  const low = Math.log10(positive[0]), high = Math.log10(positive[positive.length - 1]);
  const count = Math.min(30, Math.max(5, Math.ceil(Math.sqrt(positive.length)))), width = 480, height = 130, base = height - 22;
  const bins = Array(count).fill(0);
  for (const value of positive)
    ++bins[Math.min(count - 1, Math.floor((Math.log10(value) - low) / ((high - low) || 1) * count))];
  const most = Math.max(...bins), x = k => 30 + k / count * (width - 60);
  const node = svg("svg", {class: "histogram", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name});
  bins.forEach((number, k) => {
    const tall = number / most * (base - 16);
    const at = q => 10 ** (low + (high - low) * q / count);
    node.append(svg("rect", {x: x(k) + 0.5, y: base - tall, width: x(1) - x(0) - 1, height: tall},
        svg("title", {}, `${number} ${number === 1 ? "robot" : "robots"}, ${label(at(k))} to ${label(at(k + 1))}`)));
  });
  node.append(svg("path", {class: "frame", d: `M30 ${base}H${width - 30}`}), svg("text", {x: 30, y: height - 6}, label(10 ** low)),
      svg("text", {x: width - 30, y: height - 6, "text-anchor": "end"}, label(10 ** high)),
      svg("text", {x: 30, y: 10}, `at most ${most} ${most === 1 ? "robot" : "robots"} per bar; median ${label(positive[Math.floor(positive.length / 2)])}`));
  return html("figure", {}, html("figcaption", {}, html("b", {}, name)), node);
}

/// Sources of a robot's prior.
function priorOf(robot) {
  if (!robot.prior) return robot.digest === null ? null : "robot file";
  const released = robot.prior.released.map(part => part.group);
  return released.length > 0 ? `its own file, because it differs from the population in ${released.join(", ")}` : `${robot.prior.robots} other robots`;
}

/// Priors of the fleet's results.
function wordsAboutPriors() {
  const answered = robots.filter(robot => robot.digest !== null), asked = answered.filter(robot => robot.prior);
  const released = asked.filter(robot => robot.prior.released.length > 0);
  if (answered.length === 0) return null;
  if (asked.length === 0) return "Prior: each robot's own file.";
  return `Prior: population, for ${asked.length} of ${answered.length} robots` +
      (released.length > 0 ? ` (with the robot's own file for parts that differ: ${released.length})` : "") +
      (asked.length < answered.length ? "; the others use the robot's own file." : ".");
}

/// A robot's name, which links to its own result if there is one.
function robotName(robot) {
  if (!robot.result) return robot.id;
  const file = robot.result.replace("result.json", data.pages ? "report.html" : "result.json");
  return html("a", {href: encodeURI(file).replaceAll("#", "%23").replaceAll("?", "%3F")}, robot.id);
}

/// A table of robots that sorts by its headers and filters rows by text.
function robotTable() {
  const columns = [
    ["robot", r => r.id], ["state", r => r.state], ["verdict", r => r.verdict], ["held-out error", r => r.held_out, percent],
    ["training error", r => r.training, percent], ["certified", r => (r.certified === null ? null : r.certified ? "yes" : "no")],
    ["doubts", r => r.doubts.join(" ")], ["recorded", r => r.recorded],
    ...(robots.some(r => r.prior) ? [["prior", priorOf]] : []),
    ...(robots.some(r => r.gate) ? [["gate", r => (r.gate ? r.gate.decision : null)]] : []),
  ];
  let sorted = 0, sign = 1, words = "";
  const body = html("tbody", {}), hint = html("span", {class: "hint"});
  const cell = (robot, [head, value, shown]) => {
    const is = value(robot);
    if (head === "robot") return html("td", {}, robotName(robot));
    const name = head === "state" ? "state-" + is : head === "gate" ? is : shown ? "number" : null;
    return html("td", {class: name, title: head === "gate" && robot.gate ? robot.gate.reasons.join("; ") : null},
        shown ? shown(is) : is === null ? "–" : String(is));
  };
  const text = robot => columns.map(([, value]) => value(robot)).join(" ").toLowerCase();
  function draw() {
    const value = columns[sorted][1];
    const rank = v => (v === null || v === undefined || v === "" ? 1 : 0);
    const shown = robots.filter(robot => text(robot).includes(words)).sort((a, b) => {
      const p = value(a), q = value(b);
      if (rank(p) || rank(q)) return rank(p) - rank(q);
      return sign * (typeof p === "number" ? p - q : String(p).localeCompare(String(q), "en", {numeric: true}));
    });
    body.replaceChildren(...shown.slice(0, atOnce).map(robot => html("tr", {}, columns.map(column => cell(robot, column)))));
    hint.textContent = shown.length > atOnce ? `the first ${atOnce} of ${shown.length} robots` : `${shown.length} robots`;
    heads.forEach((head, k) => {
      head.className = "sortable" + (columns[k][2] ? " number" : "") + (k === sorted ? (sign > 0 ? " up" : " down") : "");
      head.setAttribute("aria-sort", k === sorted ? (sign > 0 ? "ascending" : "descending") : "none");
    });
  }
  const heads = columns.map(([head], k) => {
    const node = html("th", {tabindex: 0}, head);
    const turn = () => {
      sign = k === sorted ? -sign : 1;
      sorted = k;
      draw();
    };
    node.addEventListener("click", turn);
    node.addEventListener("keydown", event => {
      if (event.key === "Enter") turn();
    });
    return node;
  });
  const find = html("input", {type: "search", placeholder: "amber, arm-17, payload ..", "aria-label": "show robots with this text"});
  find.addEventListener("input", () => {
    words = find.value.toLowerCase();
    draw();
  });
  draw();
  return [html("div", {class: "find"}, find, hint, html("a", {href: "fleet.csv"}, "fleet.csv has all robots and numbers")),
    html("div", {class: "scroll"}, html("table", {id: "robots-table"}, html("thead", {}, html("tr", {}, heads)), body))];
}

const level = totals.failed + totals.missing > 0 ? "red" : totals.doubted > 0 ? "amber" : "green";
const held = robots.filter(robot => robot.gate && robot.gate.decision === "hold");
page.append(
    html("h1", {}, `A fleet of ${totals.robots} robots`),
    html("p", {class: "lead"}, `${totals.logs} logs; heft ${data.version}`),
    html("p", {id: "priors"}, wordsAboutPriors()),
    html("div", {class: "verdict " + level},
        html("p", {}, `${totals.done} done, ${totals.failed} failed, ${totals.missing} missing; ${totals.certified} certified, ` +
            `${totals.doubted} in doubt.`)),
    html("div", {class: "tiles"}, tile(totals.done, "done"), tile(totals.failed, "failed"), tile(totals.missing, "missing"),
        tile(totals.certified, "certified"), tile(totals.doubted, "in doubt"),
        robots.some(r => r.gate) ? tile(robots.length - held.length, "promoted") : null));

/// Robots without a good result and the reasons: failures, missing robots, serious doubts, then the gate.
function attention() {
  const troubles = robots.map(robot => {
    if (robot.error) return [0, robot, robot.error];
    if (robot.state === "missing") return [1, robot, "some of its logs have not been read yet: run the fleet again"];
    if (robot.doubts.length > 0) return [2, robot, "in doubt: " + robot.doubts.join(", ")];
    if (robot.gate && robot.gate.decision === "hold") return [3, robot, "held: " + robot.gate.reasons.join("; ")];
    return null;
  }).filter(trouble => trouble).sort((a, b) => a[0] - b[0]);
  return [...data.errors.map(words => html("li", {}, words)), ...troubles.slice(0, atOnce).map(([, robot, words]) =>
      html("li", {}, html("b", {}, robotName(robot)), "\n" + words)),
    ...(troubles.length > atOnce ? [html("li", {}, `and ${troubles.length - atOnce} more robots: see the table`)] : [])];
}
const troubles = attention();
if (troubles.length > 0)
  page.append(section("failures", "Robots that need attention", "Failures come first. Running the fleet again processes only failed and missing robots.",
      html("ul", {class: "errors"}, troubles)));

page.append(section("robots", "Robots", "Click a column heading to sort; a robot's name links to its own result.", ...robotTable()));

page.append(section("errors", "Distribution of errors", "Relative torque errors of all robots, in bins of equal ratios.",
    html("div", {class: "pair"}, histogram("held-out error", robots.map(r => r.held_out), percent),
        histogram("training error", robots.map(r => r.training), percent))));

const counts = new Map();
for (const robot of robots)
  for (const id of robot.doubts) counts.set(id, [...(counts.get(id) || []), robot.id]);
page.append(section("doubts", "Doubts and certificates", `${totals.certified} of ${totals.done + totals.failed} robots have a certified result.`,
    counts.size === 0 ? html("p", {}, "No serious doubt is open.") :
        table("doubts", [{head: "doubt"}, {head: "robots", kind: "number"}, {head: "among them", kind: "weak"}],
            [...counts].sort((a, b) => b[1].length - a[1].length)
                .map(([id, ids]) => [id, counted(ids.length), ids.slice(0, 5).join(", ") + (ids.length > 5 ? ", .." : "")]))));

page.append(section("outliers", "Outliers", "Robots that differ from the median of their model by more than four standard deviations of " +
    "that model, where their own intervals confirm the difference.",
    data.outliers.length === 0 ? html("p", {}, "None, or fewer than eight robots of one model.") :
        table("outliers", [{head: "robot"}, {head: "quantity"}, {head: "value", kind: "number"}, {head: "population median", kind: "number"},
            {head: "", kind: "unit"}, {head: "sigma", kind: "number"}],
        data.outliers.slice(0, atOnce).map(o => [o.id, o.quantity, num(o.value), num(o.median), o.unit === "1" ? "" : o.unit, num(o.sigma, 3)]))));

const changes = robots.flatMap(robot => (robot.changes || []).map(words => [robot.id, words]));
page.append(section("history", "History", "Changes between recording days that exceed the intervals of each day.",
    changes.length === 0 ? html("p", {}, "No changes, or the logs have no dates.") :
        table("history", [{head: "robot"}, {head: "change"}], changes.slice(0, atOnce))));

const notes = robots.flatMap(robot => robot.notes.map(words => html("li", {}, html("b", {}, robot.id + ": "), words)));
if (notes.length > 0) page.append(section("notes", "Notes", null, html("ul", {}, notes.slice(0, atOnce))));
