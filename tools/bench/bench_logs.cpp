// heft bench logs and heft bench motion: long streams of samples, from files or made by the
// backend, to their moments in constant memory, and what bounds them.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/random_stream.hpp"
#include "conditioning/reading_times.hpp"
#include "files/whole_file.hpp"
#include "heft/app/identify_files.hpp"
#include "heft/config/module_options.hpp"
#include "heft/robot/robot_document.hpp"
#include "moments/moment_forest.hpp"
#include "readers/log_formats.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/configuration_flags.hpp"

namespace heft::tools {

namespace {

constexpr int kHarmonics = 5;
constexpr std::int64_t kMotionBlock = 64 * core::kChunkSamples;

struct LogsFlags {
  std::string robot, json;
  std::vector<std::string> logs;
  ConfigurationFlags configuration;
  int passes = 5;
};

struct MotionFlags {
  std::string robot, json;
  std::int64_t num_samples = 1'000'000;
  int threads = 1;
};

double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Wall time of one pass, processor time of all threads, and of the busier of two: one reads, the
/// other does the rest, so that this is the wall time of a machine with nothing else to do.
struct Pass {
  double wall_s = 0, cpu_s = 0, busiest_s = 0;
  ReadingTimes reading;
};

/// Most memory that this process ever had [MB]; 0 where the system does not say.
double peak_memory_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kilobytes = 0; word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  return 0;
}

/// Writes the figures, and the memory they took, if there is a path.
Result<Done> write_json(const std::string& path, nlohmann::json report) {
  if (path.empty()) return Done{};
  report["memory_mb"] = peak_memory_mb();
  return write_file_whole(path, report.dump(1) + "\n");
}

Result<Done> bench_logs(const LogsFlags& flags) {
  HEFT_TRY(configuration, flags.configuration.configuration());
  std::vector<Pass> passes;
  std::int64_t num_samples = 0;
  for (int k = 0; k < flags.passes; ++k) {
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID),
                 own = seconds(CLOCK_THREAD_CPUTIME_ID);
    HEFT_TRY(setup, read_setup(flags.robot, configuration));
    HEFT_TRY(data, gather_training_data(setup, {flags.logs.begin(), flags.logs.end()},
                                        gather_options(configuration, setup.model),
                                        estimation_options(configuration), configuration.backend));
    Pass& pass = passes.emplace_back();
    pass.wall_s = seconds(CLOCK_MONOTONIC) - wall;
    pass.cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    const double own_s = seconds(CLOCK_THREAD_CPUTIME_ID) - own;
    pass.busiest_s = std::max(own_s, pass.cpu_s - own_s);
    num_samples = 0;
    for (const LogSummary& log : data.logs) num_samples += log.num_samples;
    pass.reading = total_reading(data.logs);
  }
  std::sort(passes.begin(), passes.end(),
            [](const Pass& a, const Pass& b) { return a.wall_s < b.wall_s; });
  const Pass& median = passes[passes.size() / 2];
  const ReadingTimes& reading = median.reading;
  fmt::print(
      "{} samples to moments in {:.4f} s (median of {}), {:.4f} s of all processors; {:.0f} ns per "
      "sample\n",
      num_samples, median.wall_s, passes.size(), median.cpu_s,
      1e9 * median.wall_s / static_cast<double>(num_samples));
  fmt::print("{}\n", bottleneck_words(reading));
  return write_json(flags.json,
                    {{"samples", num_samples},
                     {"wall_s", median.wall_s},
                     {"cpu_s", median.cpu_s},
                     {"busiest_thread_s", median.busiest_s},
                     {"ns_per_sample", 1e9 * median.wall_s / static_cast<double>(num_samples)},
                     {"limited_by", reading.limit()},
                     {"disk_s", reading.disk_s},
                     {"parsing_s", reading.parsing_s},
                     {"computing_s", reading.computing_s}});
}

GeneratedMotion random_motion(const Robot& robot, std::int64_t num_samples) {
  RandomStream random(1);
  const int n = robot.num_coordinates();
  FourierMotion motion{.num_samples = num_samples};
  motion.center = Eigen::VectorXd::Zero(n);
  motion.sine.resize(kHarmonics, n);
  motion.cosine.resize(kHarmonics, n);
  for (double& x : motion.sine.reshaped()) x = random.uniform(-0.5, 0.5);
  for (double& x : motion.cosine.reshaped()) x = random.uniform(-0.5, 0.5);
  return motion;
}

Result<Done> bench_motion(const MotionFlags& flags) {
  HEFT_TRY(robot, read_robot(flags.robot));
  HEFT_TRY(plan, make_regressor_plan(robot, default_channels(robot), {}));
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = flags.threads}));
  const AccumulateOptions options{.channel_weights = Eigen::VectorXd::Ones(plan->num_channels())};
  const GeneratedMotion motion = random_motion(robot, flags.num_samples);
  const std::int64_t size = packed_size(*plan, options);
  MomentForest forest(size);
  std::vector<std::vector<double>> partials(1);
  const double wall = seconds(CLOCK_MONOTONIC);
  for (std::int64_t begin = 0; begin < flags.num_samples; begin += kMotionBlock) {
    const std::int64_t count = std::min(kMotionBlock, flags.num_samples - begin);
    const AccumulateJob job{
        .plan = plan.get(), .begin = begin, .count = count, .options = &options, .motion = &motion};
    HEFT_CHECK(backend->accumulate({&job, 1}, partials));
    for (std::int64_t k = 0; k < job.num_chunks(); ++k) forest.push(partials[0].data() + k * size);
  }
  std::vector<double> total(static_cast<std::size_t>(size), 0.0);
  forest.add_to(total);
  const double elapsed = seconds(CLOCK_MONOTONIC) - wall;
  const double ns = 1e9 * elapsed / static_cast<double>(flags.num_samples);
  fmt::print("{} samples of a periodic motion to moments in {:.4f} s, {:.1f} ns per sample\n",
             flags.num_samples, elapsed, ns);
  return write_json(flags.json,
                    {{"samples", flags.num_samples}, {"wall_s", elapsed}, {"ns_per_sample", ns}});
}

int exit_code_of(const Result<Done>& done) {
  return done ? kSuccess : fail(done.error());
}

}  // namespace

void add_bench_streams(CLI::App& bench, Command& run) {
  CLI::App* logs = bench.add_subcommand(
      "logs", "measure the steps from logs to moments, including reading and conditioning");
  auto of_logs = std::make_shared<LogsFlags>();
  logs->add_option("robot,--robot", of_logs->robot, "robot description (URDF)")->required();
  logs->add_option("--log", of_logs->logs,
                   "log (" + titles_of_log_formats() + "); may be given several times")
      ->required();
  logs->add_option("--passes", of_logs->passes,
                   "number of passes over the logs; times are those of the median pass")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  logs->add_option("--json", of_logs->json, "also write the figures to this file");
  of_logs->configuration.add_to(*logs, {"--threads"});
  logs->footer("Example:\n  heft bench logs arm.urdf --log demo/train.csv");
  logs->callback(
      [of_logs, &run] { run = [of_logs] { return exit_code_of(bench_logs(*of_logs)); }; });

  CLI::App* motion = bench.add_subcommand(
      "motion", "measure the Gram matrix of a periodic motion that the backend computes");
  auto of_motion = std::make_shared<MotionFlags>();
  motion
      ->add_option("robot,--robot", of_motion->robot,
                   "robot description (URDF), fixed to the ground")
      ->required();
  motion->add_option("--samples", of_motion->num_samples, "samples of the motion")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000'000}));
  motion->add_option("--threads", of_motion->threads, "threads of the CPU backend")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  motion->add_option("--json", of_motion->json, "also write the figures to this file");
  motion->footer("Example:\n  heft bench motion arm.urdf --samples 100000000");
  motion->callback(
      [of_motion, &run] { run = [of_motion] { return exit_code_of(bench_motion(*of_motion)); }; });
}

}  // namespace heft::tools
