"""Elements of an MJCF file and its includes with their places: lines for messages, bytes for edits."""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from xml.parsers import expat

#: elements that repeat or import what they hold: their bodies have other names in the compiled model
GENERATORS = ("replicate", "attach", "composite", "flexcomp")


@dataclass(eq=False)
class Element:
    """An element in a file. Offsets count bytes: `start` of '<', `head_end` after the start tag, `end` after the element."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    start: int
    head_end: int = 0
    end: int = 0
    parent: Element | None = None
    children: list[Element] = field(default_factory=list, repr=False)

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def label(self) -> str:
        """<body name="x">, or the tag alone"""
        name = self.attributes.get("name")
        return f'<{self.tag} name="{name}">' if name else f"<{self.tag}>"

    def child(self, tag: str) -> Element | None:
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self):
        """This element and all elements below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()

    def is_generated(self) -> bool:
        """Whether an element above repeats or imports it."""
        above = self.parent
        while above is not None:
            if above.tag in GENERATORS:
                return True
            above = above.parent
        return False


class Text:
    """The files of a model, the main file first: `contents` [bytes by path], `roots` [Element by path]; `include` elements hold the
    elements of their file. A file that is not strict XML has no elements (`unread` says why)."""

    def __init__(self, path: str | os.PathLike):
        self.path = os.fspath(path)
        self.contents: dict[str, bytes] = {}
        self.roots: dict[str, Element] = {}
        self.unread: dict[str, str] = {}
        self.includes: dict[str, list[Element]] = {}
        self.root = self._read(self.path)

    def _read(self, path: str) -> Element | None:
        with open(path, "rb") as file:
            self.contents[path] = file.read()
        try:
            root = _parse(path, self.contents[path])
        except expat.ExpatError as error:
            self.unread[path] = f"{path}:{error.lineno}: {expat.ErrorString(error.code)}"
            return None
        self.roots[path] = root
        for element in list(root.walk()):
            if element.tag == "include" and "file" in element.attributes:
                self._include(element)
        return root

    def _include(self, element: Element) -> None:
        path = self._path_of(element)
        if path is None or path in self.contents:
            return
        self.includes.setdefault(path, []).append(element)
        root = self._read(path)
        for child in root.children if root else []:
            child.parent = element
            element.children.append(child)

    def _path_of(self, element: Element) -> str | None:
        """Finds an included file as MuJoCo does: next to the including file, then next to the main file."""
        name = element.attributes["file"]
        for base in (os.path.dirname(element.file), os.path.dirname(self.path)):
            if os.path.isfile(os.path.join(base, name)):
                return os.path.join(base, name)
        return None

    def elements(self):
        """All elements in the order in which MuJoCo reads them."""
        return self.root.walk() if self.root else iter(())

    def find(self, tag: str, name: str | None = None, number: int | None = None) -> Element | None:
        """The element with this tag and name; without a name, the one with this number among the elements of the tag."""
        found = [element for element in self.elements() if element.tag == tag]
        if name:
            return next((element for element in found if element.attributes.get("name") == name), None)
        return found[number] if number is not None and number < len(found) else None

    def section(self, tag: str) -> list[Element]:
        """Elements in all sections of this name, in order; sections may be repeated and included."""
        return [child for element in self.elements() if element.tag == tag and _is_top(element)
                for child in _spliced(element.children)]

    def bodies(self) -> list[Element]:
        """<body> elements in the order of the compiled model."""
        return [element for element in self.elements() if element.tag == "body" and _in_tree(element)]

    def where(self, element: Element | None) -> str:
        return element.where if element is not None else self.path


class NoText:
    """Stands in for the text of a model that exists only in compiled form."""

    path, root, unread = "model", None, {}

    def elements(self):
        return iter(())

    def find(self, tag: str, name: str | None = None, number: int | None = None) -> None:
        return None

    def section(self, tag: str) -> list:
        return []

    def bodies(self) -> list:
        return []

    def where(self, element) -> str:
        return self.path


def _spliced(children):
    for child in children:
        if child.tag == "include":
            yield from _spliced(child.children)
        else:
            yield child


def _is_top(element: Element) -> bool:
    above = element.parent
    while above is not None and above.tag == "include":
        above = above.parent
    return above is None or above.tag in ("mujoco", "mujocoinclude")


def _in_tree(element: Element) -> bool:
    """Whether it is below <worldbody>, not in a default or an asset."""
    above = element.parent
    while above is not None:
        if above.tag == "worldbody":
            return True
        above = above.parent
    return False


def _parse(path: str, content: bytes) -> Element:
    parser = expat.ParserCreate()
    stack: list[Element] = []
    roots: list[Element] = []

    def start(tag, attributes):
        at = parser.CurrentByteIndex
        element = Element(tag, attributes, path, parser.CurrentLineNumber, at, _head_end(content, at))
        element.parent = stack[-1] if stack else None
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def end(tag):
        element = stack.pop()
        is_short = content[element.head_end - 2:element.head_end - 1] == b"/"
        element.end = element.head_end if is_short else content.index(b">", parser.CurrentByteIndex) + 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(content, True)
    return roots[0]


def _head_end(content: bytes, start: int) -> int:
    """The position after the '>' of a start tag; attributes may contain '>'."""
    quote = None
    for at in range(start, len(content)):
        byte = content[at:at + 1]
        if quote is not None:
            quote = None if byte == quote else quote
        elif byte in (b'"', b"'"):
            quote = byte
        elif byte == b">":
            return at + 1
    return len(content)
