"""The reference of the C++ library: a page per module, from Doxygen's XML of the installed headers."""
import re
import subprocess
import xml.etree.ElementTree as ET

CLASSES = ("class", "struct", "union")


def escaped(text):
    return re.sub(r"([\\`*_<>\[\]|#~])", r"\\\1", re.sub(r"\s+", " ", text))


def inline(node):
    """Text of an element as Markdown on one line."""
    parts = [escaped(node.text or "")]
    for child in node:
        if child.tag == "computeroutput":
            parts.append(f"`{plain(child)}`")
        elif child.tag not in BLOCKS:
            parts.append(inline(child))
        parts.append(escaped(child.tail or ""))
    return "".join(parts)


def plain(node):
    return "".join(node.itertext()).strip()


def fenced(node):
    return f"```text\n{''.join(node.itertext()).strip(chr(10))}\n```"


def listing(node):
    lines = (highlighted(line) for line in node.iter("codeline"))
    return "```text\n" + "\n".join(lines) + "\n```"


def highlighted(line):
    for space in line.iter("sp"):
        space.text = " "
    return "".join(line.itertext())


def items(node):
    return "\n".join("- " + " ".join(inline(para).strip() for para in item.findall("para")) for item in node.findall("listitem"))


BLOCKS = {"verbatim": fenced, "preformatted": fenced, "programlisting": listing, "itemizedlist": items, "orderedlist": items}


def description(node):
    """Brief and detailed description as Markdown paragraphs."""
    parts = []
    for kind in ("briefdescription", "detaileddescription"):
        for para in node.findall(f"{kind}/para"):
            parts += [inline(para).strip()] + [BLOCKS[child.tag](child) for child in para if child.tag in BLOCKS]
    return "\n\n".join(part for part in parts if part)


def declaration(member):
    name, kind = member.findtext("name"), member.get("kind")
    template = ", ".join(f"{plain(p.find('type'))} {p.findtext('declname') or ''}".strip() for p in member.findall("templateparamlist/param"))
    head = f"template <{template}>\n" if template else ""
    if kind == "enum":
        values = ",\n".join(f"  {value.findtext('name')}" for value in member.findall("enumvalue"))
        return f"enum class {name} {{\n{values}\n}};"
    static = "static " if member.get("static") == "yes" else ""
    type_of = plain(member.find("type")) if member.find("type") is not None else ""
    initial = plain(member.find("initializer")) if member.find("initializer") is not None else ""
    return f"{head}{static}{type_of} {name}{member.findtext('argsstring') or ''} {initial}".strip().replace(" ;", ";") + ";"


def fields(members):
    """Variables of a class, each behind a line of what it is."""
    lines = []
    for member in members:
        note = re.sub(r"\\(.)", r"\1", description(member)).replace("\n\n", " ")
        lines += [f"// {note}"] if note else []
        lines.append(declaration(member))
    return "``` { .cpp .wrapped }\n" + "\n".join(lines) + "\n```\n"


class Header:
    def __init__(self, name, path):
        self.name, self.path, self.classes, self.members = name, path, [], []

    def note(self):
        """What the header says of itself, before its #pragma once."""
        lines = self.path.read_text().split("#pragma once")[0].splitlines()
        text = "\n".join(line.removeprefix("//").removeprefix(" ") for line in lines if line.startswith("//"))
        return re.sub(r"(?<=\S)(?<!^)\n(?=[^\s*-])(?!Threads:)", " ", text)

    def text(self):
        parts = [f"## {self.name}\n\n``` {{ .text .wrapped }}\n{self.note()}\n```\n"] if self.note() else [f"## {self.name}\n"]
        for scope in sorted(self.classes, key=lambda scope: scope.findtext("compoundname")):
            parts.append(class_text(scope))
        parts += [f"### {member.findtext('name')}\n\n``` {{ .cpp .wrapped }}\n{declaration(member)}\n```\n\n{description(member)}\n" for member in self.members]
        return "\n".join(parts)


def class_text(scope):
    members = [member for member in scope.iter("memberdef") if member.get("prot") == "public"]
    variables = [member for member in members if member.get("kind") == "variable"]
    others = [member for member in members if member not in variables]
    name = scope.findtext("compoundname").removeprefix("heft::")
    parts = [f"### {escaped(name)}\n\n{description(scope)}\n"]
    parts += [fields(variables)] if variables else []
    parts += [f"``` {{ .cpp .wrapped }}\n{declaration(member)}\n```\n\n{description(member)}\n" for member in others]
    return "\n".join(parts)


def headers(root, folder):
    """{name: Header} of all public headers; a name is that of an include, heft/MODULE/NOUN.hpp."""
    found = {str(path.relative_to(place)): path for place in root.glob("host/*/*/include") for path in place.rglob("*.hpp")}
    core = re.search(r"set\(heft_core_headers ([^)]*)\)", (root / "cmake" / "public_headers.cmake").read_text())[1].split()
    found |= {f"heft/core/{name}": root / "include" / "heft" / "core" / name for name in core}
    found = {name: Header(name, path) for name, path in sorted(found.items())}

    def header_of(node):
        """Doxygen's paths are absolute or not, by its version."""
        path = node.find("location").get("file") if node.find("location") is not None else ""
        return found.get(path[path.rfind("heft/", 0, path.rfind("/")):]) if "heft/" in path else None

    for path in sorted(folder.glob("*.xml")):
        for scope in ET.parse(path).getroot().findall("compounddef"):
            is_table = "EnumNames<" in scope.findtext("compoundname")  # names of an enumeration's values
            if scope.get("kind") in CLASSES and scope.get("prot") != "private" and not is_table and header_of(scope):
                header_of(scope).classes.append(scope)
            if scope.get("kind") == "namespace":
                for member in scope.iter("memberdef"):
                    if header_of(member):
                        header_of(member).members.append(member)
    return found


def write(root, folder, work):
    """Writes the pages; returns their part of the navigation."""
    if subprocess.run([root / "docs" / "reference.sh", work, "xml"]).returncode != 0:
        raise SystemExit(1)
    modules = {}
    for name, header in headers(root, work / "xml").items():
        modules.setdefault(name.split("/")[1], []).append(header)
    place = folder / "reference" / "cpp"
    place.mkdir(parents=True, exist_ok=True)
    for name, parts in modules.items():
        (place / f"{name}.md").write_text(f"# heft::{name}\n\n" + "\n".join(header.text() for header in parts))
    return [{f"heft::{name}": f"reference/cpp/{name}.md"} for name in modules]
