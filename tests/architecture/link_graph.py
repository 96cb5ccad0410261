#!/usr/bin/env python3
"""The link graphs of the modules and of their groups, from CMake's own data.

    link_graph.py modules.json               links go one way, from later groups to earlier ones, and an include uses each
    link_graph.py modules.json --drawn ROOT  the drawings in the documents are up to date
    link_graph.py modules.json --draw ROOT   draws them
"""
import pathlib
import re
import sys

import modules as architecture

DRAWN_IN = {"group": "CONTRIBUTING.md", "module": "docs/modules/README.md"}


def levels(modules):
    """{module: length of the longest way down}; ends with an error where links go round in a circle."""
    level = {}

    def visit(name, above):
        if name in above:
            sys.exit("link lines go round in a circle: " + " -> ".join([*above[above.index(name):], name]))
        if name not in level:
            level[name] = 1 + max((visit(other, [*above, name]) for other in sorted(modules[name].links)), default=-1)
        return level[name]

    for name in modules:
        visit(name, [])
    return level


def below(modules, name):
    """All that a module stands on."""
    return set().union(*({other} | below(modules, other) for other in modules[name].links))


def drawing(modules):
    """A line a module, lowest first: what it is linked to, without what follows from that."""
    level = levels(modules)
    width = max(map(len, modules))
    lines = []
    for name in sorted(modules, key=lambda name: (level[name], name)):
        links = modules[name].links
        direct = sorted(link for link in links if not any(link in below(modules, other) for other in links))
        lines.append(f"    {name:<{width}} ─► {' '.join(direct)}" if direct else f"    {name}")
    return "\n".join(lines)


def uses(modules, module):
    """Modules whose headers a module's files include."""
    found = set()
    for path in module.sources():
        for include in architecture.INCLUDE.findall(path.read_text()):
            if ".." in include.split("/") and not (path.parent / include).resolve().is_relative_to(module.folder):
                sys.exit(f'{path}: #include "{include}" leaves the module')
            if not (path.parent / include).exists():
                found |= {other.name for other in modules.values() if other.offers(include)}
    return found - {module.name}


def unused_links(modules):
    """Link lines that no include needs, neither for a header of that module nor of one that it speaks of."""
    complaints = []
    for module in modules.values():
        if not module.sources():  # a name for the modules that it links to
            continue
        used = uses(modules, module)
        complaints += [f"{module.name}: linked to {link} for nothing" for link in sorted(module.links)
                       if link not in used and not (used & architecture.reachable(modules, link))]
    return complaints


def drawn_in(text, kind):
    begin, end = f"<!-- {kind} graph: tests/architecture/link_graph.py -->", f"<!-- end of {kind} graph -->"
    match = re.search(re.escape(begin) + r"\n\n(?:(.*?)\n\n)?" + re.escape(end), text, re.S)
    if not match:
        sys.exit(f"there is no {begin} .. {end}")
    return match[1] or "", begin, end


def check_or_draw(path, kind, graph, draws):
    text = path.read_text()
    old, begin, end = drawn_in(text, kind)
    if draws:
        head, tail = text.split(begin)[0], text.split(end)[1]
        path.write_text(f"{head}{begin}\n\n{graph}\n\n{end}{tail}")
    elif old != graph:
        sys.exit(f"the {kind} graph in {path} is out of date; draw it:\n  {sys.argv[0]} {sys.argv[1]} --draw {sys.argv[3]}")


def main():
    modules = architecture.read_modules(sys.argv[1])
    if len(sys.argv) == 2:
        complaints = unused_links(modules) + architecture.wrong_groups(modules)
        print("\n".join(complaints) or drawing(modules))
        return 1 if complaints else 0
    for kind, members in (("group", architecture.groups_of(modules)), ("module", modules)):
        check_or_draw(pathlib.Path(sys.argv[3]) / DRAWN_IN[kind], kind, drawing(members), sys.argv[2] == "--draw")
    return 0


if __name__ == "__main__":
    sys.exit(main())
