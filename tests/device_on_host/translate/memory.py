"""Instructions that access memory or that bring threads together. A function a group of opcodes: it takes the opcode, the
operands, the names and `site`, the C++ expression of this place in the kernel, and returns C++ statements."""
from arithmetic import count, parts
from operands import CPP
from ptx import SIZES

OPCODES = {}
ACCESSED = [kind for kind in CPP if kind != 'pred']
SPACES = ('global', 'shared', 'local', 'const')


def opcode(*names):
    def register(function):
        for name in names:
            OPCODES[name] = function
        return function
    return register


def space_of(op):
    """As a member of Space; shared::cta is shared."""
    if op.take('shared::cta'):
        return 'shared'
    return op.take(*SPACES) or 'generic'


def take_cache_hints(op):
    """They are about time, not about what a program means."""
    op.take('nc')
    op.take('ca', 'cg', 'cs', 'cv', 'lu', 'wb', 'wt')
    op.take('L1::evict_normal', 'L1::evict_unchanged', 'L1::evict_first', 'L1::evict_last', 'L1::no_allocate')
    op.take('L2::64B', 'L2::128B', 'L2::256B')


def cpp_space(space):
    return {'const': 'Space::global'}.get(space, f'Space::{space}')


@opcode('ld', 'st')
def access(op, operands, names, site):
    kind = op.kind(*ACCESSED)
    if op.take('param', 'param::func', 'param::entry'):
        return access_parameter(op, operands, names, kind)
    space = space_of(op)
    vector = op.take('v2', 'v4')
    op.take('weak', 'volatile')
    take_cache_hints(op)
    op.done()
    first, second = count(operands, 2, op)
    registers, place = (first, second) if op.name == 'ld' else (second, first)
    registers = parts(registers) if vector else [registers]
    if vector and len(registers) != int(vector[1]):
        op.fail()
    size = SIZES[kind]
    verb, pointer = ('load', 'const std::byte*') if op.name == 'ld' else ('store', 'std::byte*')
    code = [f'{{ {pointer} const at = t.{verb}({site}, {cpp_space(space)}, {names.address(place, space)}, '
            f'{size * len(registers)});']
    for k, register in enumerate(registers):
        if op.name == 'ld':
            code.append(names.put(register, kind, f'read<{CPP[kind]}>(at + {k * size})', may_be_wider=True))
        else:
            code.append(f'write<{CPP[kind]}>(at + {k * size}, {names.value(register, kind, may_be_wider=True)});')
    return ' '.join(code) + ' }'


def access_parameter(op, operands, names, kind):
    vector = op.take('v2', 'v4')
    op.done()
    first, second = count(operands, 2, op)
    registers, place = (first, second) if op.name == 'ld' else (second, first)
    at = names.parameter(place)
    code = []
    for k, register in enumerate(parts(registers) if vector else [registers]):
        if op.name == 'ld':
            code.append(names.put(register, kind, f'read<{CPP[kind]}>({at} + {k * SIZES[kind]})', may_be_wider=True))
        else:
            code.append(f'write<{CPP[kind]}>({at} + {k * SIZES[kind]}, {names.value(register, kind, may_be_wider=True)});')
    return ' '.join(code)


@opcode('cvta')
def convert_address(op, operands, names, _):
    op.kind('u64')
    to_space = op.take('to')
    space = space_of(op)
    op.done()
    to, a = count(operands, 2, op)
    value = names.value(a, 'u64')
    if space == 'shared':
        value = f't.{"shared_address" if to_space else "generic_address"}({value})'
    return names.put(to, 'u64', value)


@opcode('atom', 'red')
def atomic(op, operands, names, site):
    """Without order: what other memory threads see by an atomic is not emulated."""
    kind = op.kind('b32', 'b64', 'u32', 's32', 'u64', 's64', 'f32', 'f64')
    op.take('relaxed')
    op.take('cta', 'gpu', 'sys')
    space = space_of(op)
    operation = op.need('add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor', 'exch', 'cas')
    op.done()
    allowed = {'add': ('u32', 's32', 'u64', 's64', 'f32', 'f64'), 'min': ('u32', 's32', 'u64', 's64'), 'inc': ('u32',),
               'and': ('b32', 'b64'), 'exch': ('b32', 'b64'), 'cas': ('b32', 'b64')}
    allowed |= {'max': allowed['min'], 'dec': allowed['inc'], 'or': allowed['and'], 'xor': allowed['and']}
    if kind not in allowed[operation] or op.name == 'red' and operation in ('exch', 'cas'):
        op.fail()
    to, (place, *values) = ('_', operands) if op.name == 'red' else (operands[0], operands[1:])
    count(values, 2 if operation == 'cas' else 1, op)
    values = ', '.join(names.value(value, kind) for value in values)
    c = CPP[kind]
    return (f'{{ std::byte* const at = t.atomic({site}, {cpp_space(space)}, {names.address(place, space)}, {SIZES[kind]}); '
            f'const {c} before = read<{c}>(at); write<{c}>(at, atomic_{operation}<{c}>(before, {values})); '
            f'{names.put(to, kind, "before")} }}')


@opcode('cp')
def copy_async(op, operands, names, site):
    op.need('async')
    if op.take('commit_group'):
        op.done()
        count(operands, 0, op)
        return 't.commit_copies();'
    if op.take('wait_all'):
        op.done()
        count(operands, 0, op)
        return 't.wait_for_all_copies();'
    if op.take('wait_group'):
        op.done()
        most, = count(operands, 1, op)
        return f't.wait_for_copies({int(most)});'
    hint = op.need('ca', 'cg')
    if not (op.take('shared') or op.take('shared::cta')):
        op.fail()
    op.need('global')
    op.take('L2::64B', 'L2::128B', 'L2::256B')
    op.done()
    if len(operands) not in (3, 4):
        op.fail()
    to, source, size = operands[:3]
    if int(size) not in ((4, 8, 16) if hint == 'ca' else (16,)):
        op.fail()
    filled = names.value(operands[3], 'u32') if len(operands) == 4 else f'std::uint32_t{{{size}}}'
    return (f't.copy_async({site}, {names.address(to, "shared")}, {names.address(source, "global")}, {size}, '
            f'{filled});')


@opcode('bar', 'barrier')
def barrier(op, operands, names, site):
    """bar.sync is barrier.sync.aligned: whole warps come to it."""
    op.take('cta')
    if op.take('warp'):
        if op.name != 'bar':
            op.fail()
        op.need('sync')
        op.done()
        mask, = count(operands, 1, op)
        return f't.warp_sync({site}, {names.value(mask, "u32")});'
    what = op.need('sync', 'arrive')
    if op.name == 'barrier' and not op.take('aligned'):
        op.fail()
    op.done()
    if len(operands) not in ((1, 2) if what == 'sync' else (2,)):
        op.fail()
    number = names.value(operands[0], 'u32')
    threads = names.value(operands[1], 'u32') if len(operands) == 2 else 'kWholeBlock'
    return f't.barrier_{what}({site}, {number}, {threads});'


@opcode('shfl')
def shuffle(op, operands, names, site):
    op.need('sync')
    kind = op.kind('b32')
    mode = op.need('up', 'down', 'bfly', 'idx')
    op.done()
    to, a, b, c, mask = count(operands, 5, op)
    first, *second = to.split('|')
    code = (f'{{ const Shuffled got = t.shuffle({site}, ShuffleMode::{mode}, {names.value(a, kind)}, '
            f'{names.value(b, "u32")}, {names.value(c, "u32")}, {names.value(mask, "u32")}); '
            f'{names.put(first, kind, "got.value")}')
    if second:
        code += ' ' + names.put(second[0], 'pred', 'got.is_in_range')
    return code + ' }'


@opcode('vote')
def vote(op, operands, names, site):
    op.need('sync')
    kind = op.kind('pred', 'b32')
    mode = op.need('all', 'any', 'uni', 'ballot')
    op.done()
    if (mode == 'ballot') != (kind == 'b32'):
        op.fail()
    to, value, mask = count(operands, 3, op)
    result = f't.ballot({site}, {names.value(value, "pred")}, {names.value(mask, "u32")})'
    if mode == 'ballot':
        return names.put(to, kind, result)
    return (f'{{ const std::uint32_t votes = {result}, asked = {names.value(mask, "u32")}; ' + names.put(to, kind, {
        'all': 'votes == asked', 'any': 'votes != 0', 'uni': 'votes == 0 || votes == asked'}[mode]) + ' }')


@opcode('mma')
def multiply_matrices(op, operands, names, site):
    """The one of fp64: 8x8 += 8x4 4x8, distributed over the lanes of a warp."""
    if op.text != 'mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64':
        op.fail()
    d, a, b, c = (parts(operand) for operand in count(operands, 4, op))
    if [len(x) for x in (d, a, b, c)] != [2, 1, 1, 2]:
        op.fail()
    values = ', '.join(names.value(x, 'f64') for x in (*a, *b, *c))
    return (f'{{ const MatrixEntries got = t.multiply_matrices({site}, {values}); '
            f'{names.put(d[0], "f64", "got.left")} {names.put(d[1], "f64", "got.right")} }}')


@opcode('membar', 'fence')
def fence(op, operands, names, _):
    """Order of accesses is always that of the program here; that one thread tells another by it is not known to the checks."""
    if op.name == 'fence':
        op.need('sc', 'acq_rel')
    op.need('cta', 'gl', 'gpu', 'sys')
    op.done()
    count(operands, 0, op)
    return ''


def needs_site(name):
    return name not in ('cvta', 'membar', 'fence')


