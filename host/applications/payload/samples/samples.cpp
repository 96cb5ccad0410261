#include "heft/payload/samples.hpp"

#include <algorithm>
#include <cmath>

#include "base/median.hpp"
#include "base/number_text.hpp"
#include "filtering.hpp"
#include "sums/rows.hpp"

namespace heft {

namespace {

constexpr double kPause = 10;     // median periods
constexpr double kLargest = 1e9;  // of any quantity in SI units

Result<Done> check_sizes(const Eigen::ArrayXXd& wrench,
                         std::initializer_list<const Eigen::ArrayXXd*> triples) {
  const char* remedy =
      "give one row per sample: three columns for each vector, six for the "
      "wrench";
  if (wrench.rows() == 0)
    return Error{"samples", "no samples are given", "give at least one sample"};
  if (wrench.cols() != 6) return Error{"samples", "the wrench does not have six columns", remedy};
  for (const Eigen::ArrayXXd* triple : triples)
    if (triple->cols() != 3 || triple->rows() != wrench.rows())
      return Error{"samples", "a vector does not have three columns and one row per sample",
                   remedy};
  bool finite = wrench.allFinite();
  for (const Eigen::ArrayXXd* triple : triples) finite = finite && triple->allFinite();
  double largest = wrench.abs().maxCoeff();
  for (const Eigen::ArrayXXd* triple : triples)
    largest = std::max(largest, triple->abs().maxCoeff());
  if (finite && largest > kLargest)
    return Error{"samples",
                 "a number of " + number_text(largest, 3) + " is outside the range of a sensor",
                 "check the units, and fix the sample or drop it"};
  if (!finite)
    return Error{"samples", "a number is not finite", "drop samples that were not measured"};
  return Done{};
}

/// Allocates `size` samples without segments.
void resize(bool moves, Eigen::Index size, WrenchSamples& samples) {
  samples.moves = moves;
  samples.time.resize(size);
  samples.motion.resize(size, WrenchSamples::kNumMotion);
  samples.wrench.resize(size, 6);
  samples.segments.clear();
}

WrenchSamples empty_like(const WrenchSamples& samples, Eigen::Index size) {
  WrenchSamples result;
  resize(samples.moves, size, result);
  result.is_oriented_by_force = samples.is_oriented_by_force;
  result.drift = samples.drift;
  if (samples.logged_time.size() > 0) result.logged_time.resize(size);
  if (samples.gravity.rows() > 0) result.gravity.resize(size, 3);
  return result;
}

/// Number of samples in all segments.
Eigen::Index end_of(const WrenchSamples& samples) {
  return samples.segments.empty() ? 0
                                  : samples.segments.back().begin + samples.segments.back().size;
}

/// Appends rows begin, begin + step, .. of `from` to `to` as a segment.
void append(const WrenchSamples& from, Eigen::Index begin, Eigen::Index count, Eigen::Index step,
            int log, int offset, WrenchSamples& to) {
  const Eigen::Index at = end_of(to);
  for (Eigen::Index k = 0; k < count; ++k) {
    to.time[at + k] = from.time[begin + k * step];
    to.motion.row(at + k) = from.motion.row(begin + k * step);
    to.wrench.row(at + k) = from.wrench.row(begin + k * step);
    if (to.gravity.rows() > 0) to.gravity.row(at + k) = from.gravity.row(begin + k * step);
    if (to.logged_time.size() > 0) to.logged_time[at + k] = from.logged_time[begin + k * step];
  }
  to.segments.push_back({at, count, log, offset});
}

}  // namespace

Result<WrenchSamples> make_wrench_samples(const Eigen::ArrayXd& time, const Eigen::ArrayXXd& w,
                                          const Eigen::ArrayXXd& wd, const Eigen::ArrayXXd& u,
                                          const Eigen::ArrayXXd& wrench) {
  HEFT_CHECK(check_sizes(wrench, {&w, &wd, &u}));
  const Eigen::Index n = wrench.rows();
  if (time.size() != n || !time.allFinite())
    return Error{"samples", "the time does not have one finite number per sample",
                 "give one time per sample, in seconds"};
  for (Eigen::Index i = 1; i < n; ++i)
    if (!(time[i] > time[i - 1]))
      return Error{"samples", "time does not increase at sample " + std::to_string(i),
                   "sort the samples and drop repeated ones"};
  WrenchSamples samples;
  samples.time = time;
  samples.motion.resize(n, WrenchSamples::kNumMotion);
  for (Eigen::Index i = 0; i < n; ++i)
    samples.motion.row(i) = payload::motion_numbers(w.row(i), wd.row(i), u.row(i)).transpose();
  samples.wrench = wrench;
  const double longest = kPause * median_step(time);
  Eigen::Index begin = 0;
  for (Eigen::Index i = 1; i <= n; ++i) {
    if (i < n && time[i] - time[i - 1] <= longest) continue;
    samples.segments.push_back({begin, i - begin, 0});
    begin = i;
  }
  return samples;
}

Result<WrenchSamples> make_pose_samples(const Eigen::ArrayXXd& gravity,
                                        const Eigen::ArrayXXd& wrench) {
  HEFT_CHECK(check_sizes(wrench, {&gravity}));
  const Eigen::Index n = wrench.rows();
  WrenchSamples samples;
  samples.moves = false;
  samples.time = Eigen::ArrayXd::LinSpaced(n, 0, static_cast<double>(n - 1));
  samples.motion.setZero(n, WrenchSamples::kNumMotion);
  samples.motion.leftCols(3) = -gravity;
  samples.gravity = gravity;
  samples.wrench = wrench;
  samples.segments = {{0, n, 0}};
  return samples;
}

Result<WrenchSamples> concatenated(const std::vector<WrenchSamples>& logs) {
  if (logs.empty()) return Error{"samples", "no log is given", "give a log"};
  Eigen::Index size = 0;
  for (const WrenchSamples& log : logs) {
    if (log.moves != logs.front().moves)
      return Error{"logs", "some contain poses at rest, others motion", "weigh them in two runs"};
    size += log.size();
  }
  WrenchSamples all = empty_like(logs.front(), size);
  for (const WrenchSamples& log : logs) {
    if (log.gravity.rows() == 0) all.gravity.resize(0, 3);
    if (log.logged_time.size() == 0) all.logged_time.resize(0);
  }
  for (std::size_t i = 0; i < logs.size(); ++i)
    for (const WrenchSamples::Segment& segment : logs[i].segments)
      append(logs[i], segment.begin, segment.size, 1, static_cast<int>(i), segment.offset, all);
  return all;
}

double rate_of(const WrenchSamples& samples) {
  double longest = 0, rate = 0;
  for (const WrenchSamples::Segment& segment : samples.segments) {
    const double step = median_step(samples.time.segment(segment.begin, segment.size));
    if (!samples.moves || !(step > 0) || static_cast<double>(segment.size) <= longest) continue;
    longest = static_cast<double>(segment.size);
    rate = 1 / step;
  }
  return rate;
}

namespace payload {

Result<Done> low_pass(const Smoother& smoother, const WrenchSamples& samples, WrenchSamples& result,
                      Eigen::ArrayXXd& scratch) {
  Eigen::Index size = 0;
  for (const WrenchSamples::Segment& segment : samples.segments)
    if (segment.size >= smoother.min_samples()) size += segment.size;
  if (size == 0)
    return Error{"payload.lowpass_hz",
                 "every segment of the log is shorter than the filter requires, " +
                     std::to_string(smoother.min_samples()) + " samples",
                 "record without gaps, or set payload.lowpass_hz: 0"};
  resize(samples.moves, size, result);
  result.drift = samples.drift;
  for (const WrenchSamples::Segment& segment : samples.segments) {
    if (segment.size < smoother.min_samples()) continue;
    const Eigen::Index begin = end_of(result);
    const auto filter = [&](const Eigen::ArrayXXd& from, Eigen::ArrayXXd& to) {
      smoother.apply_to_columns(from.middleRows(segment.begin, segment.size),
                                to.middleRows(begin, segment.size), scratch);
    };
    result.time.segment(begin, segment.size) = samples.time.segment(segment.begin, segment.size);
    filter(samples.motion, result.motion), filter(samples.wrench, result.wrench);
    result.segments.push_back({begin, segment.size, segment.log, segment.offset});
  }
  return Done{};
}

}  // namespace payload

Result<WrenchSamples> low_passed(const WrenchSamples& samples, double cutoff_hz) {
  HEFT_TRY(smoother, payload::low_pass_of(cutoff_hz, payload::filter_rate(samples)));
  WrenchSamples result;
  Eigen::ArrayXXd scratch;
  HEFT_CHECK(payload::low_pass(smoother, samples, result, scratch));
  return result;
}

WrenchSamples half_of(const WrenchSamples& samples, int which) {
  Eigen::Index size = 0;
  const auto count = [&](const WrenchSamples::Segment& segment) {
    return which == 0 ? (segment.size + 1) / 2 : segment.size / 2;
  };
  for (const WrenchSamples::Segment& segment : samples.segments) size += count(segment);
  WrenchSamples half = empty_like(samples, size);
  for (const WrenchSamples::Segment& segment : samples.segments) {
    const Eigen::Index step = samples.moves ? 1 : 2;
    const Eigen::Index first = which == 0 ? 0 : samples.moves ? (segment.size + 1) / 2 : 1;
    if (count(segment) > 0)
      append(samples, segment.begin + first, count(segment), step, segment.log, segment.offset,
             half);
  }
  return half;
}

Eigen::ArrayXXd payload_wrench(const WrenchSamples& samples, const BodyParameters& payload) {
  Eigen::ArrayXXd wrench(samples.size(), 6);
  for (Eigen::Index i = 0; i < samples.size(); ++i)
    wrench.row(i) = (payload::rows_of(samples.motion.row(i)) * payload).transpose();
  return wrench;
}

WrenchSamples without_tool(WrenchSamples samples, const KnownTool& tool) {
  samples.wrench -= payload_wrench(samples, tool.parameters);
  if (tool.has_bias) samples.wrench.rowwise() -= tool.bias.transpose().array();
  return samples;
}

}  // namespace heft
