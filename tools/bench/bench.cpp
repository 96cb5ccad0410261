// heft bench moments: the speed of rows and outer products on this machine, compared with its peak.
//
// Times are thread CPU time with one thread, and wall time with several threads or on a device,
// including copies. With one thread the register peak is measured before and after every round. A
// round is dropped and counted if the peak is below 97 % of the best, because another process or a
// lower clock rate distorts it. Multiply-adds count the outer products only, not the rows.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/device/device_bench.hpp"
#include "executor/instruction_sets.hpp"
#include "executor/scratch_memory.hpp"
#include "files/whole_file.hpp"
#include "heft/core/motion_view.hpp"
#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "heft/robot/robot_document.hpp"
#include "heft/version.hpp"
#include "tools/bench/bench_input.hpp"
#include "tools/bench/rounds.hpp"
#include "tools/heft/command.hpp"

namespace heft::tools {

namespace {

struct BenchFlags {
  std::vector<std::string> robots;
  std::string json, sums, backend = "cpu", from = "samples";
  InstructionSet instruction_set = InstructionSet::widest;
  bool floating = false, friction = false;
  int threads = 1, chunk = core::kChunkSamples;
  std::int64_t num_samples = 16384, stream = 0;
  double seconds = 1;

  bool is_cpu() const { return backend == "cpu"; }
  bool has_motions() const { return from != "samples"; }
};

struct Variant {
  const char* precision;
  const char* form;
  AccumulateOptions options;
};

double now(bool of_thread) {
  timespec time;
  clock_gettime(of_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Peak multiply-adds per second, by precision.
struct Peaks {
  double in_registers[2];
  double with_loads[2];  ///< with factors from the first-level cache; NaN on a device
};

/// Multiply-adds per second of `run`, which returns their number: the best of many short runs.
double best_rate(const auto& run) {
  double best = 0;
  for (int i = 0; i < 30; ++i) {
    const double start = now(true);
    const double products = static_cast<double>(run());
    best = std::max(best, products / (now(true) - start));
  }
  return best;
}

Result<Peaks> measured_peaks(const BenchFlags& flags) {
  HEFT_TRY(lanes, cpu::lane_kernels(flags.instruction_set));
  const cpu::LaneKernels& kernels = *lanes;
  Peaks peaks;
  for (const core::Precision precision : {core::Precision::fp64, core::Precision::fp32}) {
    const int k = static_cast<int>(precision);
    peaks.with_loads[k] = NAN;
    if (flags.is_cpu()) {
      peaks.in_registers[k] = best_rate([&] { return kernels.run_peak[k](300'000); });
      peaks.with_loads[k] = best_rate([&] { return kernels.run_peak_with_loads[k](150'000); });
    } else {
      HEFT_TRY(peak, measure_cuda_peak(precision));
      peaks.in_registers[k] = peak;
    }
  }
  return peaks;
}

/// Times `run` repeatedly for `seconds`, and up to ten times as long until there are five valid
/// rounds. `peak` returns the register peak.
Result<Timing> time_rounds(double seconds, bool of_thread, const auto& peak, const auto& run) {
  Rounds rounds;
  const double begin = now(false);
  double before = peak();
  for (double passed = 0; passed < seconds || (!rounds.are_enough() && passed < 10 * seconds + 1);
       passed = now(false) - begin) {
    const double start = now(of_thread);
    HEFT_CHECK(run());
    const double round = now(of_thread) - start;
    const double after = peak();
    rounds.add(round, std::min(before, after));
    before = after;
  }
  return rounds.timing();
}

/// Measures the register peak for the rounds of a figure.
auto peak_of(const cpu::LaneKernels& kernels, int precision) {
  return [&kernels, precision] {
    const double start = now(true);
    const double products = static_cast<double>(kernels.run_peak[precision](20'000));
    return products / (now(true) - start);
  };
}

/// Fraction of the register peak that the outer products reach with precomputed rows.
Result<double> gram_share(const RegressorPlan& plan, const Variant& variant,
                          const cpu::LaneKernels& kernels, double seconds) {
  const int precision = static_cast<int>(variant.options.precision);
  const core::TreeView tree = plan.view();
  const cpu::GramProgram program =
      cpu::make_gram_program(tree, variant.options.is_summed(), kernels.tiles[precision]);
  cpu::ScratchMemory memory;
  void* const scratch = memory.at_least(kernels.scratch_bytes[precision](tree, program));
  const auto run = [&](int repeats) {
    return static_cast<double>(kernels.run_gram[precision](tree, program, scratch, repeats));
  };
  // long enough that filling the slab does not show
  constexpr double kProducts = 5e7;
  const double of_one = run(1);
  const int repeats = std::max(8, static_cast<int>(kProducts / of_one));
  HEFT_TRY(timing, time_rounds(seconds, true, peak_of(kernels, precision), [&] {
             run(repeats);
             return Result<Done>(Done{});
           }));
  return repeats * of_one / timing.median / timing.peak;
}

/// Input of the sums: one job of samples, or many jobs of motions.
struct Workload {
  Samples samples;
  std::vector<GeneratedMotion> motions;

  std::int64_t num_samples() const {
    return motions.empty() ? samples.size()
                           : static_cast<std::int64_t>(motions.size()) * kMotionSamples;
  }
  std::vector<AccumulateJob> jobs(const RegressorPlan& plan, const AccumulateOptions& options,
                                  int chunk) const {
    if (motions.empty()) return {{&plan, &samples, 0, samples.size(), chunk, &options}};
    std::vector<AccumulateJob> jobs;
    for (const GeneratedMotion& motion : motions)
      jobs.push_back({&plan, nullptr, 0, kMotionSamples, chunk, &options, &motion});
    return jobs;
  }
};

/// Repeats a pass over all jobs.
Result<Timing> time_jobs(Backend& backend, std::span<const AccumulateJob> jobs,
                         const BenchFlags& flags, const cpu::LaneKernels& kernels, int precision) {
  std::vector<std::vector<double>> partials(jobs.size());
  HEFT_CHECK(backend.accumulate(jobs, partials));
  const auto run = [&] { return backend.accumulate(jobs, partials); };
  if (flags.is_cpu() && flags.threads == 1)
    return time_rounds(flags.seconds, true, peak_of(kernels, precision), run);
  return time_rounds(flags.seconds, false, [] { return 1.0; }, run);
}

/// Seconds per sample of `stream` samples in constant memory: one block of samples, repeated.
Result<double> time_stream(Backend& backend, PlanPtr plan, const Samples& samples,
                           std::int64_t stream) {
  MomentAccumulator accumulator(plan, backend);
  const double start = now(false);
  for (std::int64_t done = 0; done < stream; done += samples.size())
    HEFT_CHECK(accumulator.push(0, samples));
  HEFT_TRY(moments, accumulator.finish());
  const auto blocks = (stream + samples.size() - 1) / samples.size();
  if (moments.num_rows[0] != static_cast<double>(blocks * samples.size()))
    return Error{"bench", "samples were lost", ""};
  return (now(false) - start) / static_cast<double>(blocks * samples.size());
}

/// All forms that the backend supports.
std::vector<Variant> variants(int num_channels, const BenchFlags& flags) {
  const Eigen::VectorXd weights = Eigen::VectorXd::Ones(num_channels);
  std::vector<Variant> all{{"fp64", "summed", {core::Precision::fp64, weights}},
                           {"fp64", "per channel", {core::Precision::fp64, {}}},
                           {"fp32", "summed", {core::Precision::fp32, weights}},
                           {"fp32", "per channel", {core::Precision::fp32, {}}}};
  if (flags.backend == "cuda-plain") all.resize(2);
  return all;
}

std::string percent(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.0f}%", 100 * share);
}

Result<Done> bench_robot(const std::string& path, const BenchFlags& flags, Backend& backend,
                         const Peaks& peaks, nlohmann::json& rows) {
  HEFT_TRY(robot, read_robot(path, {.floating_base = flags.floating}));
  const std::vector<Channel> channels = default_channels(robot);
  HEFT_TRY(plan, make_regressor_plan(
                     robot, channels,
                     flags.friction ? friction_columns(robot, channels) : std::vector<Column>{}));
  Workload work;
  if (flags.has_motions())
    work.motions = random_motions(
        *plan, flags.from == "spline" ? core::MotionKind::spline : core::MotionKind::fourier,
        flags.num_samples);
  else
    work.samples = random_samples(*plan, flags.num_samples);
  work.samples.weight.resize(0, 0);  // every row counts, as it does for peers
  HEFT_TRY(kernels, cpu::lane_kernels(flags.instruction_set));
  for (const Variant& variant : variants(plan->num_channels(), flags)) {
    const int precision = static_cast<int>(variant.options.precision);
    HEFT_TRY(timing, time_jobs(backend, work.jobs(*plan, variant.options, flags.chunk), flags,
                               *kernels, precision));
    const double count = static_cast<double>(work.num_samples());
    const double median = timing.median, spread = timing.spread;
    const double products = static_cast<double>(
        cpu::make_gram_program(plan->view(), true, kernels->tiles[precision]).num_products);
    // beside the rounds themselves where that is measured
    const bool has_peaks = flags.is_cpu() && flags.threads == 1;
    const double peak = has_peaks ? timing.peak : peaks.in_registers[precision];
    const double share = products * count / median / (peak * (flags.is_cpu() ? flags.threads : 1));
    double gram = NAN;
    if (flags.is_cpu()) {
      HEFT_TRY(found, gram_share(*plan, variant, *kernels, flags.seconds / 4));
      gram = found;
    }
    const double gram_with_loads =
        gram * peaks.in_registers[precision] / peaks.with_loads[precision];
    nlohmann::json row{{"robot", std::filesystem::path(path).stem().string()},
                       {"dof", plan->num_channels()},
                       {"parameters", plan->layout.num_parameters()},
                       {"samples", work.num_samples()},
                       {"from", flags.from},
                       {"chunk", flags.chunk},
                       {"backend", backend.description()},
                       {"precision", variant.precision},
                       {"form", variant.form},
                       {"threads", flags.threads},
                       {"median_s", median},
                       {"spread", spread},
                       {"rounds", timing.kept},
                       {"rounds_dropped", timing.dropped},
                       {"peak_beside", has_peaks ? nlohmann::json(peak) : nullptr},
                       {"ns_per_sample", 1e9 * median / count},
                       {"samples_per_s", count / median},
                       {"products_per_sample", products},
                       {"multiply_adds_per_s", products * count / median},
                       {"share_of_peak", share},
                       {"gram_share_of_peak", gram},
                       {"gram_share_of_peak_with_loads", gram_with_loads}};
    fmt::print(
        "{:<22}{:>5}{:>7}{:>9}  {:<5}{:<12}{:>3}{:>11.1f}{:>6.0f}%{:>10.2f}{:>10.1f}{:>8}{:>8}{:>11}{:>9}\n",
        row["robot"].get<std::string>(), plan->num_channels(), plan->layout.num_parameters(),
        work.num_samples(), variant.precision, variant.form, flags.threads, 1e9 * median / count,
        100 * spread, 1e-6 * count / median, 1e-9 * products * count / median, percent(share),
        percent(gram), percent(gram_with_loads), timing.dropped);
    rows.push_back(std::move(row));
  }
  if (flags.stream > 0 && !flags.has_motions()) {
    // with weights, which an accumulator asks for
    HEFT_TRY(seconds,
             time_stream(backend, plan, random_samples(*plan, flags.num_samples), flags.stream));
    fmt::print("  {} samples streamed: {:.1f} ns per sample\n", flags.stream, 1e9 * seconds);
    rows.push_back({{"robot", std::filesystem::path(path).stem().string()},
                    {"streamed", flags.stream},
                    {"ns_per_sample", 1e9 * seconds}});
  }
  return Done{};
}

std::vector<double> numbers(const auto& array) {
  return {array.data(), array.data() + array.size()};
}

/// Writes samples of a robot, column after column, and their normal equations in all forms, for
/// independent checks.
Result<Done> write_sums(const BenchFlags& flags, Backend& backend) {
  HEFT_TRY(robot, read_robot(flags.robots[0], {.floating_base = flags.floating}));
  HEFT_TRY(plan, make_regressor_plan(robot, default_channels(robot), {}));
  const Samples samples = random_samples(*plan, flags.num_samples);
  nlohmann::json joints = nlohmann::json::array(), coordinates = nlohmann::json::array();
  for (const int body : plan->layout.body_index) joints.push_back(robot.bodies[body].joint);
  for (const Coordinate& coordinate : robot.coordinates) coordinates.push_back(coordinate.name);
  nlohmann::json report{{"joints", joints},
                        {"coordinates", coordinates},
                        {"samples", samples.size()},
                        {"position", numbers(samples.position)},
                        {"velocity", numbers(samples.velocity)},
                        {"acceleration", numbers(samples.acceleration)},
                        {"base_motion", numbers(samples.base_motion)},
                        {"torque", numbers(samples.torque)}};
  for (const Variant& variant : variants(plan->num_channels(), flags)) {
    MomentAccumulator accumulator(plan, backend, variant.options);
    HEFT_CHECK(accumulator.push(0, samples));
    HEFT_TRY(moments, accumulator.finish());
    const NormalEquations equations =
        normal_equations(moments, Eigen::VectorXd::Ones(plan->num_channels()));
    report[std::string(variant.precision) + " " + variant.form] = {{"G", numbers(equations.G)},
                                                                   {"b", numbers(equations.b)}};
  }
  return write_file_whole(flags.sums, report.dump() + "\n");
}

/// The widest by its name.
const char* used_instruction_set(const BenchFlags& flags) {
  return name(flags.instruction_set == InstructionSet::widest ? available_instruction_sets().front()
                                                              : flags.instruction_set);
}

Result<std::unique_ptr<Backend>> make_timed_backend(const BenchFlags& flags) {
  if (flags.backend == "cuda-plain") return make_plain_form();
  return make_backend({.kind = flags.is_cpu() ? BackendKind::cpu : BackendKind::cuda,
                       .threads = flags.threads,
                       .instruction_set = flags.instruction_set});
}

int run_bench(const BenchFlags& flags) {
  auto backend = make_timed_backend(flags);
  if (!backend) return fail(backend.error());
  if (!flags.sums.empty()) {
    auto written = write_sums(flags, **backend);
    return written ? kSuccess : fail(written.error());
  }
  const Result<Peaks> peaks = measured_peaks(flags);
  if (!peaks) return fail(peaks.error());
  const auto& [in_registers, with_loads] = *peaks;
  fmt::print("{}; peak of {}, multiply-adds: {:.1f} G/s fp64, {:.1f} G/s fp32\n",
             (*backend)->description(), flags.is_cpu() ? "one thread" : "the device",
             1e-9 * in_registers[0], 1e-9 * in_registers[1]);
  if (flags.is_cpu())
    fmt::print("with loads from the first-level cache: {:.1f} G/s fp64, {:.1f} G/s fp32\n",
               1e-9 * with_loads[0], 1e-9 * with_loads[1]);
  fmt::print("{:<22}{:>5}{:>7}{:>9}  {:<17}{:>3}{:>11}{:>7}{:>10}{:>10}{:>8}{:>8}{:>11}{:>9}\n",
             "robot", "DoF", "params", "samples", "rows", "thr", "ns/sample", "spread", "Msample/s",
             "G madd/s", "of peak", "in Gram", "with loads", "dropped");
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& robot : flags.robots) {
    auto done = bench_robot(robot, flags, **backend, *peaks, rows);
    if (!done) return fail(done.error());
  }
  if (flags.json.empty()) return kSuccess;
  const nlohmann::json report{
      {"version", kVersion},
      {"backend", (*backend)->description()},
      {"instruction_set", flags.is_cpu() ? nlohmann::json(used_instruction_set(flags)) : nullptr},
      {"peak_fp64", in_registers[0]},
      {"peak_fp32", in_registers[1]},
      {"peak_with_loads_fp64", with_loads[0]},
      {"peak_with_loads_fp32", with_loads[1]},
      {"rows", rows}};
  auto written = write_file_whole(flags.json, report.dump(1) + "\n");
  return written ? kSuccess : fail(written.error());
}

}  // namespace

void add_bench(CLI::App& app, Command& run) {
  CLI::App* bench = app.add_subcommand("bench", "measure the speed of Heft on this machine");
  bench->require_subcommand(1);
  bench->footer(
      "Examples:\n"
      "  heft bench moments arm.urdf --threads 2\n"
      "  heft bench logs arm.urdf --log demo/train.csv");
  CLI::App* command = bench->add_subcommand("moments", "measure rows and normal equations");
  auto flags = std::make_shared<BenchFlags>();
  command->add_option("robot,--robot", flags->robots, "robot descriptions (URDF)")->required();
  command->add_flag("--floating", flags->floating, "root links move freely");
  command->add_flag("--friction", flags->friction, "three extra columns in every joint");
  command
      ->add_option(
          "--backend", flags->backend,
          "cuda-plain writes rows to device memory and then uses cuBLAS; the other two multiply rows where they "
          "compute them")
      ->capture_default_str()
      ->check(CLI::IsMember({"cpu", "cuda", "cuda-plain"}));
  command
      ->add_option(
          "--from", flags->from,
          "source of the motion; fourier, spline: many jobs of a thousand samples that the backend computes from "
          "coefficients")
      ->capture_default_str()
      ->check(CLI::IsMember({"samples", "fourier", "spline"}));
  command
      ->add_option("--chunk", flags->chunk,
                   "number of samples per chunk, whose sums are kept separately")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 30));
  std::map<std::string, InstructionSet> sets;
  for (const InstructionSet set :
       {InstructionSet::widest, InstructionSet::avx512, InstructionSet::avx2, InstructionSet::neon,
        InstructionSet::baseline})
    sets[name(set)] = set;
  command
      ->add_option(
          "--instruction-set", flags->instruction_set,
          "instruction set of the CPU backend: widest (default), avx512, avx2, neon or baseline")
      ->transform(CLI::CheckedTransformer(sets))
      ->option_text("NAME");
  command->add_option("--threads", flags->threads, "threads of the CPU backend")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--samples", flags->num_samples, "number of samples in memory")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{16}, std::int64_t{10'000'000}));
  command->add_option("--seconds", flags->seconds, "time for each measurement [s]")
      ->capture_default_str();
  command
      ->add_option("--stream", flags->stream,
                   "also push this many samples through a MomentAccumulator, in constant memory")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--json", flags->json, "also write the figures to this file");
  command->add_option(
      "--sums", flags->sums,
      "write samples and their normal equations to this file instead of timing them");
  command->footer("Example:\n  heft bench moments arm.urdf --threads 2 --json figures.json");
  command->callback([flags, &run] { run = [flags] { return run_bench(*flags); }; });
  add_bench_streams(*bench, run);
  add_bench_precision(*bench, run);
}

}  // namespace heft::tools
