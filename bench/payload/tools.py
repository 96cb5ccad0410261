"""The twenty workshop tools of Nadeau, Giamou and Kelly 2023 (HEFT_DATA, workshop_tools_ft), with the noise that they call moderate.

Their shapes are not in HEFT_DATA: they are files of the authors' repository (MIT),

    git clone https://github.com/utiasSTARS/inertial-identification-with-part-segmentation    # commit 48928088e4

whose folder HEFT_TOOL_SHAPES or --tool-shapes names. Every tool has two there: `mesh`, its surface from CAD, and `points`, what a camera
saw of it, filled with volumes. Without that folder twelve tools have the points that the golden file took from the same place.

Errors are those of simulator.errors; "held-out torque" is fitted on the noisy first half of a log and compared with the noise-free second.
"""
import json
import re
import shutil
import subprocess

import numpy as np

import simulator

FROM_FILE = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # m, mc, xx, xy, xz, yy, yz, zz of the file into Heft's order
METHODS = ("auto", "wls", "ols", "geo", "pmd")  # the last one needs a shape
MUSTS = (("mean error of mass", 0.4), ("mean error of CoM", 0.45), ("mean error of inertia", 6.5), ("mean held-out torque", 0.9))
NOISE = np.array([0.5] * 3 + [0.05] * 3 + [0.1] * 3 + [0.005] * 3)
NOISY = [4, 5, 6, 7, 8, 9, 13, 14, 15, 16, 17, 18]  # columns of the log
PLY_TYPES = {"float": "<f4", "float32": "<f4", "double": "<f8", "uchar": "u1", "uint8": "u1", "int": "<i4", "uint": "<u4"}


def read_ply(path):
    """({property: values} of the vertices, corner numbers of triangles)."""
    data = path.read_bytes()
    end = data.index(b"\n", data.index(b"end_header")) + 1
    elements = []
    for line in data[:end].decode().splitlines():
        words = line.split()
        if words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property":
            elements[-1][2].append(words[1:])
    vertices, triangles = {}, np.empty((0, 3), int)
    if b"format ascii" in data[:end]:
        name, count, properties = elements[0]
        rows = np.array(data[end:].split()[:count * len(properties)], float).reshape(count, -1)
        return {words[-1]: rows[:, k] for k, words in enumerate(properties)}, triangles
    for name, count, properties in elements:
        kind = np.dtype([field for words in properties for field in
                         ([("n", PLY_TYPES[words[1]]), ("corners", PLY_TYPES[words[2]], 3)] if words[0] == "list"
                          else [(words[-1], PLY_TYPES[words[0]])])])
        rows = np.frombuffer(data, kind, count, end)
        end += count * kind.itemsize
        if name == "vertex":
            vertices = {words[-1]: rows[words[-1]].astype(float) for words in properties}
        elif name == "face":
            assert (rows["n"] == 3).all(), path
            triangles = rows["corners"].astype(int)
    return vertices, triangles


def places(vertices):
    return np.column_stack([vertices[axis] for axis in "xyz"])


def write_stl(path, corners):
    """Binary; `corners`: triangles x 3 x 3 [m]."""
    rows = np.zeros(len(corners), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")]))
    rows["corners"] = corners
    path.write_bytes(b"workshop tool".ljust(80) + np.uint32(len(rows)).tobytes() + rows.tobytes())


def pose_numbers(R, p):
    """x, y, z, roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll)."""
    return [*p, np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(np.clip(R[2, 0], -1, 1)), np.arctan2(R[1, 0], R[0, 0])]


def shapes_of(folder, name):
    """{kind: (corners of the mesh, its pose in the sensor's frame)} and ditto points, volumes, and the box of the points along the
    sensor's axes, as the golden file has it for twelve of them."""
    about = folder / "data" / "Workshop Tools Dataset" / name.replace("_", " ")
    grasp = np.array(json.loads(re.search(r"GRASP_WRT_MESH: (.*)", (about / "Inertia.yaml").read_text()).group(1)))
    R, p = grasp[:3, :3], grasp[:3, 3]
    vertices, triangles = read_ply(about / "mesh.ply")  # in millimeters
    seen, _ = read_ply(folder / "data" / "Segmentations" / name / f"{name}.ply")
    points = places(seen)
    return {"mesh": (1e-3 * places(vertices)[triangles], pose_numbers(R.T, -R.T @ p)),
            "points": ((points - p) @ R, seen["volume"]),
            "box": np.abs(R.T @ np.ptp(points, axis=0))}


def box_of_moments(truth):
    """The box with these moments, at least a tenth as thick as it is long."""
    I = np.diag(truth[[4, 6, 9]])
    squares = np.diag(np.trace(I) / 2 * np.eye(3) - I) / truth[0] - (truth[1:4] / truth[0]) ** 2
    return np.sqrt(12 * np.maximum(squares, 0.01 * squares.max()))


class Tool:
    """One of the twenty tools, with what is known of its shape."""

    def __init__(self, line, golden, data, folder):
        self.name, *numbers = line.split(",")
        self.truth = np.array([float(number) for number in numbers])[FROM_FILE]
        self.clean = np.loadtxt(data / "workshop_tools_ft" / "objects" / f"{self.name}.csv", delimiter=",", skiprows=1)
        shapes = shapes_of(folder, self.name) if folder is not None else {}
        self.mesh, self.points = shapes.get("mesh"), shapes.get("points")
        if self.points is None and golden is not None:
            self.points = (np.array(golden["points"]), np.array(golden["volumes"]))
        self.box = golden["box"] if golden is not None else shapes.get("box", box_of_moments(self.truth))

    def has(self, kind):
        return kind == "nothing" or getattr(self, kind) is not None

    def shape(self, kind, folder):
        """(mesh or nothing, flags, configuration) that give heft payload the shape of that kind; files go into `folder`."""
        if kind == "mesh":
            write_stl(folder / "mesh.stl", self.mesh[0])
            return "mesh.stl", ("--pose", ",".join("%.12g" % x for x in self.mesh[1])), "bias: none"
        if kind == "points":
            np.savetxt(folder / "points.csv", np.column_stack(self.points), delimiter=",", header="x,y,z,volume", comments="")
            return "", (), f"bias: none, prior: {{points: {folder / 'points.csv'}}}"
        return "", (), "bias: none"


def read_tools(golden, data, folder):
    known = {tool["object"]: tool for tool in json.loads((golden / "payload" / "payload_real.json").read_text())["tools"]}
    lines = (data / "workshop_tools_ft" / "truth.csv").read_text().splitlines()[1:]
    return [Tool(line, known.get(line.split(",")[0]), data, folder) for line in lines]


def weigh_tool(heft, folder, number, tool, kind, seeds, methods):
    """{method: errors of mass, CoM, inertia and held-out torque [%], seeds x 4}, all logs in one batch."""
    folder.mkdir()
    mesh, flags, config = tool.shape(kind, folder)
    (folder / "payload.yaml").write_text("payload: {%s}\n" % config)
    lines = ["id,log,shape"]
    for seed in range(seeds):
        rng = np.random.default_rng([seed, number])
        rows = tool.clean.copy()
        rows[:, NOISY] += NOISE * rng.standard_normal((len(rows), 12))
        for part, some in (("all", rows), ("half", rows[:500])):
            simulator.write_log(folder / f"{part}{seed}.csv", some)
            lines.append(f"{part}{seed},{part}{seed}.csv,{mesh}")
    (folder / "batch.csv").write_text("\n".join(lines) + "\n")
    command = [heft, "payload", "--batch", folder / "batch.csv", "--config", folder / "payload.yaml", "--out", folder / "out", *flags]
    for method in methods:
        command += ["--method", method]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")

    def answers(name):
        result = json.loads((folder / "out" / "results" / name / "result.json").read_text())
        return {m["name"]: np.array(m["parameters"]) for m in result["methods"] if "parameters" in m}

    found, rest = {method: np.full((seeds, 4), np.nan) for method in methods}, tool.clean[500:]
    for seed in range(seeds):
        of_half = answers(f"half{seed}")
        for method, x in answers(f"all{seed}").items():
            _, torque = simulator.wrench(of_half[method], *(rest[:, k:k + 3] for k in (1, 4, 7, 10)))
            held_out = 100 * np.linalg.norm(torque - rest[:, 16:19]) / np.linalg.norm(rest[:, 16:19])
            found[method][seed] = (*simulator.errors(x, tool.truth, tool.box), held_out)
    shutil.rmtree(folder)
    return found


def weigh(runner, pool, tools, kind, seeds):
    """{method: errors, tools x seeds x 4} with shapes of that kind."""
    methods = METHODS if kind != "nothing" else METHODS[:-1]
    tasks = [pool.submit(weigh_tool, runner.heft, runner.scratch / f"{tool.name}-{kind}", number, tool, kind, seeds, methods)
             for number, tool in enumerate(tools)]
    found = [task.result() for task in tasks]
    return {method: np.array([of_tool[method] for of_tool in found]) for method in methods}


def add_table(lines, title, found):
    lines += ["", f"| {title}, mean (median) | mass % | CoM % | inertia % | held-out torque % |", "|---|---|---|---|---|"]
    for method, errors in found.items():
        cells = errors.reshape(-1, 4)
        lines.append(f"| {method} | " + " | ".join(f"{cells[:, k].mean():.2f} ({np.median(cells[:, k]):.2f})" for k in range(4)) + " |")


def add_musts(report, what, found, must):
    for k, (words, value) in enumerate(MUSTS):
        report.add(f"{what}, {words}", found["auto"][..., k].mean(), "%", must=value if must else None, smaller_is_better=True)


def measure(runner, pool, golden, data, folder, seeds, report, lines):
    """Tables of all available shapes; the musts are for all twenty with either kind of shape, or mixed where eight have none."""
    tools = read_tools(golden, data, folder)
    words = {"mesh": "with their mesh", "points": "with points of a camera", "nothing": "without a shape"}
    by_kind = {}
    for kind in words:
        some = [tool for tool in tools if tool.has(kind)]
        if some:
            by_kind[kind] = (some, weigh(runner, pool, some, kind, seeds))
            add_table(lines, f"{len(some)} workshop tools, {words[kind]}", by_kind[kind][1])
            add_musts(report, f"{len(some)} tools, {words[kind]}", by_kind[kind][1], len(some) == len(tools) and kind != "nothing")
    if "mesh" in by_kind:
        lines += ["", "| tool, mean % of mass / CoM / inertia / held-out torque, `auto` | with its mesh | with points | without |", "|---|---|---|---|"]
        for number, tool in enumerate(tools):
            cells = (found["auto"][number].mean(axis=0) for _, found in by_kind.values())
            lines.append(f"| {tool.name.replace('_', ' ')} | " + " | ".join(" / ".join(f"{x:.2f}" for x in cell) for cell in cells) + " |")
        return
    shaped, found = by_kind["points"] if "points" in by_kind else ([], None)
    bare, without = by_kind["nothing"]
    mixed = np.array([found["auto"][shaped.index(tool)] if tool in shaped else without["auto"][k] for k, tool in enumerate(bare)])
    add_table(lines, "20 workshop tools, eight of them without a shape", {"auto": mixed})
    add_musts(report, "20 tools, eight of them without a shape", {"auto": mixed}, True)
