#!/usr/bin/env python3
"""Files that documents and comments name exist, and those of CONTRIBUTING's table of equations hold the functions named.

    named_files.py ROOT
"""
import pathlib
import re
import subprocess
import sys

PATH = re.compile(r"(?<![\w/.-])((?:include|host|kernels|tools|tests|bench|docs|examples|cmake)/[\w./-]+\."
                  r"(?:cpp|hpp|cuh|cu|py|md|js|cmake))\b(?!\.\w)")
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
    """Of the table of rooms: folders, and the files to begin with, which are named from there."""
    complaints = []
    for line in (root / "CONTRIBUTING.md").read_text().splitlines():
        if match := re.match(r"\| `([\w/]+)/` \|.*\| ([^|]*) \|$", line):
            folder = root / match[1]
            complaints += [f"CONTRIBUTING: {match[1]} has no {name}" for name in re.findall(r"`([\w/]+\.\w+)`", match[2])
                           if not any(str(path).endswith("/" + name) for path in folder.rglob("*"))]
    return complaints


def equations(root):
    """(functions, files) of every row of the table."""
    table = (root / "CONTRIBUTING.md").read_text().split("## Where is equation")[1]
    for line in table.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and cells[1] and cells[2] and "`" in cells[2]:
            yield re.findall(r"`([^`]+)`", cells[1]), re.findall(r"`([^`]+)`", cells[2])


def missing_functions(root):
    complaints, rows = [], 0
    for functions, files in equations(root):
        rows += 1
        texts = {name: (root / name).read_text() for name in files if (root / name).is_file()}
        complaints += [f"CONTRIBUTING: there is no {name}" for name in files if name not in texts]
        has = lambda text, function: re.search(rf"\b{re.escape(function.split('::')[-1])}\b", text)
        complaints += [f"CONTRIBUTING: {function} is in none of {', '.join(files)}" for function in functions
                       if not any(has(text, function) for text in texts.values())]
        complaints += [f"CONTRIBUTING: {name} holds none of {', '.join(functions)}" for name, text in texts.items()
                       if not any(has(text, function) for function in functions)]
    if rows < 50:
        complaints.append(f"CONTRIBUTING: its table of equations has {rows} rows that could be read")
    return complaints


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    complaints = missing_files(root) + missing_beginnings(root) + missing_functions(root)
    print("\n".join(complaints) or "all files and functions that are named are there")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
