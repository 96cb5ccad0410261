// The robot in three dimensions, drawn by three.js if the page includes it and the browser has WebGL: bodies as the ellipsoids of
// uniform density that have their mass, center of mass and inertia, within the outlines of the robot's file. Drag to rotate; pinch, or Ctrl and wheel, to zoom.

/// Bytes of a base64 text.
function bytesOf(base64) { return Uint8Array.from(atob(base64), character => character.charCodeAt(0)); }

/// Triangles of an outline as a geometry in the frame of its body.
function outlineGeometry(outline) {
  const packed = new Uint16Array(bytesOf(outline.vertices).buffer), faces = bytesOf(outline.faces).buffer;
  const positions = Float32Array.from(packed, (step, i) => outline.low[i % 3] + step * outline.step[i % 3]);
  const wide = packed.length / 3 > 65536;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  geometry.setIndex(new THREE.BufferAttribute(wide ? new Uint32Array(faces) : new Uint16Array(faces), 1));
  return geometry;
}

/// The map of the unit ball onto an ellipsoid: centre + L u with L L' its shape. A flat ellipsoid gets a small thickness.
function ellipsoidMatrix({centre, shape}) {
  const [xx, xy, xz, yy, yz, zz] = shape, least = 1e-6 * (xx + yy + zz) || 1e-12;
  const root = square => Math.sqrt(Math.max(square, least));
  const a = root(xx), b = xy / a, c = xz / a, d = root(yy - b * b), e = (yz - b * c) / d, f = root(zz - c * c - e * e);
  return new THREE.Matrix4().set(a, 0, 0, centre[0], b, d, 0, centre[1], c, e, f, centre[2], 0, 0, 0, 1);
}

/// Three great circles of the unit ball, as ends of lines.
function greatCircles() {
  const ends = [], sides = 48;
  for (let plane = 0; plane < 3; ++plane)
    for (let k = 0; k < 2 * sides; ++k) {
      const angle = 2 * Math.PI * Math.floor((k + 1) / 2) / sides, point = [0, 0, 0];
      point[plane] = Math.cos(angle);
      point[(plane + 1) % 3] = Math.sin(angle);
      ends.push(...point);
    }
  return new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(ends), 3));
}

/// Current colors of the style sheet, light or dark.
function pageColor(name) {
  return new THREE.Color(getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());
}

/// A canvas with WebGL, or null.
function webglCanvas() {
  if (typeof THREE === "undefined") return null;
  const canvas = html("canvas", {class: "robot", tabindex: 0, "aria-label": "the robot in three dimensions"});
  const wishes = {antialias: true, alpha: true, preserveDrawingBuffer: true};  // the last for print
  const context = canvas.getContext("webgl", wishes);
  return context ? {canvas, context} : null;
}

/// An obstacle or the floor in base axes; `reach` [m] is half the side of the floor that is drawn.
function surroundingMesh(solid, material, reach) {
  const geometry = solid.kind === "box" ? new THREE.BoxBufferGeometry(...solid.size) :
      solid.kind === "cylinder" ? new THREE.CylinderBufferGeometry(solid.radius, solid.radius, solid.length, 48).rotateX(Math.PI / 2) :
      solid.kind === "sphere" ? new THREE.SphereBufferGeometry(solid.radius, 32, 20) :
      new THREE.PlaneBufferGeometry(2 * reach, 2 * reach);
  const node = new THREE.Mesh(geometry, material);
  if (solid.kind === "floor") {
    node.position.set(0, 0, solid.level);
  } else {
    const [x, y, z, ...turn] = solid.pose;
    node.position.set(x, y, z);
    node.quaternion.set(...turn);
  }
  return node;
}

/// The bodies as groups, and the materials that follow the style sheet.
class RobotScene {
  constructor(skeleton, outlines) {
    this.skeleton = skeleton;
    this.scene = new THREE.Scene();
    this.materials = {
      identified: new THREE.MeshPhongMaterial({shininess: 30, transparent: true, opacity: 0.7}),
      outline: new THREE.MeshPhongMaterial(
          {transparent: true, opacity: 0.45, depthWrite: false, side: THREE.DoubleSide, flatShading: true}),
      obstacle: new THREE.MeshPhongMaterial({transparent: true, opacity: 0.35, depthWrite: false, side: THREE.DoubleSide}),
      floor: new THREE.MeshPhongMaterial({transparent: true, opacity: 0.2, depthWrite: false, side: THREE.DoubleSide}),
      prior: new THREE.LineBasicMaterial(),
      bone: new THREE.LineBasicMaterial(),
      push: new THREE.MeshBasicMaterial()
    };
    this.pushes = new THREE.Group();
    this.scene.add(this.pushes);
    this.lamp = new THREE.DirectionalLight(0xffffff, 0.75);
    this.scene.add(new THREE.AmbientLight(0xffffff, 0.55), this.lamp);
    const ball = new THREE.SphereBufferGeometry(1, 32, 20), circles = greatCircles();
    const fixed = (node, matrix) => {
      node.matrixAutoUpdate = false;
      node.matrix.copy(matrix);
      return node;
    };
    this.outlines = [];
    this.priors = [];
    this.balls = [];
    this.groups = skeleton.bodies.map((body, i) => {
      const group = new THREE.Group();
      if (body.identified) {
        const node = fixed(new THREE.Mesh(ball, this.materials.identified), ellipsoidMatrix(body.identified));
        node.bodyIndex = i;
        this.balls.push(node);
        group.add(node);
      }
      if (body.prior) {
        const node = fixed(new THREE.LineSegments(circles, this.materials.prior), ellipsoidMatrix(body.prior));
        this.priors.push(node);
        group.add(node);
      }
      if (outlines && outlines.bodies[i]) {
        const node = new THREE.Mesh(outlineGeometry(outlines.bodies[i]), this.materials.outline);
        node.renderOrder = -1;  // seen through the ellipsoids
        this.outlines.push(node);
        group.add(node);
      }
      this.scene.add(group);
      return group;
    });
    const distances = skeleton.postures.flatMap(posture => posture.poses.map(([x, y, z]) => Math.hypot(x, y, z)));
    this.surroundings = (skeleton.surroundings || []).map(
        solid => surroundingMesh(solid, this.materials[solid.kind === "floor" ? "floor" : "obstacle"], 1.2 * Math.max(0.3, ...distances)));
    if (this.surroundings.length) this.scene.add(...this.surroundings);
    this.bones = new THREE.LineSegments(new THREE.BufferGeometry(), this.materials.bone);
    this.scene.add(this.bones);
  }
  /// Loaded feet and the forces on them, [{point, force, loaded}]; `size` [m] is that of the robot.
  push(pushes, size) {
    for (const node of this.pushes.children) node.geometry.dispose();
    this.pushes.remove(...this.pushes.children);
    for (const {point, force, loaded} of pushes) {
      if (!loaded) continue;
      const from = new THREE.Vector3(...point), along = new THREE.Vector3(...force), length = along.length();
      const foot = new THREE.Mesh(new THREE.SphereBufferGeometry(0.022 * size, 16, 12), this.materials.push);
      const shaft = new THREE.Mesh(new THREE.CylinderBufferGeometry(0.007 * size, 0.007 * size, length, 8), this.materials.push);
      foot.position.copy(from);
      shaft.position.copy(from).addScaledVector(along, 0.5);
      shaft.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
      this.pushes.add(foot, shaft);
    }
  }
  pose(posture) {
    const ends = [];
    posture.poses.forEach(([x, y, z, ...turn], i) => {
      this.groups[i].position.set(x, y, z);
      this.groups[i].quaternion.set(...turn);
      const parent = this.skeleton.bodies[i].parent;
      ends.push(...(parent < 0 ? [0, 0, 0] : posture.poses[parent].slice(0, 3)), x, y, z);
    });
    this.bones.geometry.dispose();
    this.bones.geometry =
        new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(ends), 3));
    this.scene.updateMatrixWorld(true);
  }
  paint() {
    this.materials.identified.color = pageColor("blue");
    this.materials.outline.color = pageColor("muted");
    this.materials.obstacle.color = pageColor("vermillion");
    this.materials.floor.color = pageColor("muted");
    this.materials.prior.color = pageColor("orange");
    this.materials.bone.color = pageColor("ink");
    this.materials.push.color = pageColor("vermillion");
  }
  /// Centre and radius of a ball around everything that is drawn.
  reach() {
    const box = new THREE.Box3();
    for (const node of [...this.balls, ...this.outlines, ...this.surroundings]) box.expandByObject(node);
    for (const group of this.groups) box.expandByPoint(group.position);
    box.expandByPoint(new THREE.Vector3(0, 0, 0));
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    return {centre: sphere.center, radius: Math.max(0.05, sphere.radius)};
  }
}

/// Touch and mouse input: `onTurn(dx, dy)` in pixels and `onZoom(factor)`.
function listenToFingers(canvas, onTurn, onZoom) {
  const fingers = new Map();
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
  };
  canvas.addEventListener("pointerdown", event => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({preventScroll: true});
  });
  canvas.addEventListener("pointermove", event => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const apart = fingers.size === 2 ? spread() : 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (fingers.size === 2) onZoom(apart / spread());
    const share = 1 / fingers.size;
    onTurn(share * (event.clientX - before[0]), share * (event.clientY - before[1]));
  });
  for (const name of ["pointerup", "pointercancel"])
    canvas.addEventListener(name, event => fingers.delete(event.pointerId));
  // a plain wheel scrolls the page
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    onZoom(Math.exp(0.002 * event.deltaY));
  }, {passive: false});
}

/// The view as an element with show(index of posture, forces on feet), or null if it is not supported. `names` are those of the two kinds of
/// ellipsoids.
function robotView(skeleton, outlines, names) {
  const surface = webglCanvas();
  if (surface === null) return null;
  const {canvas, context} = surface;
  const renderer = new THREE.WebGLRenderer({canvas, context, alpha: true, preserveDrawingBuffer: true});
  const robot = new RobotScene(skeleton, outlines);
  const camera = new THREE.PerspectiveCamera(28, 1, 0.01, 100);
  camera.up.set(0, 0, 1);
  const first = {azimuth: -0.9, elevation: 0.35, zoom: 1};  // host/results/page/skeleton.cpp chooses a posture for it
  let view = {...first}, reach = null, drawing = 0;
  const caption = html("div", {class: "caption"});
  const tags = robot.balls.filter(node => !skeleton.bodies[node.bodyIndex].rotor)
                   .map(node => [node, html("span", {class: "tag"}, String(node.bodyIndex + 1))]);
  const holder = html("div", {class: "stage"}, canvas, ...tags.map(([, tag]) => tag), caption);

  const draw = () => {
    drawing = 0;
    const width = holder.clientWidth, height = Math.round(Math.min(0.95 * width, 600));
    if (width === 0 || reach === null) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    if (canvas.clientWidth !== width || canvas.clientHeight !== height || renderer.getPixelRatio() !== ratio) {
      renderer.setPixelRatio(ratio);
      renderer.setSize(width, height);
    }
    const {centre, radius} = reach, {azimuth, elevation, zoom} = view;
    const distance = zoom * 0.92 * radius / Math.sin(camera.fov * Math.PI / 360) * Math.max(1, height / width);
    const from = new THREE.Vector3(
        Math.cos(azimuth) * Math.cos(elevation), Math.sin(azimuth) * Math.cos(elevation), Math.sin(elevation));
    camera.aspect = width / height;
    camera.near = Math.max(1e-3 * radius, distance - 2 * radius);
    camera.far = distance + 2 * radius;
    camera.position.copy(centre).addScaledVector(from, distance);
    camera.lookAt(centre);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld(true);
    robot.lamp.position.copy(camera.position).add(new THREE.Vector3(0, 0, radius));
    robot.paint();
    renderer.render(robot.scene, camera);
    for (const [node, tag] of tags) {
      const place = new THREE.Vector3().setFromMatrixPosition(node.matrixWorld).project(camera);
      tag.style.transform = `translate(${(place.x + 1) / 2 * width}px, ${(1 - place.y) / 2 * height}px) translate(-50%, -50%)`;
    }
  };
  const redraw = () => {
    if (!drawing) drawing = requestAnimationFrame(draw);
  };
  const turn = (dx, dy) => {
    view.azimuth -= 0.01 * dx;
    view.elevation = Math.min(1.55, Math.max(-1.55, view.elevation + 0.01 * dy));
    redraw();
  };
  const zoomBy = factor => {
    view.zoom = Math.min(4, Math.max(0.15, view.zoom * factor));
    redraw();
  };
  listenToFingers(canvas, turn, zoomBy);
  canvas.addEventListener("dblclick", () => {
    view = {...first};
    redraw();
  });
  canvas.addEventListener("keydown", event => {
    const steps = {ArrowLeft: [10, 0], ArrowRight: [-10, 0], ArrowUp: [0, 10], ArrowDown: [0, -10]};
    if (steps[event.key]) turn(...steps[event.key]);
    if (event.key === "+" || event.key === "-") zoomBy(event.key === "+" ? 0.9 : 1 / 0.9);
    if (steps[event.key]) event.preventDefault();
  });
  const ray = new THREE.Raycaster();
  const massOf = ellipsoid => (ellipsoid ? digits(ellipsoid.mass) + " kg" : "none possible");
  canvas.addEventListener("pointermove", event => {
    const box = canvas.getBoundingClientRect();
    ray.setFromCamera(
        {x: 2 * (event.clientX - box.left) / box.width - 1, y: 1 - 2 * (event.clientY - box.top) / box.height}, camera);
    const hit = ray.intersectObjects(robot.balls)[0];
    const body = hit && skeleton.bodies[hit.object.bodyIndex];
    caption.textContent =
        body ? `${hit.object.bodyIndex + 1} ${body.name}: ${names[0]} ${massOf(body.identified)}, ${names[1]} ${
                   massOf(body.prior)}` :
               "";
  });
  new ResizeObserver(redraw).observe(holder);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("beforeprint", draw);
  return {
    node: holder,
    hasOutlines: robot.outlines.length > 0,
    show: (index, pushes = []) => {
      robot.pose(skeleton.postures[index]);
      // one size for all postures, so that the robot does not jump
      if (reach === null || skeleton.postures.length === 1) reach = robot.reach();
      robot.push(pushes, reach.radius);
      redraw();
    },
    zoomBy,
    reset: () => {
      view = {...first};
      redraw();
    },
    setVisible: (kind, isVisible) => {
      for (const node of robot[kind]) node.visible = isVisible;
      redraw();
    }
  };
}
