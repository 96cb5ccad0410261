#!/usr/bin/env python3
"""Lines of code by module, neither blank nor comment, as a markdown table.

  bench/lines.py                    what git knows of the working tree
  bench/lines.py --at COMMIT        the same of a commit
  bench/lines.py --before COMMIT    both side by side

A module is the folder of a file, its first two names at most, in host/ three (group and module). C++ headers and sources are one language. Docstrings of
Python are comments.
"""

import argparse
import collections
import io
import pathlib
import re
import subprocess
import tarfile
import tokenize

LANGUAGES = {".cpp": "C++", ".hpp": "C++", ".h": "C++", ".cu": "CUDA", ".cuh": "CUDA", ".py": "Python", ".js": "JS"}

# what may hold // or /* without being a comment: numbers with separators, raw strings, strings, characters
CPP = re.compile(r"""
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/ )
  | \b\d(?:'?[\w.])*
  | R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"
  | "(?:\\.|[^"\\\n])*"
  | '(?:\\.|[^'\\\n])*'
""", re.VERBOSE | re.DOTALL)
# templates, and regular expressions where an operand is expected
JS = re.compile(r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ )
  | "(?:\\.|[^"\\\n])*"
  | '(?:\\.|[^'\\\n])*'
  | `(?:\\.|[^`\\])*`
  | (?<=[(,=:\[!&|?{};+]) [ ]* /(?![/*]) (?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/
""", re.VERBOSE | re.DOTALL)


def without_comments(text, grammar):
    """The text with its comments gone and its lines where they were."""
    return grammar.sub(lambda found: "\n" * found[0].count("\n") if found["comment"] else found[0], text)


def count_python(text):
    """Lines that hold a token other than a comment or a docstring, which is a string that is a statement by itself."""
    lines, statement = set(), []
    marks = (tokenize.NEWLINE, tokenize.ENDMARKER)
    layout = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in marks:
            if any(part.type != tokenize.STRING for part in statement):
                lines.update(line for part in statement for line in range(part.start[0], part.end[0] + 1))
            statement = []
        elif token.type not in layout:
            statement.append(token)
    return len(lines)


def count_lines(text, language):
    """Lines of a text in a language of LANGUAGES that are neither blank nor comment."""
    if language == "Python":
        return count_python(text)
    code = without_comments(text, JS if language == "JS" else CPP)
    return sum(bool(line.strip()) for line in code.splitlines())


def module_of(path):
    folders = pathlib.PurePosixPath(path).parts[:-1]
    return "/".join(folders[:3 if folders[:1] == ("host",) else 2]) or "."


def count_modules(files):
    """{module: {language: lines}} of pairs of path and text."""
    modules = collections.defaultdict(collections.Counter)
    for path, text in files:
        language = LANGUAGES.get(pathlib.PurePosixPath(path).suffix)
        if language:
            modules[module_of(path)][language] += count_lines(text, language)
    return modules


def files_of_tree(root):
    names = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        path = pathlib.Path(root) / name
        if path.suffix in LANGUAGES and path.exists():
            yield name, path.read_text(encoding="utf-8")


def files_of_commit(root, commit):
    archive = subprocess.run(["git", "-C", root, "archive", commit], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            if member.isfile() and pathlib.PurePosixPath(member.name).suffix in LANGUAGES:
                yield member.name, tar.extractfile(member).read().decode("utf-8")


def table(modules, before=None):
    """Modules in rows, languages in columns; with `before`, the sums then and now."""
    languages = [name for name in dict.fromkeys(LANGUAGES.values())
                 if any(name in counts for counts in (*modules.values(), *(before or {}).values()))]
    head = ["module", *languages, "sum"] + (["before"] if before is not None else [])
    rows = [head, ["---"] + ["---:"] * (len(head) - 1)]

    def row(name, now, then):
        numbers = [now[language] for language in languages] + [now.total()]
        if before is not None:
            numbers.append(then.total())
        rows.append([name, *(f"{number or ''}" for number in numbers)])

    none = collections.Counter()
    for name in sorted({*modules, *(before or {})}):
        row(f"`{name}`", modules.get(name, none), (before or {}).get(name, none))
    row("**all**", sum(modules.values(), none), sum((before or {}).values(), none))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", metavar="COMMIT", help="count a commit, not the working tree")
    parser.add_argument("--before", metavar="COMMIT", help="a commit to compare with")
    options = parser.parse_args()
    root = str(pathlib.Path(__file__).resolve().parents[1])
    modules = count_modules(files_of_commit(root, options.at) if options.at else files_of_tree(root))
    print(table(modules, count_modules(files_of_commit(root, options.before)) if options.before else None))


if __name__ == "__main__":
    main()
