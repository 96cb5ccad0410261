#!/usr/bin/env python3
"""FIGAROH (PyPI: figaroh, with IPOPT of cyipopt) designs a motion: peer_figaroh.py ROBOT.urdf SECONDS BUDGET_S SEED OUT.csv.

Its own cubic splines, base regressor, condition number, constraints and IPOPT; from its classes only the robot's file and the numbers are
given, since its examples are another repository's. Waypoints a second apart; limits of the file less the margin of 10 % that it applies to
positions, velocities and torques alike; it knows none of acceleration and jerk. When the budget of processor time is spent the best motion
that kept its constraints counts, as it does where IPOPT stops by itself. Prints JSON; t, q_, qd_, qdd_ of every joint to OUT.csv."""
import json
import logging
import sys
import time

import numpy as np

logging.disable(logging.CRITICAL)
RATE = 100


class OutOfTime(BaseException):
    """Not an Exception: the peer catches those."""


def main(urdf, seconds, budget, seed, out):
    from figaroh.optimal.base_optimal_trajectory import BaseOptimalTrajectory, BaseTrajectoryIPOPTProblem
    from figaroh.optimal.config import COLLISION_DEFAULTS
    from figaroh.tools.load_robot import load_robot
    np.random.seed(seed)
    begin = time.process_time()
    found = {"cost": np.inf, "motion": None, "evaluations": 0}

    class Problem(BaseTrajectoryIPOPTProblem):
        def objective(self, X):
            cost = super().objective(X)
            found["evaluations"] += 1
            if cost < found["cost"] and self._is_feasible(X):
                found.update(cost=float(cost), motion=[np.array(self.opt_cb[key]) for key in ("t_f", "p_f", "v_f", "a_f")])
            if time.process_time() - begin > budget:
                raise OutOfTime
            return cost

    class Trajectory(BaseOptimalTrajectory):
        def __init__(self, robot):
            self.robot, self.model, self.active_joints = robot, robot.model, list(robot.model.names)[1:]
            self.logger = logging.getLogger("figaroh")
            self.trajectory_config = {"n_wps": int(seconds) + 1, "freq": 20, "t_s": 1.0, "soft_lim": 0.1, "max_attempts": 1000,
                                      "max_iterations": 100000, "segment_attempts": 1000, **COLLISION_DEFAULTS}
            self.identif_config = {"has_friction": True, "has_actuator_inertia": True, "has_joint_offset": False, "is_joint_torques": True,
                                   "is_external_wrench": False, "force_torque": None, "act_idxv": list(range(robot.model.nv))}
            self.results = {"T_F": [], "P_F": [], "V_F": [], "A_F": [], "iteration_data": [], "final_regressor_shape": None}

        def create_ipopt_problem(self, *numbers):
            return Problem(self, *numbers)

    stopped = "by itself"
    try:
        trajectory = Trajectory(load_robot(urdf))
        trajectory.initialize()
        trajectory.solve(stack_reps=1)
    except OutOfTime:
        stopped = "budget"
    if found["motion"] is None:
        print(json.dumps({"evaluations": found["evaluations"], "cpu_s": time.process_time() - begin, "stopped": stopped, "condition": None}))
        return
    t, q, qd, qdd = found["motion"]
    names = list(trajectory.robot.model.names)[1:]
    header = ",".join(["t"] + [stem + name for stem in ("q_", "qd_", "qdd_") for name in names])
    np.savetxt(out, np.column_stack([t, q, qd, qdd]), delimiter=",", header=header, comments="", fmt="%.12g")
    print(json.dumps({"evaluations": found["evaluations"], "cpu_s": time.process_time() - begin, "stopped": stopped, "condition": found["cost"]}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
