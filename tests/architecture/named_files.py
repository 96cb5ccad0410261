#!/usr/bin/env python3
"""Files that documents and comments name exist, and those of docs/EQUATIONS.md hold the functions named.

    named_files.py ROOT
"""
import pathlib
import re
import subprocess
import sys

PATH = re.compile(r"(?<![\w/.-])((?:include|host|kernels|tools|tests|bench|docs|examples|cmake)/[\w./-]+\."
                  r"(?:cpp|hpp|cuh|cu|py|md|js|cmake))\b(?!\.\w)")
MAX_BYTES = {"README.md": 6000, "CONTRIBUTING.md": 12000}
TEXTS = (".md", ".cpp", ".hpp", ".cuh", ".cu", ".py", ".txt", ".cmake")


def tracked(root):
    """The project's files; all that is there where it is no checkout."""
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    if listed.returncode == 0:
        return [root / name for name in listed.stdout.splitlines()]
    return [path for path in root.rglob("*") if "build" not in path.relative_to(root).parts[0]]


def missing_files(root):
    complaints = []
    for path in tracked(root):
        if path.suffix not in TEXTS or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if not line.startswith("#include"):  # those the compiler looks after
                complaints += [f"{path.relative_to(root)}:{number}: there is no {name}"
                               for name in PATH.findall(line) if not (root / name).exists()]
    return complaints


def missing_beginnings(root):
    """Of the tables of modules: folders, and the files to start at, which are named from there."""
    complaints, described = [], set()
    for page in sorted((root / "docs" / "modules").glob("*.md")):
        for line in page.read_text().splitlines():
            if match := re.match(r"\| `([\w/]+)/` \|.*\| ([^|]*) \|$", line):
                folder = root / match[1]
                described.add(match[1])
                if match[1].startswith("host/") and page.stem not in ("README", match[1].split("/")[1]):
                    complaints.append(f"{page.name}: {match[1]} is a module of another group")
                complaints += [f"{page.name}: {match[1]} has no {name}" for name in re.findall(r"`([\w/]+\.\w+)`", match[2])
                               if not any(str(path).endswith("/" + name) for path in folder.rglob("*"))]
    complaints += [f"docs/modules describes no {path.parent.relative_to(root)}" for path in (root / "host").rglob("CMakeLists.txt")
                   if "heft_module(" in path.read_text() and str(path.parent.relative_to(root)) not in described]
    return complaints


def equations(root):
    """(functions, files) of every row of the table."""
    for line in (root / "docs" / "EQUATIONS.md").read_text().splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and cells[1] and cells[2] and "`" in cells[2]:
            yield re.findall(r"`([^`]+)`", cells[1]), re.findall(r"`([^`]+)`", cells[2])


def missing_functions(root):
    complaints, rows = [], 0
    for functions, files in equations(root):
        rows += 1
        texts = {name: (root / name).read_text() for name in files if (root / name).is_file()}
        complaints += [f"EQUATIONS.md: there is no {name}" for name in files if name not in texts]
        has = lambda text, function: re.search(rf"\b{re.escape(function.split('::')[-1])}\b", text)
        complaints += [f"EQUATIONS.md: {function} is in none of {', '.join(files)}" for function in functions
                       if not any(has(text, function) for text in texts.values())]
        complaints += [f"EQUATIONS.md: {name} holds none of {', '.join(functions)}" for name, text in texts.items()
                       if not any(has(text, function) for function in functions)]
    if rows < 50:
        complaints.append(f"EQUATIONS.md: its table of equations has {rows} rows that could be read")
    return complaints


def long_documents(root):
    """The front door stays short: details have pages of their own."""
    sizes = {name: len((root / name).read_bytes()) for name in MAX_BYTES}
    return [f"{name}: {size} bytes, more than {MAX_BYTES[name]}" for name, size in sizes.items() if size > MAX_BYTES[name]]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    complaints = missing_files(root) + missing_beginnings(root) + missing_functions(root) + long_documents(root)
    print("\n".join(complaints) or "all files and functions that are named exist")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
