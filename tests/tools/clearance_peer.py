#!/usr/bin/env python3
"""The least clearance of a table of positions by Pinocchio and coal, which share no code with Heft.

Usage: clearance_peer.py ROBOT.urdf TRAJECTORY.csv [--package-path FOLDER] [--floor Z] [--ignore A,B]
                         [--every N] [--within M]

Prints JSON {"value", "pair", "at_s"}: hulls of meshes, pairs of links that are neither of one joint nor of joints that follow each
other; "in_nearly_all" are pairs that meet in nine of ten random postures, which do not count. --within: spheres around hulls that are
further apart than this are not looked at. Exit code 77 without pinocchio or coal.
"""
import argparse
import csv
import json
import pathlib
import sys

try:
    import coal
    import numpy as np
    import pinocchio as pin
except ModuleNotFoundError as missing:
    print(f"skipped: {missing.name} is missing", file=sys.stderr)
    sys.exit(77)


def hulls(model, urdf, folders):
    """(link, joint, pose in the joint, shape) of every collision shape; meshes as hulls."""
    found = []
    geometry = pin.buildGeomFromUrdf(model, str(urdf), pin.GeometryType.COLLISION, folders)
    for thing in geometry.geometryObjects:
        shape = thing.geometry
        if isinstance(shape, coal.BVHModelBase):
            shape.buildConvexHull(True, "Qt")
            shape = shape.convex
        found.append((model.frames[thing.parentFrame].name, thing.parentJoint, thing.placement, shape))
    return found


class Distances:
    def __init__(self, urdf, folders, floor=None):
        self.model = pin.buildModelFromUrdf(str(urdf))
        self.data = self.model.createData()
        self.things = hulls(self.model, urdf, folders)
        # the links that stand still are children of joint 0
        carriers = {joint for _, joint, _, _ in self.things} | {0}

        def above(joint):
            joint = self.model.parents[joint]
            while joint not in carriers:
                joint = self.model.parents[joint]
            return joint

        self.pairs = [(i, j) for i, one in enumerate(self.things) for j, other in enumerate(self.things[:i])
                      if one[1] != other[1] and not (one[1] and above(one[1]) == other[1]) and not (other[1] and above(other[1]) == one[1])]
        if floor is not None:
            self.things.append(("floor", 0, pin.SE3(np.eye(3), np.array([0, 0, floor])), coal.Halfspace(np.array([0.0, 0, 1]), 0.0)))
            self.pairs += [(i, len(self.things) - 1) for i, thing in enumerate(self.things[:-1]) if thing[1] != 0]
        for _, _, _, shape in self.things:
            shape.computeLocalAABB()
        self.ignored = set()

    def at(self, q, within):
        """[(distance, pair of links)] for pairs whose spheres are closer than `within`."""
        pin.forwardKinematics(self.model, self.data, q)
        poses = [self.data.oMi[joint] * placement for _, joint, placement, _ in self.things]
        centres = [pose.act(shape.aabb_center) if name != "floor" else None for pose, (name, _, _, shape) in zip(poses, self.things)]
        found = []
        for i, j in self.pairs:
            names = tuple(sorted((self.things[i][0], self.things[j][0])))
            if names in self.ignored:
                continue
            if self.things[j][0] == "floor":
                apart = centres[i][2] - poses[j].translation[2] - self.things[i][3].aabb_radius
            else:
                apart = np.linalg.norm(centres[i] - centres[j]) - self.things[i][3].aabb_radius - self.things[j][3].aabb_radius
            if apart > within:
                continue
            result = coal.DistanceResult()
            value = coal.distance(self.things[i][3], coal.Transform3s(poses[i].rotation, poses[i].translation), self.things[j][3],
                                  coal.Transform3s(poses[j].rotation, poses[j].translation), coal.DistanceRequest(), result)
            found.append((value, names))
        return found

    def ignore_what_always_meets(self, lower, upper, postures=100):
        random = np.random.default_rng(1)
        counts = {}
        for _ in range(postures):
            for names in {names for value, names in self.at(random.uniform(lower, upper), 0) if value <= 0}:
                counts[names] = counts.get(names, 0) + 1
        self.ignored = {names for names, count in counts.items() if count >= 0.85 * postures}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("robot")
    parser.add_argument("trajectory")
    parser.add_argument("--package-path", action="append", default=[])
    parser.add_argument("--floor", type=float)
    parser.add_argument("--ignore", action="append", default=[], help="a pair of links that may meet")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--within", type=float, default=0.05)
    options = parser.parse_args()
    distances = Distances(options.robot, [*options.package_path, str(pathlib.Path(options.robot).parent)], options.floor)
    model = distances.model
    lower, upper = model.lowerPositionLimit.copy(), model.upperPositionLimit.copy()
    lower[~(np.abs(lower) < 100)], upper[~(np.abs(upper) < 100)] = -np.pi, np.pi
    distances.ignore_what_always_meets(lower, upper)
    distances.ignored |= {tuple(sorted(pair.split(","))) for pair in options.ignore}
    least = (float("inf"), None, None)
    with open(options.trajectory) as file:
        for row in list(csv.DictReader(file))[::options.every]:
            q = pin.neutral(model)
            for joint in range(1, model.njoints):
                name = "q_" + model.names[joint]
                if name in row:
                    q[model.joints[joint].idx_q] = float(row[name])
            for value, names in distances.at(q, options.within):
                if value < least[0]:
                    least = (float(value), names, float(row["t"]))
    print(json.dumps({"value": least[0], "pair": least[1], "at_s": least[2],
                      "in_nearly_all": sorted(map(list, distances.ignored))}))


if __name__ == "__main__":
    main()
