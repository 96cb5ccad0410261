"""Names of bodies, joints and other elements, including unnamed ones, and the places of their elements."""
from __future__ import annotations

from .._errors import HeftError


class Names:
    """Names in a compiled model with the positions in its text."""

    def __init__(self, mujoco, model, text):
        self._mujoco, self._model, self._text = mujoco, model, text
        self._bodies = self._body_elements()
        self._body_names = self._unique("body", "mjOBJ_BODY", model.nbody)
        self._joint_names = self._unique("joint", "mjOBJ_JOINT", model.njnt)

    def given(self, kind: str, index: int) -> str:
        """The name in the file, empty for an unnamed element; kind: of mjtObj."""
        return self._mujoco.mj_id2name(self._model, getattr(self._mujoco.mjtObj, kind), index) or ""

    def body(self, index: int) -> str:
        return self._body_names[index]

    def joint(self, index: int) -> str:
        return self._joint_names[index]

    def body_element(self, index: int):
        """The <body> of a compiled body; None if another element generates it."""
        return self._bodies.get(index)

    def joint_element(self, index: int):
        """The <joint> or <freejoint> of a compiled joint; None if it is ambiguous."""
        body = self.body_element(self._model.jnt_bodyid[index])
        if body is None:
            return None
        found = [child for child in _joints_of(body)]
        place = index - self._model.body_jntadr[self._model.jnt_bodyid[index]]
        return found[place] if len(found) == self._model.body_jntnum[self._model.jnt_bodyid[index]] else None

    def where_body(self, index: int) -> str:
        return self._text.where(self.body_element(index))

    def where_joint(self, index: int) -> str:
        return self._text.where(self.joint_element(index) or self.body_element(self._model.jnt_bodyid[index]))

    def refuse(self, element, label: str, what: str, remedy: str) -> HeftError:
        """An error at an element of the text, or at the file if the element cannot be found."""
        return HeftError(self._text.where(element), f"{element.label if element is not None else label}: {what}", remedy)

    def _unique(self, word: str, kind: str, count: int) -> list[str]:
        names = [self.given(kind, index) for index in range(count)]
        taken = set(names)
        for index, name in enumerate(names):
            if not name:
                names[index] = next(free for free in _candidates(f"{word}_{index}") if free not in taken)
                taken.add(names[index])
        return names

    def _body_elements(self) -> dict:
        """Elements by id: named ones by name; unnamed ones in order, if there are as many as in the compiled model."""
        model, text = self._model, self._text
        written = text.bodies()
        named = {element.attributes["name"]: element for element in written if "name" in element.attributes and not element.is_generated()}
        names = {index: self.given("mjOBJ_BODY", index) for index in range(1, model.nbody)}
        found = {index: named[name] for index, name in names.items() if name in named}
        unnamed = [element for element in written if "name" not in element.attributes]
        ids = [index for index, name in names.items() if not name]
        if len(unnamed) == len(ids) and not any(element.is_generated() for element in unnamed):
            found.update(zip(ids, unnamed))
        return found


def _joints_of(body):
    """Joints of a body in the order of the file, including those in its frames and includes."""
    for child in body.children:
        if child.tag in ("joint", "freejoint"):
            yield child
        elif child.tag in ("frame", "include"):
            yield from _joints_of(child)


def _candidates(name: str):
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1
