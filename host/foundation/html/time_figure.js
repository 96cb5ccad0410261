// Figures of charts over time with a common zoom.

/// The visible part of the time axis; redraws its listeners. `unit` is that of the axis.
class Zoom {
  constructor(time, unit = "s") {
    this.unit = unit;
    this.full = {low: time[0], high: time[time.length - 1]};
    if (!(this.full.low < this.full.high)) this.full.high = this.full.low + 1;
    this.range = {...this.full};
    this.listeners = [];
  }
  show(low, high) {
    const span = Math.min(
        Math.max(high - low, 1e-3 * (this.full.high - this.full.low)), this.full.high - this.full.low);
    const start = Math.min(Math.max(low, this.full.low), this.full.high - span);
    this.range = {low: start, high: start + span};
    for (const listener of this.listeners) listener();
  }
  all() { this.show(this.full.low, this.full.high); }
  scaleBy(factor) {
    const center = (this.range.low + this.range.high) / 2,
          half = factor * (this.range.high - this.range.low) / 2;
    this.show(center - half, center + half);
  }
  moveBy(fraction) {
    const step = fraction * (this.range.high - this.range.low);
    this.show(this.range.low + step, this.range.high + step);
  }
}

/// Drag across a chart to zoom in, double-click to see all; `readout(time)` returns the text for the time under the pointer.
function listenToPointer(node, zoom, readout) {
  const {X, left, right, top, bottom} = node.scales;
  const {low, high} = zoom.range;
  const timeAt = event => {
    const box = node.getBoundingClientRect();
    const pixel = (event.clientX - box.left) * node.viewBox.baseVal.width / box.width;
    return low + (Math.min(Math.max(pixel, left), right) - left) / (right - left) * (high - low);
  };
  let start = null;
  const selection = svg("rect", {class: "selection", y: top, height: bottom - top, width: 0});
  const cursor = svg("line", {class: "cursor", y1: top, y2: bottom, x1: -9, x2: -9});
  node.append(selection, cursor);
  node.classList.add("zoom");
  node.addEventListener("pointerdown", event => {
    start = timeAt(event);
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", event => {
    const time = timeAt(event);
    cursor.setAttribute("x1", X(time));
    cursor.setAttribute("x2", X(time));
    readout(time);
    if (start === null) return;
    selection.setAttribute("x", Math.min(X(start), X(time)));
    selection.setAttribute("width", Math.abs(X(time) - X(start)));
  });
  node.addEventListener("pointerleave", () => {
    cursor.setAttribute("x1", -9);
    cursor.setAttribute("x2", -9);
    readout(null);
  });
  node.addEventListener("pointerup", event => {
    const end = timeAt(event), begin = start;
    start = null;
    selection.setAttribute("width", 0);
    if (begin !== null && Math.abs(X(end) - X(begin)) > 5)
      zoom.show(Math.min(begin, end), Math.max(begin, end));
  });
  node.addEventListener("dblclick", () => zoom.all());
}

function zoomButtons(zoom) {
  const button = (text, title, action) => {
    const node = html("button", {type: "button", title}, text);
    node.addEventListener("click", action);
    return node;
  };
  return html(
      "p", {class: "hint"}, "Drag across a plot to zoom in on a stretch of time, in all plots at once. ",
      button("+", "zoom in", () => zoom.scaleBy(0.5)), " ", button("−", "zoom out", () => zoom.scaleBy(2)),
      " ", button("◀", "earlier", () => zoom.moveBy(-0.5)), " ", button("▶", "later", () => zoom.moveBy(0.5)),
      " ", button("all", "see all", () => zoom.all()));
}

function widthOfPage() {
  return Math.min(1040, Math.max(340, document.getElementById("page").clientWidth - 40));
}

/// Charts over time one above the other in one figure: `rows` are {series: [{..., name}], height, label}, and other options of `chart`; `y` is the range of the series in view if the row has none.
function timeFigure(title, unit, rows, zoom) {
  const value = html("span", {});
  const holder = html("div", {});
  const readout = time => {
    if (time === null) {
      value.textContent = "";
      return;
    }
    const texts = rows.flatMap(row => row.series).map(series => {
      const k = Math.max(0, Math.min(lowerBound(series.x, time), series.x.length - 1));
      const lower = series.lower[k], upper = series.upper ? series.upper[k] : lower;
      return series.name + " " +
          (digits(lower, 3) === digits(upper, 3) ? digits(lower, 3) :
                                                   `${digits(lower, 3)} … ${digits(upper, 3)}`);
    });
    value.textContent = `${digits(time, 5)} ${zoom.unit}: ${texts.join(", ")} ${unit}`;
  };
  const charts = rows.filter(row => !row.strips).length;
  const labeled = charts > 0 ? charts - 1 : rows.length - 1;  // strips are below the axis
  const draw = () => {
    holder.replaceChildren(...rows.map((row, i) => {
      const node = chart({
        ...row,
        width: widthOfPage(),
        height: row.height + (row.strips && i === labeled ? margin.bottom : 0),
        label: `${row.label} of ${title}`,
        x: {...zoom.range, label: i === labeled ? zoom.unit : null},
        y: row.y || valueRange(row.series, zoom.range)
      });
      if (rows.length > 1) node.append(svg("text", {class: "halo", x: margin.left + 6, y: margin.top + 13}, row.label));
      listenToPointer(node, zoom, readout);
      return node;
    }));
  };
  zoom.listeners.push(draw);
  return html(
      "figure", {}, html("figcaption", {}, html("span", {}, html("b", {}, title), unit ? ` [${unit}]` : ""), value),
      holder);
}
