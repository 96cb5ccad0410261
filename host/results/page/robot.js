// The robot at a posture: joints as a skeleton, bodies as the ellipsoids of uniform density that have
// their mass, center of mass and inertia. An ellipsoid {centre c, shape S = A A'} seen along a direction is
// the ellipse with shape P S P', P the two axes of the picture: exact, for a parallel projection.

/// Columns of the rotation of a quaternion.
function turnOf([x, y, z, w]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)]
  ];
}

/// The bodies of a skeleton in base axes at a posture: {name, parent, origin, rotor, identified, prior}.
function placedBodies(skeleton, posture) {
  return skeleton.bodies.map((body, i) => {
    const [x, y, z, ...quaternion] = posture.poses[i], columns = turnOf(quaternion);
    const turned = v => [0, 1, 2].map(k => v[0] * columns[0][k] + v[1] * columns[1][k] + v[2] * columns[2][k]);
    const placed = ellipsoid => {
      if (!ellipsoid) return null;
      const [xx, xy, xz, yy, yz, zz] = ellipsoid.shape;
      // R S, column by column, then R (R S)'
      const half = [turned([xx, xy, xz]), turned([xy, yy, yz]), turned([xz, yz, zz])];
      const whole = [0, 1, 2].map(k => turned(half.map(column => column[k])));
      const centre = turned(ellipsoid.centre).map((value, k) => value + [x, y, z][k]);
      return {centre, shape: [whole[0][0], whole[0][1], whole[0][2], whole[1][1], whole[1][2], whole[2][2]]};
    };
    return {...body, origin: [x, y, z], identified: placed(body.identified), prior: placed(body.prior)};
  });
}

/// The axes of the picture, right and up, for a camera that looks from this azimuth and elevation.
function pictureAxes(azimuth, elevation) {
  const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
  return [[-sa, ca, 0], [-se * ca, -se * sa, ce]];
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/// Semi-axes and angle of the ellipse of an ellipsoid in the picture.
function projectedEllipse(shape, [right, up]) {
  const [xx, xy, xz, yy, yz, zz] = shape;
  const times = v =>
      [xx * v[0] + xy * v[1] + xz * v[2], xy * v[0] + yy * v[1] + yz * v[2],
       xz * v[0] + yz * v[1] + zz * v[2]];
  const a = dot(right, times(right)), b = dot(right, times(up)), c = dot(up, times(up));
  const middle = (a + c) / 2, spread = Math.hypot((a - c) / 2, b);
  return {
    major: Math.sqrt(Math.max(0, middle + spread)),
    minor: Math.sqrt(Math.max(0, middle - spread)),
    angle: 0.5 * Math.atan2(2 * b, a - c)
  };
}

/// A box in the picture [m] that holds everything, from any side.
function reachOf(skeleton) {
  let radius = 0.05;
  const low = [0, 0, 0], high = [0, 0, 0];
  for (const body of skeleton)
    for (const [point, size] of [
             [body.origin, 0],
             ...[body.identified, body.prior].filter(Boolean).map(
                 e => [e.centre, Math.sqrt(e.shape[0] + e.shape[3] + e.shape[5])])])
      for (let k = 0; k < 3; ++k) {
        low[k] = Math.min(low[k], point[k] - size);
        high[k] = Math.max(high[k], point[k] + size);
      }
  const centre = low.map((value, k) => (value + high[k]) / 2);
  for (let k = 0; k < 3; ++k) radius = Math.max(radius, (high[k] - low[k]) / 2);
  return {
    centre,
    radius: Math.min(1.25 * radius, 1.05 * Math.hypot(...high.map((value, k) => (value - low[k]) / 2)))
  };
}

/// Points and forces on the feet at a posture, [{point, force, loaded}]: `force` in meters of the picture; a foot is loaded above
/// 2 % of the largest force of all postures.
function pushesOf(skeleton, posture, length) {
  const size = foot => Math.hypot(...foot.slice(3));
  const largest = Math.max(1e-9, ...skeleton.postures.flatMap(one => (one.feet || []).filter(Boolean).map(size)));
  return (posture.feet || []).filter(Boolean).map(foot => ({
    point: foot.slice(0, 3),
    force: foot.slice(3).map(value => value / largest * length),
    loaded: size(foot) > 0.02 * largest
  }));
}

/// One picture of the robot, `size` pixels wide and high; `pushes` are those of pushesOf.
function robotPicture(skeleton, axes, size, caption, pushes = []) {
  const {centre, radius} = reachOf(skeleton);
  const pixels = size / (2 * radius);
  const place = point => {
    const p = point.map((value, k) => value - centre[k]);
    return [size / 2 + pixels * dot(axes[0], p), size / 2 - pixels * dot(axes[1], p)];
  };
  const ellipse = (body, name) => {
    const e = projectedEllipse(body.shape, axes), [x, y] = place(body.centre);
    return svg("ellipse", {
      class: name,
      rx: pixels * e.major,
      ry: pixels * e.minor,
      transform: `translate(${x} ${y}) rotate(${- e.angle * 180 / Math.PI})`
    });
  };
  const node = svg(
      "svg", {viewBox: `0 0 ${size} ${size}`, width: size, height: size, role: "img", "aria-label": caption});
  node.append(svg("rect", {class: "frame", x: 0.5, y: 0.5, width: size - 1, height: size - 1}));
  for (const body of skeleton)
    if (body.prior) node.append(ellipse(body.prior, "prior"));
  for (const body of skeleton)
    if (body.identified) node.append(ellipse(body.identified, "ellipsoid"));
  for (const body of skeleton) {
    const [x, y] = place(body.origin),
              [px, py] = place(body.parent < 0 ? [0, 0, 0] : skeleton[body.parent].origin);
    node.append(svg("line", {class: "bone", x1: px, y1: py, x2: x, y2: y}));
  }
  for (const body of skeleton) {
    const [x, y] = place(body.origin);
    if (!body.rotor) node.append(svg("circle", {class: "joint", cx: x, cy: y, r: 3.5}));
  }
  for (const {point, force, loaded} of pushes) {
    const [x, y] = place(point), [ex, ey] = place(point.map((value, k) => value + force[k]));
    if (loaded) node.append(svg("line", {class: "push", x1: x, y1: y, x2: ex, y2: ey}));
    node.append(svg("circle", {class: "foot" + (loaded ? " loaded" : ""), cx: x, cy: y, r: 4}));
  }
  skeleton.forEach((body, i) => {
    if (!body.identified || body.rotor) return;
    const [x, y] = place(body.identified.centre);
    node.append(
        svg("circle", {class: "com", cx: x, cy: y, r: 2.5}),
        svg("text", {class: "name", x: x + 5, y: y - 4}, String(i + 1)));
  });
  const bar = ticks(0, radius, 2, false).find(value => value > 0) || radius / 2;
  node.append(
      svg("path", {class: "bone", d: `M10 ${size - 12}h${bar * pixels}`}),
      svg("text", {x: 10, y: size - 18}, digits(bar, 2) + " m"), svg("text", {x: 10, y: 18}, caption));
  return node;
}

/// Drag to rotate, if there is no view in three dimensions.
function turningPicture(size) {
  let azimuth = -0.9, elevation = 0.35, grip = null, bodies = null, pushes = [];
  const holder = html("div", {});
  const draw = () => {
    const node = robotPicture(bodies, pictureAxes(azimuth, elevation), size, "drag to rotate", pushes);
    node.classList.add("turn");
    holder.replaceChildren(node);
  };
  holder.addEventListener("pointerdown", event => {
    grip = [event.clientX, event.clientY];
    holder.setPointerCapture(event.pointerId);
  });
  holder.addEventListener("pointermove", event => {
    if (grip === null) return;
    azimuth -= 0.01 * (event.clientX - grip[0]);
    elevation = Math.min(1.57, Math.max(-1.57, elevation + 0.01 * (event.clientY - grip[1])));
    grip = [event.clientX, event.clientY];
    draw();
  });
  holder.addEventListener("pointerup", () => {
    grip = null;
  });
  return {
    node: holder,
    show: (placed, forces) => {
      bodies = placed;
      pushes = forces;
      draw();
    }
  };
}

/// Visible parts and zoom of a view in three dimensions.
function viewButtons(view) {
  const button = (text, title, action) => {
    const node = html("button", {type: "button", title}, text);
    node.addEventListener("click", action);
    return node;
  };
  const choice = (kind, text) => {
    const box = html("input", {type: "checkbox", checked: ""});
    box.addEventListener("change", () => view.setVisible(kind, box.checked));
    return html("label", {}, box, text);
  };
  return [
    button("+", "nearer", () => view.zoomBy(0.8)), button("−", "farther", () => view.zoomBy(1.25)),
    button("reset", "the first view", () => view.reset()), view.hasOutlines ? choice("outlines", "shapes") : null
  ];
}

/// All views of the robot with a slider over its postures; `names` are those of the two kinds of ellipsoids.
function robotFigure(skeleton, outlines, names) {
  const view = robotView(skeleton, outlines, names), flat = view ? null : turningPicture(630);
  const sides = html("div", {}), text = html("span", {});
  const show = index => {
    const posture = skeleton.postures[index], bodies = placedBodies(skeleton, posture);
    const pushes = pushesOf(skeleton, posture, 0.7 * reachOf(bodies).radius);
    if (view)
      view.show(index, pushes);
    else
      flat.show(bodies, pushes);
    sides.replaceChildren(
        robotPicture(bodies, pictureAxes(-Math.PI / 2, 0), 308, "from the side: x right, z up", pushes),
        robotPicture(bodies, pictureAxes(0, 0), 308, "from the front: y right, z up", pushes));
    text.textContent =
        posture.time_s === null ? "all coordinates at zero" : `posture at ${digits(posture.time_s, 4)} s`;
  };
  const last = skeleton.postures.length - 1;
  const slider = html(
      "input",
      {type: "range", min: 0, max: last, value: skeleton.posture, "aria-label": "posture", class: "posture"});
  slider.addEventListener("input", () => show(Number(slider.value)));
  show(skeleton.posture);
  return html(
      "figure", {},
      skeleton.feet ?
          legend([["foot loaded", "foot that carries load, with the force on it"], ["foot", "foot without load"]], "mark") :
          null,
      html(
          "p", {class: "hint"},
          view ? "Drag to rotate; zoom with two fingers, Ctrl and wheel, or the buttons. " : "Drag to rotate. ",
          ...(view ? viewButtons(view) : [])),
      html("div", {class: "views"}, html("div", {}, view ? view.node : flat.node), sides),
      html("p", {class: "hint"}, last > 0 ? slider : null, " ", text));
}
