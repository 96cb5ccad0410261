"""Payloads on the wrist of a simulated UR5: motion in closed form, wrench from the masses that the payload is made of.

Frames and signs are those of `heft payload`: everything in the sensor's frame, the wrench is what the sensor exerts. The
motion is that of Nadeau, Giamou, Kelly 2022: joints 4 to 6 turn by 45 deg sin(2 pi k f t), f = 0.1, 0.13, 0.16 Hz, t in seconds.
"""
import numpy as np

# Denavit-Hartenberg parameters of the UR5 as its maker publishes them: d, a, alpha
LINKS = [(0.089159, 0, np.pi / 2), (0, -0.425, 0), (0, -0.39225, 0), (0.10915, 0, np.pi / 2), (0.09465, 0, -np.pi / 2),
         (0.0823, 0, 0)]
START = np.radians([0, -90, 60, -90, -90, 0])
AMPLITUDE, FREQUENCY = np.radians(45), np.array([0, 0, 0, 0.1, 0.13, 0.16])
SPEED_AT_1 = 0.780043  # mean |w| over 35 s at k = 1 [rad/s]
SENSOR = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])  # the sensor's axes in the flange's: turned by 90 deg about y
GRAVITY = np.array([0, 0, -9.81])
HEADER = "t,wx,wy,wz,alx,aly,alz,ax,ay,az,gx,gy,gz,fx,fy,fz,nx,ny,nz"
RATE = 100.0


def joints(t, k):
    """q, qd, qdd of all samples, one per row."""
    phase = 2 * np.pi * k * FREQUENCY * t[:, None]
    rate = 2 * np.pi * k * FREQUENCY
    return (START + AMPLITUDE * np.sin(phase), AMPLITUDE * rate * np.cos(phase), -AMPLITUDE * rate**2 * np.sin(phase))


def motion(q, qd, qdd):
    """w, wd, a, g of the sensor in its own frame, by forward kinematics in the world's."""
    n = len(q)
    R = np.tile(np.eye(3), (n, 1, 1))
    w, wd, a = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    for joint, (d, length, alpha) in enumerate(LINKS):
        z = R[:, :, 2]
        wd = wd + qdd[:, joint, None] * z + np.cross(w, qd[:, joint, None] * z)
        w = w + qd[:, joint, None] * z
        c, s, ca, sa = np.cos(q[:, joint]), np.sin(q[:, joint]), np.cos(alpha), np.sin(alpha)
        step = np.zeros((n, 3, 3))
        step[:, 0, 0], step[:, 0, 1], step[:, 0, 2] = c, -s * ca, s * sa
        step[:, 1, 0], step[:, 1, 1], step[:, 1, 2] = s, c * ca, -c * sa
        step[:, 2, 1], step[:, 2, 2] = sa, ca
        arm = np.einsum("nij,nj->ni", R, np.stack([length * c, length * s, np.full(n, d)], axis=1))
        a = a + np.cross(wd, arm) + np.cross(w, np.cross(w, arm))
        R = R @ step
    R = R @ SENSOR
    turn = lambda v: np.einsum("nji,nj->ni", R, v)
    return turn(w), turn(wd), turn(a), turn(np.tile(GRAVITY, (n, 1)))


def wrench(x, w, wd, a, g):
    """Force and torque of ten parameters (Heft's order) by Newton's and Euler's laws about the sensor's origin."""
    m, h = x[0], x[1:4]
    I = np.array([[x[4], x[5], x[7]], [x[5], x[6], x[8]], [x[7], x[8], x[9]]])
    u = a - g
    f = m * u + np.cross(wd, h) + np.cross(w, np.cross(w, h))
    n = np.cross(h, u) + wd @ I + np.cross(w, w @ I)
    return f, n


def kalman(q, rng):
    """q, qd, qdd as estimated by a causal filter: constant acceleration, jerk density 20, 0.5 mrad of noise on the angles."""
    dt, sd = 1 / RATE, 5e-4
    F = np.array([[1, dt, dt**2 / 2], [0, 1, dt], [0, 0, 1]])
    Q = 20**2 * np.array([[dt**5 / 20, dt**4 / 8, dt**3 / 6], [dt**4 / 8, dt**3 / 3, dt**2 / 2], [dt**3 / 6, dt**2 / 2, dt]])
    measured = q + sd * rng.standard_normal(q.shape)
    P, x = np.diag([sd**2, 1.0, 10.0]), np.zeros((3, q.shape[1]))
    x[0] = measured[0]
    states = np.empty((len(q), 3, q.shape[1]))
    for i, z in enumerate(measured):
        x, P = F @ x, F @ P @ F.T + Q
        gain = P[:, 0] / (P[0, 0] + sd**2)
        x = x + np.outer(gain, z - x[0])
        P = P - np.outer(gain, P[0])
        states[i] = x
    return states[:, 0], states[:, 1], states[:, 2]


def log(x, speed, condition, rng, samples=150):
    """Rows of a log: `condition` a has noise on wd, a and the wrench, b kinematics from a Kalman filter."""
    k, run_in = speed / SPEED_AT_1, int(2 * RATE)
    t = rng.uniform(0, 30) + np.arange(run_in + samples) / RATE
    q, qd, qdd = joints(t, k)
    w, wd, a, g = motion(q, qd, qdd)
    f, n = wrench(x, w, wd, a, g)
    f, n = f + 0.1 * rng.standard_normal(f.shape), n + 0.005 * rng.standard_normal(n.shape)
    if condition == "a":
        wd, a = wd + 0.5 * rng.standard_normal(wd.shape), a + 0.05 * rng.standard_normal(a.shape)
    elif condition == "b":
        w, wd, a, g = motion(*kalman(q, rng))
    return np.column_stack([t - t[run_in], w, wd, a, g, f, n])[run_in:]


def write_log(path, rows):
    np.savetxt(path, rows, delimiter=",", header=HEADER, comments="", fmt="%.10g")


def point_moments(masses, points):
    """Ten parameters of point masses."""
    m, p = np.asarray(masses, float), np.asarray(points, float)
    S = np.einsum("n,ni,nj->ij", m, p, p)
    I = np.trace(S) * np.eye(3) - S
    return np.array([m.sum(), *(m @ p), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def box_moments(mass, size, centre):
    """Ten parameters of a uniform box."""
    size, centre = np.asarray(size, float), np.asarray(centre, float)
    S = mass * (np.diag(size**2) / 12 + np.outer(centre, centre))
    I = np.trace(S) * np.eye(3) - S
    return np.array([mass, *(mass * centre), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def errors(x, truth, box):
    """Mass, center of mass, inertia in percent: eqs. 10 to 12 of Nadeau et al., inertia about the sensor."""
    box = np.asarray(box, float)
    mass = abs(x[0] - truth[0]) / truth[0]
    com = np.mean(np.abs(x[1:4] / x[0] - truth[1:4] / truth[0]) / box)
    places = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]
    scale = [truth[0] / 12 * ((box @ box if i == j else 0) - box[i] * box[j]) for i, j in places]
    inertia = np.mean([abs(x[4 + k] - truth[4 + k]) / abs(scale[k]) for k in range(6)])
    return 100 * np.array([mass, com, inertia])


def stl_of_boxes(boxes):
    """Text of an STL of boxes that do not overlap: [(size, centre), ..] in meters."""
    faces = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6),
             (1, 3, 5), (3, 7, 5)]
    lines = ["solid boxes"]
    for size, centre in boxes:
        corner = lambda k: [centre[i] + ((k >> i & 1) - 0.5) * size[i] for i in range(3)]
        for face in faces:
            lines += ["facet normal 0 0 0", "outer loop", *("vertex %.9g %.9g %.9g" % tuple(corner(k)) for k in face), "endloop",
                      "endfacet"]
    return "\n".join([*lines, "endsolid boxes", ""])
