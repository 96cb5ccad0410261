"""Operands of PTX as C++ expressions. A register is a C++ variable of its own type; what an instruction takes it for must
have the same size."""
import re

from ptx import SIZES, Unknown

CPP = {'b8': 'std::uint8_t', 'u8': 'std::uint8_t', 's8': 'std::int8_t', 'b16': 'std::uint16_t', 'u16': 'std::uint16_t',
       's16': 'std::int16_t', 'b32': 'std::uint32_t', 'u32': 'std::uint32_t', 's32': 'std::int32_t',
       'b64': 'std::uint64_t', 'u64': 'std::uint64_t', 's64': 'std::int64_t', 'f32': 'float', 'f64': 'double',
       'pred': 'bool'}
SPECIAL = {f'%{name}.{axis}': f't.{member}.{axis}' for axis in 'xyz'
           for name, member in (('tid', 'place'), ('ntid', 'block_size'), ('ctaid', 'block_place'), ('nctaid', 'grid_size'))}
SPECIAL |= {'%laneid': 't.lane', '%warpid': 't.warp'}


def unsigned(kind):
    """Arithmetic that wraps is done without sign."""
    return kind.replace('s', 'u').replace('b', 'u') if kind[0] in 'sb' else kind


def is_float(kind):
    return kind[0] == 'f'


def identifier(name):
    return 'v_' + re.sub(r'\W', '_', name.lstrip('%$'))


class Names:
    """What the names in a function stand for."""

    def __init__(self, module, function):
        self.registers = {}  # name: type
        self.addresses = {constant.name: f'address_of({identifier(constant.name)})' for constant in module.constants}
        self.addresses |= {shared.name: 'std::uint64_t{kSharedWindow} + kStaticShared' for shared in module.dynamic_shared}
        self.parameters = {variable.name: f'parameters[{number}]'
                           for number, variable in enumerate(function.returns + function.parameters)}
        self.static_shared = 0
        self.shared_alignment = max([shared.alignment for shared in module.dynamic_shared], default=1)

    def declare(self, declaration):
        variable = declaration.variable
        if declaration.space == 'shared':
            self.static_shared = -(-self.static_shared // variable.alignment) * variable.alignment
            self.addresses[variable.name] = f'std::uint64_t{{kSharedWindow}} + {self.static_shared}'
            self.static_shared += variable.size
        elif declaration.space == 'local':
            self.addresses[variable.name] = f'address_of({identifier(variable.name)}.bytes)'
        else:
            self.parameters[variable.name] = identifier(variable.name)

    def register(self, name):
        if name not in self.registers:
            raise Unknown(f'register {name}')
        return self.registers[name]

    def literal(self, text, kind):
        if match := re.fullmatch(r'0[dD]([0-9A-Fa-f]{16})', text):
            value, of = f'bits_as<double>(std::uint64_t{{0x{match[1]}}})', 'f64'
        elif match := re.fullmatch(r'0[fF]([0-9A-Fa-f]{8})', text):
            value, of = f'bits_as<float>(std::uint32_t{{0x{match[1]}}})', 'f32'
        elif re.fullmatch(r'-?(0[xX][0-9a-fA-F]+|\d+)U?', text):
            if is_float(kind):
                raise Unknown(f'integer {text} for .{kind}')
            number = int(text.rstrip('U'), 0)
            if kind == 'pred':
                return 'true' if number else 'false'
            return f'{CPP[kind]}(0x{number & (1 << 8 * SIZES[kind]) - 1:x}ull)'
        else:
            return None
        if of == kind:
            return value
        if SIZES[of] != SIZES[kind]:
            raise Unknown(f'{text} for .{kind}')
        return f'bits_as<{CPP[kind]}>({value})'

    def value(self, operand, kind, may_be_wider=False):
        """`operand` read as `kind`; ld, st and cvt take registers that are wider."""
        if operand.startswith('!'):
            if kind != 'pred':
                raise Unknown(f'operand {operand}')
            return f'!{self.value(operand[1:], kind)}'
        if operand.startswith('-%'):
            raise Unknown(f'operand {operand}')
        if operand in SPECIAL:
            if kind not in ('u32', 'b32', 's32'):
                raise Unknown(f'{operand} as .{kind}')
            return f'{CPP[kind]}({SPECIAL[operand]})'
        if operand in self.registers:
            return self.register_as(operand, kind, may_be_wider)
        if operand in self.addresses:
            if SIZES[kind] not in (4, 8) or is_float(kind):
                raise Unknown(f'address {operand} as .{kind}')
            return f'{CPP[kind]}({self.addresses[operand]})'
        if operand in self.parameters and SIZES[kind] == 8 and not is_float(kind):
            return f'{CPP[kind]}(reinterpret_cast<std::uint64_t>({self.parameters[operand]}))'
        literal = self.literal(operand, kind)
        if literal is None:
            raise Unknown(f'operand {operand!r}')
        return literal

    def register_as(self, name, kind, may_be_wider):
        own = self.register(name)
        if CPP[own] == CPP[kind]:
            return identifier(name)
        if (own == 'pred') != (kind == 'pred'):
            raise Unknown(f'{name} is .{own}, not .{kind}')
        if SIZES[own] == SIZES[kind]:
            return f'bits_as<{CPP[kind]}>({identifier(name)})'
        if may_be_wider and SIZES[own] > SIZES[kind] and not is_float(own) and not is_float(kind):
            return f'static_cast<{CPP[kind]}>({identifier(name)})'
        raise Unknown(f'{name} is .{own}, not .{kind}')

    def put(self, name, kind, expression, may_be_wider=False):
        """The statement that gives register `name` a value of `kind`; `_` takes none."""
        if name == '_':
            return f'static_cast<void>({expression});'
        own = self.register(name)
        if CPP[own] == CPP[kind]:
            return f'{identifier(name)} = {expression};'
        if (own == 'pred') == (kind == 'pred'):
            if SIZES[own] == SIZES[kind]:
                return f'{identifier(name)} = bits_as<{CPP[own]}>({CPP[kind]}({expression}));'
            if may_be_wider and SIZES[own] > SIZES[kind] and not is_float(own) and not is_float(kind):
                return f'{identifier(name)} = static_cast<{CPP[own]}>({CPP[kind]}({expression}));'
        raise Unknown(f'{name} is .{own}, not .{kind}')

    def address(self, operand, space):
        """Of `[base+offset]` in `space`: 64 bits."""
        match = re.fullmatch(r'\[\s*([^+\]]+?)\s*(?:\+\s*(-?\d+))?\s*\]', operand)
        if not match:
            raise Unknown(f'address {operand}')
        base, offset = match[1], int(match[2] or 0)
        if base in self.registers:
            kind = 'u32' if SIZES[self.registers[base]] == 4 else 'u64'
            if kind == 'u32' and space != 'shared':
                raise Unknown(f'address of 32 bits in {space}: {operand}')
            start = f'std::uint64_t{{{self.value(base, kind)}}}'
        else:
            start = f'std::uint64_t{{{self.value(base, "u64")}}}'
        return f'{start} + std::uint64_t(std::int64_t{{{offset}}})' if offset else start

    def parameter(self, operand):
        """A pointer to `[parameter+offset]`; the address may be in a register."""
        match = re.fullmatch(r'\[\s*(%?[\w$]+)\s*(?:\+\s*(-?\d+))?\s*\]', operand)
        if match and match[1] in self.registers:
            return f'(reinterpret_cast<std::byte*>({self.value(match[1], "u64")}) + {match[2] or 0})'
        if not match or match[1] not in self.parameters:
            raise Unknown(f'parameter {operand}')
        return f'({self.parameters[match[1]]} + {match[2] or 0})'


class Opcode:
    """An opcode taken apart. Modifiers that are not taken are unknown."""

    def __init__(self, text):
        self.text = text
        self.name, *self.modifiers = text.split('.')

    def take(self, *names):
        """The one of `names` that is there, else ''."""
        for name in names:
            if name in self.modifiers:
                self.modifiers.remove(name)
                return name
        return ''

    def need(self, *names):
        return self.take(*names) or self.fail()

    def kind(self, *allowed):
        """The type, which stands last."""
        if not self.modifiers or self.modifiers[-1] not in (allowed or CPP):
            self.fail()
        return self.modifiers.pop()

    def done(self):
        if self.modifiers:
            self.fail()

    def fail(self):
        raise Unknown(f'opcode {self.text}')
