#!/usr/bin/env python3
"""Drake (PyPI: drake) designs a motion: peer_drake.py ROBOT.urdf LIMITS.json SECONDS BUDGET_S SEED OUT.csv.

Its KinematicTrajectoryOptimization: a B-spline of order 6 at rest at both ends, with bounds of position, velocity, acceleration and jerk
on control points as Drake states them; torques, of its MultibodyPlant, bounded at samples; solved by its SNOPT from a random motion. The cost is the logarithm
of the condition number of the regressor, by the plant's inverse dynamics for unit parameters, scaled and cut to its rank, as
robot_payload_id does; its slopes are differences. When the budget of processor time is spent the best motion within its bounds counts. Prints
JSON; t, q_, qd_, qdd_ of every joint to OUT.csv."""
import json
import sys
import time

import numpy as np

SAMPLES, POINTS = 40, 25


class OutOfTime(BaseException):
    """Comes out of the solver as another exception."""


def main(urdf, limits_path, seconds, budget, seed, out):
    from pydrake.autodiffutils import AutoDiffXd, ExtractGradient, ExtractValue
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces, SpatialInertia, UnitInertia
    from pydrake.planning import KinematicTrajectoryOptimization
    from pydrake.solvers import SnoptSolver
    from pydrake.trajectories import BsplineTrajectory
    begin = time.process_time()
    limits = {key: np.array(value) for key, value in json.loads(open(limits_path).read()).items()}
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    parser.AddModels(urdf)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("panda_link0"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    n = plant.num_positions()
    names = [plant.get_joint(index).name() for index in plant.GetJointIndices() if plant.get_joint(index).num_positions() == 1]
    bodies = [plant.get_joint(index).child_body() for index in plant.GetJointIndices() if plant.get_joint(index).num_positions() == 1]

    def torques(q, qd, qdd):
        plant.SetPositions(context, q)
        plant.SetVelocities(context, qd)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, qdd, forces)

    # bodies whose torques span those of unit parameters: mass, centre and tensor of every link one at a time, less those of no link
    def inertia(mass, com, moments):
        return SpatialInertia(mass, com, UnitInertia(*moments))
    base = (1.0, np.zeros(3), (0.4, 0.4, 0.4, 0, 0, 0))
    variants = [base, (2.0, np.zeros(3), (0.2, 0.2, 0.2, 0, 0, 0))]
    variants += [(1.0, 0.1 * axis, (0.5, 0.5, 0.5, 0, 0, 0)) for axis in np.eye(3)]
    variants += [(1.0, np.zeros(3), tuple(np.array([0.4, 0.4, 0.4, 0, 0, 0]) + 0.1 * unit)) for unit in np.eye(6)]
    originals = [body.CalcSpatialInertiaInBodyFrame(context) for body in bodies]
    speck = inertia(1e-9, np.zeros(3), (0.4, 0.4, 0.4, 0, 0, 0))

    def rows(q, qd, qdd):
        """(samples n, 10 bodies) differences that unit changes of every body make, then friction and rotors."""
        for body in bodies:
            body.SetSpatialInertiaInBodyFrame(context, speck)
        columns = []
        for body in bodies:
            for variant in variants:
                body.SetSpatialInertiaInBodyFrame(context, inertia(*variant))
                columns.append(np.concatenate([torques(*state) for state in zip(q, qd, qdd)]))
            body.SetSpatialInertiaInBodyFrame(context, speck)
        for body, original in zip(bodies, originals):
            body.SetSpatialInertiaInBodyFrame(context, original)
        diagonals = [np.vstack([np.diag(row) for row in values]) for values in (qd, np.tanh(qd / 0.08), qdd)]
        return np.column_stack([*columns, *diagonals])

    random = np.random.default_rng(seed)
    optimization = KinematicTrajectoryOptimization(n, POINTS, 6, seconds)
    program = optimization.get_mutable_prog()
    optimization.AddDurationConstraint(seconds, seconds)
    optimization.AddPositionBounds(limits["middle"] - limits["position"], limits["middle"] + limits["position"])
    optimization.AddVelocityBounds(-limits["velocity"], limits["velocity"])
    optimization.AddAccelerationBounds(-limits["acceleration"], limits["acceleration"])
    optimization.AddJerkBounds(-limits["jerk"], limits["jerk"])
    points = optimization.control_points()
    for edge in (points[:, :3], points[:, -3:]):  # equal control points: at rest
        for k in range(1, edge.shape[1]):
            program.AddLinearEqualityConstraint(edge[:, k] - edge[:, 0], np.zeros(n))
    spline = optimization.basis()
    times = np.arange(SAMPLES) / SAMPLES
    def motion(x, at):
        path = BsplineTrajectory(spline, np.reshape(x, (n, POINTS), order="F"))
        first, second = path.MakeDerivative(1), path.MakeDerivative(2)
        return (np.array([path.value(s)[:, 0] for s in at]), np.array([first.value(s)[:, 0] for s in at]) / seconds,
                np.array([second.value(s)[:, 0] for s in at]) / seconds**2)

    # the columns that are independent, once, at random states
    state = [limits["middle"] + limits["position"] * random.uniform(-1, 1, (60, n)), limits["velocity"] * random.uniform(-1, 1, (60, n)),
             limits["acceleration"] * random.uniform(-1, 1, (60, n))]
    whole = rows(*state)
    scale = np.linalg.norm(whole, axis=0)
    kept = [i for i in range(whole.shape[1]) if scale[i] > 1e-9 * scale.max()]
    independent = []
    for i in kept:
        if np.linalg.matrix_rank(whole[:, independent + [i]] / scale[independent + [i]], tol=1e-6) > len(independent):
            independent.append(i)
    found = {"cost": np.inf, "x": None, "evaluations": 0, "is_out_of_time": False}

    def within(x):
        q, qd, qdd = motion(x, np.arange(200) / 200)
        tau = np.array([torques(*each) for each in zip(q, qd, qdd)])
        return all(np.all(np.abs(value) <= limits[name] * (1 + 1e-6)) for name, value in
                   (("position", q - limits["middle"]), ("velocity", qd), ("acceleration", qdd), ("torque", tau)))

    def cost_of(x):
        found["evaluations"] += 1
        if time.process_time() - begin > budget:
            found["is_out_of_time"] = True
            raise OutOfTime
        values = np.linalg.svd(rows(*motion(x, times))[:, independent] / scale[independent], compute_uv=False)
        return float(np.log(values[0] / max(values[-1], 1e-12)))

    def torques_of(x):
        return np.array([torques(*each) for each in zip(*motion(x, times))]).ravel()

    def with_differences(function):
        def evaluated(x):
            if x.dtype != object:
                return function(x)
            value = ExtractValue(x).ravel()
            here = np.atleast_1d(function(value))
            slopes = np.array([(np.atleast_1d(function(value + 1e-5 * unit)) - here) / 1e-5 for unit in np.eye(len(value))]).T
            if function is cost_of and here[0] < found["cost"] and within(value):
                found.update(cost=here[0], x=value)
            chained = slopes @ ExtractGradient(x)
            result = np.array([AutoDiffXd(v, g) for v, g in zip(here, chained)])
            return result[0] if function is cost_of else result
        return evaluated
    variables = points.flatten(order="F")
    program.AddCost(with_differences(cost_of), vars=variables)
    bound = np.tile(limits["torque"], SAMPLES)
    program.AddConstraint(with_differences(torques_of), -bound, bound, vars=variables)
    guess = np.tile(limits["middle"][:, None], (1, POINTS))
    guess[:, 3:-3] += 0.1 * limits["position"][:, None] * random.normal(size=(n, POINTS - 6))
    program.SetInitialGuess(points, guess)
    stopped = "by itself"
    try:
        SnoptSolver().Solve(program, program.initial_guess(), None)
    except BaseException:
        if not found["is_out_of_time"]:
            raise
        stopped = "budget"
    report = {"evaluations": found["evaluations"], "cpu_s": time.process_time() - begin, "stopped": stopped,
              "condition": None if found["x"] is None else float(np.exp(found["cost"]))}
    if found["x"] is not None:
        t = np.arange(int(100 * seconds) + 1) / 100
        q, qd, qdd = motion(found["x"], t / seconds)
        header = ",".join(["t"] + [stem + name for stem in ("q_", "qd_", "qdd_") for name in names])
        np.savetxt(out, np.column_stack([t, q, qd, qdd]), delimiter=",", header=header, comments="", fmt="%.12g")
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
