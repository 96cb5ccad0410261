// Charts in SVG. A series is {x, lower, upper, style}: bins of smallest and largest values; every pixel column shows the extremes, so that no peak is lost at any zoom; upper is absent if a bin is one value.

const margin = {
  left: 58,
  right: 10,
  top: 6,
  bottom: 22
};

/// Round numbers that divide a range into about `count` steps, at least two of them; powers of ten on a logarithmic axis.
function ticks(low, high, count, logarithmic) {
  const values = [];
  if (logarithmic) {
    for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= Math.log10(high) + 1e-9; ++power)
      values.push(10 ** power);
    const stride = Math.max(1, Math.ceil(values.length / (count + 2)));
    return values.filter((_, i) => i % stride === 0);
  }
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = power * [1, 2, 5, 10].find(factor => factor * power >= rough);
  // a single number shows no scale
  while (Math.floor(high / step) <= Math.ceil(low / step) && step > 1e-9 * Math.abs(high)) step /= 2;
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12); ++k) values.push(k * step);
  return values;
}

/// Maps values to pixels; `axis` is {low, high, logarithmic}.
function scale(axis, from, to) {
  const at = axis.logarithmic ? Math.log10 : value => value;
  const low = at(axis.low), span = at(axis.high) - low || 1;
  return value => from + (at(value) - low) / span * (to - from);
}

/// First index whose value is not below x, in increasing values.
function lowerBound(values, x) {
  let first = 0, last = values.length;
  while (first < last) {
    const middle = (first + last) >> 1;
    if (values[middle] < x)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// Bins of a series that are within an x range, and their neighbors.
function visible(series, axis) {
  return [
    Math.max(0, lowerBound(series.x, axis.low) - 1),
    Math.min(series.x.length, lowerBound(series.x, axis.high) + 1)
  ];
}

/// Range of all series over an x range, with a margin.
function valueRange(allSeries, axis) {
  let low = Infinity, high = -Infinity;
  for (const series of allSeries) {
    const [first, last] = visible(series, axis);
    for (let k = first; k < last; ++k) {
      const lower = series.lower[k], upper = series.upper ? series.upper[k] : lower;
      if (lower === null) continue;
      low = Math.min(low, lower);
      high = Math.max(high, upper);
    }
  }
  if (!(low <= high)) return {low: -1, high: 1};
  const air = 0.06 * (high - low) || Math.abs(high) || 1;
  return {low: low - air, high: high + air};
}

/// The path of a series: through the extremes of every pixel column, broken at gaps.
function pathOf(series, xAxis, X, Y) {
  const [first, last] = visible(series, xAxis);
  const parts = [];
  let pen = "M", column = null, low = 0, high = 0, x = 0;
  const flush = () => {
    if (column === null) return;
    parts.push(pen, x.toFixed(1), " ", Y(low).toFixed(1));
    if (Y(low) - Y(high) > 0.5) parts.push("L", x.toFixed(1), " ", Y(high).toFixed(1));
    pen = "L";
    column = null;
  };
  for (let k = first; k < last; ++k) {
    const lower = series.lower[k], upper = series.upper ? series.upper[k] : lower;
    const isGap = series.gaps && series.gaps.has(k);
    if (lower === null || isGap) {
      flush();
      pen = "M";
    }
    if (lower === null) continue;
    const pixel = Math.round(2 * X(series.x[k])) / 2;
    if (pixel === column) {
      low = Math.min(low, lower);
      high = Math.max(high, upper);
    } else {
      flush();
      [column, low, high, x] = [pixel, lower, upper, X(series.x[k])];
    }
  }
  flush();
  return parts.join("");
}

/// Axes and series. `plot`: {width, height, x: {low, high, label, logarithmic}, y: the same, series, bars,
/// bands, strips, markers, points, label}; y.hidden leaves out its ticks. Strips are [[from, to, style], ..]. Bars are [[from, to, height], ..], bands [{x, lower, upper}, ..], markers
/// [{x, y, chosen}, ..], points [[x, y], ..]. Ends with its pixel maps in `node.scales`.
function chart(plot) {
  const {width, height} = plot;
  const right = width - margin.right, bottom = height - (plot.x.label === null ? 4 : margin.bottom);
  const X = scale(plot.x, margin.left, right), Y = scale(plot.y, bottom, margin.top);
  const node =
      svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": plot.label});
  const heights = plot.y.hidden ? [] : ticks(plot.y.low, plot.y.high, Math.max(3, height / 32), plot.y.logarithmic);
  for (const value of heights)
    node.append(
        svg("line", {class: "tick", x1: margin.left, x2: right, y1: Y(value), y2: Y(value)}),
        svg("text", {x: margin.left - 6, y: Y(value) + 4, "text-anchor": "end"}, digits(value, 4)));
  if (plot.x.label !== null) {
    const values = ticks(plot.x.low, plot.x.high, Math.max(2, width / 110), plot.x.logarithmic);
    values.forEach((value, i) => {
      const text = digits(value, 6) + (i === values.length - 1 ? " " + plot.x.label : "");
      node.append(
          svg("line", {class: "tick", x1: X(value), x2: X(value), y1: bottom, y2: bottom + 4}),
          svg("text", {
            x: Math.min(X(value), right - 2),
            y: bottom + 16,
            "text-anchor": X(value) > right - 40 ? "end" : "middle"
          },
              text));
    });
  }
  const clip = "clip" + ++chart.count;
  const area = {x: margin.left, y: margin.top, width: right - margin.left, height: bottom - margin.top};
  node.append(svg("clipPath", {id: clip}, svg("rect", area)), svg("rect", {class: "frame", ...area}));
  const inside = svg("g", {"clip-path": `url(#${clip})`});
  for (const [from, to, value] of plot.bars || [])
    inside.append(svg("rect", {
      class: "bar",
      x: X(from),
      y: Y(value),
      width: Math.max(0, X(to) - X(from) - 1),
      height: Math.max(0, bottom - Y(value))
    }));
  for (const [from, to, style] of plot.strips || [])
    inside.append(svg("rect", {
      class: "strip " + style,
      x: X(from),
      y: margin.top,
      width: Math.max(0.5, X(to) - X(from)),
      height: bottom - margin.top
    }));
  for (const {x, lower, upper} of plot.bands || []) {
    const corners = (values, order) => order.map(k => `${X(x[k]).toFixed(1)} ${Y(values[k]).toFixed(1)}`);
    const forth = [...x.keys()].filter(k => lower[k] !== null && upper[k] !== null), back = [...forth].reverse();
    inside.append(
        svg("path", {class: "band", d: "M" + [...corners(upper, forth), ...corners(lower, back)].join("L") + "Z"}));
  }
  if (plot.points)
    inside.append(svg("path", {
      class: "points",
      d: plot.points.map(([x, y]) => `M${X(x).toFixed(1)} ${Y(y).toFixed(1)}h0`).join("")
    }));
  for (const series of plot.series || [])
    inside.append(svg("path", {class: "series " + series.style, d: pathOf(series, plot.x, X, Y)}));
  for (const marker of plot.markers || [])
    inside.append(svg("circle", {
      class: "marker" + (marker.chosen ? " chosen" : ""),
      cx: X(marker.x),
      cy: Y(marker.y),
      r: marker.chosen ? 6 : 4
    }));
  node.append(inside);
  node.scales = {X, Y, left: margin.left, right, top: margin.top, bottom};
  return node;
}
chart.count = 0;
