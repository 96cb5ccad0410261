"""The rooms as CMake knows them: rooms.json, which the build makes."""
import json
import pathlib
import re

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
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
