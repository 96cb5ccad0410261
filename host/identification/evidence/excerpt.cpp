#include "evidence/excerpt.hpp"

#include <algorithm>
#include <utility>

#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

void append(Samples& to, Samples from) {
  if (to.size() == 0) {
    to = std::move(from);
    return;
  }
  const Eigen::Index before = to.size(), more = from.size();
  to.time.conservativeResize(before + more);
  to.time.tail(more) = from.time;
  for_each_array(from, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    if (numbers.size() == 0) return;
    Eigen::ArrayXXd& all = to.*array.member;
    all.conservativeResize(before + more, numbers.cols());
    all.bottomRows(more) = numbers;
  });
}

/// The part of a block's motion that affects its rows `first` to `first + count`: every test of a
/// stretch evaluates all of it.
UnfilteredMotion motion_behind(const UnfilteredMotion& motion, Eigen::Index first,
                               Eigen::Index count) {
  // as much as surrounds a block (host/data/conditioning/segment.cpp)
  const Eigen::Index guard = 2 + std::max(motion.lowpass.reach(), motion.lowpass.min_samples());
  const Eigen::Index at = motion.first + first * motion.step, last = at + (count - 1) * motion.step;
  const Eigen::Index begin = std::max<Eigen::Index>(at - guard, 0);
  const Eigen::Index end = std::min(last + guard + 1, motion.samples.size());
  return {rows_of(motion.samples, begin, end - begin),
          at - begin,
          motion.step,
          motion.lowpass,
          motion.kind,
          motion.filters_predictions};
}

}  // namespace

Eigen::Index Excerpt::num_samples() const {
  Eigen::Index sum = 0;
  for (const Samples& stretch : stretches) sum += stretch.size();
  return sum;
}

Samples rows_of(const Samples& samples, Eigen::Index first, Eigen::Index count) {
  Samples rows{.time = samples.time.segment(first, count)};
  for_each_array(samples, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    rows.*array.member = numbers.size() > 0 ? numbers.middleRows(first, count).eval() : numbers;
  });
  if (samples.unfiltered)
    rows.unfiltered =
        std::make_shared<const UnfilteredMotion>(motion_behind(*samples.unfiltered, first, count));
  return rows;
}

void ExcerptRecorder::push(int segment, const Samples& block) {
  if (block.unfiltered) close();  // the motion behind filtered rows is that of one block
  push(segment, block.size(),
       [&](Eigen::Index first, Eigen::Index count) { return rows_of(block, first, count); });
  if (block.unfiltered) close();
}

void ExcerptRecorder::add(Samples rows) {
  append(open_, std::move(rows));
}

void ExcerptRecorder::close() {
  if (open_size_ == 0) return;
  if (keeps_open()) excerpt_.stretches.push_back(std::move(open_));
  ++num_stretches_;
  open_ = {};
  open_size_ = 0;
  if (excerpt_.num_samples() <= max_samples_ || excerpt_.stretches.size() < 2) return;
  keep_every_ *= 2;
  std::vector<Samples> every_second;
  for (std::size_t i = 0; i < excerpt_.stretches.size(); i += 2)
    every_second.push_back(std::move(excerpt_.stretches[i]));
  excerpt_.stretches = std::move(every_second);
}

Excerpt ExcerptRecorder::excerpt() const {
  ExcerptRecorder closed = *this;
  closed.close();
  // the ends of segments are too short for tests of time; prefer other stretches
  std::vector<Samples>& stretches = closed.excerpt_.stretches;
  Eigen::Index longest = 0;
  for (const Samples& stretch : stretches) longest = std::max(longest, stretch.size());
  std::erase_if(stretches, [&](const Samples& stretch) { return 4 * stretch.size() < longest; });
  return closed.excerpt_;
}

double period_of(const Samples& stretch) {
  return stretch.size() < 2 ? 1
                            : (stretch.time[stretch.size() - 1] - stretch.time[0]) /
                                  static_cast<double>(stretch.size() - 1);
}

}  // namespace heft
