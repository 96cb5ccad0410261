"""The modules as CMake knows them: modules.json, which the build makes; and the groups that they form."""
import json
import pathlib
import re

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
# folders of host/ in the order of the layers: a group links only to those before it
GROUPS = ("foundation", "dynamics", "robot", "data", "estimation", "identification", "results", "applications")
GROUP_OUTSIDE_HOST = {"core": "foundation", "kernels": "estimation"}
SOURCES = (".hpp", ".cpp", ".cuh", ".cu")


class Module:
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
        """All its files; the module of headers at top level is include/."""
        folder = self.folder / "include" if self.name == "core" else self.folder
        return [path for path in sorted(folder.rglob("*")) if path.suffix in SOURCES]

    def private_header(self):
        return next((path for path in self.sources() if path.suffix == ".hpp" and
                     not {"include", "shared"} & set(path.relative_to(self.folder).parts)), None)

    def offers(self, include):
        return any((self.folder / place / include).exists() for place in ("include", "shared"))


def read_modules(path):
    modules = [Module(entry) for entry in json.loads(pathlib.Path(path).read_text())]
    assert len(modules) > 10, f"{path} holds too few modules"
    return {module.name: module for module in modules}


def reachable(modules, name):
    """Modules whose headers the sources of a module may include: what it is linked to, and what those speak of."""
    seen, waiting = set(), list(modules[name].links)
    while waiting:
        other = waiting.pop()
        if other not in seen:
            seen.add(other)
            waiting += modules[other].public_links
    return seen


class Group:
    """What link_graph.py needs of a module."""

    def __init__(self, name, links):
        self.name, self.links = name, links


def group_of(modules, name):
    """The group in whose folder a module lies; None if it lies elsewhere."""
    if name in GROUP_OUTSIDE_HOST:
        return GROUP_OUTSIDE_HOST[name]
    parts = modules[name].folder.relative_to(modules["core"].folder).parts
    return parts[1] if len(parts) > 2 and parts[0] == "host" and parts[1] in GROUPS else None


def groups_of(modules):
    """{group: Group} with the groups that its modules link to."""
    group = {name: group_of(modules, name) for name in modules}
    return {one: Group(one, {group[link] for name in modules if group[name] == one for link in modules[name].links} - {one, None})
            for one in GROUPS}


def wrong_groups(modules):
    """Modules outside the folders of groups, and links from a group to a later one."""
    group = {name: group_of(modules, name) for name in modules}
    complaints = [f"{name}: move it into the folder of a group, host/{{{','.join(GROUPS)}}}" for name in sorted(modules)
                  if group[name] is None]
    if complaints:
        return complaints
    return [f"{name} ({group[name]}) links to {link} of a later group, {group[link]}" for name in sorted(modules)
            for link in sorted(modules[name].links) if GROUPS.index(group[link]) > GROUPS.index(group[name])]
