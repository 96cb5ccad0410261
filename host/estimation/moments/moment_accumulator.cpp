// Collects sample blocks into whole chunks, has the backend sum them, and merges the sums in the
// fixed order.
#include <algorithm>
#include <optional>

#include "base/parallel_for.hpp"
#include "chunks.hpp"
#include "heft/moments/moments.hpp"
#include "moments/moment_forest.hpp"
#include "rows/row_stage.hpp"
#include "stretch_collector.hpp"

namespace heft {

namespace {

// how many chunks the backend is given at a time
constexpr std::int64_t kBatchChunks = 8;  ///< of the largest size: what a reader keeps busy, in
                                          ///< little memory
constexpr std::int64_t kMaxChunks = 32;   ///< of a small size, whose sums are larger than its
                                          ///< samples: they stay in cache
constexpr std::int64_t kRowChunks = 1;    ///< of rows, which need the memory of all their columns

/// Appends rows [from, from + count) of one array to another that has room for `capacity`.
template <class Array>
void copy_rows(const Array& source, std::int64_t from, std::int64_t count, Array& target,
               std::int64_t to, std::int64_t capacity) {
  if (source.size() == 0) return;
  if (target.cols() != source.cols()) target.resize(capacity, source.cols());
  target.middleRows(to, count) = source.middleRows(from, count);
}

/// Error in the sizes of a state; empty if they are valid.
std::string size_fault(const UnfinishedMoments& state) {
  const RegressorPlan& plan = *state.total.plan;
  const auto size = static_cast<std::size_t>(packed_size(plan, state.options));
  const auto num_channels = static_cast<std::size_t>(plan.num_channels());
  const auto fits = [&](const Moments& moments) {
    return moments.packed.size() == size && moments.num_rows.size() == num_channels;
  };
  const auto is_stretch = [&](const MomentStretch& stretch) {
    return fits(stretch.moments) && stretch.num_samples >= 0;
  };
  const auto is_tree = [&](const std::vector<double>& tree) {
    return tree.empty() || tree.size() == size;
  };
  if (!fits(state.total) ||
      !std::all_of(state.stretches.begin(), state.stretches.end(), is_stretch) ||
      !std::all_of(state.trees.begin(), state.trees.end(), is_tree) || state.trees.size() > 62)
    return "sums";
  const bool length_fits =
      state.stretches.empty() ? state.stretch_length >= 0 : state.stretch_length > 0;
  const bool are_few =
      state.stretches.size() <= StretchCollector::limit(state.options.most_stretches, size);
  if (!length_fits || !are_few || state.segment_begin < 0) return "counts";
  const Samples& pending = state.pending;
  const Eigen::Index count = pending.size();
  const auto most =
      static_cast<std::int64_t>(StretchCollector::limit(state.options.most_stretches, size));
  if (count >= chunk_samples(state.segment_begin, most) || (count > 0 && !state.has_row_stage))
    return "pending samples";
  if (count == 0) return "";
  const auto has = [count](const auto& array, Eigen::Index columns, bool may_miss) {
    return (may_miss && array.size() == 0) || (array.rows() == count && array.cols() == columns);
  };
  bool sound = has(pending.weight, plan.num_channels(), false);
  const Robot& robot = plan.robot;
  if (*state.has_row_stage) {
    sound = sound && state.pending_rows.size() == num_channels;
    for (std::size_t c = 0; sound && c < num_channels; ++c)
      sound = has(state.pending_rows[c],
                  static_cast<Eigen::Index>(plan.channel_columns[c].size()) + 1, false);
    return sound ? "" : "pending rows";
  }
  for (const SampleArray& array : kEvaluatedArrays) {
    const Eigen::ArrayXXd& numbers = pending.*array.member;
    switch (array.per) {
      case SampleColumn::coordinate:
        sound = sound && has(numbers, robot.num_coordinates(), robot.num_coordinates() == 0);
        break;
      case SampleColumn::base:
        sound = sound && has(numbers, 9, !robot.floating_base);
        break;
      case SampleColumn::channel:
        sound = sound && has(numbers, plan.num_channels(), array.member == &Samples::torque);
        break;
      case SampleColumn::signal:
        // signals that no column uses follow those of the columns
        sound = sound && has(numbers, std::max<Eigen::Index>(plan.num_signals, numbers.cols()),
                             plan.num_signals == 0);
        break;
    }
  }
  return sound ? "" : "pending samples";
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
  Samples pending;                 ///< of the current segment
  std::int64_t num_pending = 0;
  std::int64_t capacity = 0;           ///< of what is pending; 0 before the first block
  std::optional<RowStage> stage;       ///< if there is work to do on rows: then of the samples only
  std::vector<RowArray> pending_rows;  ///< the weights are pending, and these
  MadeRows made;                       ///< of the block under way
  std::vector<double> partial;         ///< sums of the chunks of a call

  State(PlanPtr plan_, Backend& backend_, AccumulateOptions options_)
      : plan(std::move(plan_)),
        backend(backend_),
        options(std::move(options_)),
        total(zero_moments(plan, options.channel_weights)),
        forest(packed_size(*plan, options)),
        stretches(total, options.most_stretches) {}

  /// Properties of all blocks, from the first: whether rows are filtered.
  void start(bool has_row_stage) {
    if (has_row_stage) {
      stage.emplace(plan, options.covariance);
      pending_rows.resize(static_cast<std::size_t>(plan->num_channels()));
    }
    capacity = (stage ? kRowChunks : kBatchChunks) * core::kChunkSamples;
    pending.time.resize(capacity);
  }

  void append(const Samples& block, std::int64_t from, std::int64_t count) {
    const auto copy = [&](const auto& source, auto& target) {
      copy_rows(source, from, count, target, num_pending, capacity);
    };
    if (stage) {
      copy(made.weight, pending.weight);
      for (std::size_t c = 0; c < made.rows.size(); ++c) copy(made.rows[c], pending_rows[c]);
    } else {
      const auto copy_array = [&](const SampleArray& array, const Eigen::ArrayXXd& source) {
        copy(source, pending.*array.member);
      };
      for_each_array(block, copy_array, kEvaluatedArrays);
    }
    num_pending += count;
  }

  /// Samples of the chunk that begins at this one of the segment.
  int chunk_at(std::int64_t index) const {
    return chunk_samples(index, static_cast<std::int64_t>(StretchCollector::limit(
                                    options.most_stretches, total.packed.size())));
  }

  /// Runs of pending samples whose chunks are of equal length.
  std::vector<AccumulateJob> jobs() const {
    std::vector<AccumulateJob> runs;
    for (std::int64_t at = 0; at < num_pending;) {
      const int chunk = chunk_at(segment_begin + at);
      if (runs.empty() || runs.back().chunk != chunk)
        runs.push_back({plan.get(), &pending, at, 0, chunk, &options});
      const std::int64_t count = std::min<std::int64_t>(chunk, num_pending - at);
      runs.back().count += count;
      at += count;
    }
    return runs;
  }

  /// Passes on the sums of one chunk, pending samples [begin, begin + count).
  void add_chunk(const double* packed, std::int64_t begin, std::int64_t count) {
    std::vector<double> num_rows(plan->num_channels());
    for (int c = 0; c < plan->num_channels(); ++c) {
      num_rows[c] = static_cast<double>((pending.weight.col(c).segment(begin, count) != 0).count());
      total.num_rows[c] += num_rows[c];
    }
    constexpr std::int64_t kWorthTwoThreads = 1 << 14;  ///< doubles
    const bool is_large = packed_size(*plan, options) >= kWorthTwoThreads;
    parallel_for(2, is_large ? backend.num_threads() : 1, [&](std::int64_t sum, int) {
      sum == 0 ? forest.push(packed) : stretches.push(packed, num_rows, count);
    });
  }

  /// Sends the chunks of a run of pending samples to the backend and passes on their sums.
  Result<Done> sum(const AccumulateJob& job) {
    if (stage) {
      const RowsJob rows_job{plan.get(), pending_rows, job.begin, job.count, job.chunk};
      HEFT_CHECK(backend.accumulate_rows({&rows_job, 1}, {&partial, 1}));
    } else {
      HEFT_CHECK(backend.accumulate({&job, 1}, {&partial, 1}));
    }
    for (std::int64_t k = 0; k < job.num_chunks(); ++k)
      add_chunk(partial.data() + k * packed_size(*plan, options), job.begin + k * job.chunk,
                std::min<std::int64_t>(job.chunk, job.count - k * job.chunk));
    return Done{};
  }

  /// Sums all pending samples; the last chunk may be short, as only the last one of a segment
  /// should be.
  Result<Done> flush() {
    for (AccumulateJob run : jobs())
      for (std::int64_t rest = run.count; rest > 0; rest -= run.count, run.begin += run.count) {
        run.count = std::min<std::int64_t>(rest, kMaxChunks * run.chunk);
        HEFT_CHECK(sum(run));
      }
    segment_begin += num_pending;
    num_pending = 0;
    return Done{};
  }

  /// Sums the complete pending chunks; the rest starts the next chunk. Chunks depend only on their
  /// samples, so that the time of this call does not affect any sum.
  Result<Done> flush_whole_chunks() {
    std::int64_t whole = 0;
    for (int chunk = chunk_at(segment_begin); whole + chunk <= num_pending;
         chunk = chunk_at(segment_begin + whole))
      whole += chunk;
    const std::int64_t rest = num_pending - whole;
    num_pending = whole;
    HEFT_CHECK(flush());
    const auto move_up = [&](auto& array) {
      if (array.size() > 0) array.topRows(rest) = array.middleRows(whole, rest).eval();
    };
    for_each_array(
        pending, [&](const SampleArray&, auto& array) { move_up(array); }, kEvaluatedArrays);
    std::for_each(pending_rows.begin(), pending_rows.end(), move_up);
    num_pending = rest;
    return Done{};
  }

  UnfinishedMoments unfinished() const {
    UnfinishedMoments state{.options = options,
                            .total = total,
                            .trees = forest.trees(),
                            .stretches = stretches.stretches(),
                            .stretch_length = stretches.length(),
                            .segment = segment,
                            .segment_begin = segment_begin,
                            .pending = pending,
                            .pending_rows = pending_rows};
    if (capacity > 0) state.has_row_stage = stage.has_value();
    const auto cut = [this](auto& array) {
      if (array.size() > 0) array.conservativeResize(num_pending, array.cols());
    };
    state.pending.time.setZero(num_pending);
    for_each_array(
        state.pending, [&](const SampleArray&, auto& array) { cut(array); }, kEvaluatedArrays);
    std::for_each(state.pending_rows.begin(), state.pending_rows.end(), cut);
    return state;
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
MomentAccumulator::MomentAccumulator(std::unique_ptr<State> state) : state_(std::move(state)) {}
MomentAccumulator::~MomentAccumulator() = default;
MomentAccumulator::MomentAccumulator(MomentAccumulator&&) noexcept = default;
MomentAccumulator& MomentAccumulator::operator=(MomentAccumulator&&) noexcept = default;

Result<Done> MomentAccumulator::push(int segment, const Samples& block) {
  const bool is_weighed =
      block.weight.rows() == block.size() && block.weight.cols() == state_->plan->num_channels();
  if (block.size() > 0 && !is_weighed)
    return Error{"samples", "need a weight for every sample and channel",
                 "set Samples::weight, to ones if all samples count"};
  if (segment != state_->segment) HEFT_CHECK(state_->end_segment());
  state_->segment = segment;
  if (state_->capacity == 0)
    state_->start(state_->options.covariance.size() > 0 || block.unfiltered);
  if (state_->stage) HEFT_CHECK(state_->stage->run(block, state_->backend, state_->made));
  for (std::int64_t from = 0; from < block.size();) {
    const std::int64_t count = std::min(state_->capacity - state_->num_pending,
                                        static_cast<std::int64_t>(block.size()) - from);
    state_->append(block, from, count);
    from += count;
    if (state_->num_pending == state_->capacity) HEFT_CHECK(state_->flush_whole_chunks());
  }
  return Done{};
}

Result<UnfinishedMoments> MomentAccumulator::snapshot() {
  HEFT_CHECK(state_->flush_whole_chunks());
  return state_->unfinished();
}

Result<MomentAccumulator> MomentAccumulator::resume(UnfinishedMoments from, Backend& backend) {
  if (const std::string fault = size_fault(from); !fault.empty())
    return Error{
        "moments",
        "an unfinished sum has " + fault + " that do not fit its robot, channels and columns",
        "take a snapshot again"};
  auto state = std::make_unique<State>(from.total.plan, backend, from.options);
  if (from.has_row_stage) state->start(*from.has_row_stage);
  if (const auto count = static_cast<std::int64_t>(from.pending.size()); count > 0) {
    state->made = {from.pending_rows, from.pending.weight};
    state->append(from.pending, 0, count);
  }
  state->forest = MomentForest(packed_size(*from.total.plan, from.options), std::move(from.trees));
  state->stretches =
      StretchCollector(zero_moments(from.total.plan, from.options.channel_weights),
                       from.options.most_stretches, std::move(from.stretches), from.stretch_length);
  state->total = std::move(from.total);
  state->segment = from.segment;
  state->segment_begin = from.segment_begin;
  return MomentAccumulator(std::move(state));
}

Result<Moments> MomentAccumulator::finish() {
  HEFT_CHECK(state_->end_segment());
  return state_->total;
}

std::vector<MomentStretch> MomentAccumulator::take_stretches() {
  return state_->stretches.finish();
}

}  // namespace heft
