#include "training/sample_source.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "conditioning/condition_ahead.hpp"
#include "conditioning/log_wave.hpp"
#include "rows/device_conditioner.hpp"
#include "rows/unfiltered_motion.hpp"
#include "training/rest_with_payload.hpp"

namespace heft {

double bytes_of(const Samples& s) {
  Eigen::Index numbers = s.time.size();
  for_each_array(
      s, [&](const SampleArray&, const Eigen::ArrayXXd& array) { numbers += array.size(); });
  const double unfiltered = s.unfiltered ? bytes_of(s.unfiltered->samples) : 0;
  return unfiltered + 8.0 * static_cast<double>(numbers);
}

namespace {

Samples first_samples(const Samples& block, Eigen::Index count) {
  Samples first{.time = block.time.head(count), .unfiltered = block.unfiltered};
  for_each_array(block, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    first.*array.member = numbers.size() > 0 ? numbers.topRows(count).eval() : numbers;
  });
  return first;
}

std::vector<int> channels_of(const std::map<int, int>& gain_signals) {
  std::vector<int> channels;
  for (const auto& [signal, channel] : gain_signals) channels.push_back(channel);
  return channels;
}

}  // namespace

/// Logs first, first + 1, .. of a source, conditioned by its device.
class SampleSource::Wave {
 public:
  Wave(SampleSource& source, std::size_t first)
      : source_(source), wave_(*source.device_), first_(first) {}
  ~Wave() { source_.on_device_.host_cpu_s += wave_.host_cpu_s(); }
  Wave(const Wave&) = delete;
  Wave& operator=(const Wave&) = delete;

  /// Reads as many logs as a wave has, and conditions them. `hear` receives the fraction of all
  /// logs that are read.
  Result<Done> condition(const HearFraction& hear) {
    const std::size_t num_logs = source_.logs_.size();
    for (std::size_t i = first_; i < num_logs && !wave_.is_full(); ++i) {
      derived_.push_back(source_.model_.derived_of(source_.logs_[i].name()));
      const LogReading reading = source_.reading(derived_.back());
      wave_.add(source_.logs_[i], reading, [&](double fraction) {
        if (hear) hear((static_cast<double>(i) + fraction) / static_cast<double>(num_logs));
      });
    }
    return wave_.condition();
  }

  /// Whether it has log i, conditioned or not.
  bool has(std::size_t i) const { return i - first_ < wave_.size(); }

  /// Whether the device conditioned log i; counts it otherwise.
  bool is_on_device(std::size_t i) {
    const std::string& why = wave_.why_on_host(i - first_);
    if (!why.empty()) source_.on_device_.on_host.emplace_back(source_.logs_[i].name(), why);
    return why.empty();
  }

  Result<LogSummary> hand_on(std::size_t i, const BlockSink& sink) {
    auto summary = wave_.hand_on(i - first_, sink);
    if (summary) ++source_.on_device_.num_logs;
    return summary;
  }

 private:
  SampleSource& source_;
  LogWave wave_;
  std::size_t first_;
  std::deque<DerivedSignals> derived_;  // stay where they are
};

LogReading SampleSource::reading(const DerivedSignals& derived) const {
  return {model_.plan->robot, model_.plan->channels, options_.log, options_.conditioning, derived};
}

const RowKind& SampleSource::rows() const {
  const RowKind* const kind = find_row_kind(options_.conditioning.rows);
  return kind ? *kind : *row_kinds().front();  // the option is checked before anything is read
}

const UnknownWrenches* SampleSource::unknown_wrenches() const {
  const bool can_project = options_.conditioning.filter_rows && !rows().needs_motion_around;
  return can_project ? model_.derived.unknown_wrenches.get() : nullptr;
}

Result<Done> SampleSource::run(const BlockSink& sink, const HearFraction& hear) {
  if (!was_read_ || !all_kept_) return read(sink, hear);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (hear) hear(static_cast<double>(i) / static_cast<double>(kept_.size()));
    HEFT_CHECK(sink(kept_[i].segment, kept_[i].samples));
  }
  return Done{};
}

Result<Done> SampleSource::read(const BlockSink& sink, const HearFraction& hear) {
  summaries_.clear(), first_segments_.clear();
  if (!was_read_) {  // samples kept by a stopped run would be delivered twice
    kept_.clear();
    kept_bytes_ = 0, all_kept_ = true;
  }
  int first_segment = 0;
  std::int64_t num_samples = 0;
  std::optional<Wave> wave;
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    first_segments_.push_back(first_segment);
    if (device_ && !(wave && wave->has(i))) {
      wave.emplace(*this, i);
      HEFT_CHECK(wave->condition(hear));
    }
    const double share = 1.0 / static_cast<double>(logs_.size());
    const auto on_progress = [&](double fraction) {
      if (hear) hear((static_cast<double>(i) + fraction) * share);
    };
    int last_segment = first_segment - 1;
    DerivedSignals derived = model_.derived_of(logs_[i].name());
    derived.num_threads = num_threads_;
    std::optional<RestWithPayload> rest;
    if (derived.payload && !derived.gain_signals.empty() && !rows().mixes_channels)
      rest.emplace(*model_.plan, channels_of(derived.gain_signals));
    const auto count_and_room = [&](int segment, const Samples& block) {
      last_segment = first_segment + segment;
      const std::int64_t room = max_samples_ > 0 ? max_samples_ - num_samples : block.size();
      num_samples += block.size();
      return room;
    };
    const auto on_owned = [&](int segment, Samples block) -> Result<Done> {
      if (rest) rest->exclude(segment, block);
      const std::int64_t room = count_and_room(segment, block);
      if (room <= 0) return Done{};
      return hand_on(sink, last_segment,
                     room < block.size() ? first_samples(block, room) : std::move(block));
    };
    const auto on_block = [&](int segment, const Samples& block) -> Result<Done> {
      // copy a block only to change or keep it
      if (rest || (!was_read_ && all_kept_)) return on_owned(segment, block);
      const std::int64_t room = count_and_room(segment, block);
      if (room <= 0) return Done{};
      if (room < block.size()) return sink(last_segment, first_samples(block, room));
      return sink(last_segment, block);
    };
    const auto condition = [&]() -> Result<LogSummary> {
      if (wave && wave->is_on_device(i)) return wave->hand_on(i, on_block);
      return num_threads_ > 1 ? condition_ahead(logs_[i], reading(derived), on_owned, on_progress)
                              : condition_log(logs_[i], reading(derived), on_block, on_progress);
    };
    HEFT_TRY(summary, condition());
    if (rest)
      for (const auto& [reason, rows] : rest->dropped()) summary.dropped[reason] += rows;
    summaries_.push_back(summary);
    first_segment = last_segment + 1;
  }
  was_read_ = true;
  return Done{};
}

Result<Done> SampleSource::hand_on(const BlockSink& sink, int segment, Samples block) {
  if (was_read_ || !has_room_for(block)) return sink(segment, block);
  kept_.push_back({segment, std::move(block)});
  return sink(segment, kept_.back().samples);
}

bool SampleSource::has_room_for(const Samples& block) {
  if (!all_kept_) return false;
  kept_bytes_ += bytes_of(block);
  all_kept_ = kept_bytes_ <= most_bytes_;
  if (!all_kept_) kept_ = {};
  return all_kept_;
}

void SampleSource::hold(std::vector<ConditionedLog> logs) {
  kept_.clear(), summaries_.clear(), first_segments_.clear();
  kept_bytes_ = 0, all_kept_ = true;
  int first_segment = 0;
  for (ConditionedLog& log : logs) {
    first_segments_.push_back(first_segment);
    int last_segment = first_segment - 1;
    for (ConditionedLog::Block& block : log.blocks) {
      last_segment = first_segment + block.segment;
      kept_.push_back({last_segment, std::move(block.samples)});
    }
    summaries_.push_back(std::move(log.summary));
    kept_bytes_ += log.bytes;
    first_segment = last_segment + 1;
  }
  was_read_ = true;
}

int SampleSource::log_of(int segment) const {
  const auto next = std::upper_bound(first_segments_.begin(), first_segments_.end(), segment);
  return static_cast<int>(next - first_segments_.begin()) - 1;
}

std::optional<ConditionedLog> SampleSource::take() {
  if (!was_read_ || !all_kept_ || summaries_.size() != 1) return {};
  was_read_ = false;
  return ConditionedLog{std::move(summaries_.front()), std::exchange(kept_, {}),
                        std::exchange(kept_bytes_, 0)};
}

}  // namespace heft
