// The robot along its motion: played in real time or moved by a slider; only bones if the browser has no WebGL.

/// Bones seen along a direction of azimuth and elevation, as an element with show(index).
function flatRobot(skeleton) {
  const size = 360, azimuth = -0.9, elevation = 0.35;
  const right = [-Math.sin(azimuth), Math.cos(azimuth), 0];
  const up = [-Math.sin(elevation) * Math.cos(azimuth), -Math.sin(elevation) * Math.sin(azimuth), Math.cos(elevation)];
  const along = (axis, point) => axis[0] * point[0] + axis[1] * point[1] + axis[2] * point[2];
  const reach = Math.max(0.05, ...skeleton.postures.flatMap(p => p.poses.map(pose => Math.hypot(...pose.slice(0, 3)))));
  const place = point => [right, up].map(
      (axis, i) => size / 2 + (i ? -1 : 1) * 0.47 * size / reach * along(axis, point));
  const node = svg("svg", {viewBox: `0 0 ${size} ${size}`, width: size, height: size, role: "img", "aria-label": "the robot's bones"});
  return {
    node,
    show: index => {
      const poses = skeleton.postures[index].poses;
      node.replaceChildren(...poses.map((pose, i) => {
        const parent = skeleton.bodies[i].parent, [x1, y1] = place(parent < 0 ? [0, 0, 0] : poses[parent]), [x2, y2] = place(pose);
        return svg("line", {class: "bone", x1, y1, x2, y2});
      }));
    }
  };
}

/// The view with its slider and button; `onTime(seconds)` is called for every displayed posture.
function robotMotion(skeleton, outlines, onTime) {
  const view = robotView(skeleton, outlines, ["", ""]) || flatRobot(skeleton);
  const postures = skeleton.postures, last = postures.length - 1;
  const slider = html("input", {type: "range", class: "posture", min: 0, max: last, value: 0, "aria-label": "time"});
  const clock = html("span", {class: "clock"}), button = html("button", {type: "button", class: "play"}, "play");
  let playing = 0, begun = 0;
  const show = index => {
    view.show(index);
    clock.textContent = `${digits(postures[index].time_s, 3)} s`;
    onTime(postures[index].time_s);
  };
  const stop = () => {
    cancelAnimationFrame(playing);
    playing = 0;
    button.textContent = "play";
  };
  const step = now => {
    const time = (now - begun) / 1000;
    let index = Number(slider.value);
    while (index < last && postures[index].time_s < time) ++index;
    slider.value = index;
    show(index);
    if (index === last) return stop();
    playing = requestAnimationFrame(step);
  };
  button.addEventListener("click", () => {
    if (playing) return stop();
    if (Number(slider.value) === last) slider.value = 0;
    begun = performance.now() - 1000 * postures[slider.value].time_s;
    button.textContent = "pause";
    playing = requestAnimationFrame(step);
  });
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  const showTime = seconds => {
    stop();
    slider.value = postures.findIndex((p, i) => i === last || postures[i + 1].time_s > seconds);
    show(Number(slider.value));
  };
  return {node: html("div", {}, view.node, html("p", {}, button, " ", slider, clock)), show, showTime};
}
