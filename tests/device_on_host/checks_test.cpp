// The checks: each finds the one fault of a kernel of wrong/wrong.ptx and names its place, and
// reports nothing for correct kernels. The translator rejects what it does not know.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/device_on_host/kernel_run.hpp"

namespace heft::device_on_host {

const Module& module_wrong();

namespace {

constexpr std::uint32_t kThreads = 64, kBlocks = 2, kDoubles = kThreads * kBlocks;

struct Outcome {
  bool ended_well;
  std::vector<std::string> findings;
};

Outcome outcome_of(const std::string& kernel, std::uint32_t num_blocks = 1,
                   const Circumstances& circumstances = {}) {
  findings().print(false);
  const DeviceArray out(kDoubles * sizeof(double)), in(kDoubles * sizeof(double));
  DeviceMemory::mark_written(*device_memory().find(in.address()), in.address(),
                             (kDoubles - 1) * sizeof(double));
  const bool ended_well = run_kernel(module_wrong(), kernel, {num_blocks}, {kThreads},
                                     {out.address(), in.address()}, circumstances);
  return {ended_well, findings().take()};
}

/// Found first, once for its place, with kernel, instruction, line and thread.
void expect_finding(const Outcome& outcome, const std::string& kernel, const std::string& what,
                    const std::string& instruction) {
  ASSERT_FALSE(outcome.findings.empty()) << kernel;
  const std::string& first = outcome.findings.front();
  EXPECT_EQ(first.rfind(what + " in " + kernel + ": " + instruction, 0), 0u) << first;
  EXPECT_NE(first.find("(PTX line "), std::string::npos) << first;
  EXPECT_NE(first.find(", block ("), std::string::npos) << first;
  EXPECT_NE(first.find(", thread ("), std::string::npos) << first;
}

struct Wrong {
  const char *kernel, *what, *instruction;
  bool ends_well;  ///< the launch goes on after the finding
  std::uint32_t num_blocks = 1;
};

class Checks : public ::testing::TestWithParam<Wrong> {};

TEST_P(Checks, FindInjectedErrors) {
  const auto& [kernel, what, instruction, ends_well, num_blocks] = GetParam();
  for (const ThreadOrder order :
       {ThreadOrder::ascending, ThreadOrder::descending, ThreadOrder::random}) {
    std::mt19937_64 random(3);
    const Outcome outcome =
        outcome_of(kernel, num_blocks, {.order = order, .random = &random, .most_steps = 1000});
    EXPECT_EQ(outcome.ended_well, ends_well);
    if (std::string(kernel) != "race_of_blocks") expect_finding(outcome, kernel, what, instruction);
    EXPECT_FALSE(outcome.findings.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Checks,
    ::testing::Values(
        Wrong{"beyond_allocation", "store of no memory of the device", "st.global.f64", false},
        Wrong{"null_pointer", "load of no memory of the device", "ld.f64", false},
        Wrong{"misaligned", "misaligned store", "st.global.f64", false},
        Wrong{"beyond_shared", "store beyond shared memory", "st.shared.f64", false},
        Wrong{"beyond_local", "store beyond local memory", "st.local.u32", false},
        Wrong{"unwritten_local", "load of unwritten local memory", "ld.local.u32", true},
        Wrong{"unwritten_global", "load of unwritten memory", "ld.global.f64", true},
        Wrong{"unwritten_shared", "load of unwritten memory", "ld.shared.f64", true},
        Wrong{"race_of_stores", "race in a block: store after store", "st.global.f64", true},
        Wrong{"different_barriers", "threads wait at different barriers", "bar.sync 0", true},
        Wrong{"ended_before_barrier", "threads ended while others wait at a barrier", "bar.sync 0",
              true},
        Wrong{"waits_forever", "a thread waits for others that never come", "bar.sync 1, 128",
              false},
        Wrong{"lanes_apart", "a thread waits for others that never come", "shfl.sync.idx.b32",
              false},
        Wrong{"copy_not_waited_for", "load of what cp.async still brings", "ld.shared.f64", true},
        Wrong{"race_of_blocks", "race between blocks", "", true, 2},
        Wrong{"trapped", "trap", "trap", false}),
    [](const auto& wrong) { return std::string(wrong.param.kernel); });

TEST(Checks, FindRacesInEveryOrder) {
  for (const char* kernel : {"race_without_barrier", "race_of_warps", "race_in_ring"})
    for (const ThreadOrder order : {ThreadOrder::ascending, ThreadOrder::descending}) {
      const Outcome outcome = outcome_of(kernel, 1, {.order = order});
      ASSERT_FALSE(outcome.findings.empty()) << kernel;
      bool is_race = false;
      for (const std::string& finding : outcome.findings)
        is_race |= finding.find("race in a block") == 0;
      EXPECT_TRUE(is_race) << kernel << ": " << outcome.findings.front();
    }
}

TEST(Checks, AcceptCorrectKernels) {
  for (const char* kernel : {"ring", "no_race_of_atomics", "unwritten_but_unused"})
    for (const ThreadOrder order : {ThreadOrder::ascending, ThreadOrder::descending}) {
      const Outcome outcome = outcome_of(kernel, 2, {.order = order});
      EXPECT_TRUE(outcome.ended_well) << kernel;
      EXPECT_TRUE(outcome.findings.empty()) << kernel << ": " << outcome.findings.front();
    }
}

TEST(Checks, AKernelThatDoesNotEndIsStopped) {
  const Outcome outcome = outcome_of("never_ends", 1, {.most_steps = 1000});
  EXPECT_FALSE(outcome.ended_well);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings.front().rfind("a thread does not end", 0), 0u);
}

TEST(Checks, UploadsDoNotInitializeUnwrittenWordsOfPinnedMemory) {
  findings().print(false);
  constexpr std::size_t kBytes = kDoubles * sizeof(double);
  const DeviceArray in(kBytes);
  std::byte* const pinned = device_memory().allocate(kBytes, true);
  const auto findings_after_upload = [&](std::size_t num_written) {
    std::memset(pinned, 0, num_written);
    std::memcpy(reinterpret_cast<std::byte*>(in.address()), pinned, kBytes);
    DeviceMemory::mark_written(*device_memory().find(in.address()), in.address(), kBytes, pinned);
    run_kernel(module_wrong(), "unwritten_global", {1}, {kThreads}, {0, in.address()});  // reads
                                                                                         // the last
                                                                                         // double
    return findings().take();
  };
  EXPECT_FALSE(findings_after_upload(kBytes - sizeof(double)).empty());
  EXPECT_TRUE(findings_after_upload(kBytes).empty());
  device_memory().release(pinned, true);
}

TEST(Checks, MemoryOfTheHostIsNotForKernels) {
  findings().print(false);
  std::byte* const pinned = device_memory().allocate(64, true);
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(pinned);
  EXPECT_FALSE(run_kernel(module_wrong(), "of_host_memory", {}, {1}, {address, address}));
  device_memory().release(pinned, true);
  const std::vector<std::string> found = findings().take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().rfind("load of memory of the host in of_host_memory", 0), 0u)
      << found.front();
}

/// What the translator says of a kernel with this body, and whether it takes it.
std::pair<bool, std::string> translate(const std::string& body,
                                       const std::string& version = "8.0") {
  const std::string folder = ::testing::TempDir(), ptx = folder + "asked.ptx",
                    said = folder + "asked.txt";
  std::ofstream(ptx) << ".version " << version
                     << "\n.target sm_90\n.address_size 64\n.visible .entry asked()\n{\n"
                     << ".reg .f64 %x; .reg .f32 %f; .reg .u32 %r; .reg .u64 %q; .reg .pred %p;\n"
                     << body << "\nret;\n}\n";
  const int status = std::system(
      (std::string(HEFT_TRANSLATOR) + " " + ptx + " " + folder + "asked.cpp 2> " + said).c_str());
  std::ifstream text(said);
  return {status == 0, std::string(std::istreambuf_iterator<char>(text), {})};
}

TEST(Translator, RefusesUnsupportedSyntax) {
  EXPECT_TRUE(translate("add.f64 %x, %x, %x;").first);
  for (const char* body :
       {"add.rz.f64 %x, %x, %x;", "add.ftz.f32 %f, %f, %f;", "sad.u32 %r, %r, %r, %r;",
        "sin.approx.f32 %f, %f;", "ld.acquire.gpu.global.u32 %r, [%q];", "cvt.rz.f32.f64 %f, %x;",
        "cvt.sat.f32.f64 %f, %x;", "mov.u32 %r, %clock;",
        "atom.acq_rel.gpu.global.add.u32 %r, [%q], %r;", "bar.red.popc.u32 %r, 0, %p;",
        "call.uni vprintf, ();",
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r, %r}, {%r}, {%r}, {%r, %r};",
        "add.f64 %x, %x, %f;", "add.f64 %x, %x, %unknown;",
        "tex.1d.v4.f32.s32 {%f, %f, %f, %f}, [%q, {%r}];", ".frobnicate;", "brx.idx %r, table;"}) {
    const auto& [is_known, said] = translate(body);
    EXPECT_FALSE(is_known) << body;
    EXPECT_NE(said.find("not known to the translator: line 7"), std::string::npos)
        << body << ": " << said;
  }
  const auto& [is_known, said] = translate("", "12.0");
  EXPECT_FALSE(is_known);
  EXPECT_NE(said.find("PTX version 12.0"), std::string::npos) << said;
}

}  // namespace
}  // namespace heft::device_on_host
