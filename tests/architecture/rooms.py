"""The modules ("rooms") as CMake knows them: rooms.json, which the build makes; and the groups that they form."""
import json
import pathlib
import re

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
# in the order of the layers: a group links only to those before it
GROUPS = {
    "foundation": ("core", "base", "linalg", "files", "html"),
    "dynamics": ("model", "signal", "rows", "charts", "observe"),
    "robot": ("robot", "geometry", "clearance"),
    "data": ("bags", "log"),
    "estimation": ("moments", "solve", "executor", "kernels"),
    "identification": ("setup", "training", "check", "traces", "identify", "select", "evidence", "uncertainty", "config"),
    "results": ("report", "page", "predict"),
    "applications": ("payload", "payload_edge", "excite", "excite_edge", "fleet", "population", "simulate", "mechanics"),
}
SOURCES = (".hpp", ".cpp", ".cuh", ".cu")


class Room:
    def __init__(self, entry):
        self.name = entry["name"]
        self.folder = pathlib.Path(entry["folder"])
        self.public_links = set(entry["public"].split())
        self.links = set(entry["links"].split())
        self.include_paths = [pathlib.Path(path) for path in entry["includes"].split("|")]

    def header(self, place):
        """How others spell a header of include/ or shared/; None if there is none."""
        found = sorted((self.folder / place).rglob("*.hpp"))
        return str(found[0].relative_to(self.folder / place)) if found else None

    def sources(self):
        """All its files; the room of headers at top level is include/."""
        folder = self.folder / "include" if self.name == "core" else self.folder
        return [path for path in sorted(folder.rglob("*")) if path.suffix in SOURCES]

    def private_header(self):
        return next((path for path in self.sources() if path.suffix == ".hpp" and
                     not {"include", "shared"} & set(path.relative_to(self.folder).parts)), None)

    def offers(self, include):
        return any((self.folder / place / include).exists() for place in ("include", "shared"))


def read_rooms(path):
    rooms = [Room(entry) for entry in json.loads(pathlib.Path(path).read_text())]
    assert len(rooms) > 10, f"{path} holds too few rooms"
    return {room.name: room for room in rooms}


def reachable(rooms, name):
    """Rooms whose headers the sources of a room may include: what it is linked to, and what those speak of."""
    seen, waiting = set(), list(rooms[name].links)
    while waiting:
        other = waiting.pop()
        if other not in seen:
            seen.add(other)
            waiting += rooms[other].public_links
    return seen


class Group:
    """What link_graph.py needs of a room."""

    def __init__(self, name, links):
        self.name, self.links = name, links


def groups_of(rooms):
    """{group: Group} with the groups that its modules link to."""
    group_of = {room: group for group, members in GROUPS.items() for room in members}
    return {group: Group(group, {group_of[link] for room in members for link in rooms[room].links} - {group})
            for group, members in GROUPS.items()}


def wrong_groups(rooms):
    """Modules without a group, and links from a group to a later one."""
    order = list(GROUPS)
    grouped = [room for members in GROUPS.values() for room in members]
    complaints = [f"{room}: in {grouped.count(room)} groups of tests/architecture/rooms.py, expected one"
                  for room in sorted({*rooms, *grouped}) if grouped.count(room) != 1 or room not in rooms]
    if complaints:
        return complaints
    return [f"{name}: links to the later group {link}" for name, group in groups_of(rooms).items()
            for link in sorted(group.links) if order.index(link) > order.index(name)]
