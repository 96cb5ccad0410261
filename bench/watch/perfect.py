"""What a detector could name that knows the arm, its noise and when a fault began, by the equations of arm.py.

Ten seconds of samples of a fault are a vector s, whitened by the noise. Another fault h with sizes theta gives S_h theta. The detector
tells the fault from a healthy arm if the likelihood ratio exceeds the number of decisions of a day, and from h if s is closer to the
truth than to every S_h theta; both are normal with variance 1 along one direction. It needs no estimates, filters or windows, so no
real detector names more. The chance of each of these mistakes alone is computed, so that their most likely one bounds the chance.
"""

import math

import numpy as np

from arm import GRAVITY, WIDTH

DURATION = 10  # s in which a fault is to be found
STEP = 0.01    # s between the samples that are computed; the others count with them
DECISIONS = 86400 * 20  # a day, for each possible fault, with one false alarm


def tail(x):
    """P(standard normal > x)."""
    return 0.5 * math.erfc(x / math.sqrt(2))


class PerfectDetector:
    def __init__(self, arm, start, rate):
        self.arm, self.t = arm, start + np.arange(0, DURATION, STEP)
        q, qd, qdd, tau = arm.torques(self.t)
        self.weight = math.sqrt(rate * STEP) / (arm.noise * arm.rms)
        self.faults = self._all_faults(q, qd, qdd, tau)

    def _all_faults(self, q, qd, qdd, tau):
        """name -> list of whitened effects of a unit of each size."""
        arm, faults = self.arm, {}
        names = [joint["name"] for joint in arm.joints]
        rigid = arm.rigid_torques(q, qd, qdd)

        def put(name, *effects):
            faults[name] = np.array([(self.weight * effect).ravel() for effect in effects]).T

        for j, name in enumerate(names):
            own = np.arange(len(names)) == j
            friction = own * np.tanh(qd / WIDTH), own * qd
            put(f"coulomb {name}", *friction)
            put(f"viscous {name}", *friction)
            put(f"offset {name}", own * np.ones_like(q))
            put(f"gain {name}", own * tau)
            put(f"zero {name}", (arm.rigid_torques(q + 1e-4 * own, qd, qdd) - rigid) / 1e-4)
            put(f"payload {j}", *self._payload(q, qd, qdd, rigid, j))
        tilts = [GRAVITY + 0.01 * np.eye(3)[k] for k in (0, 1)]
        put("gravity", *[arm.rigid_torques(q, qd, qdd, gravity=gravity) - rigid for gravity in tilts])
        return faults

    def _payload(self, q, qd, qdd, rigid, link):
        """Effects of mass and first moments."""
        def at(center):
            return self.arm.rigid_torques(q, qd, qdd, 1.0, center, link) - rigid
        moved = [0.5 * (at(0.1 * unit) - at(-0.1 * unit)) for unit in np.eye(3)]
        return at(np.zeros(3)), *moved

    def chance(self, right, **fault):
        """Upper bound of the probability with which it names a fault of Arm.torques() as one of `right`."""
        q, qd, qdd, tau = self.arm.torques(self.t, **fault)
        friction = self.arm.coulomb * np.tanh(qd / WIDTH) + self.arm.viscous * qd
        effect = (self.weight * (tau - self.arm.rigid_torques(q, qd, qdd) - friction)).ravel()
        needed = math.sqrt(2 * math.log(DECISIONS * len(self.faults)))
        mistakes = [tail(np.linalg.norm(effect) - needed)]
        for name, sizes in self.faults.items():
            if name not in right:
                rest = effect - sizes @ np.linalg.lstsq(sizes, effect, rcond=None)[0]
                mistakes.append(tail(0.5 * np.linalg.norm(rest)))
        return 1 - max(mistakes)
