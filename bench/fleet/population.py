"""Fleets of simulated robots of one model, and what a population prior is worth to each (docs/fleet.md, Population prior).

Robots, motions and torques are Pinocchio's (bench/faults/arms.py), not Heft's: a design that the robot file has 20 % wrong, robots
that scatter about the design, friction that scatters by 15 %, torque noise of 1 % of each joint's own torque (arms.py adds it).
Motions are smooth and random. Robots at work use a part of their range: every log has a part of its own, 30 to 100 % of it wide.
"""
import json
import pathlib
import shutil
import sys

import numpy as np
import pinocchio

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "faults"), str(HERE.parent / "excite")]
import arms  # noqa: E402
from setup import with_fixed_fingers  # noqa: E402

MODELS = {"panda": "panda_description/urdf/panda.urdf", "ur5": "ur_description/urdf/ur5_robot.urdf",
          "xarm7": "xarm_description/urdf/xarm7.urdf"}
FILE_ERROR, FRICTION_SPREAD, HELD_OUT_S, LEAST_REACH = 0.2, 0.15, 10.0, 0.3
CONFIGURATION = """robot: {gravity: [0, 0, -9.81]}
conditioning: {lowpass_hz: 10, filter_rows: true}
columns: [viscous, coulomb: {tanh_width: 0.03}, offset]
"""
PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def example_robots():
    """The robots of the package example-robot-data, where it is."""
    for folder in map(pathlib.Path, sys.path):
        robots = folder / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if robots.is_dir():
            return robots
    return None


def scattered(model, random, size):
    """The same robot with mass, center of mass and inertia of every body off by `size` of the body's own: L exp(size E) L', J = L L'."""
    model = model.copy()
    for k in range(1, model.njoints):
        factor = np.linalg.cholesky(pinocchio.PseudoInertia.FromInertia(model.inertias[k]).toMatrix())
        E = random.standard_normal((4, 4))
        values, vectors = np.linalg.eigh(0.5 * (E + E.T))  # isometric coordinates: variance 1
        change = factor @ (vectors * np.exp(size * values)) @ vectors.T @ factor.T
        model.inertias[k] = pinocchio.PseudoInertia.FromMatrix(change).toInertia()
    return model


def with_tool(model, mass):
    """The same robot with `mass` kg a hand's length beyond its last joint."""
    model = model.copy()
    tool = pinocchio.Inertia(mass, np.array([0.02, 0, 0.1]), 1e-3 * mass * np.eye(3))
    model.inertias[model.njoints - 1] += tool
    return model


def part_of_the_range(model, duration, random, rate_hz=arms.RATE_HZ):
    """arms.motion, narrowed about a place of its own."""
    t, q, qd, qdd = arms.motion(model, duration, random, rate_hz)
    lower, upper = np.maximum(model.lowerPositionLimit, -2.5), np.minimum(model.upperPositionLimit, 2.5)
    reach, middle = random.uniform(LEAST_REACH, 1), 0.5 * (lower + upper)
    place = middle + 0.45 * (1 - reach) * (upper - lower) * random.uniform(-1, 1, model.nq)
    return t, place + reach * (q - middle), reach * qd, reach * qdd


class Fleet:
    """Robots r000, r001, .. of one model in a folder, with logs and a manifest. `odd`: {place: "tool" or "gain"}."""

    def __init__(self, folder, urdf, count, spread, seconds, seed, odd=(), moves=part_of_the_range):
        self.folder, self.count, self.odd = pathlib.Path(folder), count, dict(odd)
        self.folder.mkdir(parents=True)
        self.urdf = self.folder / "arm.urdf"
        self.urdf.write_text(with_fixed_fingers(pathlib.Path(urdf).read_text()))
        random = np.random.default_rng(seed)
        self.arm = arms.Arm(self.urdf, seed)
        design = scattered(self.arm.nominal, random, FILE_ERROR)
        viscous, coulomb = self.arm.viscous, self.arm.coulomb
        offset = 0.02 * self.arm.gravity_scale() * random.standard_normal(len(viscous))
        self.arm.rotor = 0 * self.arm.rotor
        self.truth = []
        rows = ["robot_id,robot,log,config,role"]
        (self.folder / "arm.yaml").write_text(CONFIGURATION)
        for r in range(count):
            arm = self.arm
            arm.true = scattered(design, random, spread)
            scatter = lambda values: values * np.clip(1 + FRICTION_SPREAD * random.standard_normal(len(values)), 0.2, None)
            arm.viscous, arm.coulomb, own = scatter(viscous), scatter(coulomb), scatter(offset)
            if self.odd.get(r) == "tool":
                arm.true = with_tool(arm.true, 0.5)
            self.truth.append((arm.true, arm.viscous, arm.coulomb, own))
            for name, role, duration in (("train", "train", seconds), ("held_out", "validate", HELD_OUT_S)):
                header, table = arm.log(duration, random, moves)
                torques = table[:, 1 + len(arm.joints):]
                torques += own
                if self.odd.get(r) == "gain":
                    torques *= 1.2
                np.savetxt(self.folder / f"r{r:03}_{name}.csv", table, delimiter=",", header=",".join(header), comments="",
                           fmt="%.9g")
                rows.append(f"r{r:03},arm.urdf,r{r:03}_{name}.csv,arm.yaml,{role}")
        self.manifest = self.folder / "fleet.csv"
        self.manifest.write_text("\n".join(rows) + "\n")

    def results(self, heft, prior, jobs):
        """result.json of every robot, and fleet.json."""
        store = self.folder / prior
        heft("fleet", "run", self.manifest, "--store", store, "--prior", prior, "--no-pages", "--quiet", "--jobs", jobs,
             codes=(0, 1))
        fleet = json.loads((store / "fleet.json").read_text())
        return [json.loads((store / "results" / robot["id"] / "result.json").read_text()) for robot in fleet["robots"]], fleet

    def errors_of_the_truth(self, heft, results):
        """Held-out errors [relative] of the robots' true parameters, by heft predict on the same filtered rows: what no answer beats but
        by luck, since the noise of the held-out log is left."""
        errors, folder = [], self.folder / "truth"
        folder.mkdir()
        shutil.copy(self.urdf, folder / "identified.urdf")
        for r, result in enumerate(results):
            told, (_, viscous, coulomb, offset) = json.loads(json.dumps(result)), self.truth[r]
            numbers = self.true_parameters(r).reshape(-1, len(PARAMETERS))
            by_link = {link_of(self.arm.nominal, k + 1): numbers[k] for k in range(len(numbers))}
            for body in told["bodies"]:
                body["parameters"] = dict(zip(PARAMETERS, map(float, by_link.pop(body["name"]))))
            by_kind = {"viscous": viscous, "coulomb": coulomb, "offset": offset}
            for column in told["columns"]:
                kind, joint = column["name"].split(" ", 1)
                column["value"] = float(by_kind[kind][self.arm.joints.index(joint)])
            (folder / "result.json").write_text(json.dumps(told))
            heft("predict", "--model", folder, "--log", self.folder / f"r{r:03}_held_out.csv", "--out", folder / "predicted.csv",
                 codes=(0, 4))  # 4: predicted, by a result with an open doubt
            errors.append(relative_error(folder / "predicted.csv"))
        return np.array(errors)

    def torque_metric(self):
        """R with e' R e the mean square of the torques that an error e of the parameters makes, at random states and in units of what the
        robot file's parameters make in each joint: base parameters as what they do, whatever their coordinates."""
        model, data, random = self.arm.nominal, self.arm.nominal.createData(), np.random.default_rng(3)
        lower, upper = np.maximum(model.lowerPositionLimit, -2.5), np.minimum(model.upperPositionLimit, 2.5)
        rows = np.array([pinocchio.computeJointTorqueRegressor(model, data, random.uniform(lower, upper),
                                                               *random.standard_normal((2, model.nv))).copy() for _ in range(1000)])
        file = np.concatenate([model.inertias[k].toDynamicParameters() for k in range(1, model.njoints)])
        rows /= np.sqrt(np.mean((rows @ file)**2, axis=0))[:, None]
        return np.einsum("njp,njq->pq", rows, rows) / (len(rows) * model.nv)

    def bodies(self, result):
        """Pinocchio's ten parameters of every joint's body, and their intervals (nan: none)."""
        model = self.arm.nominal
        by_name = {body["name"]: body["parameters"] for body in result["bodies"]}
        intervals = {one["name"]: one["interval"] or [np.nan, np.nan] for one in result["uncertainty"]["parameters"]}
        links = [link_of(model, k) for k in range(1, model.njoints)]
        return (np.array([by_name[link][name] for link in links for name in PARAMETERS]),
                np.array([intervals[f"{link}.{name}"] for link in links for name in PARAMETERS], dtype=float))

    def true_parameters(self, r):
        model = self.truth[r][0]
        return np.concatenate([model.inertias[k].toDynamicParameters() for k in range(1, model.njoints)])


def relative_error(path):
    """Of a file of heft predict, over its used rows."""
    with open(path) as file:
        names = file.readline().strip().split(",")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    of = lambda what: table[:, [k for k, name in enumerate(names) if name.startswith(what)]]
    used = of("used_") > 0
    return np.linalg.norm((of("measured_") - of("predicted_"))[used]) / np.linalg.norm(of("measured_")[used])


def link_of(model, joint):
    """The first link of a joint's body: the frame that lies on it."""
    for frame in model.frames:
        if frame.type == pinocchio.FrameType.BODY and frame.parentJoint == joint and \
                np.allclose(frame.placement.homogeneous, np.eye(4)):
            return frame.name
    raise RuntimeError(f"joint {joint} has no link")


def figures(fleet, alone, population):
    """Of two lists of result.json: errors of base parameters, held-out errors, and how often intervals hold."""
    R = fleet.torque_metric()
    odd = set(fleet.odd)
    base, held, hits, base_hits = {"none": [], "population": []}, {"none": [], "population": []}, [], []
    for r in range(fleet.count):
        truth = fleet.true_parameters(r)
        for name, results in (("none", alone), ("population", population)):
            numbers, ranges = fleet.bodies(results[r])
            base[name].append(np.sqrt((numbers - truth) @ R @ (numbers - truth)))
            held[name].append(results[r]["validation"]["overall_relative"])
            if name == "population" and r not in odd:
                has = np.isfinite(ranges[:, 0])
                hits += list((ranges[has, 0] <= truth[has]) & (truth[has] <= ranges[has, 1]))
    base, held = ({name: np.array(values) for name, values in both.items()} for both in (base, held))
    rms = lambda values: np.sqrt(np.mean(values**2))
    return {"base": 100 * (np.median(base["population"]) / np.median(base["none"]) - 1),
            "rms": 100 * (rms(held["population"]) / rms(held["none"]) - 1),
            "median": 100 * (np.median(held["population"]) / np.median(held["none"]) - 1),
            "worse": 100 * np.mean(held["population"] > 1.05 * held["none"]),
            "worst": 100 * np.max(held["population"] / held["none"] - 1),
            "held": held, "alone": 100 * np.median(held["none"]), "ratio": held["population"] / held["none"],
            "intervals": 100 * np.mean(hits) if hits else np.nan, "count": len(hits)}
