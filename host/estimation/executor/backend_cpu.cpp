#include "backend_cpu.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/parallel_for.hpp"
#include "executor/instruction_sets.hpp"
#include "executor/scratch_memory.hpp"
#include "model/sample_view.hpp"
#include "row_evaluation.hpp"

namespace heft {

namespace {

/// One chunk of one job.
struct Task {
  std::size_t job;
  std::int64_t begin;
  int count;
  std::int64_t chunk;
};

/// Cuts samples [begin, begin + count) of a job into chunks of `length`.
void add_tasks(std::vector<Task>& tasks, std::size_t job, std::int64_t begin, std::int64_t count,
               int length) {
  for (std::int64_t chunk = 0; chunk * length < count; ++chunk) {
    const std::int64_t first = chunk * length;
    tasks.push_back({job, begin + first,
                     static_cast<int>(std::min<std::int64_t>(length, count - first)), chunk});
  }
}

using SharedProgram = std::shared_ptr<const cpu::GramProgram>;

/// The programs of the last plans, form and precision, by all that a program is made of: a fleet
/// sums the logs of one model, small ones in many calls.
class Programs {
 public:
  SharedProgram of(const RegressorPlan& plan, const AccumulateOptions& options,
                   const cpu::LaneKernels& kernels) {
    const int precision = static_cast<int>(options.precision);
    std::string key = key_of(plan, options.is_summed(), precision);
    const std::lock_guard lock(mutex_);
    if (const auto known = programs_.find(key); known != programs_.end()) return known->second;
    auto made = std::make_shared<const cpu::GramProgram>(
        cpu::make_gram_program(plan.view(), options.is_summed(), kernels.tiles[precision]));
    if (programs_.size() == kMost) programs_.clear();
    programs_.emplace(std::move(key), made);
    return made;
  }

 private:
  static constexpr std::size_t kMost = 16;

  static std::string key_of(const RegressorPlan& plan, bool is_summed, int precision) {
    std::string key;
    const auto add = [&](const auto* first, std::size_t count) {
      key.append(reinterpret_cast<const char*>(first), count * sizeof *first);
    };
    const auto add_all = [&](const auto& entries) {
      const std::size_t count = entries.size();
      add(&count, 1);
      add(entries.data(), count);
    };
    const int form[] = {is_summed, precision, plan.summed_width};
    add(form, std::size(form));
    add(&plan.packed_size, 1);
    add_all(plan.rows), add_all(plan.features), add_all(plan.channel_entries);
    add_all(plan.panels), add_all(plan.panel_rows), add_all(plan.panel_columns);
    add_all(plan.blocks);
    return key;
  }

  std::mutex mutex_;
  std::map<std::string, SharedProgram> programs_;
};

/// A job in the form of the kernels.
struct PreparedJob {
  core::TreeView tree;
  core::SampleView samples;  // constant inputs if the job has a motion
  std::optional<core::MotionView> motion;
  SharedProgram program;
  int precision;                  // index into the arrays of LaneKernels
  std::vector<double> row_scale;  // square roots of the channels' weights; empty: per channel
};

/// The jobs of one call; those of equal plan, form and precision share a program.
struct Batch {
  std::vector<PreparedJob> jobs;
  std::map<std::tuple<const RegressorPlan*, bool, int>, SharedProgram> programs;

  const PreparedJob& add(const AccumulateJob& job, const cpu::LaneKernels& kernels,
                         Programs& known) {
    static const AccumulateOptions kDefaults;
    static const Samples kNoSamples;
    const AccumulateOptions& options = job.options ? *job.options : kDefaults;
    const core::TreeView tree = job.plan->view();
    const int precision = static_cast<int>(options.precision);
    const auto [program, is_new] = programs.try_emplace({job.plan, options.is_summed(), precision});
    if (is_new) program->second = known.of(*job.plan, options, kernels);
    const Samples& samples = job.samples ? *job.samples : kNoSamples;  // not a copy: views outlive
                                                                       // this
    std::vector<double> row_scale;
    for (const double weight : options.channel_weights) row_scale.push_back(std::sqrt(weight));
    return jobs.emplace_back(
        PreparedJob{tree, sample_view(*job.plan, samples),
                    job.motion ? std::optional(motion_view(*job.motion)) : std::nullopt,
                    program->second, precision, row_scale});
  }
};

class CpuBackend : public Backend {
 public:
  CpuBackend(int threads, const cpu::LaneKernels& kernels, const std::string& why)
      : kernels_(kernels), threads_(threads), why_(why) {}

  std::string description() const override {
    return std::string("cpu (") + kernels_.name + ", " + std::to_string(threads_) +
           (threads_ == 1 ? " thread)" : " threads)") + (why_.empty() ? "" : ", not cuda: " + why_);
  }

  int num_threads() const override { return threads_; }

  Result<Done> accumulate(std::span<const AccumulateJob> jobs,
                          std::span<std::vector<double>> partials) override {
    Batch batch;
    std::vector<Task> tasks;
    std::size_t num_bytes = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (jobs[j].motion)
        HEFT_CHECK(check_motion(*jobs[j].plan, *jobs[j].motion, jobs[j].begin, jobs[j].count));
      add_tasks(tasks, j, jobs[j].begin, jobs[j].count, jobs[j].chunk);
      const PreparedJob& job = batch.add(jobs[j], kernels_, programs_);
      num_bytes =
          std::max(num_bytes, kernels_.scratch_bytes[job.precision](job.tree, *job.program));
      partials[j].resize(jobs[j].num_chunks() * job.program->packed_size);
    }
    run(tasks, num_bytes, [&](const Task& task, void* scratch) {
      const PreparedJob& job = batch.jobs[task.job];
      double* const packed = partials[task.job].data() + task.chunk * job.program->packed_size;
      kernels_.accumulate_chunk[job.precision](
          {&job.tree, job.program.get(), &job.samples, job.motion ? &*job.motion : nullptr,
           job.row_scale.empty() ? nullptr : job.row_scale.data(), task.begin, task.count, scratch,
           packed});
    });
    return Done{};
  }

  Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                             std::vector<RowArray>& rows) override {
    return cpu::evaluate_rows(plan, samples, kernels_, threads_, rows);
  }

  Result<Done> accumulate_rows(std::span<const RowsJob> jobs,
                               std::span<std::vector<double>> partials) override {
    cpu::accumulate_rows(jobs, kernels_, threads_, partials);
    return Done{};
  }

  Result<Done> predict(std::span<const PredictJob> jobs,
                       std::span<Eigen::ArrayXXd> torques) override {
    std::vector<Task> tasks;
    std::vector<core::TreeView> trees;
    std::vector<core::SampleView> views;
    std::vector<ChannelCoefficients> coefficients;
    std::vector<std::vector<double>> bodies;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const std::int64_t num_samples = jobs[j].samples->size();
      add_tasks(tasks, j, 0, num_samples, core::kChunkSamples);
      trees.push_back(jobs[j].plan->view());
      views.push_back(sample_view(*jobs[j].plan, *jobs[j].samples));
      coefficients.push_back(channel_coefficients(*jobs[j].plan, *jobs[j].parameters));
      bodies.push_back(kept_bodies(*jobs[j].plan, coefficients.back()));
      torques[j].resize(num_samples, jobs[j].plan->num_channels());
    }
    std::vector<std::vector<const double*>> pointers(jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j)
      for (const auto& channel : coefficients[j]) pointers[j].push_back(channel.data());
    std::size_t num_bytes = 0;
    for (const core::TreeView& tree : trees)
      num_bytes = std::max(num_bytes, kernels_.predict_scratch_bytes(tree));
    run(tasks, num_bytes, [&](const Task& task, void* scratch) {
      Eigen::ArrayXXd& torque = torques[task.job];
      kernels_.predict_chunk({&trees[task.job], &views[task.job], pointers[task.job].data(),
                              bodies[task.job].data(), task.begin, task.count, scratch,
                              torque.data() + task.begin, torque.rows()});
    });
    return Done{};
  }

 private:
  using Scratch = std::vector<cpu::ScratchMemory>;  // of every thread of a call

  /// Calls work(task, scratch) for all tasks; every thread has scratch memory of its own.
  template <class Work>
  void run(const std::vector<Task>& tasks, std::size_t num_bytes, const Work& work) {
    Scratch scratch = lent();
    parallel_for(static_cast<std::int64_t>(tasks.size()), threads_,
                 [&](std::int64_t index, int thread) {
                   work(tasks[index], scratch[thread].at_least(num_bytes));
                 });
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(scratch));
  }

  Scratch lent() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return Scratch(threads_);
    Scratch scratch = std::move(idle_.back());
    idle_.pop_back();
    return scratch;
  }

  std::mutex mutex_;
  std::vector<Scratch> idle_;  // of calls that are over
  Programs programs_;
  const cpu::LaneKernels& kernels_;
  int threads_;
  std::string why_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cpu_backend(const BackendOptions& options,
                                                  const std::string& why) {
  HEFT_TRY(kernels, cpu::lane_kernels(options.instruction_set));
  return std::unique_ptr<Backend>(
      std::make_unique<CpuBackend>(threads_for(options.threads), *kernels, why));
}

}  // namespace heft
