"""The reference of heft_robot: every public name with its signature and docstring, read from the sources without importing them."""
import ast
import inspect


def exported(tree):
    """The names of __all__."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return ast.literal_eval(node.value)
    raise SystemExit("heft_robot/__init__.py has no __all__")


def definitions(package):
    """{name: (module, node)} of all top-level classes, functions and constants."""
    found = {}
    for path in sorted(package.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                found[node.name] = node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found.setdefault(node.targets[0].id, node)
    return found


def is_property(node):
    return any(getattr(mark, "id", "") in ("property", "cached_property") for mark in node.decorator_list)


def signature(node, owner=""):
    if is_property(node):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return f"{owner}.{node.name}{returns}"
    arguments = ast.unparse(node.args)
    for first in ("self, ", "cls, ", "self", "cls"):
        arguments = arguments.removeprefix(first) if owner else arguments
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{owner + '.' if owner else ''}{node.name}({arguments}){returns}"


def text_of(node):
    """The first paragraph as prose, all that follows as it stands."""
    lines = inspect.cleandoc(ast.get_docstring(node) or "").split("\n\n", 1)
    rest = f"\n``` {{ .text .wrapped }}\n{lines[1]}\n```\n" if len(lines) > 1 else ""
    return f"{lines[0]}\n{rest}" if lines[0] else rest


def entry(node):
    if isinstance(node, ast.Assign):
        return f"## {node.targets[0].id}\n\n``` {{ .python .wrapped }}\n{ast.unparse(node)}\n```\n"
    if isinstance(node, ast.FunctionDef):
        return f"## {node.name}\n\n``` {{ .python .wrapped }}\n{signature(node)}\n```\n\n{text_of(node)}\n"
    text = f"## {node.name}\n\n{text_of(node)}\n"
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and not part.target.id.startswith("_"):
            text += f"\n``` {{ .python .wrapped }}\n{node.name}.{ast.unparse(part)}\n```\n"
        if isinstance(part, ast.FunctionDef) and (not part.name.startswith("_") or part.name == "__init__"):
            name = signature(part, node.name).replace(f"{node.name}.__init__", node.name).removesuffix(" -> None")
            text += f"\n``` {{ .python .wrapped }}\n{name}\n```\n\n{text_of(part)}\n"
    return text


def write(root, folder):
    """Writes the page; returns its path."""
    package = root / "python" / "heft_robot"
    init = ast.parse((package / "__init__.py").read_text())
    found = definitions(package)
    names = exported(init)
    missing = [name for name in names if name not in found]
    if missing:
        raise SystemExit(f"heft_robot exports {', '.join(missing)}, which its sources do not define")
    functions = sorted((name for name in names if isinstance(found[name], ast.FunctionDef)), key=str.lower)
    others = sorted((name for name in names if name not in functions), key=str.lower)
    place = folder / "reference"
    place.mkdir(parents=True, exist_ok=True)
    (place / "python.md").write_text(
        "# Python reference\n\n[Python](../docs/python.md) is the guide. All quantities are in SI units.\n\n" +
        "\n".join(entry(found[name]) for name in functions + others))
    return "reference/python.md"
