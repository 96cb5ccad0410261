#include "row_evaluation.hpp"

#include <algorithm>

#include "base/parallel_for.hpp"
#include "heft/core/regressor.hpp"
#include "model/sample_view.hpp"
#include "rows/filtered_rows.hpp"

namespace heft::cpu {

namespace {

constexpr std::int64_t kSamplesAtATime = 1024;  ///< of one thread

/// The Input of core/regressor.hpp for one sample, at weight one and without torque.
struct SampleInput {
  const core::SampleView& view;
  std::int64_t at;

  double load(const double* array, int column) const { return array[column * view.stride + at]; }
  double position(int k) const { return load(view.position, k); }
  double velocity(int k) const { return load(view.velocity, k); }
  double acceleration(int k) const { return load(view.acceleration, k); }
  double base_motion(int i) const {
    return view.base_motion ? load(view.base_motion, i) : view.base_constant[i];
  }
  double signal(int s) const { return load(view.signal, s); }
  double weight(int) const { return 1; }
  double torque(int) const { return 0; }
};

/// Where the row of every channel goes; those that nobody wants go to a place of their own.
struct ChannelSink {
  std::vector<double*> rows;

  struct Row {
    double* first;
    void put(int k, double value) const { first[k] = value; }
  };
  Row row(const core::RowEntry& entry) const { return {rows[entry.channel] + entry.column}; }
  void put_feature(const core::FeatureEntry& entry, double value) const {
    rows[entry.channel][entry.column] = value;
  }
  void put_torque(int, double) const {}
};

/// Rows of the channels of a range at every sample; `rows` has one array a channel of the range.
void evaluate_channels(const RegressorPlan& plan, const Samples& samples, ChannelRange range, int num_threads,
                       std::vector<RowArray>& rows) {
  const core::TreeView tree = plan.view();
  const core::SampleView view = sample_view(plan, samples);
  const std::int64_t num_samples = samples.size();
  std::size_t widest = 0;
  for (const std::vector<int>& columns : plan.channel_columns) widest = std::max(widest, columns.size());
  for (int c = range.first; c < range.last; ++c)
    rows[c - range.first].resize(num_samples, static_cast<Eigen::Index>(plan.channel_columns[c].size()));
  const std::int64_t num_tasks = (num_samples + kSamplesAtATime - 1) / kSamplesAtATime;
  parallel_for(num_tasks, num_threads, [&](std::int64_t task, int) {
    std::vector<double> unwanted(widest), memory(core::workspace_size(tree));
    ChannelSink sink{std::vector<double*>(plan.num_channels(), unwanted.data())};
    auto workspace = [&memory](int i) -> double& { return memory[i]; };
    const std::int64_t end = std::min(num_samples, (task + 1) * kSamplesAtATime);
    for (std::int64_t at = task * kSamplesAtATime; at < end; ++at) {
      for (int c = range.first; c < range.last; ++c) sink.rows[c] = rows[c - range.first].row(at).data();
      core::put_regressor_rows<double>(tree, SampleInput{view, at}, workspace, sink);
    }
  });
}

/// Adds [y tau]'[y tau] of `count` rows of one channel to its packed triangle.
void add_products(const RowArray& rows, std::int64_t begin, std::int64_t count, double* packed) {
  const Eigen::Index width = rows.cols();
  const Eigen::MatrixXd columns = rows.middleRows(begin, count).matrix().transpose();
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(width, width);
  sums.selfadjointView<Eigen::Lower>().rankUpdate(columns);
  for (Eigen::Index i = 0; i < width; ++i)
    for (Eigen::Index j = i; j < width; ++j) *packed++ += sums(j, i);
}

}  // namespace

Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples, int num_threads,
                           std::vector<RowArray>& rows) {
  const auto make_rows = [&](const Samples& block, ChannelRange range, std::vector<RowArray>& made) {
    evaluate_channels(plan, block, range, num_threads, made);
    return Result<Done>(Done{});
  };
  return filtered_rows(plan, samples, num_threads, make_rows, rows);
}

void accumulate_rows(std::span<const RowsJob> jobs, int num_threads,
                     std::span<std::vector<double>> partials) {
  struct Task {
    std::size_t job;
    std::int64_t chunk;
    int channel;
  };
  std::vector<Task> tasks;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    partials[j].assign(jobs[j].num_chunks() * jobs[j].plan->packed_size, 0.0);
    for (std::int64_t chunk = 0; chunk < jobs[j].num_chunks(); ++chunk)
      for (int c = 0; c < jobs[j].plan->num_channels(); ++c) tasks.push_back({j, chunk, c});
  }
  parallel_for(static_cast<std::int64_t>(tasks.size()), num_threads, [&](std::int64_t index, int) {
    const Task& task = tasks[index];
    const RowsJob& job = jobs[task.job];
    const std::int64_t begin = task.chunk * job.chunk;
    add_products(job.rows[task.channel], job.begin + begin,
                 std::min<std::int64_t>(job.chunk, job.count - begin),
                 partials[task.job].data() + task.chunk * job.plan->packed_size +
                     job.plan->channel_entries[task.channel].packed_offset);
  });
}

}  // namespace heft::cpu
