// The page of heft watch: draws what the server sends. Memory is bounded: one minute of torques, ten minutes of states.

const SHOWN_S = 60, MOST_STATES = 600, MOST_EVENTS = 300, REDRAW_MS = 500, STALE_MS = 3000;

const live = {
  time: [],
  measured: data.channels.map(() => []),
  predicted: data.channels.map(() => []),
  states: [],
  events: [],
  answer: null,
  newest: performance.now(),
  connected: false,
  ended: false,
  paused: false,
};

/// Unit and digits of a change: gains in percent, zeros in degrees.
function sizeOf(what, value) {
  const [kind, ...rest] = what.split(" "), channel = data.channels.find(c => c.name === rest.join(" "));
  const torque = channel ? channel.unit : "N m", isAngle = torque === "N m";
  const units = {
    gain: [100, "%"],
    zero: isAngle ? [180 / Math.PI, "°"] : [1, "m"],
    payload: [1, "kg"],
    gravity: [1, "m/s²"],
    viscous: [1, isAngle ? "N m s/rad" : "N s/m"],
    coulomb: [1, torque],
    offset: [1, torque],
    contact: [1, torque],
  };
  const [factor, unit] = units[kind] || [1, ""];
  return value === null || value === undefined ? "–" : `${digits(factor * value, 3)} ${unit}`.trim();
}

/// Times that count from 1970 keep their digits.
function timeText(value) { return Math.abs(value) >= 1e6 ? value.toFixed(2) : digits(value, 7); }
function timeCell(value) { return {shown: Number.isFinite(value) ? timeText(value) : "–", values: [value]}; }

function changes() { return live.events.filter(line => line.type === "change"); }

/// Verdict against a baseline, if there is one.
function verdictOf(line) { return typeof line.verdict === "string" ? line.verdict : ""; }

/// Keeps the rows of the last minute; clears them if the clock jumps back.
function addRows(rows) {
  const n = data.channels.length;
  for (const row of rows) {
    if (live.time.length && row[0] < live.time[live.time.length - 1])
      for (const list of [live.time, ...live.measured, ...live.predicted]) list.length = 0;
    live.time.push(row[0]);
    for (let c = 0; c < n; ++c) {
      live.measured[c].push(row[1 + c]);
      live.predicted[c].push(row[1 + n + c]);
    }
  }
  const old = lowerBound(live.time, live.time[live.time.length - 1] - SHOWN_S);
  for (const list of [live.time, ...live.measured, ...live.predicted]) list.splice(0, old);
}

function addLine(line) {
  const list = line.type === "state" ? live.states : live.events;
  if (list === live.states && list.length && line.t < list[list.length - 1].t) list.length = 0;  // the clock jumped back
  list.push(line);
  list.splice(0, list.length - (line.type === "state" ? MOST_STATES : MOST_EVENTS));
}

function clear() {
  for (const list of [live.time, ...live.measured, ...live.predicted, live.states, live.events]) list.length = 0;
  live.answer = null;
}

/// "on", "late" or "off", and the words for it.
function connection() {
  if (live.ended) return ["off", "heft watch has ended; the page shows its last lines"];
  if (!live.connected) return ["off", "not connected; trying again"];
  const idle = performance.now() - live.newest;
  return idle > STALE_MS ? ["late", `no samples for ${digits(idle / 1000, 2)} s`] : ["on", "live"];
}

function verdictWords() {
  const state = live.states[live.states.length - 1], found = changes();
  if (!state) return ["amber", "Waiting for samples."];
  const proof = state.certified ? "Certified." : "No certificate yet.";
  if (!found.length) return [state.certified ? "green" : "amber", `${proof} No change was found.`];
  const last = found[found.length - 1];
  return [
    "amber", `${proof} ${found.length === 1 ? "One change was found" : `${found.length} changes were found`}; the newest: ${
                 last.what}, ${sizeOf(last.what, last.size)}, since ${timeText(last.onset_s)} s.`
  ];
}

function tile(value, text, isOld) {
  return html("div", {class: isOld ? "tile old" : "tile"}, html("b", {}, value), html("span", {}, text));
}

function tiles() {
  const state = live.states[live.states.length - 1] || {}, [mark, words] = connection(), old = mark !== "on";
  const boxes = [
    tile(Number.isFinite(state.t) ? timeText(state.t) + " s" : "–", `time of the newest state; ${words}`, old),
    tile(percent(state.error_relative ?? NaN), "rms error relative to the torque", old),
    tile(state.certified ? "certified" : "no certificate",
         `parameters, ${state.age_ms === null || state.age_ms === undefined ? "none yet" : digits(state.age_ms, 3) + " ms old"}`, old),
    tile(state.latency_us ? digits(state.latency_us, 3) + " µs" : "–", "CPU time per sample (median)", old),
  ];
  if (verdictOf(state))
    boxes.push(tile(verdictOf(state), `baseline${state.left && state.left.length ? ", outside the bounds: " + state.left.join(", ") : ""}`, old));
  if (state.dropped) boxes.push(tile(String(state.dropped), "lines dropped on standard output", old));
  return boxes;
}

function eventRow(line) {
  const interval = line.interval ? line.interval.map(value => sizeOf(line.what, value)).join(" to ") : "–";
  return [timeCell(line.t), line.what, sizeOf(line.what, line.size), interval, timeCell(line.onset_s), verdictOf(line)];
}

function drawChanges(node) {
  const found = changes().slice().reverse(), errors = live.events.filter(line => line.type === "error").slice().reverse();
  const hasVerdicts = found.some(line => verdictOf(line));
  const columns = [
    {head: "noticed [s]", kind: "number"}, {head: "what"}, {head: "size", kind: "number"}, {head: "95 % interval"},
    {head: "since [s]", kind: "number"}
  ];
  if (hasVerdicts) columns.push({head: "verdict"});
  node.replaceChildren(
      ...[found.length ? table("changes", columns, found.map(line => eventRow(line).slice(0, columns.length))) :
                         html("p", {}, "No change was found."),
          errors.length ? details(
                              `Skipped input: ${errors.length} ${errors.length === 1 ? "line" : "lines"}`,
                              table("errors", [{head: "t [s]", kind: "number"}, {head: "what"}],
                                    errors.map(line => [timeCell(line.t), line.what]))) :
                          null].filter(part => part !== null));
}

/// Returns whether the element is in or near the window; others need not be drawn.
function isInView(node) {
  const box = node.getBoundingClientRect();
  return box.bottom > -200 && box.top < innerHeight + 200;
}

function torqueFigure(channel, c) {
  const value = html("span", {}), holder = html("div", {});
  const figure = html("figure", {}, html("figcaption", {}, html("span", {}, html("b", {}, channel.name), ` [${channel.unit}]`), value), holder);
  const draw = () => {
    if (!live.time.length || !isInView(figure)) return;
    const end = live.time[live.time.length - 1], time = live.time.map(t => t - end), x = {low: -SHOWN_S, high: 0}, width = Math.max(280, holder.clientWidth);
    const residual = live.measured[c].map((value, k) => value - live.predicted[c][k]);
    const pair = [
      {x: time, lower: live.measured[c], style: "measured"}, {x: time, lower: live.predicted[c], style: "predicted"}
    ];
    const rest = [{x: time, lower: residual, style: "residual"}];
    holder.replaceChildren(
        chart({width, height: 120, label: `torque of ${channel.name}`, x: {...x, label: null}, y: valueRange(pair, x), series: pair}),
        chart({width, height: 76, label: `error of ${channel.name}`, x: {...x, label: "s"}, y: valueRange(rest, x), series: rest}));
    value.textContent = digits(live.measured[c][live.measured[c].length - 1], 3);
  };
  return {figure, draw};
}

function drawError(node) {
  const states = live.states.filter(state => state.error_relative !== null);
  if (states.length < 2 || !isInView(node)) return;
  const end = states[states.length - 1].t, time = states.map(state => state.t - end), series = [{x: time, lower: states.map(state => 100 * state.error_relative), style: "residual"}];
  const x = {low: time[0], high: time[time.length - 1]};
  node.replaceChildren(chart(
      {width: widthOfPage(), height: 130, label: "relative error over time", x: {...x, label: "s"}, y: {...valueRange(series, x), low: 0}, series}));
}

/// Returns cells with an identified value, its interval and its newest value.
function comparison(known, identified, now) {
  const interval = known.interval, isInside = interval && now !== null && now >= interval[0] && now <= interval[1];
  const place = now === null || now === undefined || !interval ?
      (known.set_by_prior ? "set by the prior" : "–") :
      html("span", {class: isInside ? "" : "outside"}, isInside ? "inside" : "outside");
  return [num(now), num(identified), {shown: interval ? interval.map(v => digits(v, 4)).join(" to ") : "–", values: interval || [null, null]}, place];
}

const COMPARED = [
  {head: "now", kind: "number"}, {head: "identified", kind: "number"},
  {head: "95 % interval", csv: ["interval_low", "interval_high"]}, {head: "now is"}
];

function drawBodies(node) {
  const now = live.answer;
  node.replaceChildren(
      html("h3", {}, "Masses [kg] and centers of mass [m]"),
      table(
          "bodies", [{head: "body"}, ...COMPARED, {head: "center of mass now", csv: ["com_x", "com_y", "com_z"]}],
          data.bodies.map((body, i) => {
            const com = now ? now.coms[i] : [null, null, null];
            return [
              body.name, ...comparison(body, body.mass, now ? now.masses[i] : null),
              {shown: now ? com.map(v => digits(v, 3)).join(", ") : "–", values: com}
            ];
          })),
      ...(data.columns.length ? [
        html("h3", {}, "Friction, offsets and other columns"),
        table(
            "columns", [{head: "column"}, {head: "unit", kind: "unit"}, ...COMPARED],
            data.columns.map((column, j) => [column.name, unitText(column.unit), ...comparison(column, column.value, now ? now.columns[j] : null)]))
      ] :
                               []));
}

function build() {
  const page = document.getElementById("page");
  const verdict = html("section", {id: "verdict", class: "verdict", "aria-live": "polite"}), boxes = html("div", {class: "tiles", id: "tiles"});
  const found = html("div", {}), error = html("div", {}), bodies = html("div", {});
  const figures = data.channels.map(torqueFigure);
  const pause = html("button", {type: "button"}, "pause");
  pause.addEventListener("click", () => {
    live.paused = !live.paused;
    pause.textContent = live.paused ? "resume" : "pause";
  });
  page.append(
      html("h1", {}, `${data.robot}: monitored while it works`),
      html("p", {class: "lead"}, `Model ${data.model}, Heft ${data.version}. Nothing on this page changes the robot.`), verdict, boxes,
      section("changes", "Changes", "Reported by sequential tests, newest first. docs/watch.md explains each kind.", found),
      section("torques", "Torques", "The last minute before the newest sample, after the filter of heft watch; below each, measured minus predicted.", html("p", {}, legend([["measured", "measured"], ["predicted", "predicted by the identified model"], ["residual", "error"]]), pause),
              html("div", {class: "torques"}, figures.map(one => one.figure))),
      section("error", "Error", "rms of the residual in percent of the rms of the torque, before the newest sample.", error),
      section("bodies", "Parameters", "The newest parameters next to those of the identification and their intervals. A value outside an interval is not yet a change: the newest parameters have an error of their own, larger for fewer samples, and use another filter than the identification.", bodies));
  document.title = `${data.robot}: heft watch`;
  return {verdict, boxes, found, error, bodies, figures};
}

function draw(parts) {
  if (live.paused) return;
  const [level, words] = verdictWords();
  if (parts.verdict.textContent !== words) parts.verdict.replaceChildren(html("p", {}, html("b", {}, words)));
  parts.verdict.className = "verdict " + level;
  parts.boxes.replaceChildren(...tiles());
  for (const {draw: drawOne} of parts.figures) drawOne();
  drawError(parts.error);
  if (live.eventsDrawn !== live.events.length || live.lastEvent !== live.events[live.events.length - 1]) {
    [live.eventsDrawn, live.lastEvent] = [live.events.length, live.events[live.events.length - 1]];
    drawChanges(parts.found);
  }
  if (live.answerDrawn !== live.answer) {
    live.answerDrawn = live.answer;
    drawBodies(parts.bodies);
  }
}

function listen() {
  const source = new EventSource("events" + location.search);
  const on = (name, take) => source.addEventListener(name, event => {
    take(JSON.parse(event.data));
  });
  source.onopen = () => {  // the server first sends all it has
    clear();
    live.connected = true;
  };
  source.onerror = () => { live.connected = false; };
  on("rows", rows => {
    live.newest = performance.now();
    addRows(rows);
  });
  on("line", addLine);
  on("answer", answer => { live.answer = answer; });
  on("end", () => {
    live.ended = true;
    source.close();
  });
}

const parts = build();
drawChanges(parts.found);
drawBodies(parts.bodies);
listen();
setInterval(() => draw(parts), REDRAW_MS);
draw(parts);
