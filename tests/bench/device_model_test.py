"""bench/device_model: classification of small listings, expansion of PTX, and every pipe against a sum done by hand."""
import json
import pathlib
import sys
import tempfile
import unittest
from collections import Counter
from dataclasses import replace

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "device_model")]
import ceilings
import counts
import expansion
import latency
import ptx
import sass
import tables
from devices import Device

# a loop of two instructions in a loop, and a function that is called
PTX = """.version 8.8
.target sm_90
.func (.param .b32 result) helper(
	.param .b32 a
)
{
	add.s32 	%r1, %r1, 1; // line 7
	ret;
}
	// .globl a kernel: two loops
.entry work_kernel(
	.param .u64 p
)
.maxntid 128, 1, 1
{
	.reg .b32 	%r<9>;
	ld.param.u64 	%rd1, [p];
$L__BB0_1:
	mov.u32 	%r1, 0;
$L__BB0_2:
	ld.shared.v2.f64 	{%fd1, %fd2}, [%r1];
	fma.rn.f64 	%fd3, %fd1, %fd2, %fd3;
	@%p1 bra 	$L__BB0_2;

	{ // callseq 0, 0
	.param .b32 retval0;
	call.uni (retval0), 
	helper, 
	(
	param0
	);
	} // callseq 0
	@%p2 bra 	$L__BB0_1;
	ret;
}
"""

# the inner loop twice: unrolled by two, and what remains; two branches; one instruction without a line
SASS = """	.target	sm_90
//--------------------- .text.work_kernel --------------------------
	.section	.text.work_kernel,"ax",@progbits
.text.work_kernel:
        .type           work_kernel,@function
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File ".nv_debug_ptx_txt", line 17
        /*0010*/                   LDC.64 R2, c[0x0][0x210] ;
	//## File ".nv_debug_ptx_txt", line 21
.L_x_0:
        /*0020*/                   LDS.128 R4, [R0] ;
	//## File ".nv_debug_ptx_txt", line 22
        /*0030*/                   DFMA R8, R4, R6, R8 ;
	//## File ".nv_debug_ptx_txt", line 21
        /*0040*/                   LDS.128 R4, [R0+0x10] ;
        /*0050*/                   IADD3 R0, R0, 0x20, RZ ;
	//## File ".nv_debug_ptx_txt", line 22
        /*0060*/                   DFMA R8, R4, R6, R8 ;
	//## File ".nv_debug_ptx_txt", line 23
        /*0070*/               @P0 BRA `(.L_x_0) ;
.L_x_1:
	//## File ".nv_debug_ptx_txt", line 21
        /*0080*/              @!P3 LDS.128 R4, [R0] ;
	//## File ".nv_debug_ptx_txt", line 22
        /*0090*/                   DFMA R8, R4.reuse, R6, R8 ;
	//## File ".nv_debug_ptx_txt", line 34
        /*00a0*/                   EXIT ;
.L_x_2:
        /*00b0*/                   BRA `(.L_x_2);
        /*00c0*/                   NOP;
        /*00d0*/                   NOP;
"""


class ReadingPtx(unittest.TestCase):
    def setUp(self):
        self.functions = ptx.read(PTX)

    def test_functions_and_callees(self):
        self.assertEqual({name: f.is_entry for name, f in self.functions.items()}, {"helper": False, "work_kernel": True})
        self.assertEqual(self.functions["work_kernel"].callees, {"helper"})

    def test_lines_have_their_numbers_in_the_file(self):
        text = PTX.splitlines()
        for function in self.functions.values():
            self.assertTrue(function.lines)
            for number, line in function.lines.items():
                self.assertIn(line.opcode, text[number - 1])

    def test_loops_lie_in_loops(self):
        depth = {line.opcode: line.depth for line in self.functions["work_kernel"].lines.values()}
        self.assertEqual(depth, {"ld.param.u64": 0, "mov.u32": 1, "ld.shared.v2.f64": 2, "fma.rn.f64": 2, "bra": 1,
                                 "call.uni": 1, "ret": 0})
        inner = [l for l in self.functions["work_kernel"].lines.values() if l.opcode == "bra"]
        self.assertEqual([line.depth for line in inner], [2, 1])

    def test_a_kernel_has_the_lines_of_what_it_calls(self):
        lines = ptx.lines_of_kernel(self.functions, "work_kernel")
        self.assertEqual(lines[7].opcode, "add.s32")
        blocks = {line.block for line in self.functions["work_kernel"].lines.values()}
        self.assertNotIn(lines[7].block, blocks)


class ReadingMachineCode(unittest.TestCase):
    def test_instructions_their_lines_and_no_padding(self):
        found = sass.read(SASS)["work_kernel"]
        self.assertEqual([(i.opcode, i.pipe, i.line) for i in found], [
            ("LDC", "issue_only", 0), ("LDC", "issue_only", 17), ("LDS", "memory", 21), ("DFMA", "fp64", 22),
            ("LDS", "memory", 21), ("IADD3", "alu", 21), ("DFMA", "fp64", 22), ("BRA", "issue_only", 23),
            ("LDS", "memory", 21), ("DFMA", "fp64", 22), ("EXIT", "issue_only", 34)])

    def test_pipes(self):
        for opcode, pipe in (("DADD", "fp64"), ("DSETP", "fp64"), ("DMMA", "fp64_tensor"), ("FFMA", "fp32"),
                             ("IMAD", "integer_multiply"), ("LOP3", "alu"), ("F2F", "special"), ("MUFU", "special"),
                             ("LDGSTS", "memory"), ("SHFL", "memory"), ("BAR", "issue_only"), ("UIADD3", "issue_only")):
            self.assertEqual(sass.pipe_of(opcode), pipe)

    def test_an_opcode_that_no_table_has_is_an_error(self):
        with self.assertRaisesRegex(sass.UnknownOpcode, "DQUUX"):
            sass.read(SASS.replace("DFMA", "DQUUX"))

    def test_no_opcode_is_in_two_pipes(self):
        all_opcodes = [opcode for opcodes in sass.OPCODES.values() for opcode in opcodes.split()]
        self.assertEqual([o for o, n in Counter(all_opcodes).items() if n > 1], [])


class Expanding(unittest.TestCase):
    def setUp(self):
        self.lines = ptx.lines_of_kernel(ptx.read(PTX), "work_kernel")
        self.code = sass.read(SASS)["work_kernel"]

    def test_copies_of_an_unrolled_loop_are_one_execution_each(self):
        made = expansion.expand(self.lines, self.code).per_opcode
        self.assertEqual(made["fma.rn.f64"], {"fp64": 1.0})
        self.assertEqual(made["ld.shared.v2.f64"]["memory"], 1.0)
        self.assertAlmostEqual(made["ld.shared.v2.f64"]["alu"], 1 / 3)  # one addition for three copies
        self.assertEqual(made["add.s32"], {})                           # nothing came of it

    def test_what_has_no_line_is_executed_once_a_warp(self):
        self.assertEqual(expansion.expand(self.lines, self.code).per_warp, Counter(issue_only=1))

    def test_executed_instructions_by_hand(self):
        made = expansion.executed(expansion.expand(self.lines, self.code),
                                  {"fma.rn.f64": 300, "ld.shared.v2.f64": 300, "ret": 4}, warps=4)
        self.assertAlmostEqual(made["fp64"], 300)
        self.assertAlmostEqual(made["memory"], 300)
        self.assertAlmostEqual(made["alu"], 100)
        # four warps: LDC without a line; EXIT is that of ret, of which there are two, one in the function: half each
        self.assertAlmostEqual(made["issue_only"], 4 * 1 + 4 * 0.5)

    def test_places_deep_in_loops_weigh_more(self):
        lines = {1: ptx.Line("add.s64", 0, 0), 2: ptx.Line("add.s64", 2, 1)}
        code = [sass.Instruction("IADD3", "alu", 2)] * 2
        for base, expected in ((1, 2 * 1 / 2), (10, 2 * 100 / 101)):
            self.assertAlmostEqual(expansion.expand(lines, code, base).per_opcode["add.s64"]["alu"], expected)

    def test_a_counted_opcode_that_the_code_lacks_is_an_error(self):
        with self.assertRaisesRegex(expansion.NotInThisCode, "sin.approx.f32"):
            expansion.executed(expansion.expand(self.lines, self.code), {"sin.approx.f32": 1}, 1)


# all rates differ, so that no pipe can take another's; ranges of one value but where a test is about them
DEVICE = Device(name="test", architecture=90, multiprocessors=10, moments_ptx=90, clock=(1e9, 2e9, 4e9), hbm=(1e12, 1e12, 1e12),
                l2_bytes=(1e6, 1e6, 1e6), fp64=(2, 2, 2), fp64_tensor=(0.5, 0.5, 0.5), fp32=(3, 3, 3),
                integer_multiply=(1.5, 1.5, 1.5), alu=(2.5, 2.5, 2.5), special=(0.25, 0.25, 0.25), issue=(4, 4, 4),
                shared=(1, 1, 1), l1=(0.8, 0.8, 0.8), l2=(0.7, 0.7, 0.7), load_latency=(100, 200, 400), step_latency=(4, 5, 8),
                bus=(1e9, 2e9, 4e9))
NOTHING = {"requests": 0, "sectors": 0, "wavefronts": 0, "least_wavefronts": 0}


def memory(load=NOTHING, store=NOTHING, shared=NOTHING, local=NOTHING, read=0, written=0, read_first=0):
    return {"global": {"load": load, "store": store}, "shared": {"load": shared}, "local": {"load": local},
            "distinct_sectors": {"read": read, "written": written, "read_first": read_first}}


def launch(opcodes=(), mix=(), where=None, blocks=1, **more):
    """Of one opcode a pipe: {pipe: machine instructions}."""
    per_opcode = {opcode: {pipe: 1.0} for opcode, pipe in mix}
    made = expansion.Expansion(per_opcode, Counter())
    return ceilings.Launch("k", blocks, 4 * blocks, dict(opcodes), where or memory(),
                           {base: made for base in expansion.BASES}, resident=2, **more)


class Pipes(unittest.TestCase):
    def cycles(self, of, device=DEVICE):
        return ceilings.cycles_of_launch(of, device)

    def test_arithmetic_and_issue(self):
        pipes = {"fp64": ("fp64", 120 / 2), "fp32": ("fp32 and integer", 120 / 3), "alu": ("ALU", 120 / 2.5),
                 "integer_multiply": ("fp32 and integer", 120 / 1.5), "special": ("special", 120 / 0.25),
                 "fp64_tensor": ("fp64 tensor", 120 / 0.5), "issue_only": ("issue", 120 / 4)}
        for pipe, (name, expected) in pipes.items():
            cycles = self.cycles(launch({"op": 120}, [("op", pipe)]))
            self.assertAlmostEqual(cycles[name][1], expected, msg=pipe)
            self.assertAlmostEqual(cycles["issue"][1], 120 / 4, msg=pipe)
            busy = {p for p, c in cycles.items() if c[1] > 0}
            self.assertEqual(busy, {name, "issue"}, msg=pipe)

    def test_multiplies_of_integers_come_on_top_of_fp32(self):
        cycles = self.cycles(launch({"a": 30, "b": 15}, [("a", "fp32"), ("b", "integer_multiply")]))
        self.assertAlmostEqual(cycles["fp32 and integer"][1], 30 / 3 + 15 / 1.5)

    def test_tensor_and_vector_may_share_a_pipe(self):
        least, nominal, most = self.cycles(launch({"a": 30, "b": 15}, [("a", "fp64"), ("b", "fp64_tensor")]))["fp64 tensor"]
        self.assertAlmostEqual(nominal, 30)
        self.assertAlmostEqual(most, 30 + 15)

    def test_shared_memory_takes_its_wavefronts_and_L1_all(self):
        where = memory(shared={"requests": 10, "wavefronts": 40, "least_wavefronts": 30}, load={"requests": 5, "sectors": 80},
                       local={"requests": 6, "sectors": 8})
        cycles = self.cycles(launch({"shfl.sync.idx.b32": 7}, [("shfl.sync.idx.b32", "memory")], where))
        self.assertEqual(cycles["shared memory"], (30, 40, 40))
        # 80 sectors are 20 wavefronts; six requests of local memory are no less than six
        self.assertAlmostEqual(cycles["L1"][1], (40 + 20 + 6 + 7) / 0.8)

    def test_L2_has_all_sectors_or_only_what_L1_cannot_keep(self):
        where = memory(load={"requests": 1, "sectors": 70}, store={"requests": 1, "sectors": 28}, read_first=7)
        least, nominal, most = self.cycles(launch(where=where))["L2"]
        self.assertAlmostEqual(least, (28 + 7) / 0.7)
        self.assertAlmostEqual(nominal, 98 / 0.7)
        self.assertAlmostEqual(most, 98 / 0.7)

    def test_memory_of_the_device_where_scratch_fits_and_where_not(self):
        # 10 multiprocessors, 2 blocks each; 1 MB of L2; a block writes 32 * 1000 bytes: 640 kB in all, which fits
        where = memory(load={"requests": 1, "sectors": 3000}, store={"requests": 1, "sectors": 2000}, written=1000,
                       read_first=100)
        one_byte = 10 * 2e9 / 1e12  # cycles at the nominal clock that a byte takes a tenth of the memory's rate
        self.assertAlmostEqual(self.cycles(launch(where=where))["HBM"][1], 3200 * one_byte)
        # half of the cache: 640 kB no longer fit, and a share 1 - 500/640 of the scratch goes out and comes back; at worst
        # whenever one of the other 4 900 sectors is touched
        small = replace(DEVICE, l2_bytes=(0.5e6, 0.5e6, 0.5e6), clock=(2e9, 2e9, 2e9))
        least, nominal, most = self.cycles(launch(where=where), small)["HBM"]
        self.assertAlmostEqual(least, 3200 * one_byte)
        self.assertAlmostEqual(nominal, (3200 + (1 - 500 / 640) * 2 * 32000) * one_byte)
        self.assertAlmostEqual(most, (3200 + (1 - 500 / 640) * 4900 * 32) * one_byte)
        # who has scratch for every task writes all of it back
        self.assertAlmostEqual(self.cycles(launch(where=where, keeps_scratch=False))["HBM"][1], (3200 + 32000) * one_byte)

    def test_ranges_of_rates_and_clock(self):
        device = replace(DEVICE, fp64=(1, 2, 4))
        cycles = self.cycles(launch({"op": 120}, [("op", "fp64")]), device)["fp64"]
        self.assertEqual(cycles, (30, 60, 120))
        self.assertEqual(ceilings.ceiling(cycles, device), (10 * 1e9 / 120, 10 * 2e9 / 60, 10 * 4e9 / 30))

    def test_a_launch_of_many_samples_and_several_launches(self):
        of = launch({"op": 120}, [("op", "fp64")])
        cycles = ceilings.cycles_a_sample([of, of], DEVICE, 40)
        self.assertAlmostEqual(cycles["fp64"][1], 2 * 60 / 40)
        self.assertEqual(ceilings.most_loaded(cycles), "fp64")
        self.assertAlmostEqual(ceilings.kernel_ceiling(cycles, DEVICE)[1], 10 * 2e9 / 3)

    def test_the_most_loaded_pipe_may_change_within_the_range(self):
        cycles = {"fp64": (10, 10, 10), "L2": (5, 8, 40)}
        self.assertEqual(ceilings.most_loaded(cycles), "fp64")
        self.assertEqual(ceilings.kernel_ceiling(cycles, DEVICE), (10 * 1e9 / 40, 10 * 2e9 / 10, 10 * 4e9 / 10))

    def test_unequal_weights_give_a_range_of_instructions(self):
        of = launch({"op": 8}, [("op", "alu")])
        of.expansions = {base: expansion.Expansion({"op": {"alu": value}}, Counter({"alu": 1})) for base, value in
                         zip(expansion.BASES, (3.0, 2.0, 1.0))}
        self.assertEqual(ceilings.machine_instructions(of)["alu"], (8 * 1 + 4, 8 * 2 + 4, 8 * 3 + 4))


class Latency(unittest.TestCase):
    """Conditioning: the busiest pipe on the multiprocessors that have a block, and the chain of one block."""

    def of_one_log(self):
        # 30 loads, 10 stores and 60 other instructions in one block
        where = memory(load={"requests": 30, "sectors": 30}, store={"requests": 10, "sectors": 10})
        return launch({"m": 40, "op": 60}, [("m", "memory"), ("op", "issue_only")], where)

    def test_loads_wait_for_memory_and_all_others_for_the_instruction_before(self):
        self.assertEqual(latency.chain_cycles(self.of_one_log(), DEVICE), (30 * 100 + 70 * 4, 30 * 200 + 70 * 5, 30 * 400 + 70 * 8))

    def test_blocks_that_do_not_fit_wait_for_others(self):
        self.assertEqual([latency.rounds(launch(blocks=b), DEVICE) for b in (1, 20, 21)], [1, 1, 2])  # 10 multiprocessors, 2 blocks each

    def test_a_launch_of_few_blocks_leaves_multiprocessors_idle(self):
        of = launch({"op": 4000}, [("op", "fp64")], blocks=4)
        parts = latency.launch_seconds(of, self.of_one_log(), DEVICE)
        self.assertAlmostEqual(parts["throughput"][1], 4000 / 2 / 4 / 2e9)
        self.assertAlmostEqual(parts["chain"][1], 6350 / 2e9)
        # slow devices have the lower clock, too
        self.assertAlmostEqual(parts["chain"][2], 12560 / 1e9)

    def test_a_wave_is_its_kernels_and_its_copies(self):
        wave = latency.wave_seconds([launch({"op": 4000}, [("op", "fp64")], blocks=4)], [self.of_one_log()], 4e6, DEVICE)
        self.assertAlmostEqual(wave["bus"][1], 2e-3)
        self.assertAlmostEqual(wave["k"][1], (500 + 6350) / 2e9)
        self.assertAlmostEqual(wave["all"][1], wave["k"][1] + 2e-3)


class Profiles(unittest.TestCase):
    LAUNCH = {"kernel": "k_kernel", "symbol": "_ZN45_GLOBAL__N__0123abcd_4_file_cu_deadbeef8k_kernelEv", "grid": [2, 1, 1],
              "block": [48, 1, 1], "static_shared_bytes": 100, "dynamic_shared_bytes": 28, "blocks": 2, "threads": 96,
              "opcodes": {"add.s32": {"thread": 96, "warp": 4}}, "places": {"file.cu:7": {"sectors": 4}},
              **memory(load={"requests": 1, "sectors": 4})}

    def profile(self, *launches, **more):
        return counts.read(json.dumps({"format": 1, "warp": 32, "sector_bytes": 32, "launches": launches, "kernels": {}} | more))

    def test_launches_of_a_kernel_are_added_up(self):
        other = self.LAUNCH | {"symbol": self.LAUNCH["symbol"].replace("0123abcd", "76543210"), "dynamic_shared_bytes": 50}
        [found] = self.profile(self.LAUNCH, other)
        self.assertEqual((found.kernel, found.blocks, found.warps, found.shared_bytes), ("k_kernel", 4, 8, 150))
        self.assertEqual(found.opcodes, Counter({"add.s32": 8}))
        self.assertEqual(found.memory["global"]["load"], {"requests": 2, "sectors": 8})
        self.assertEqual(found.places, {"file.cu:7": {"sectors": 8}})

    def test_another_format_is_refused(self):
        with self.assertRaisesRegex(ValueError, "format 2"):
            self.profile(format=2)


class Tables(unittest.TestCase):
    FIGURES = {"cycles": {pipe: [1, 2, 3] for pipe in ceilings.PIPES}, "most_loaded": "L2", "ceiling": [1e8, 4e8, 1e9],
               "occupancy": {"k": {"registers": 9, "blocks": 3, "warps": 12}}, "sectors": 35.0}
    WAVE = {"wave_ms": {"all": [0.1, 0.19, 0.4], "place_rows_kernel": [0.01, 0.02, 0.03], "bus": [0.05, 0.07, 0.1]}}
    RESULT = {"arm": {"unit": "sample", "devices": {"H100": FIGURES, "B200": FIGURES}},
              "fleet": {"unit": "robot", "devices": {"H100": FIGURES | WAVE, "B200": FIGURES | WAVE}}}
    MUSTS = {"arm": (3e8, 36, None), "fleet": (None, None, 0.6)}

    def test_ceilings_beside_their_musts(self):
        text = tables.markdown(self.RESULT, "def", self.MUSTS)
        self.assertIn("| arm | **400 M** (100 M to 1.00 G) samples | 300 M | L2 | 35, must 36 | 3, 12 |", text)
        self.assertIn("| fleet | **0.19** (0.1 to 0.4) | 0.6 | 0.02 | 0.07 |", text)
        self.assertEqual(set(tables.SHOWN), set(ceilings.PIPES))
        # the second device has no musts
        self.assertIn("| arm | **400 M** (100 M to 1.00 G) samples |  | L2 | 35 | 3, 12 |", text.split("**B200**")[1])

    def test_tables_replace_those_of_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "README.md"
            page.write_text(f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n")
            tables.write(page, "new")
            self.assertEqual(page.read_text(), f"before\n{tables.BEGIN}\nnew\n{tables.END}\nafter\n")


if __name__ == "__main__":
    unittest.main()
