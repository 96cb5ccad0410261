// heft bench precision: errors of single precision in the normal equations of very many samples.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "files/whole_file.hpp"
#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "heft/robot/robot_document.hpp"
#include "tools/bench/bench_input.hpp"
#include "tools/heft/command.hpp"

namespace heft::tools {

namespace {

constexpr std::int64_t kBlock = 1 << 16;  ///< samples made at a time

struct PrecisionFlags {
  std::string robot, sums;
  bool floating = false;
  std::int64_t num_samples = 1'000'000;
  int threads = 0;
};

struct Form {
  const char* name;
  MomentAccumulator accumulator;
};

Result<Done> write_sums_of_forms(const PrecisionFlags& flags) {
  HEFT_TRY(robot, read_robot(flags.robot, {.floating_base = flags.floating}));
  HEFT_TRY(plan, make_regressor_plan(robot, default_channels(robot), {}));
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = flags.threads}));
  const Eigen::VectorXd weights = Eigen::VectorXd::Ones(plan->num_channels());
  std::vector<Form> forms;
  forms.push_back(
      {"fp64 summed", MomentAccumulator(plan, *backend, {core::Precision::fp64, weights, {}})});
  forms.push_back(
      {"fp32 summed", MomentAccumulator(plan, *backend, {core::Precision::fp32, weights, {}})});
  forms.push_back(
      {"fp32 per channel", MomentAccumulator(plan, *backend, {core::Precision::fp32, {}, {}})});
  for (std::int64_t done = 0; done < flags.num_samples; done += kBlock) {
    const Samples samples = random_samples(*plan, std::min(kBlock, flags.num_samples - done),
                                           static_cast<std::uint64_t>(1 + done / kBlock));
    for (Form& form : forms) HEFT_CHECK(form.accumulator.push(0, samples));
  }
  nlohmann::json report{{"samples", flags.num_samples}};
  for (Form& form : forms) {
    HEFT_TRY(moments, form.accumulator.finish());
    const NormalEquations equations = normal_equations(moments, weights);
    report[form.name] = {
        {"G", std::vector<double>(equations.G.data(), equations.G.data() + equations.G.size())},
        {"b", std::vector<double>(equations.b.data(), equations.b.data() + equations.b.size())}};
  }
  return write_file_whole(flags.sums, report.dump() + "\n");
}

}  // namespace

void add_bench_precision(CLI::App& bench, Command& run) {
  CLI::App* command = bench.add_subcommand(
      "precision", "compare normal equations of many samples in double and single precision");
  auto flags = std::make_shared<PrecisionFlags>();
  command->add_option("robot,--robot", flags->robot, "robot description (URDF)")->required();
  command->add_option("--sums", flags->sums, "file to write the sums to (JSON)")->required();
  command->add_flag("--floating", flags->floating, "the root link moves freely");
  command
      ->add_option("--samples", flags->num_samples, "number of random samples, generated as needed")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command
      ->add_option("--threads", flags->threads,
                   "threads of the CPU backend; 0: all hardware threads")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command->footer("Example:\n  heft bench precision arm.urdf --sums sums.json");
  command->callback([flags, &run] {
    run = [flags] {
      const auto done = write_sums_of_forms(*flags);
      return done ? kSuccess : fail(done.error());
    };
  });
}

}  // namespace heft::tools
