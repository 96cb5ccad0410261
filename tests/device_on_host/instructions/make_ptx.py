#!/usr/bin/env python3
"""Writes the kernels that instructions_test runs: thread i of a kernel does one instruction with a[i], b[i] and c[i] and keeps
what comes of it in out[i]. Fails if the translator knows an opcode that no kernel has.

    make_ptx.py instructions.ptx"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'translate'))
import arithmetic  # noqa: E402
import memory  # noqa: E402

SIZES = {'16': 2, '32': 4, '64': 8}
INTEGERS = [sign + size for sign in 'us' for size in SIZES]
RELATIONS = {'u': ['eq', 'ne', 'lo', 'ls', 'hi', 'hs'], 's': ['eq', 'ne', 'lt', 'le', 'gt', 'ge'],
             'f': ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']}
CONVERSIONS = [('s64', 's32', ''), ('u64', 'u32', ''), ('u32', 'u64', ''), ('s32', 's16', ''), ('u16', 'u32', ''),
               ('f64', 's32', 'rn'), ('f64', 'u32', 'rn'), ('f64', 's64', 'rn'), ('f32', 's32', 'rn'), ('f32', 'u32', 'rn'),
               ('f32', 'f64', 'rn'), ('f64', 'f32', ''), ('s32', 'f64', 'rzi'), ('s32', 'f64', 'rni'), ('s32', 'f64', 'rmi'),
               ('s32', 'f64', 'rpi'), ('u32', 'f64', 'rzi'), ('s64', 'f64', 'rzi'), ('s32', 'f32', 'rzi'),
               ('s32', 'f32', 'rni'), ('f32', 'f32', 'rni'), ('f64', 'f64', 'rmi')]


def kernels():
    """(name, type of the result, types of the operands, instructions)"""
    for t in INTEGERS:
        for op in ('add', 'sub', 'div', 'rem', 'min', 'max'):
            yield f'{op}_{t}', t, [t, t], f'{op}.{t} %d, %a, %b;'
        yield f'mul_lo_{t}', t, [t, t], f'mul.lo.{t} %d, %a, %b;'
        yield f'mul_hi_{t}', t, [t, t], f'mul.hi.{t} %d, %a, %b;'
        yield f'mad_lo_{t}', t, [t, t, t], f'mad.lo.{t} %d, %a, %b, %c;'
        yield f'shr_{t}', t, [t, 'u32'], f'shr.{t} %d, %a, %b;'
        if t[1:] != '64':
            wide = t[0] + str(2 * int(t[1:]))
            yield f'mul_wide_{t}', wide, [t, t], f'mul.wide.{t} %d, %a, %b;'
            yield f'mad_wide_{t}', wide, [t, t, wide], f'mad.wide.{t} %d, %a, %b, %c;'
        if t[0] == 's':
            yield f'neg_{t}', t, [t], f'neg.{t} %d, %a;'
            yield f'abs_{t}', t, [t], f'abs.{t} %d, %a;'
        else:
            bits = 'b' + t[1:]
            for op in ('and', 'or', 'xor'):
                yield f'{op}_{t}', t, [t, t], f'{op}.{bits} %d, %a, %b;'
            yield f'not_{t}', t, [t], f'not.{bits} %d, %a;'
            yield f'shl_{t}', t, [t, 'u32'], f'shl.{bits} %d, %a, %b;'
    for t in INTEGERS + ['f32', 'f64']:
        for relation in RELATIONS[t[0]]:
            yield (f'setp_{relation}_{t}', 'u32', [t, t],
                   f'{{ .reg .pred %p; setp.{relation}.{t} %p, %a, %b; selp.u32 %d, 1, 0, %p; }}')
        yield f'selp_{t}', t, [t, t, 'u32'], ('{ .reg .pred %p; setp.ne.u32 %p, %c, 0; '
                                              f'selp.{t if t[0] != "u" else "b" + t[1:]} %d, %a, %b, %p; }}')
        yield f'mov_{t}', t, [t], f'mov.{t} %d, %a;'
    for t in ('u32', 's32', 'u64', 's64'):
        yield f'bfe_{t}', t, [t, 'u32', 'u32'], f'bfe.{t} %d, %a, %b, %c;'
    for size in ('32', '64'):
        t = 'u' + size
        yield f'bfi_{t}', t, [t, t, 'u32'], f'{{ .reg .u32 %n; shr.u32 %n, %c, 8; bfi.b{size} %d, %a, %b, %c, %n; }}'
        yield f'clz_{t}', 'u32', [t], f'clz.b{size} %d, %a;'
        yield f'popc_{t}', 'u32', [t], f'popc.b{size} %d, %a;'
        yield f'brev_{t}', t, [t], f'brev.b{size} %d, %a;'
    for direction in 'lr':
        for mode in ('wrap', 'clamp'):
            yield f'shf_{direction}_{mode}', 'u32', ['u32'] * 3, f'shf.{direction}.{mode}.b32 %d, %a, %b, %c;'
    yield 'lop3', 'u32', ['u32'] * 3, 'lop3.b32 %d, %a, %b, %c, 0x96;'
    yield 'lop3_select', 'u32', ['u32'] * 3, 'lop3.b32 %d, %a, %b, %c, 0xca;'
    yield 'prmt', 'u32', ['u32'] * 3, 'prmt.b32 %d, %a, %b, %c;'
    # carries: sums and products of 64 bits from halves
    halves = '{ .reg .u32 %al, %ah, %bl, %bh, %dl, %dh, %e; mov.b64 {%al, %ah}, %a; mov.b64 {%bl, %bh}, %b; '
    join = 'mov.b64 %d, {%dl, %dh}; }'
    yield 'add_with_carry', 'u64', ['u64', 'u64'], halves + 'add.cc.u32 %dl, %al, %bl; addc.u32 %dh, %ah, %bh; ' + join
    yield 'sub_with_borrow', 'u64', ['u64', 'u64'], halves + 'sub.cc.u32 %dl, %al, %bl; subc.u32 %dh, %ah, %bh; ' + join
    yield 'carry_out', 'u32', ['u32', 'u32', 'u32'], ('{ .reg .u32 %e; add.cc.u32 %e, %a, %b; addc.cc.u32 %e, %a, %c; '
                                                      'addc.u32 %d, 0, 0; }')
    yield 'borrow_out', 'u32', ['u32', 'u32', 'u32'], ('{ .reg .u32 %e; sub.cc.u32 %e, %a, %b; subc.cc.u32 %e, %a, %c; '
                                                       'subc.u32 %d, 0, 0; }')
    yield 'product_with_carry', 'u64', ['u64', 'u64'], (
        halves + 'mul.lo.u32 %dl, %al, %bl; mul.hi.u32 %dh, %al, %bl; mad.lo.u32 %dh, %al, %bh, %dh; '
        'mad.lo.u32 %dh, %ah, %bl, %dh; ' + join)
    yield 'upper_product', 'u64', ['u64', 'u64'], (
        halves + '.reg .u32 %r1, %r2; mul.hi.u32 %e, %al, %bl; mad.lo.cc.u32 %e, %al, %bh, %e; '
        'madc.hi.u32 %r2, %al, %bh, 0; mad.lo.cc.u32 %r1, %ah, %bl, %e; madc.hi.cc.u32 %dl, %ah, %bl, %r2; '
        'addc.u32 %dh, 0, 0; mad.lo.cc.u32 %dl, %ah, %bh, %dl; madc.hi.u32 %dh, %ah, %bh, %dh; ' + join)
    for t in ('f32', 'f64'):
        for op in ('add', 'sub', 'mul', 'add.rn', 'mul.rn', 'div.rn', 'min', 'max'):
            yield f'{op.replace(".", "_")}_{t}', t, [t, t], f'{op}.{t} %d, %a, %b;'
        yield f'fma_rn_{t}', t, [t] * 3, f'fma.rn.{t} %d, %a, %b, %c;'
        yield f'copysign_{t}', t, [t, t], f'copysign.{t} %d, %a, %b;'
        for op in ('neg', 'abs', 'sqrt.rn', 'rcp.rn', 'rcp.approx.ftz'):
            yield f'{op.replace(".", "_")}_{t}', t, [t], f'{op}.{t} %d, %a;'
    yield 'ex2_approx_ftz_f32', 'f32', ['f32'], 'ex2.approx.ftz.f32 %d, %a;'
    yield 'literal_f64', 'f64', ['f64'], 'add.f64 %d, %a, 0d3FF8000000000000;'
    yield 'literal_f32', 'f32', ['f32'], 'add.f32 %d, %a, 0f3FC00000;'
    for to, from_, rounding in CONVERSIONS:
        dotted = f'.{rounding}' if rounding else ''
        yield f'cvt{dotted.replace(".", "_")}_{to}_{from_}', to, [from_], f'cvt{dotted}.{to}.{from_} %d, %a;'
    for op in ('and', 'or', 'xor', 'not', 'mov'):
        operands = '%p, %q' if op in ('and', 'or', 'xor') else '%p'
        yield f'{op}_pred', 'u32', ['u32', 'u32'], (
            '{ .reg .pred %p, %q, %r; setp.lt.u32 %p, %a, 1000; setp.lt.u32 %q, %b, 1000; '
            f'{op}.pred %r, {operands}; selp.u32 %d, 1, 0, %r; }}')
    yield 'setp_combined', 'u32', ['u32', 'u32', 'u32'], (
        '{ .reg .pred %p, %q, %r; .reg .u32 %e; setp.lt.u32 %r, %c, 1000; setp.lt.and.u32 %p|%q, %a, %b, %r; '
        'selp.u32 %d, 1, 0, %p; selp.u32 %e, 2, 0, %q; add.u32 %d, %d, %e; }')
    yield 'guarded', 'u32', ['u32', 'u32'], (
        '{ .reg .pred %p; setp.lt.u32 %p, %a, %b; mov.u32 %d, 7; @%p mov.u32 %d, 1; @!%p add.u32 %d, %d, 1; }')
    yield 'branch', 'u32', ['u32'], (
        '{ .reg .pred %p; .reg .u32 %n; and.b32 %n, %a, 15; mov.u32 %d, 0;\nagain: setp.eq.u32 %p, %n, 0; @%p bra done; '
        'add.u32 %d, %d, %n; sub.u32 %n, %n, 1; bra.uni again;\ndone: }')
    yield 'call', 'u32', ['u32', 'u32'], (
        '{ .param .b32 first; .param .b32 second; .param .b32 result; st.param.b32 [first], %a; st.param.b32 [second], %b; '
        'call.uni (result), difference, (first, second); ld.param.b32 %d, [result]; }')
    # memory
    yield 'vector', 'u64', ['u64', 'u64'], (
        '{ .reg .u32 %w<4>; .shared .align 16 .b8 both[4096]; .reg .u64 %at; .reg .u32 %t; mov.u32 %t, %tid.x; '
        'mul.wide.u32 %at, %t, 16; mov.u64 %x, both; add.u64 %at, %at, %x; st.shared.v2.u64 [%at], {%a, %b}; '
        'ld.shared.v4.u32 {%w0, %w1, %w2, %w3}, [%at]; mov.b64 %d, {%w1, %w2}; }')
    yield 'bytes', 'u32', ['u32'], (
        '{ .local .align 8 .b8 depot[16]; .reg .u64 %at, %g; .reg .b16 %h; .reg .u32 %e; mov.u64 %at, depot; '
        'cvta.local.u64 %g, %at; st.local.u32 [%at+4], %a; st.u8 [%g+8], %a; ld.u8 %h, [%g+8]; ld.local.s8 %e, [%at+5]; '
        'cvt.u32.u16 %d, %h; add.u32 %d, %d, %e; }')
    yield 'generic_shared', 'u32', ['u32'], (
        '{ .shared .align 4 .b8 words[1024]; .reg .u64 %s, %g, %o; .reg .u32 %t; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; '
        'mov.u64 %s, words; cvta.shared.u64 %g, %s; add.u64 %g, %g, %o; st.u32 [%g], %a; cvta.to.shared.u64 %s, %g; '
        'ld.volatile.shared.u32 %d, [%s]; membar.cta; fence.acq_rel.gpu; }')
    for op in ('add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor'):
        t = 'b32' if op in ('and', 'or', 'xor') else 'u32'
        yield f'red_{op}', 'u32', ['u32', 'u32'], (
            f'st.global.u32 [%out], %a; red.global.{op}.{t} [%out], %b; ld.global.u32 %d, [%out];')
    yield 'atom_add_f64', 'f64', ['f64', 'f64'], (
        '{ .reg .f64 %e, %f; st.global.f64 [%out], %a; atom.global.add.f64 %e, [%out], %b; ld.global.f64 %f, [%out]; '
        'sub.f64 %d, %f, %e; }')
    yield 'atom_exch', 'u64', ['u64', 'u64'], (
        '{ .reg .u64 %e, %f; st.global.u64 [%out], %a; atom.relaxed.gpu.global.exch.b64 %e, [%out], %b; ld.global.u64 %f, [%out]; '
        'xor.b64 %d, %f, %e; }')
    yield 'atom_cas', 'u32', ['u32', 'u32', 'u32'], (
        '{ .reg .u32 %e; st.global.u32 [%out], %a; atom.global.cas.b32 %e, [%out], %b, %c; ld.global.u32 %d, [%out]; }')
    # threads together, 32 lanes a warp
    for mode in ('up', 'down', 'bfly', 'idx'):
        clamp = 0 if mode == 'up' else 31
        yield f'shfl_{mode}', 'u32', ['u32', 'u32'], (
            '{ .reg .pred %p; .reg .u32 %e; ' f'shfl.sync.{mode}.b32 %d|%p, %a, %b, {clamp}, 0xffffffff; '
            'selp.u32 %e, 0x80000000, 0, %p; xor.b32 %d, %d, %e; }')
    yield 'shfl_halves', 'u32', ['u32', 'u32'], 'shfl.sync.idx.b32 %d, %a, %b, 0x100f, 0xffffffff;'
    vote = '{ .reg .pred %p, %q; setp.lt.u32 %p, %a, %b; '
    yield 'vote_ballot', 'u32', ['u32', 'u32'], vote + 'vote.sync.ballot.b32 %d, %p, 0xffffffff; }'
    for mode in ('all', 'any', 'uni'):
        yield f'vote_{mode}', 'u32', ['u32', 'u32'], vote + f'vote.sync.{mode}.pred %q, %p, 0xffffffff; selp.u32 %d, 1, 0, %q; }}'
    yield 'neighbors', 'u32', ['u32'], (  # each the value of the thread opposite in the block
        '{ .shared .align 4 .b8 shelf[1024]; .reg .u64 %s, %o, %q; .reg .u32 %t, %n; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; '
        'mul.wide.u32 %o, %t, 4; mov.u64 %s, shelf; add.u64 %q, %s, %o; st.shared.u32 [%q], %a; bar.sync 0; '
        'sub.u32 %n, %n, %t; sub.u32 %n, %n, 1; mul.wide.u32 %o, %n, 4; add.u64 %q, %s, %o; ld.shared.u32 %d, [%q]; }')
    yield 'lane_neighbors', 'u32', ['u32'], (  # each the value of the next lane, within a warp
        '{ .shared .align 4 .b8 lanes[1024]; .reg .u64 %s, %o, %q; .reg .u32 %t, %l; mov.u32 %t, %tid.x; mov.u32 %l, %laneid; '
        'mul.wide.u32 %o, %t, 4; mov.u64 %s, lanes; add.u64 %q, %s, %o; st.shared.u32 [%q], %a; bar.warp.sync 0xffffffff; '
        'sub.u32 %t, %t, %l; add.u32 %l, %l, 1; and.b32 %l, %l, 31; add.u32 %t, %t, %l; mul.wide.u32 %o, %t, 4; '
        'add.u64 %q, %s, %o; ld.shared.u32 %d, [%q]; }')
    yield 'write_and_print_result', 'u32', ['u32'], (  # the second warp takes what the first left, at a barrier that the first does not wait at
        '{ .shared .align 4 .b8 hand[1024]; .reg .pred %first, %second; .reg .u64 %s, %q; .reg .u32 %w, %l; '
        'shr.u32 %w, %i, 5; mov.u32 %l, %laneid; '
        'mul.wide.u32 %q, %l, 4; mov.u64 %s, hand; add.u64 %q, %q, %s; setp.eq.u32 %first, %w, 0; setp.eq.u32 %second, %w, 1; '
        'mov.u32 %d, 0; @%first st.shared.u32 [%q], %a; @%first bar.arrive 3, 64; @%second bar.sync 3, 64; '
        '@%second ld.shared.u32 %d, [%q]; }')
    yield 'copies', 'u32', ['u32'], (  # cp.async: in two groups, the second of zeros
        '{ .shared .align 16 .b8 copied[4096]; .reg .u64 %s, %o, %q; .reg .u32 %e, %f; mul.wide.u32 %o, %i, 16; '
        'mov.u64 %s, copied; add.u64 %q, %s, %o; cp.async.ca.shared.global [%q], [%at_a], 4; cp.async.commit_group; '
        'cp.async.ca.shared.global [%q+8], [%at_a], 4, 0; cp.async.commit_group; cp.async.wait_group 1; '
        'ld.shared.u32 %e, [%q]; cp.async.wait_all; ld.shared.u32 %f, [%q+8]; add.u32 %d, %e, %f; }')
    yield 'mma', 'f64', ['f64', 'f64', 'f64'], (  # c of both entries: c and -c; the entries are told apart by b
        '{ .reg .f64 %l, %r, %n; neg.f64 %n, %c; '
        'mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%l, %r}, {%a}, {%b}, {%c, %n}; '
        'fma.rn.f64 %d, %r, 0d4090000000000000, %l; }')


def kernel(name, result, operands, code):
    code = re.sub(r'\b(again|done)\b', rf'\1_{name}', code)
    lines = [f'.visible .entry {name}(', ',\n'.join(f'    .param .u64 {name}_{k}' for k in range(4)), ')\n{',
             f'    .reg .{result} %d;', '    .reg .u32 %i;', '    .reg .u64 %out, %x;']
    lines.append('    mov.u32 %i, %tid.x;')
    for k, operand in enumerate(operands):
        letter = 'abc'[k]
        lines += [f'    .reg .{operand} %{letter};', f'    .reg .u64 %at_{letter};',
                  f'    ld.param.u64 %at_{letter}, [{name}_{k + 1}];',
                  f'    mul.wide.u32 %x, %i, {SIZES[operand[1:]]};', f'    add.u64 %at_{letter}, %at_{letter}, %x;',
                  f'    ld.global.{operand} %{letter}, [%at_{letter}];']
    lines += [f'    mov.b64 %out, {name}_0;', '    ld.param.u64 %out, [%out];', f'    mul.wide.u32 %x, %i, {SIZES[result[1:]]};',
              '    add.u64 %out, %out, %x;', '    ' + code, f'    st.global.{result} [%out], %d;', '    ret;', '}']
    return '\n'.join(lines)


FUNCTION = '''.func (.param .b32 result_of) difference(.param .b32 minuend, .param .b32 subtrahend)
{
    .reg .u32 %m, %s;
    ld.param.u32 %m, [minuend];
    ld.param.u32 %s, [subtrahend];
    sub.u32 %m, %m, %s;
    st.param.u32 [result_of], %m;
    ret;
}'''


def main():
    text = '\n'.join(['.version 8.0', '.target sm_90', '.address_size 64', FUNCTION] + [kernel(*k) for k in kernels()])
    used = {opcode.split('.')[0] for opcode in re.findall(r'[a-z]\w*(?:\.[\w:]+)+|\bret\b', text)}
    untested = (set(arithmetic.OPCODES) | set(memory.OPCODES)) - used - {'barrier'}  # the long name of bar
    if untested:
        sys.exit(f'no kernel has {", ".join(sorted(untested))}')
    pathlib.Path(sys.argv[1]).write_text(text + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
