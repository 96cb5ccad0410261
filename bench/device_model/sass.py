"""Machine code as nvdisasm lists it, each instruction with the line of PTX that it came from, sorted by the pipe that takes it.

An opcode that is not in the list below is an error: a guess would be a wrong ceiling that goes unnoticed.
"""
import re
from collections import Counter
from dataclasses import dataclass

# pipe of an opcode. What is only issued (branches, barriers, the uniform path, constants) has no pipe of its own here.
OPCODES = {
    "fp64": "DADD DMUL DFMA DSETP DMNMX",
    "fp64_tensor": "DMMA",
    "fp32": "FADD FMUL FFMA FADD32I FMUL32I FFMA32I HFMA2 HADD2 HMUL2",
    "integer_multiply": "IMAD IMUL IDP IDP4A",
    "alu": "IADD3 IADD IADD32I VIADD LEA LOP3 LOP LOP32I SHF SHL SHR ISETP FSETP FSEL SEL MOV MOV32I PRMT PLOP3 VIMNMX "
           "VIMNMX3 VIADDMNMX IMNMX FMNMX FMNMX3 IABS SGXT BMSK P2R R2P I2FP F2FP FCHK VOTE LEPC PSETP QSPC",
    "special": "MUFU F2F F2I I2F FRND FLO POPC BREV",
    "memory": "LD LDG LDS LDL ST STG STS STL ATOM ATOMG ATOMS RED REDG LDSM STSM LDGSTS SHFL MATCH",
    "issue_only": "LDC LDCU ULDC UMOV UIADD3 UIMAD ULOP3 ULEA USHF USEL UISETP UPLOP3 UPRMT UFLO UPOPC UBREV USGXT UBMSK "
                  "UVIADD UVIMNMX UIABS UP2UR UR2UP VOTEU R2UR S2R S2UR CS2R CS2UR REDUX BRA BRX BRXU JMP JMX CALL RET "
                  "EXIT BSSY BSYNC BREAK BMOV WARPSYNC BAR DEPBAR LDGDEPBAR YIELD NANOSLEEP MEMBAR ERRBAR CCTL KILL BPT "
                  "ELECT ENDCOLLECTIVE SYNCS RPCMOV UCLEA UF2FP",
}
PIPE_OF = {opcode: pipe for pipe, opcodes in OPCODES.items() for opcode in opcodes.split()}

SECTION = re.compile(r"^\.text\.(\S+):\s*$")
LINE_INFO = re.compile(r'^\s*//## File "\.nv_debug_ptx_txt", line (\d+)')
LABEL = re.compile(r"^(\.L\w+):\s*$")
INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_]*)([^;]*);")


class UnknownOpcode(Exception):
    pass


@dataclass
class Instruction:
    opcode: str  # without modifiers
    pipe: str
    line: int    # of the PTX file; 0: not said


def pipe_of(opcode):
    if opcode not in PIPE_OF:
        raise UnknownOpcode(f"{opcode}: which pipe takes it is not known; add it to bench/device_model/sass.py")
    return PIPE_OF[opcode]


def read(listing):
    """{kernel: [Instruction]} from the output of `nvdisasm --print-line-info-ptx`, without the padding after the code."""
    kernels, current, line, last_label = {}, None, 0, None
    for text in listing.splitlines():
        if section := SECTION.match(text):
            current, line, last_label = kernels.setdefault(section[1], []), 0, None
        elif info := LINE_INFO.match(text):
            line = int(info[1])
        elif label := LABEL.match(text):
            last_label = label[1]
        elif (found := INSTRUCTION.match(text)) and current is not None:
            opcode = found[2]
            is_padding = opcode == "NOP" or (opcode == "BRA" and last_label and f"({last_label})" in found[3])
            last_label = None
            if not is_padding:
                current.append(Instruction(opcode, pipe_of(opcode), line))
    return kernels


def by_pipe(instructions):
    return Counter(instruction.pipe for instruction in instructions)
