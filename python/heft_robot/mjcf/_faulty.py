"""Finds the element that a message of MuJoCo is about. In included files its line numbers are 0, or belong to another file."""
from __future__ import annotations

import re

from ._text import Element, Text


def place_of(path: str, message: str) -> str:
    """file:line of the element, or the file if several elements match."""
    line = re.search(r"[Ll]ine(?: number=)? ?(\d+)", message)
    text = Text(path)
    broken = next(iter(text.unread.values()), None)
    if broken is not None and ("parse error" in message.lower() or "MISMATCHED" in message):
        return broken.rpartition(": ")[0]
    if len(text.contents) == 1 or text.root is None:
        return f"{path}:{line.group(1)}" if line and int(line.group(1)) else path
    found = _suspects(text, message)
    number = int(line.group(1)) if line else 0
    at_line = [element for element in found if element.line == number] if number else []
    chosen = at_line if len(at_line) == 1 else found
    return chosen[0].where if len(chosen) == 1 else path


def _suspects(text: Text, message: str) -> list[Element]:
    """Elements that match the tag, name, attribute and value in the message."""
    found = list(text.elements())
    tag = re.search(r"Element '(\w+)'", message)
    if tag:
        found = [element for element in found if element.tag == tag.group(1)]
    for reduced in (_of_repeated(found, message), _of_attribute(found, message), _of_value(found, message), _of_name(found, message)):
        if reduced:
            return reduced
    return found if tag else []


def _of_repeated(found: list[Element], message: str) -> list[Element]:
    """The second element with a name."""
    repeated = re.search(r"repeated name '([^']*)' in (\w+)", message)
    if not repeated:
        return []
    name, kind = repeated.groups()
    same = [element for element in found if element.attributes.get("name") == name]
    return ([element for element in same if element.tag == kind] or same)[1:2]  # an actuator has the tag of its kind


def _of_attribute(found: list[Element], message: str) -> list[Element]:
    """Elements with the attribute that is named."""
    named = re.search(r"attribute:? '(\w+)'", message)
    return [element for element in found if named and named.group(1) in element.attributes
            and ("bad format" not in message or not _is_list_of_numbers(element.attributes[named.group(1)]))]


def _is_list_of_numbers(value: str) -> bool:
    try:
        return all(float(word) == float(word) for word in value.split())
    except ValueError:
        return False


def _of_value(found: list[Element], message: str) -> list[Element]:
    """Elements that contain a quoted class or target, or the end of a path."""
    for quoted in re.findall(r"(?:class name|target|file) '([^']+)'", message):
        fitting = [element for element in found
                   if any(value == quoted or key == "file" and quoted.replace("\\", "/").endswith("/" + value.lstrip("./"))
                          for key, value in element.attributes.items() if key != "name")]
        if fitting:
            return fitting
    return []


def _of_name(found: list[Element], message: str) -> list[Element]:
    """Elements with a name, preferably of the kind that the message is about."""
    named = re.search(r"name '([^']*)', id", message)
    same = [element for element in found if named and named.group(1) and element.attributes.get("name") == named.group(1)]
    kinds = [element for element in same if re.search(rf"\b{element.tag}\b", message)]
    bodies = [element for element in same if element.tag == "body" and ("inertia" in message or "mass" in message)]
    return kinds or bodies or same
