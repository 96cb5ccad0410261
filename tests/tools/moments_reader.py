"""Moments files read as docs/moments.md says, with numpy alone; nothing of Heft is asked.

moments_reader.py FILE.heft LOG.csv prints how far the file's sums are from those of the log's rows, whose columns are t and
q_, qd_, qdd_, tau_ of every joint: per channel the largest differences of G = Y'Y, b = Y'tau and tau'tau, as parts of
the largest entries, and those of the stretches' sum from the total. Y comes from Newton and Euler's equations of a robot
on a fixed base. Exits with 77 without numpy.
"""

import hashlib
import json
import struct
import sys
import zlib

try:
    import numpy
except ImportError:
    sys.exit(77)

ENTRIES = {"hx": [(0, 3)], "hy": [(1, 3)], "hz": [(2, 3)], "m": [(3, 3)], "Sxx": [(0, 0)], "Syy": [(1, 1)], "Szz": [(2, 2)],
           "Sxy": [(0, 1)], "Sxz": [(0, 2)], "Syz": [(1, 2)], "Sxx+Syy": [(0, 0), (1, 1)]}
KEPT = {10: ["hx", "hy", "Sxy", "Sxz", "Syz", "Sxx", "Syy", "hz", "m", "Szz"], 4: ["hx", "hy", "hz", "m"],
        3: ["hx", "hy", "Sxx+Syy"], 0: []}
KEPT[9], KEPT[7] = KEPT[10][:9], KEPT[10][:7]


def read(path):
    """(description, numbers) of a moments file."""
    content = open(path, "rb").read()
    assert content[:16] == b"heft-moments-2\n\n"
    order, size, plain, packed, count, lying, planes = struct.unpack("<7Q", content[16:72])
    assert order == 0x0102030405060708 and size == len(content)
    assert hashlib.sha256(content[:-64]).hexdigest().encode() == content[-64:]
    description = zlib.decompress(content[72:72 + packed])
    assert len(description) == plain
    begin = (72 + packed + 7) // 8 * 8
    assert not any(content[72 + packed:begin])
    numbers = content[begin:-64]
    assert len(numbers) == lying
    if planes:
        numbers = numpy.frombuffer(zlib.decompress(numbers), "u1").reshape(8, count).T.tobytes()
    assert len(numbers) == 8 * count
    return json.loads(description), numpy.frombuffer(numbers, "<f8")


def sums(description, numbers):
    """[(matrices, rows)] of the total and of every stretch, one symmetric matrix per channel."""
    widths = [len(columns) + 1 for columns in description["layout"]["channel_columns"]]
    sets, at = [], 0
    for _ in range(1 + len(description["stretches"])):
        matrices = []
        for width in widths:
            matrix = numpy.full((width, width), numpy.nan)
            upper = numpy.triu_indices(width)
            matrix[upper] = numbers[at:at + len(upper[0])]
            matrix.T[upper] = matrix[upper]
            matrices.append(matrix)
            at += len(upper[0])
        sets.append((matrices, numbers[at:at + len(widths)]))
        at += len(widths)
    assert at == len(numbers)
    return sets


def pseudo_inertia(parameters):
    m, x, y, z, xx, xy, yy, xz, yz, zz = parameters
    half = (xx + yy + zz) / 2
    return numpy.array([[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, m]])


def square(numbers):
    return numpy.vstack([numpy.reshape(numbers, (3, 4)), [0, 0, 0, 1]])


def regrouping(description):
    """W in Y = S W."""
    bodies, frames = description["robot"]["bodies"], description["layout"]["frames"]
    first = numpy.cumsum([0] + [frame["columns"] for frame in frames])
    identified = [i for i, body in enumerate(bodies) if body["has_parameters"]]
    num_columns = len(description["columns"])
    W = numpy.zeros((first[-1] + num_columns, 10 * len(identified) + num_columns))
    for place, body in enumerate(identified):
        T = numpy.linalg.inv(square(frames[body]["in_body"]))
        for k in range(10):
            J = T @ pseudo_inertia(numpy.eye(10)[k]) @ T.T
            b = body
            while b >= 0:
                for column, name in enumerate(KEPT[frames[b]["columns"]]):
                    for row, other in ENTRIES[name]:
                        W[first[b] + column, 10 * place + k] += J[row, other]
                        J[row, other] = J[other, row] = 0
                X = square(frames[b]["in_parent"])
                J = X @ J @ X.T
                b = bodies[b]["parent"]
    for j in range(num_columns):
        W[first[-1] + j, 10 * len(identified) + j] = 1
    return W


def normal_equations(description, matrices):
    """Per channel (G, b, tau'tau) in the parameters."""
    W = regrouping(description)
    result = []
    for matrix, columns in zip(matrices, description["layout"]["channel_columns"]):
        part = W[columns]
        result.append((part.T @ matrix[:-1, :-1] @ part, part.T @ matrix[:-1, -1], matrix[-1, -1]))
    return result


def rotation(axis, angle):
    K = numpy.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return numpy.eye(3) + numpy.sin(angle) * K + (1 - numpy.cos(angle)) * K @ K


def regressor(description, q, qd, qdd):
    """Rows of all channels in the parameters, for torques of revolute joints."""
    robot, columns = description["robot"], description["columns"]
    bodies = robot["bodies"]
    n = len(bodies)
    Y = numpy.zeros((n, 10 * n + len(columns)))
    motion = {-1: (numpy.eye(3), numpy.zeros(3), numpy.zeros(3), numpy.zeros(3), -numpy.array(robot["gravity"]))}
    lines = []  # axis and origin of every joint, in the base
    cross = numpy.cross
    for i, body in enumerate(bodies):
        assert body["type"] == "revolute" and body["coordinate"] == i and (body["ratio"], body["offset"]) == (1, 0)
        R0, p0, w0, wd0, a0 = motion[body["parent"]]
        pose, axis = square(body["pose"]), numpy.array(body["axis"])
        r = R0 @ pose[:3, 3]
        R = R0 @ pose[:3, :3] @ rotation(axis, q[i])
        z = R @ axis
        w = w0 + z * qd[i]
        wd = wd0 + z * qdd[i] + cross(w0, z * qd[i])
        a = a0 + cross(wd0, r) + cross(w0, cross(w0, r))
        p = p0 + r
        motion[i] = (R, p, w, wd, a)
        lines.append((z, p))
        for k in range(10):
            pi = numpy.eye(10)[k]
            m, h = pi[0], R @ pi[1:4]
            xx, xy, yy, xz, yz, zz = pi[4:]
            inertia = R @ numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
            force = m * a + cross(wd, h) + cross(w, cross(w, h))
            moment = inertia @ wd + cross(w, inertia @ w) + cross(h, a)
            j = i
            while j >= 0:
                along, origin = lines[j]
                Y[j, 10 * i + k] = along @ (moment + cross(p - origin, force))
                j = bodies[j]["parent"]
    for j, column in enumerate(columns):
        for term in column["terms"]:
            i = term["source"]
            Y[term["channel"], 10 * n + j] = {"one": 1, "q": q[i], "qd": qd[i], "qdd": qdd[i], "sign(qd)": numpy.sign(qd[i]),
                                              "tanh(qd/width)": numpy.tanh(qd[i] / term["width"])}[term["feature"]]
    return Y


def main():
    description, numbers = read(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        names = file.readline().strip().split(",")
        table = dict(zip(names, numpy.loadtxt(file, delimiter=",").T))
    joints = [coordinate["name"] for coordinate in description["robot"]["coordinates"]]
    q, qd, qdd, tau = (numpy.stack([table[f"{kind}_{joint}"] for joint in joints], axis=1)
                       for kind in ("q", "qd", "qdd", "tau"))
    rows = numpy.stack([regressor(description, *sample) for sample in zip(q, qd, qdd)])
    all_sums = sums(description, numbers)
    matrices, counts = all_sums[0]
    apart = lambda a, b: float(numpy.max(numpy.abs(a - b)) / numpy.max(numpy.abs(b)))
    report = {"rows": counts.tolist(), "samples": len(q), "channels": [], "stretches": len(all_sums) - 1}
    for c, (G, b, tau2) in enumerate(normal_equations(description, matrices)):
        Y = rows[:, c, :]
        report["channels"].append([apart(G, Y.T @ Y), apart(b, Y.T @ tau[:, c]), apart(tau2, tau[:, c] @ tau[:, c])])
    if len(all_sums) > 1:
        report["stretches_apart"] = max(apart(sum(part[0][c] for part in all_sums[1:]), matrices[c])
                                        for c in range(len(matrices)))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
