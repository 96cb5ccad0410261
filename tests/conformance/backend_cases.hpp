// The backends of the conformance tests, and the forms of the moments.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "heft/executor/executor.hpp"
#include "kernels/moments/moments_engine.hpp"
#include "tests/conformance/host_device.hpp"

namespace heft::testing {

struct BackendCase {
  const char* name;
  BackendKind kind;
  InstructionSet instruction_set = InstructionSet::widest;
  bool is_emulated = false;  ///< the kernels of the CUDA backend, on the host
};

inline void PrintTo(const BackendCase& test_case, std::ostream* out) {
  *out << test_case.name;
}

inline constexpr BackendCase kBackends[] = {
    {"cpu_widest", BackendKind::cpu},
    {"cpu_avx2", BackendKind::cpu, InstructionSet::avx2},
    {"cpu_baseline", BackendKind::cpu, InstructionSet::baseline},
    {"cuda_kernels_on_the_host", BackendKind::cuda, InstructionSet::widest, true},
    {"cuda", BackendKind::cuda}};

/// Null, and why, if this machine has it not. `threads` are blocks of a grid where the kernels are
/// emulated.
inline std::unique_ptr<Backend> make(const BackendCase& test_case, std::string& why_not,
                                     int threads = 2) {
  if (test_case.is_emulated)
    return cuda::make_device_backend(cuda::make_host_device({.num_blocks = threads}));
  auto made = make_backend(
      {.kind = test_case.kind, .threads = threads, .instruction_set = test_case.instruction_set});
  if (made) return std::move(*made);
  why_not = made.error().message();
  return nullptr;
}

/// How rows become moments, and how far from the oracle's they may be: |dG| / |G|.
struct Form {
  const char* name;
  bool is_summed;
  core::Precision precision;
  double tolerance;
};

inline void PrintTo(const Form& form, std::ostream* out) {
  *out << form.name;
}

// fp32 loses digits of angles of many turns, which rotors have: 1500 rad is known to 6e-5
inline constexpr Form kForms[] = {{"per_channel_fp64", false, core::Precision::fp64, 1e-13},
                                  {"summed_fp64", true, core::Precision::fp64, 1e-13},
                                  {"per_channel_fp32", false, core::Precision::fp32, 1e-5},
                                  {"summed_fp32", true, core::Precision::fp32, 1e-5}};

/// A test of one backend.
class OnBackend : public ::testing::TestWithParam<BackendCase> {
 protected:
  void SetUp() override {
    std::string why_not;
    backend_ = make(GetParam(), why_not);
    if (backend_) return;
    if (std::getenv("HEFT_REQUIRE_GPU")) FAIL() << why_not;
    GTEST_SKIP() << why_not;
  }

  std::unique_ptr<Backend> backend_;
};

/// A test of one backend in one form.
class OnBackendInForm : public ::testing::TestWithParam<std::tuple<BackendCase, Form>> {
 protected:
  void SetUp() override {
    std::string why_not;
    backend_ = make(std::get<0>(GetParam()), why_not);
    if (backend_) return;
    if (std::getenv("HEFT_REQUIRE_GPU")) FAIL() << why_not;
    GTEST_SKIP() << why_not;
  }

  const Form& form() const { return std::get<1>(GetParam()); }
  AccumulateOptions options(int num_channels) const {
    AccumulateOptions options{.precision = form().precision};
    if (form().is_summed) options.channel_weights.setConstant(num_channels, 0.7);
    return options;
  }

  std::unique_ptr<Backend> backend_;
};

inline std::string name_of_backend(const ::testing::TestParamInfo<BackendCase>& test_case) {
  return test_case.param.name;
}

inline std::string name_of_form(
    const ::testing::TestParamInfo<std::tuple<BackendCase, Form>>& test_case) {
  return std::string(std::get<0>(test_case.param).name) + "_" + std::get<1>(test_case.param).name;
}

/// The packed sums of every chunk of one job.
inline std::vector<double> packed_sums(Backend& backend, const AccumulateJob& job) {
  std::vector<double> partials;
  const Result<Done> done = backend.accumulate({&job, 1}, {&partials, 1});
  EXPECT_TRUE(done.ok()) << done.error().message();
  return partials;
}

}  // namespace heft::testing
