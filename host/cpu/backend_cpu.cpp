#include "host/cpu/backend_cpu.hpp"

#include <algorithm>
#include <new>

#include "heft/sample_view.hpp"
#include "host/cpu/kernels.hpp"
#include "host/cpu/parallel_for.hpp"

namespace heft {

namespace {

struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using ScratchMemory = std::unique_ptr<std::byte[], AlignedDelete>;

ScratchMemory allocate_scratch(std::size_t num_bytes) {
  return ScratchMemory(static_cast<std::byte*>(::operator new[](num_bytes, std::align_val_t{64})));
}

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
    tasks.push_back(
        {job, begin + first, static_cast<int>(std::min<std::int64_t>(length, count - first)), chunk});
  }
}

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(int threads) : kernels_(cpu::lane_kernels()), threads_(threads) {}

  std::string description() const override {
    return std::string("cpu (") + kernels_.name + ", " + std::to_string(threads_) +
           (threads_ == 1 ? " thread)" : " threads)");
  }

  Result<Done> accumulate(std::span<const AccumulateJob> jobs,
                          std::span<std::vector<double>> partials) override {
    std::vector<Task> tasks;
    std::vector<core::TreeView> trees;
    std::vector<core::SampleView> views;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      add_tasks(tasks, j, jobs[j].begin, jobs[j].count, jobs[j].chunk);
      trees.push_back(jobs[j].plan->view());
      views.push_back(sample_view(*jobs[j].plan, *jobs[j].samples));
      partials[j].assign(jobs[j].num_chunks() * jobs[j].plan->packed_size, 0.0);
    }
    run(tasks, trees, [&](const Task& task, void* scratch) {
      const core::TreeView& tree = trees[task.job];
      kernels_.accumulate_chunk(tree, views[task.job], task.begin, task.count, scratch,
                                partials[task.job].data() + task.chunk * tree.packed_size);
    });
    return Done{};
  }

  Result<Done> predict(std::span<const PredictJob> jobs, std::span<Eigen::ArrayXXd> torques) override {
    std::vector<Task> tasks;
    std::vector<core::TreeView> trees;
    std::vector<core::SampleView> views;
    std::vector<ChannelCoefficients> coefficients;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const std::int64_t num_samples = jobs[j].samples->size();
      add_tasks(tasks, j, 0, num_samples, core::kChunkSamples);
      trees.push_back(jobs[j].plan->view());
      views.push_back(sample_view(*jobs[j].plan, *jobs[j].samples));
      coefficients.push_back(channel_coefficients(*jobs[j].plan, *jobs[j].parameters));
      torques[j].resize(num_samples, jobs[j].plan->num_channels());
    }
    std::vector<std::vector<const double*>> pointers(jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j)
      for (const auto& channel : coefficients[j]) pointers[j].push_back(channel.data());
    run(tasks, trees, [&](const Task& task, void* scratch) {
      Eigen::ArrayXXd& torque = torques[task.job];
      kernels_.predict_chunk(trees[task.job], views[task.job], task.begin, task.count,
                             pointers[task.job].data(), scratch, torque.data() + task.begin, torque.rows());
    });
    return Done{};
  }

 private:
  /// Calls work(task, scratch) for all tasks; every thread has scratch memory for the largest tree.
  template <class Work>
  void run(const std::vector<Task>& tasks, const std::vector<core::TreeView>& trees, const Work& work) {
    std::size_t num_bytes = 0;
    for (const core::TreeView& tree : trees) num_bytes = std::max(num_bytes, kernels_.scratch_bytes(tree));
    std::vector<ScratchMemory> scratch(threads_);
    parallel_for(static_cast<std::int64_t>(tasks.size()), threads_, [&](std::int64_t index, int thread) {
      if (!scratch[thread]) scratch[thread] = allocate_scratch(num_bytes);
      work(tasks[index], scratch[thread].get());
    });
  }

  const cpu::LaneKernels& kernels_;
  int threads_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) {
  if (threads <= 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::make_unique<CpuBackend>(threads);
}

}  // namespace heft
