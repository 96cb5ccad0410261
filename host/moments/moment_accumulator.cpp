// Collects sample blocks into whole chunks, has the backend sum them, and merges the sums in the fixed order.
#include <algorithm>

#include "heft/core/sample_view.hpp"
#include "heft/moments.hpp"
#include "host/moments/moment_forest.hpp"
#include "host/moments/stretches.hpp"

namespace heft {

namespace {

constexpr std::int64_t kBatchChunks =
    32;  ///< of the largest size, handed to the backend at a time: enough for every thread

/// Appends rows [from, from + count) of one array to another that has room for them.
void copy_rows(const Eigen::ArrayXXd& source, std::int64_t from, std::int64_t count, Eigen::ArrayXXd& target,
               std::int64_t to) {
  if (source.size() == 0) return;
  if (target.cols() != source.cols()) target.resize(kBatchChunks * core::kChunkSamples, source.cols());
  target.middleRows(to, count) = source.middleRows(from, count);
}

}  // namespace

struct MomentAccumulator::State {
  PlanPtr plan;
  Backend& backend;
  AccumulateOptions options;
  Moments total;
  MomentForest forest;
  StretchCollector stretches;
  int segment = -1;
  std::int64_t segment_begin = 0;  ///< index in the segment of the first pending sample
  Samples pending;                 ///< room for kBatchChunks chunks of the current segment
  std::int64_t num_pending = 0;

  State(PlanPtr plan_, Backend& backend_, AccumulateOptions options_)
      : plan(std::move(plan_)),
        backend(backend_),
        options(std::move(options_)),
        total(zero_moments(plan, options.channel_weights)),
        forest(packed_size(*plan, options)),
        stretches(total) {
    pending.time.resize(kBatchChunks * core::kChunkSamples);
  }

  void append(const Samples& block, std::int64_t from, std::int64_t count) {
    copy_rows(block.position, from, count, pending.position, num_pending);
    copy_rows(block.velocity, from, count, pending.velocity, num_pending);
    copy_rows(block.acceleration, from, count, pending.acceleration, num_pending);
    copy_rows(block.base_motion, from, count, pending.base_motion, num_pending);
    copy_rows(block.torque, from, count, pending.torque, num_pending);
    copy_rows(block.weight, from, count, pending.weight, num_pending);
    copy_rows(block.signal, from, count, pending.signal, num_pending);
    num_pending += count;
  }

  /// Runs of pending samples whose chunks are of equal length.
  std::vector<AccumulateJob> jobs() const {
    std::vector<AccumulateJob> runs;
    for (std::int64_t at = 0; at < num_pending;) {
      const int chunk = core::chunk_samples(segment_begin + at);
      if (runs.empty() || runs.back().chunk != chunk)
        runs.push_back({plan.get(), &pending, at, 0, chunk, &options});
      const std::int64_t count = std::min<std::int64_t>(chunk, num_pending - at);
      runs.back().count += count;
      at += count;
    }
    return runs;
  }

  /// Hands the sums of one chunk, pending samples [begin, begin + count), on to whoever adds them up.
  void add_chunk(const double* packed, std::int64_t begin, std::int64_t count) {
    std::vector<double> num_rows(plan->num_channels());
    for (int c = 0; c < plan->num_channels(); ++c) {
      num_rows[c] = static_cast<double>((pending.weight.col(c).segment(begin, count) != 0).count());
      total.num_rows[c] += num_rows[c];
    }
    forest.push(packed);
    stretches.push(packed, num_rows, count);
  }

  /// Sums what is pending; only the last chunk of a segment may be short.
  Result<Done> flush() {
    if (num_pending == 0) return Done{};
    const std::vector<AccumulateJob> runs = jobs();
    std::vector<std::vector<double>> partials(runs.size());
    HEFT_CHECK(backend.accumulate(runs, partials));
    for (std::size_t j = 0; j < runs.size(); ++j)
      for (std::int64_t k = 0; k < runs[j].num_chunks(); ++k)
        add_chunk(partials[j].data() + k * packed_size(*plan, options), runs[j].begin + k * runs[j].chunk,
                  std::min<std::int64_t>(runs[j].chunk, runs[j].count - k * runs[j].chunk));
    segment_begin += num_pending;
    num_pending = 0;
    return Done{};
  }

  Result<Done> end_segment() {
    HEFT_CHECK(flush());
    forest.add_to(total.packed);
    forest = MomentForest(packed_size(*plan, options));
    segment_begin = 0;
    return Done{};
  }
};

MomentAccumulator::MomentAccumulator(PlanPtr plan, Backend& backend, AccumulateOptions options)
    : state_(std::make_unique<State>(std::move(plan), backend, std::move(options))) {}
MomentAccumulator::~MomentAccumulator() = default;
MomentAccumulator::MomentAccumulator(MomentAccumulator&&) noexcept = default;

Result<Done> MomentAccumulator::push(int segment, const Samples& block) {
  if (segment != state_->segment) HEFT_CHECK(state_->end_segment());
  state_->segment = segment;
  const std::int64_t capacity = state_->pending.time.size();
  for (std::int64_t from = 0; from < block.size();) {
    const std::int64_t count =
        std::min(capacity - state_->num_pending, static_cast<std::int64_t>(block.size()) - from);
    state_->append(block, from, count);
    from += count;
    if (state_->num_pending == capacity) HEFT_CHECK(state_->flush());
  }
  return Done{};
}

Result<Moments> MomentAccumulator::finish() {
  HEFT_CHECK(state_->end_segment());
  return state_->total;
}

std::vector<MomentStretch> MomentAccumulator::take_stretches() {
  return state_->stretches.finish();
}

}  // namespace heft
