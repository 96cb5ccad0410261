#include "training/sample_source.hpp"

#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

constexpr double kMemoryLimit = 64e6;  ///< bytes of conditioned samples to keep for the second pass

double bytes_of(const Samples& s) {
  const double unfiltered = s.unfiltered ? bytes_of(s.unfiltered->samples) : 0;
  return unfiltered +
         8.0 * static_cast<double>(s.time.size() + s.position.size() + s.velocity.size() +
                                   s.acceleration.size() + s.base_motion.size() + s.torque.size() +
                                   s.known_torque.size() + s.weight.size() + s.signal.size());
}

Samples first_samples(const Samples& block, Eigen::Index count) {
  const auto top = [count](const Eigen::ArrayXXd& array) -> Eigen::ArrayXXd {
    return array.size() > 0 ? array.topRows(count).eval() : array;
  };
  return {block.time.head(count), top(block.position), top(block.velocity),     top(block.acceleration),
          top(block.base_motion), top(block.torque),   top(block.known_torque), top(block.weight),
          top(block.signal),      block.unfiltered};
}

}  // namespace

Result<Done> SampleSource::run(const Sink& sink, const Progress& progress) {
  if (!was_read_ || !all_kept_) return read(sink, progress);
  for (const Block& block : kept_) HEFT_CHECK(sink(block.segment, block.samples));
  return Done{};
}

Result<Done> SampleSource::read(const Sink& sink, const Progress& progress) {
  summaries_.clear();
  int first_segment = 0;
  std::int64_t num_samples = 0;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const double share = 1.0 / static_cast<double>(paths_.size());
    const auto on_progress = [&](double fraction) {
      if (progress) progress((static_cast<double>(i) + fraction) * share);
    };
    int last_segment = first_segment - 1;
    const auto on_block = [&](int segment, const Samples& block) -> Result<Done> {
      last_segment = first_segment + segment;
      const std::int64_t room = max_samples_ > 0 ? max_samples_ - num_samples : block.size();
      num_samples += block.size();
      if (room <= 0) return Done{};
      return room < block.size() ? hand_on(sink, last_segment, first_samples(block, room))
                                 : hand_on(sink, last_segment, block);
    };
    HEFT_TRY(summary, condition_log(paths_[i], plan_.robot, plan_.channels, configuration_.log,
                                    configuration_.conditioning, derived_, on_block, on_progress));
    summaries_.push_back(summary);
    first_segment = last_segment + 1;
  }
  was_read_ = true;
  return Done{};
}

Result<Done> SampleSource::hand_on(const Sink& sink, int segment, const Samples& block) {
  if (!was_read_) keep(segment, block);
  return sink(segment, block);
}

void SampleSource::keep(int segment, const Samples& block) {
  if (!all_kept_) return;
  kept_bytes_ += bytes_of(block);
  all_kept_ = kept_bytes_ <= kMemoryLimit;
  if (all_kept_)
    kept_.push_back({segment, block});
  else
    kept_.clear();
}

}  // namespace heft
