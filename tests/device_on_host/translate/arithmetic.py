"""Instructions that only read and write registers. A function a group of opcodes: it takes the opcode, the operands and
the names, and returns C++ statements."""
from operands import CPP, is_float, unsigned
from ptx import SIZES, Unknown

OPCODES = {}
INTEGERS = [sign + size for sign in 'us' for size in ('16', '32', '64')]
BITS = ['b16', 'b32', 'b64', 'pred']


def opcode(*names):
    def register(function):
        for name in names:
            OPCODES[name] = function
        return function
    return register


def count(operands, number, op):
    if len(operands) != number:
        raise Unknown(f'{op.text} with {len(operands)} operands')
    return operands


def round_to_nearest(op):
    """The only rounding that is known here, named or not."""
    op.take('rn')


@opcode('add', 'sub')
def add(op, operands, names):
    carries = op.take('cc')
    kind = op.kind('f32', 'f64', *INTEGERS)
    to, a, b = count(operands, 3, op)
    sign = '+' if op.name == 'add' else '-'
    if carries:
        op.done()
        return with_carry(op, names, to, kind, f'wide({names.value(a, unsigned(kind))}) {sign} '
                          f'{names.value(b, unsigned(kind))}', True)
    if is_float(kind):
        round_to_nearest(op)
    op.done()
    kind = unsigned(kind)
    return names.put(to, kind, f'{CPP[kind]}({names.value(a, kind)} {sign} {names.value(b, kind)})')


def with_carry(op, names, to, kind, sum_of_wide, sets_carry):
    """A sum or difference in 128 bits, whose bit above the result is the carry or the borrow."""
    if kind[0] == 'f' or SIZES[kind] < 4:
        op.fail()
    kind = unsigned(kind)
    code = f'{{ const wide sum = {sum_of_wide}; {names.put(to, kind, f"static_cast<{CPP[kind]}>(sum)")}'
    if sets_carry:
        code += f' carry = static_cast<std::uint32_t>(sum >> {8 * SIZES[kind]}) & 1;'
    return code + ' }'


@opcode('addc', 'subc')
def add_carry(op, operands, names):
    sets_carry = op.take('cc')
    kind = unsigned(op.kind(*INTEGERS))
    op.done()
    to, a, b = count(operands, 3, op)
    sign = '+' if op.name == 'addc' else '-'
    return with_carry(op, names, to, kind,
                      f'wide({names.value(a, kind)}) {sign} {names.value(b, kind)} {sign} carry', sets_carry)


def product(op, kind, a, b, names):
    """Of integers, half `lo` or `hi` of it, without sign."""
    half = op.need('lo', 'hi')
    bits = 8 * SIZES[kind]
    if half == 'lo':
        return f'low_product<{CPP[unsigned(kind)]}>({names.value(a, unsigned(kind))}, {names.value(b, unsigned(kind))})'
    wide = 'signed_wide' if kind[0] == 's' else 'wide'
    return (f'static_cast<{CPP[unsigned(kind)]}>(({wide}({names.value(a, kind)}) * {wide}({names.value(b, kind)})) '
            f'>> {bits})')


@opcode('mul', 'mad')
def multiply(op, operands, names):
    kind = op.kind('f32', 'f64', *INTEGERS)
    to, a, b, *terms = count(operands, 3 if op.name == 'mul' else 4, op)
    if is_float(kind):
        if op.name == 'mad':
            op.fail()
        round_to_nearest(op)
        op.done()
        return names.put(to, kind, f'{names.value(a, kind)} * {names.value(b, kind)}')
    if op.take('wide'):
        op.done()
        double_kind = kind[0] + str(16 * SIZES[kind])
        if double_kind not in CPP:
            op.fail()
        plain = unsigned(double_kind)
        value = (f'static_cast<{CPP[plain]}>({CPP[double_kind]}{{{names.value(a, kind)}}} * '
                 f'{CPP[double_kind]}{{{names.value(b, kind)}}})')
        if terms:
            value = f'static_cast<{CPP[plain]}>({value} + {names.value(terms[0], plain)})'
        return names.put(to, plain, value)
    carries = op.take('cc')
    value = product(op, kind, a, b, names)
    op.done()
    if not terms:
        if carries:
            op.fail()
        return names.put(to, unsigned(kind), value)
    term = names.value(terms[0], unsigned(kind))
    if carries:
        return with_carry(op, names, to, kind, f'wide({value}) + {term}', True)
    return names.put(to, unsigned(kind), f'static_cast<{CPP[unsigned(kind)]}>({value} + {term})')


@opcode('madc')
def multiply_add_carry(op, operands, names):
    kind = op.kind(*INTEGERS)
    sets_carry = op.take('cc')
    to, a, b, term = count(operands, 4, op)
    value = product(op, kind, a, b, names)
    op.done()
    return with_carry(op, names, to, kind, f'wide({value}) + {names.value(term, unsigned(kind))} + carry', sets_carry)


@opcode('fma')
def multiply_add(op, operands, names):
    kind = op.kind('f32', 'f64')
    op.need('rn')
    op.done()
    to, a, b, c = count(operands, 4, op)
    return names.put(to, kind, f'fused({names.value(a, kind)}, {names.value(b, kind)}, {names.value(c, kind)})')


@opcode('div')
def divide(op, operands, names):
    kind = op.kind('f32', 'f64', *INTEGERS)
    if is_float(kind):
        op.need('rn')
    op.done()
    to, a, b = count(operands, 3, op)
    a, b = names.value(a, kind), names.value(b, kind)
    return names.put(to, kind, f'{a} / {b}' if is_float(kind) else f'quotient<{CPP[kind]}>({a}, {b})')


@opcode('rem')
def remainder(op, operands, names):
    kind = op.kind(*INTEGERS)
    op.done()
    to, a, b = count(operands, 3, op)
    return names.put(to, kind, f'remainder<{CPP[kind]}>({names.value(a, kind)}, {names.value(b, kind)})')


@opcode('neg', 'abs')
def sign(op, operands, names):
    kind = op.kind('f32', 'f64', 's16', 's32', 's64')
    op.done()
    to, a = count(operands, 2, op)
    function = {'neg': 'negated', 'abs': 'absolute'}[op.name]
    return names.put(to, kind, f'{function}<{CPP[kind]}>({names.value(a, kind)})')


@opcode('min', 'max')
def clamp(op, operands, names):
    kind = op.kind('f32', 'f64', *INTEGERS)
    op.done()
    to, a, b = count(operands, 3, op)
    function = {'min': 'least', 'max': 'greatest'}[op.name]
    return names.put(to, kind, f'{function}<{CPP[kind]}>({names.value(a, kind)}, {names.value(b, kind)})')


@opcode('copysign')
def copy_sign(op, operands, names):
    kind = op.kind('f32', 'f64')
    op.done()
    to, sign_of, size_of = count(operands, 3, op)
    return names.put(to, kind, f'std::copysign({names.value(size_of, kind)}, {names.value(sign_of, kind)})')


@opcode('sqrt', 'rcp', 'ex2')
def special(op, operands, names):
    """Rounded, or the approximations that division and exponentials of CUDA begin with."""
    kind = op.kind('f32', 'f64')
    to, a = count(operands, 2, op)
    x = names.value(a, kind)
    if op.name != 'ex2' and op.take('rn'):
        op.done()
        return names.put(to, kind, f'std::sqrt({x})' if op.name == 'sqrt' else f'{CPP[kind]}(1) / {x}')
    op.need('approx')
    op.need('ftz')
    op.done()
    if (op.name, kind) not in (('rcp', 'f64'), ('rcp', 'f32'), ('ex2', 'f32')):
        op.fail()
    return names.put(to, kind, f'approximate_{op.name}({x})')


@opcode('and', 'or', 'xor')
def combine(op, operands, names):
    kind = op.kind(*BITS)
    op.done()
    to, a, b = count(operands, 3, op)
    sign = {'and': '&', 'or': '|', 'xor': '^'}[op.name]
    return names.put(to, kind, f'static_cast<{CPP[kind]}>({names.value(a, kind)} {sign} {names.value(b, kind)})')


@opcode('not')
def complement(op, operands, names):
    kind = op.kind(*BITS)
    op.done()
    to, a = count(operands, 2, op)
    return names.put(to, kind, f'!{names.value(a, kind)}' if kind == 'pred' else
                     f'static_cast<{CPP[kind]}>(~{names.value(a, kind)})')


@opcode('shl', 'shr')
def shift(op, operands, names):
    kind = op.kind('b16', 'b32', 'b64') if op.name == 'shl' else op.kind('b16', 'b32', 'b64', *INTEGERS)
    op.done()
    to, a, by = count(operands, 3, op)
    function = {'shl': 'shifted_left', 'shr': 'shifted_right'}[op.name]
    return names.put(to, kind, f'{function}<{CPP[kind]}>({names.value(a, kind)}, {names.value(by, "u32")})')


@opcode('shf')
def funnel_shift(op, operands, names):
    kind = op.kind('b32')
    direction, mode = op.need('l', 'r'), op.need('wrap', 'clamp')
    op.done()
    to, low, high, by = count(operands, 4, op)
    side = {'l': 'left', 'r': 'right'}[direction]
    return names.put(to, kind, f'funnel_{side}({names.value(low, kind)}, {names.value(high, kind)}, '
                     f'{"wrapped" if mode == "wrap" else "clamped"}_shift({names.value(by, "u32")}))')


@opcode('bfi')
def insert_bits(op, operands, names):
    kind = op.kind('b32', 'b64')
    op.done()
    to, a, b, at, length = count(operands, 5, op)
    return names.put(to, kind, f'with_bits<{CPP[kind]}>({names.value(a, kind)}, {names.value(b, kind)}, '
                     f'{names.value(at, "u32")}, {names.value(length, "u32")})')


@opcode('bfe')
def extract_bits(op, operands, names):
    kind = op.kind('u32', 's32', 'u64', 's64')
    op.done()
    to, a, at, length = count(operands, 4, op)
    return names.put(to, kind, f'bits_of<{CPP[kind]}>({names.value(a, kind)}, {names.value(at, "u32")}, '
                     f'{names.value(length, "u32")})')


@opcode('clz', 'popc', 'brev')
def count_bits(op, operands, names):
    kind = op.kind('b32', 'b64')
    op.done()
    to, a = count(operands, 2, op)
    value = names.value(a, kind)
    if op.name == 'brev':
        return names.put(to, kind, f'reversed<{CPP[kind]}>({value})')
    return names.put(to, 'u32', f'std::uint32_t(std::{"countl_zero" if op.name == "clz" else "popcount"}({value}))')


@opcode('lop3')
def logic_of_three(op, operands, names):
    kind = op.kind('b32')
    op.done()
    to, a, b, c, table = count(operands, 5, op)
    return names.put(to, kind, f'logic_of_three({", ".join(names.value(x, kind) for x in (a, b, c, table))})')


@opcode('prmt')
def permute_bytes(op, operands, names):
    kind = op.kind('b32')
    op.done()
    to, a, b, selector = count(operands, 4, op)
    return names.put(to, kind, f'permuted({", ".join(names.value(x, kind) for x in (a, b, selector))})')


@opcode('mov')
def move(op, operands, names):
    kind = op.kind('pred', 'f32', 'f64', *BITS[:3], *INTEGERS)
    op.done()
    to, a = count(operands, 2, op)
    if to.startswith('{'):
        return unpack(op, kind, parts(to), a, names)
    if a.startswith('{'):
        return pack(op, kind, to, parts(a), names)
    return names.put(to, kind, names.value(a, kind))


def parts(operand):
    return [part.strip() for part in operand.strip('{} ').split(',')]


def part_kind(op, kind, number):
    part = f'u{8 * SIZES[kind] // number}'
    if kind[0] != 'b' or part not in CPP:
        op.fail()
    return part


def unpack(op, kind, registers, operand, names):
    part = part_kind(op, kind, len(registers))
    taken = [names.put(register, part, f'static_cast<{CPP[part]}>(whole >> {8 * SIZES[part] * k})')
             for k, register in enumerate(registers) if register != '_']
    return f'{{ const {CPP[kind]} whole = {names.value(operand, kind)}; {" ".join(taken)} }}'


def pack(op, kind, to, values, names):
    part = part_kind(op, kind, len(values))
    return names.put(to, kind, f'static_cast<{CPP[kind]}>(' + ' | '.join(
        f'{CPP[kind]}{{{names.value(value, part)}}} << {8 * SIZES[part] * k}' for k, value in enumerate(values)) + ')')


@opcode('cvt')
def convert(op, operands, names):
    kinds = op.modifiers[-2:]
    if len(kinds) != 2 or any(kind not in CPP or kind == 'pred' for kind in kinds):
        op.fail()
    to_kind, from_kind = kinds
    del op.modifiers[-2:]
    to, a = count(operands, 2, op)
    x = names.value(a, from_kind, may_be_wider=True)
    rounding = op.take('rn', 'rni', 'rzi', 'rmi', 'rpi')
    op.done()
    if is_float(from_kind):
        is_integral = rounding in ('rni', 'rzi', 'rmi', 'rpi')
        if is_integral:
            x = {'rni': 'std::nearbyint', 'rzi': 'std::trunc', 'rmi': 'std::floor', 'rpi': 'std::ceil'}[rounding] + f'({x})'
        if not is_float(to_kind):
            if not is_integral:
                op.fail()
            x = f'to_integer<{CPP[to_kind]}>({x})'
        elif to_kind == from_kind and not is_integral or SIZES[to_kind] < SIZES[from_kind] and rounding != 'rn':
            op.fail()
    elif is_float(to_kind) and rounding != 'rn' or not is_float(to_kind) and rounding:
        op.fail()
    return names.put(to, to_kind, f'static_cast<{CPP[to_kind]}>({x})', may_be_wider=True)


@opcode('setp')
def compare(op, operands, names):
    kind = op.kind('f32', 'f64', 'b16', 'b32', 'b64', *INTEGERS)
    relation = op.need('eq', 'ne', 'lt', 'le', 'gt', 'ge', 'lo', 'ls', 'hi', 'hs',
                       'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan')
    combines = op.take('and', 'or', 'xor')
    op.done()
    to, a, b, *third = count(operands, 4 if combines else 3, op)
    result = comparison(op, relation, kind, names.value(a, kind), names.value(b, kind))
    other = f'!({result})'
    if third:
        sign = {'and': '&', 'or': '|', 'xor': '^'}[combines]
        c = names.value(third[0], 'pred')
        result, other = f'bool(({result}) {sign} {c})', f'bool(({other}) {sign} {c})'
    first, *second = to.split('|')
    if not second:
        return names.put(first, 'pred', result)
    return f'{{ const bool yes = {result}, no = {other}; {names.put(first, "pred", "yes")} {names.put(second[0], "pred", "no")} }}'


def comparison(op, relation, kind, a, b):
    ordered = {'eq': '==', 'lt': '<', 'le': '<=', 'gt': '>', 'ge': '>='}
    if is_float(kind):  # with NaN all are false but those that end in u, and nan
        if relation in ordered:
            return f'{a} {ordered[relation]} {b}'
        if relation == 'ne':
            return f'{a} < {b} || {a} > {b}'
        if relation in ('num', 'nan'):
            return ('!' if relation == 'nan' else '') + f'({a} == {a} && {b} == {b})'
        opposite = {'equ': 'ne', 'neu': 'eq', 'ltu': 'ge', 'leu': 'gt', 'gtu': 'le', 'geu': 'lt'}
        if relation in opposite:
            return f'!({comparison(op, opposite[relation], kind, a, b)})'
    elif kind[0] == 'b' and relation not in ('eq', 'ne'):
        op.fail()
    elif relation in ordered or relation == 'ne':
        return f'{a} {(ordered | {"ne": "!="})[relation]} {b}'
    elif kind[0] == 'u' and relation in ('lo', 'ls', 'hi', 'hs'):
        return f'{a} {dict(lo="<", ls="<=", hi=">", hs=">=")[relation]} {b}'
    return op.fail()


@opcode('selp')
def select(op, operands, names):
    kind = op.kind('f32', 'f64', *BITS[:3], *INTEGERS)
    op.done()
    to, a, b, condition = count(operands, 4, op)
    return names.put(to, kind, f'{names.value(condition, "pred")} ? {names.value(a, kind)} : {names.value(b, kind)}')
