"""PTX as nvcc writes it, read into functions and their statements. What is not known here is an error."""
import bisect
import dataclasses
import re

KNOWN_VERSIONS = {(7, minor) for minor in range(9)} | {(8, minor) for minor in range(9)} | {(9, 0), (9, 1)}
SIZES = {'pred': 1, 'b8': 1, 'u8': 1, 's8': 1, 'b16': 2, 'u16': 2, 's16': 2, 'b32': 4, 'u32': 4, 's32': 4, 'f32': 4,
         'b64': 8, 'u64': 8, 's64': 8, 'f64': 8}
DIRECTIVES_WITHOUT_MEANING_HERE = r'\.(?:noreturn|minnctapersm\s+\d+|maxntid\s+[\d,\s]+|pragma\s+"[^"]*"\s*;)'


class Unknown(Exception):
    """Something in the PTX that the translator does not know."""

    def __init__(self, what, line=None):
        super().__init__(what if line is None else f'line {line}: {what}')


@dataclasses.dataclass(frozen=True)
class Source:
    """Where in the CUDA source an instruction comes from: in the innermost function that was inlined, and where that is
    called, if it was inlined."""
    file: str
    line: int
    column: int
    caller: 'Source' = None

    def __str__(self):
        return f'{self.file}:{self.line}'


@dataclasses.dataclass
class Variable:
    """A parameter, or an array in the space it is declared in."""
    name: str
    size: int
    alignment: int
    values: list = None  # bytes, of a constant


@dataclasses.dataclass
class Label:
    name: str


@dataclasses.dataclass
class Scope:
    """A brace."""
    opens: bool


@dataclasses.dataclass
class Registers:
    type: str
    names: list


@dataclasses.dataclass
class Declaration:
    """Of a variable in the space local, shared or param."""
    space: str
    variable: Variable


@dataclasses.dataclass
class Instruction:
    opcode: str
    operands: list
    guard: str = ''  # the register of `@%p`
    guard_is_negated: bool = False
    line: int = 0
    source: Source = None
    used_bytes: int = None  # mask of the bytes of a load that matter; None: all

    def __str__(self):
        return f'{self.opcode} {", ".join(self.operands)}'


@dataclasses.dataclass
class Function:
    name: str
    is_entry: bool
    parameters: list
    returns: list
    max_threads: int = 0
    min_blocks: int = 0
    statements: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Module:
    functions: list = dataclasses.field(default_factory=list)
    constants: list = dataclasses.field(default_factory=list)
    dynamic_shared: list = dataclasses.field(default_factory=list)


def split_operands(text):
    """At commas that no bracket encloses."""
    parts, depth, current = [], 0, ''
    for character in text:
        depth += (character in '{[(') - (character in ')]}')
        if character == ',' and depth == 0:
            parts.append(current.strip())
            current = ''
        else:
            current += character
    return parts + [current.strip()] if current.strip() else parts


def without_comments(text):
    """The same text on the same lines."""
    text = re.sub(r'/\*.*?\*/', lambda comment: '\n' * comment[0].count('\n'), text, flags=re.S)
    return re.sub(r'//[^\n]*', '', text)


class Parser:
    VARIABLE = r'(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([\w$%]+)(?:\[(\d*)\])?'

    def __init__(self, text):
        self.text = without_comments(text)
        self.line_ends = [match.start() for match in re.finditer('\n', self.text)]
        self.at = 0
        self.files = {int(number): name
                      for number, name in re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', self.text, re.M)}
        self.source = None  # of the statements that follow
        self.met = {}  # sources by file, line and column
        self.used_bytes = None  # of the next load

    def line(self):
        return bisect.bisect_left(self.line_ends, self.at) + 1

    def take(self, pattern):
        """The match of `pattern` here, behind white space; None if there is none."""
        match = re.compile(r'\s*' + pattern, re.S).match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def fail(self):
        self.take('')
        raise Unknown(f'cannot read {self.text[self.at:self.at + 80].strip()!r}', self.line())

    def variable(self, match, first_group):
        alignment, kind, name, count = (match[first_group + k] for k in range(4))
        if kind not in SIZES:
            raise Unknown(f'type .{kind}', self.line())
        return Variable(name, SIZES[kind] * int(count or 1), int(alignment or SIZES[kind]))

    def module(self):
        module = Module()
        while self.text[self.at:].strip():
            if match := self.take(r'\.version\s+(\d+)\.(\d+)'):
                if (int(match[1]), int(match[2])) not in KNOWN_VERSIONS:
                    raise Unknown(f'PTX version {match[1]}.{match[2]}', self.line())
            elif match := self.take(r'\.target\s+([^\n]*)'):
                if not re.fullmatch(r'sm_\d+(, debug)?', match[1].strip()):
                    raise Unknown(f'target {match[1]}: take a plain one', self.line())
            elif self.take(r'\.address_size\s+64\b') or self.take(r'\.file\s[^\n]*') or self.take(r'\.section\s[^{]*\{[^}]*\}'):
                pass
            elif match := self.take(r'\.extern\s+\.shared\s+' + self.VARIABLE + r'\s*;'):
                module.dynamic_shared.append(self.variable(match, 1))
            elif match := self.take(r'(?:\.visible\s+)?\.(?:global|const)\s+' + self.VARIABLE + r'\s*(?:=\s*\{([^}]*)\})?\s*;'):
                module.constants.append(self.constant(match))
            elif match := self.take(r'(?:\.visible\s+|\.weak\s+|\.extern\s+)*\.(entry|func)\s*(\([^)]*\))?\s*([\w$]+)\s*(\([^)]*\))?'):
                self.function(module, match)
            else:
                self.fail()
        return module

    def constant(self, match):
        """Only what is given byte by byte and never written: tables of the mathematical functions."""
        variable = self.variable(match, 1)
        if match[2] != 'b8' or match[5] is None:
            raise Unknown(f'variable {match[3]} that is no table of bytes', self.line())
        variable.values = [int(value, 0) for value in match[5].split(',')]
        return variable

    def parameters(self, text):
        return [self.variable(match, 1)
                for match in re.finditer(r'\.param\s+' + self.VARIABLE, text or '')]

    def function(self, module, head):
        function = Function(head[3], head[1] == 'entry', self.parameters(head[4]), self.parameters(head[2]))
        while not self.take(r'\{'):
            if self.take(';'):
                return  # declared, defined later
            directive = self.take(DIRECTIVES_WITHOUT_MEANING_HERE) or self.fail()
            if match := re.search(r'\.maxntid\s+([\d,\s]+)', directive[0]):
                function.max_threads = 1
                for extent in match[1].split(','):
                    function.max_threads *= int(extent)
            elif match := re.search(r'\.minnctapersm\s+(\d+)', directive[0]):
                function.min_blocks = int(match[1])
        depth = 1
        while depth:
            statement = self.statement()
            if isinstance(statement, Scope):
                depth += 1 if statement.opens else -1
            if statement and depth:
                function.statements.append(statement)
        module.functions.append(function)

    def statement(self):
        """The next of a function's body; None for what says nothing."""
        if match := self.take(r'\.loc\s+(\d+)\s+(\d+)\s+(\d+)([^\n]*)'):
            inlined = re.search(r'inlined_at\s+(\d+)\s+(\d+)\s+(\d+)', match[4])
            self.source = self.source_of(match, inlined and self.source_of(inlined))
            return None
        if self.take(r'\.pragma\s+"nounroll"\s*;'):
            return None
        if match := self.take(r'\.pragma\s+"used_bytes_mask\s+(\w+)"\s*;'):
            self.used_bytes = int(match[1], 0)
            return None
        if self.take(r'\{'):
            return Scope(True)
        if self.take(r'\}'):
            return Scope(False)
        if match := self.take(r'([\w$]+):'):
            return Label(match[1])
        if match := self.take(r'\.reg\s+\.(\w+)\s+([^;]*);'):
            return self.registers(match)
        if match := self.take(r'\.(local|shared|param)\s+' + self.VARIABLE + r'\s*;'):
            return Declaration(match[1], self.variable(match, 2))
        if match := self.take(r'(?:@(!?)(%[\w$]+)\s+)?([a-z][\w.:]*)((?:[^;{}]|\{[^{};]*\})*);'):
            line = bisect.bisect_left(self.line_ends, match.start(3)) + 1
            used_bytes, self.used_bytes = self.used_bytes, None
            return Instruction(match[3], split_operands(match[4]), match[2] or '', match[1] == '!', line, self.source,
                               used_bytes)
        return self.fail()

    def source_of(self, match, caller=None):
        """Of a place that is only named as a caller: as it was last met, which tells its own caller."""
        place = tuple(int(number) for number in match.groups()[:3])
        if caller or place not in self.met:
            self.met[place] = Source(self.files[place[0]], *place[1:], caller)
        return self.met[place]

    def registers(self, match):
        if match[1] not in SIZES:
            raise Unknown(f'registers of type .{match[1]}', self.line())
        names = []
        for name in split_operands(match[2]):
            if several := re.fullmatch(r'(%[\w$]+)<(\d+)>', name):
                names += [f'{several[1]}{number}' for number in range(int(several[2]))]
            else:
                names.append(name)
        return Registers(match[1], names)
