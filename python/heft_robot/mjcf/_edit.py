"""Edits of attributes in an MJCF text that leave every other byte as it is."""
from __future__ import annotations

import re
from collections import defaultdict

from ._text import Element, Text

_ATTRIBUTE = rb'\s+%s\s*=\s*("[^"]*"|\'[^\']*\')'


class Edits:
    """Replacements of bytes of a model's files, applied together."""

    def __init__(self, text: Text):
        self.text = text
        self._replaced: dict[str, list[tuple[int, int, bytes]]] = defaultdict(list)
        self._heads: dict[int, tuple[Element, bytes]] = {}

    def set(self, element: Element, attribute: str, value: str | None) -> None:
        """Sets an attribute to a value that needs no escaping; None removes it."""
        _, head = self._heads.get(id(element), (element, self.head(element)))
        pattern = _ATTRIBUTE % re.escape(attribute).encode()
        new = b"" if value is None else f' {attribute}="{value}"'.encode()
        if re.search(pattern, head):
            # the blanks before it stay, a line break with them
            def replaced(match):
                blanks = re.match(rb"\s+", match.group(0)).group(0)
                return b"" if value is None else blanks + new[1:]

            head = re.sub(pattern, replaced, head, count=1)
        elif value is not None:
            end = re.search(rb"\s*/?>\Z", head)
            head = head[:end.start()] + new + head[end.start():]
        self._heads[id(element)] = (element, head)

    def head(self, element: Element) -> bytes:
        return self.text.contents[element.file][element.start:element.head_end]

    def insert_inside(self, element: Element, new: str) -> None:
        """A first child on a line of its own."""
        content = self.text.contents[element.file]
        line_start = content.rfind(b"\n", 0, element.start) + 1
        indent = re.match(rb"[ \t]*", content[line_start:element.start]).group(0).decode()
        if content[element.head_end - 2:element.head_end] == b"/>":  # <body/> becomes <body> .. </body>
            end = re.search(rb"\s*/>\Z", self.head(element))
            at = element.start + end.start()
            self._replaced[element.file].append((at, element.head_end, f">\n{indent}  {new}\n{indent}</{element.tag}>".encode()))
            return
        self._replaced[element.file].append((element.head_end, element.head_end, f"\n{indent}  {new}".encode()))

    def changed(self) -> set[str]:
        """Files that the edits change."""
        return {element.file for element, head in self._heads.values() if head != self.head(element)} | set(self._replaced)

    def contents(self, path: str) -> bytes:
        """The file with all edits."""
        content = self.text.contents[path]
        changes = [(element.start, element.head_end, head) for element, head in self._heads.values() if element.file == path]
        changes += self._replaced[path] if path in self._replaced else []
        for start, end, new in sorted(changes, key=lambda change: change[:2], reverse=True):
            content = content[:start] + new + content[end:]
        return content
