"""Logs of a force-torque sensor that carries a rigid body: a hand that moves, or poses at rest."""

import dataclasses

import numpy

GRAVITY = numpy.array([0, 0, -9.81])
MOTION = "t,wx,wy,wz,alx,aly,alz,ax,ay,az".split(",")
TURN = "r11,r12,r13,r21,r22,r23,r31,r32,r33".split(",")
PULL = "gx,gy,gz".split(",")
WRENCH = "fx,fy,fz,nx,ny,nz".split(",")


@dataclasses.dataclass
class Body:
    mass: float = 1.62
    com: tuple = (0.015, -0.024, 0.066)
    inertia: tuple = ((4.6e-3, 2e-4, -2e-4), (2e-4, 4.0e-3, 1e-4), (-2e-4, 1e-4, 1.8e-3))  # about the center of mass


NOTHING = Body(0, (0, 0, 0), ((0,) * 3,) * 3)


@dataclasses.dataclass
class Motion:
    t: numpy.ndarray
    turn: numpy.ndarray  # sensor to world
    w: numpy.ndarray
    al: numpy.ndarray
    a: numpy.ndarray


def rotation(r, p, y):
    cr, sr, cp, sp, cy, sy = numpy.cos(r), numpy.sin(r), numpy.cos(p), numpy.sin(p), numpy.cos(y), numpy.sin(y)
    return numpy.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def moving(seconds=12, rate=200, seed=0, turns=(0.9, 0.8, 1.2), way=0.25):
    random = numpy.random.default_rng(seed)
    t = numpy.arange(round(seconds * rate)) / rate

    def sines(sizes):
        x, xd, xdd = (numpy.zeros((len(t), 3)) for _ in range(3))
        for j in range(3):
            for _ in range(4):
                w, phase, a = (
                    2 * numpy.pi * random.uniform(0.15, 0.8),
                    random.uniform(0, 6.28),
                    sizes[j] * random.uniform(0.2, 0.5),
                )
                x[:, j] += a * numpy.sin(w * t + phase)
                xd[:, j] += a * w * numpy.cos(w * t + phase)
                xdd[:, j] -= a * w * w * numpy.sin(w * t + phase)
        return x, xd, xdd

    e, ed, _ = sines(turns)
    e = e + [0.25, 0.2, 0]
    _, _, xdd = sines((way,) * 3)
    turn = numpy.array([rotation(*v) for v in e])
    r, p, _ = e.T
    rd, pd, yd = ed.T
    w = numpy.column_stack(
        [
            rd - yd * numpy.sin(p),
            pd * numpy.cos(r) + yd * numpy.sin(r) * numpy.cos(p),
            -pd * numpy.sin(r) + yd * numpy.cos(r) * numpy.cos(p),
        ]
    )
    return Motion(t, turn, w, numpy.gradient(w, t, axis=0, edge_order=2), numpy.einsum("nji,nj->ni", turn, xdd))


def poses(count=14, seed=5, angle=2.6):
    random = numpy.random.default_rng(seed)
    turn = numpy.array([rotation(*random.uniform(-angle, angle, 3)) for _ in range(count)])
    zero = numpy.zeros((count, 3))
    return Motion(numpy.arange(float(count)), turn, zero, zero, zero)


def wrench(motion, body=None, bias=(3, -2, 5, 0.1, 0.2, -0.05), noise=(0.15, 0.01), seed=1):
    body = body or Body()
    c, moments = numpy.array(body.com), numpy.array(body.inertia)
    s = motion.a - motion.turn.transpose(0, 2, 1) @ GRAVITY
    h, about = body.mass * c, moments + body.mass * (c @ c * numpy.eye(3) - numpy.outer(c, c))
    w, al = motion.w, motion.al
    force = body.mass * s + numpy.cross(al, h) + numpy.cross(w, numpy.cross(w, h))
    torque = al @ about.T + numpy.cross(w, w @ about.T) + numpy.cross(h, s)
    random = numpy.random.default_rng(seed)
    return (
        numpy.hstack([force, torque])
        + numpy.array(bias)
        + numpy.array([noise[0]] * 3 + [noise[1]] * 3) * random.standard_normal((len(s), 6))
    )


def quaternions(turn):
    """x, y, z, w."""
    import scipy.spatial.transform

    return scipy.spatial.transform.Rotation.from_matrix(turn).as_quat()


def table(motion, forces, turn="R", at_rest=False, names=WRENCH):
    """Header -> columns. turn: R the orientation, T its transpose, g gravity, q quaternions, qT their inverse, None."""
    columns = {} if at_rest else dict(zip(MOTION, numpy.column_stack([motion.t, motion.w, motion.al, motion.a]).T))
    matrix = motion.turn.transpose(0, 2, 1) if turn in ("T", "qT") else motion.turn
    if turn in ("R", "T"):
        columns.update(zip(TURN, matrix.reshape(-1, 9).T))
    elif turn in ("q", "qT"):
        columns.update(zip(("qx", "qy", "qz", "qw"), quaternions(matrix).T))
    elif turn == "g":
        columns.update(zip(PULL, (motion.turn.transpose(0, 2, 1) @ GRAVITY).T))
    columns.update(zip(names, forces.T))
    return columns


def save(path, columns):
    numpy.savetxt(
        path, numpy.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="", fmt="%.7g"
    )
    return path
