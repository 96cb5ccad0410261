"""The class of an opcode in profiles."""
BY_NAME = {'bra': 'branch', 'ret': 'branch', 'exit': 'branch', 'trap': 'branch', 'call': 'call', 'setp': 'compare',
           'mov': 'move', 'selp': 'move', 'cvta': 'move', 'cvt': 'convert', 'atom': 'atomic', 'red': 'atomic',
           'shfl': 'shuffle', 'vote': 'shuffle', 'bar': 'barrier', 'barrier': 'barrier', 'membar': 'barrier',
           'fence': 'barrier', 'mma': 'fp64_tensor'}


def class_of(opcode):
    name, *modifiers = opcode.split('.')
    if name in BY_NAME:
        return BY_NAME[name]
    if name in ('ld', 'st'):
        verb = {'ld': 'load', 'st': 'store'}[name]
        for space in ('global', 'shared', 'local', 'param'):
            if any(modifier.split('::')[0] == space for modifier in modifiers):
                return f'{verb}_{space}' if space != 'param' else 'load_param'
        return f'{verb}_global' if 'const' in modifiers else f'{verb}_generic'
    if name == 'cp':
        return 'copy_async'
    is_special = name in ('div', 'rcp', 'sqrt', 'ex2')
    for kind, class_ in (('f64', 'fp64'), ('f32', 'fp32')):
        if modifiers and modifiers[-1] == kind:
            return class_ + ('_special' if is_special else '')
    return 'integer'
