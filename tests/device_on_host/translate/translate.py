#!/usr/bin/env python3
"""Translates PTX to C++ that the modules block/ and runtime/ run.

    translate.py kernels.ptx kernels.cpp [--root FOLDER --guarded FOLDER]

The C++ defines `const Module& module_NAME()`, NAME being that of the PTX file: its kernels, the places in them that access
memory or wait, how many instructions of which kind each basic block has, and what mutants can be removed from it. Mutants are
of the sources below --root, guards of those below --guarded; without, there are none."""
import argparse
import collections
import os
import pathlib
import re
import sys

import arithmetic
import memory
from classes import class_of
from mutants import Mutants
from operands import CPP, Names, Opcode, identifier
from ptx import Declaration, Instruction, Label, Parser, Registers, Scope, Unknown

JUMPS = ('bra', 'ret', 'exit', 'trap')


def quoted(text):
    return '"' + str(text).replace('\\', '\\\\').replace('"', '\\"') + '"'


class Program:
    """What all functions of a file share: places, basic blocks and mutants are numbered through."""

    def __init__(self, module, mutants, root):
        self.module, self.mutants, self.root = module, mutants, root
        self.sites, self.blocks = [], []

    def add_site(self, function, instruction):
        used_bytes = 0xffffffff if instruction.used_bytes is None else instruction.used_bytes
        self.sites.append((str(instruction), instruction.line, self.short(instruction.source), function, used_bytes))
        return f'kSites[{len(self.sites) - 1}]'

    def short(self, source):
        if source is None:
            return ''
        inside = self.root and source.file.startswith(self.root)
        return f'{os.path.relpath(source.file, self.root) if inside else os.path.basename(source.file)}:{source.line}'

    def add_block(self):
        self.blocks.append(collections.Counter())
        return len(self.blocks) - 1


class Body:
    """The C++ of one function's body."""

    def __init__(self, program, function):
        self.program, self.function = program, function
        self.names = Names(program.module, function)
        self.lines, self.declarations = [], []
        self.labels = {statement.name: place for place, statement in enumerate(function.statements)
                       if isinstance(statement, Label)}
        self.depth = 0
        self.begin_block()
        for place, statement in enumerate(function.statements):
            self.add(place, statement)

    def begin_block(self):
        self.block = self.program.add_block()
        self.lines.append(f't.enter({self.block});')

    def add(self, place, statement):
        if isinstance(statement, Label):
            self.lines.append(f'{identifier(statement.name)}:;')
            self.begin_block()
        elif isinstance(statement, Scope):
            self.depth += 1 if statement.opens else -1
            self.lines.append('{' if statement.opens else '}')
        elif isinstance(statement, Registers):
            self.declare_registers(statement)
        elif isinstance(statement, Declaration):
            self.declare(statement)
        else:
            try:
                self.add_instruction(place, statement)
            except Unknown as unknown:
                raise Unknown(str(unknown), statement.line) from None

    def declare_registers(self, registers):
        """Zero to begin with: what the compiler leaves undefined has no meaning, but the same every time."""
        where, value = (self.lines, '') if self.depth else (self.declarations, '{}')
        for name in registers.names:
            self.names.registers[name] = registers.type
            where.append(f'[[maybe_unused]] {CPP[registers.type]} {identifier(name)}{value};')

    def declare(self, declaration):
        self.names.declare(declaration)
        variable = declaration.variable
        name = identifier(variable.name)
        if declaration.space == 'local':
            self.declarations.append(f'LocalArray<{variable.size}, {variable.alignment}> {name}(t);')
        elif declaration.space == 'param':
            self.lines.append(f'alignas({variable.alignment}) std::byte {name}[{variable.size}];')

    def add_instruction(self, place, instruction):
        op = Opcode(instruction.opcode)
        kind, mutant = None, None
        if self.function.is_entry:
            kind, mutant = self.program.mutants.number(self.function.name, instruction)
        is_branch_ahead = op.name == 'bra' and self.labels.get(instruction.operands[0], -1) > place
        condition = self.condition(instruction, mutant, is_branch_ahead)
        if condition and op.name != 'bra':  # counted only when it is done
            self.lines.append(f'if ({condition}) {{')
            outer, self.block = self.block, self.program.add_block()
            self.lines.append(f't.enter({self.block});')
        self.program.blocks[self.block][instruction.opcode] += 1
        code = self.code(op, instruction)
        if op.name == 'bra' and condition:
            code = f'if ({condition}) {code}'
        elif kind == 'barrier':
            code = f'if (!t.is_removed({mutant})) {code}'
        elif kind == 'bound' and op.name in ('min', 'max'):
            to, first, _ = instruction.operands
            type_ = instruction.opcode.split('.')[-1]
            code = (f'if (t.is_removed({mutant})) {self.names.put(to, type_, self.names.value(first, type_))} '
                    f'else {{ {code} }}')
        self.lines.append(code)
        if condition and op.name != 'bra':
            self.lines.append('}')
            self.block = outer
        elif op.name in JUMPS:
            self.begin_block()

    def condition(self, instruction, mutant, is_branch_ahead):
        """Under which `instruction` is done; '' if always. A branch ahead goes around what it guards, one back repeats it;
        of other instructions the condition is the guard."""
        if not instruction.guard:
            return ''
        condition = self.names.value(instruction.guard, 'pred')
        if instruction.guard_is_negated:
            condition = f'!{condition}'
        if mutant is None:
            return condition
        return f't.is_removed({mutant}) ? {"false" if is_branch_ahead else "true"} : {condition}'

    def code(self, op, instruction):
        operands = instruction.operands
        if op.name == 'bra':
            op.take('uni')
            op.done()
            return f'goto {identifier(operands[0])};'
        if op.name in ('ret', 'exit'):
            op.take('uni')
            op.done()
            if op.name == 'exit' and not self.function.is_entry:
                op.fail()
            return 'return;'
        if op.name == 'trap':
            op.done()
            return f't.trap({self.program.add_site(self.function.name, instruction)});'
        if op.name == 'call':
            return self.call(op, operands)
        if op.name in arithmetic.OPCODES:
            return arithmetic.OPCODES[op.name](op, operands, self.names)
        if op.name in memory.OPCODES:
            site = ''
            if memory.needs_site(op.name):
                site = self.program.add_site(self.function.name, instruction)
            return memory.OPCODES[op.name](op, operands, self.names, site)
        return op.fail()

    def call(self, op, operands):
        """Of a function of the same file."""
        op.take('uni')
        op.done()
        groups = [arithmetic.parts(operand.strip('()')) for operand in operands if operand.startswith('(')]
        targets = [operand for operand in operands if not operand.startswith('(')]
        known = [function.name for function in self.program.module.functions if not function.is_entry]
        if len(targets) != 1 or targets[0] not in known:
            raise Unknown(f'call of {targets}')
        arguments = ', '.join(self.names.parameters[name] for group in groups for name in group if name)
        return f'{{ std::byte* const arguments[] = {{{arguments}}}; {function_name(targets[0])}(t, arguments); }}'


def function_name(name):
    return 'f_' + identifier(name)


def write_function(program, function, out):
    body = Body(program, function)
    out.append(f'void {function_name(function.name)}(Thread& t, [[maybe_unused]] std::byte* const* parameters) {{')
    static_shared = -(-body.names.static_shared // body.names.shared_alignment) * body.names.shared_alignment
    out.append(f'[[maybe_unused]] constexpr std::uint32_t kStaticShared = {static_shared};')
    out.append('[[maybe_unused]] std::uint32_t carry = 0;')
    out += body.declarations + body.lines + ['}']
    return static_shared


def write_module(name, program):
    code, kernels = [], []
    for constant in program.module.constants:
        values = ', '.join(map(str, constant.values))
        code.append(f'alignas({constant.alignment}) constexpr unsigned char {identifier(constant.name)}[] = {{{values}}};')
    for function in program.module.functions:
        code.append(f'void {function_name(function.name)}(Thread& t, std::byte* const* parameters);')
    for function in program.module.functions:
        static_shared = write_function(program, function, code)
        if function.is_entry:
            sizes = ', '.join(str(parameter.size) for parameter in function.parameters)
            kernels.append(f'{{{quoted(function.name)}, &{function_name(function.name)}, {{{sizes}}}, {static_shared}, '
                           f'{function.max_threads}, {function.min_blocks}}},')
    sites = [f'{{{number}, {quoted(text)}, {line}, {quoted(source)}, {quoted(function)}, {used_bytes}u}},'
             for number, (text, line, source, function, used_bytes) in enumerate(program.sites)]
    counts = [f'{{{block}, {quoted(opcode)}, Class::{class_of(opcode)}, {times}}},'
              for block, opcodes in enumerate(program.blocks) for opcode, times in opcodes.items()]
    mutants = []
    for kernel, kind, place in program.mutants.found:
        text = ' of '.join(f'{program.short(source)}:{source.column}' for source in place)
        mutants.append(f'{{{quoted(kernel)}, {quoted(kind)}, {quoted(text)}}},')
    constants = [f'{{{identifier(constant.name)}, {constant.size}}},' for constant in program.module.constants]
    return '\n'.join([
        '#include "tests/device_on_host/block/generated.hpp"',
        'namespace heft::device_on_host {', 'namespace {',
        'constexpr Site kSites[] = {', *(sites or ['{}']), '};', *code, '}  // namespace',
        f'const Module& module_{name}() {{',
        f'static const Module module{{{quoted(name)}, {{', *kernels, '}, {', *constants, '}, kSites,',
        f'{len(program.sites)}, {len(program.blocks)}, {{', *counts, '}, {', *mutants, '}};',
        'return module;', '}', '}  // namespace heft::device_on_host', ''])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('ptx')
    parser.add_argument('cpp')
    parser.add_argument('--root')
    parser.add_argument('--guarded')
    arguments = parser.parse_args()
    root, guarded = (os.path.abspath(folder) + os.sep if folder else None
                     for folder in (arguments.root, arguments.guarded or arguments.root))
    try:
        module = Parser(pathlib.Path(arguments.ptx).read_text(encoding='utf-8')).module()
        text = write_module(re.sub(r'\W', '_', pathlib.Path(arguments.ptx).stem), Program(module, Mutants(root, guarded), root))
    except Unknown as unknown:
        sys.exit(f'{arguments.ptx}: not known to the translator: {unknown}')
    pathlib.Path(arguments.cpp).write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
