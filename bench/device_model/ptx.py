"""PTX as far as the model needs it: which opcode stands in which line of which function, and how deep in loops.

A loop is what lies between a label and the last branch back to it. nvcc writes the blocks of a loop one after the other, so
lines tell how deep an instruction is.
"""
import re
from dataclasses import dataclass

HEAD = re.compile(r"\.(entry|func)\b[^;{]*?([\w$]+)\s*\((?=[^()]*\)\s*(?:\.\w+[^{;]*)*\{)", re.S)
LABEL = re.compile(r"\s*([$\w]+):")
STATEMENT = re.compile(r"\s*(?:@!?%\w+\s+)?([a-z][\w.:]*)\s*([^;]*)")


@dataclass
class Line:
    opcode: str  # with its modifiers
    depth: int   # loops around it
    block: int   # of its function; a label begins one, a branch ends one


@dataclass
class Function:
    name: str
    is_entry: bool
    lines: dict  # number of the line in the file, from 1: Line
    callees: set


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def read(text):
    """{name: Function} of a PTX file."""
    text = without_comments(text)
    functions = {}
    for head in HEAD.finditer(text):
        begin = text.index("{", head.end())
        depth, end = 1, begin + 1
        while depth:
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        functions[head[2]] = read_function(head[2], head[1] == "entry", text[begin + 1:end - 1],
                                           text.count("\n", 0, begin) + 1)
    return functions


def read_function(name, is_entry, body, first_line):
    found, labels, branches, callees = [], {}, [], set()
    block, is_inside = 0, False
    for number, line in enumerate(body.split("\n"), first_line):
        if is_inside:  # a statement of several lines: a call, a list of branch targets
            callees.update(re.findall(r"^\s*([\w$]+),\s*$", line))
            is_inside = ";" not in line
            continue
        if label := LABEL.match(line):
            labels[label[1]] = number
            block += 1
            line = line[label.end():]
        line = line.strip(" \t{}")
        if not line:
            continue
        is_inside = ";" not in line
        statement = STATEMENT.match(line)
        if line.startswith(".") or not statement:
            continue
        opcode = statement[1]
        found.append((number, opcode, block))
        if opcode.split(".")[0] == "bra":
            branches.append((number, statement[2].strip()))
        if opcode.split(".")[0] in ("bra", "brx", "ret", "exit"):
            block += 1
    loops = {}
    for number, target in branches:
        begin = labels.get(target)
        if begin is not None and begin <= number:
            loops[begin] = max(loops.get(begin, 0), number)
    depth_of = lambda number: sum(begin <= number <= end for begin, end in loops.items())
    lines = {number: Line(opcode, depth_of(number), at) for number, opcode, at in found}
    return Function(name, is_entry, lines, callees)


def lines_of_kernel(functions, name):
    """{number: Line} of a kernel and of the functions that it calls; blocks are numbered consecutively."""
    lines, waiting, seen, shift = {}, [name], set(), 0
    while waiting:
        function = functions[waiting.pop()]
        if function.name in seen:
            continue
        seen.add(function.name)
        waiting += [callee for callee in function.callees if callee in functions]
        for number, line in function.lines.items():
            lines[number] = Line(line.opcode, line.depth, shift + line.block)
        shift += 1 + max((line.block for line in function.lines.values()), default=0)
    return lines
