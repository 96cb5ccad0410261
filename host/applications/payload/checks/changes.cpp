#include "changes.hpp"

#include <algorithm>
#include <cmath>

#include "change_limits.hpp"
#include "methods/methods.hpp"
#include "samples/filtering.hpp"
#include "sums/offsets.hpp"
#include "sums/prefix_moments.hpp"

namespace heft::payload {

namespace {

constexpr int kCandidates = 64;        // of a stretch
constexpr double kLeastStretch = 0.5;  // [s]
constexpr Eigen::Index kLeastPoses = 4, kLeastSamples = 20;
constexpr double kNoResidual = 1e-11;  // of the wrench's power: smaller residuals are ignored
constexpr double kUnknowns = 26;       // two bodies and an offset

class Search {
 public:
  Search(const WrenchSamples& samples, const PayloadOptions& options, const Vector6d& weights,
         double autocorrelation)
      : samples_(samples),
        options_(options),
        weights_(weights),
        autocorrelation_(autocorrelation),
        prefixes_(samples, step_of(samples)) {
    const double step_s =
        samples.moves ? static_cast<double>(prefixes_.step()) / std::max(rate_of(samples), 1e-9)
                      : 1;
    const auto in_time = static_cast<int>(std::ceil(kLeastStretch / step_s));
    const auto in_samples =
        static_cast<int>((kLeastSamples + prefixes_.step() - 1) / prefixes_.step());
    least_ = samples.moves ? std::max(in_time, in_samples) : static_cast<int>(kLeastPoses);
  }

  std::vector<Change> run() {
    split(0, prefixes_.size());
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.time < b.time; });
    return changes_;
  }

 private:
  static Eigen::Index step_of(const WrenchSamples& samples) {
    return samples.moves ? std::max<Eigen::Index>(1, samples.size() / (4 * kCandidates)) : 1;
  }

  double least(OffsetInformation information) const {
    return options_.bias == BiasKind::none ? information.rest : information.least();
  }

  /// Finds the best place for a change between two blocks, if any; then searches both sides.
  void split(int from, int to) {
    if (static_cast<int>(changes_.size()) >= kMaxChanges || to - from < 2 * least_) return;
    const StretchMoments all = prefixes_.between(from, to);
    const double one = least(StretchFit(all, weights_).information());
    const double power = all.about_zero.products.diagonal().tail<6>().dot(weights_);
    if (one < kNoResidual * power) return;
    const auto two = [&](int at) {
      OffsetInformation both = StretchFit(prefixes_.between(from, at), weights_).information();
      return least(both += StretchFit(prefixes_.between(at, to), weights_).information());
    };
    const int stride = std::max(1, (to - from) / kCandidates);
    int best = from + least_;
    double left = two(best);
    const auto look = [&](int first, int last, int by) {
      for (int at = std::max(first, from + least_); at <= std::min(last, to - least_); at += by)
        if (const double here = two(at); here < left) left = here, best = at;
    };
    look(from + least_ + stride, to - least_, stride);
    if (stride > 1) look(best - stride + 1, best + stride - 1, 1);
    const double rows = 6 * all.about_zero.count / autocorrelation_;
    const double noise = std::max(left, 0.0) / std::max(rows - kUnknowns, 1.0);
    if (rows <= kUnknowns || left > kStillLeft * one || !(one - left > kChanceOfChange * noise))
      return;
    const Change change = change_at(from, best, to);
    if (!is_another_body(change.before, change.after)) return;
    changes_.push_back(change);
    split(from, best), split(best, to);
  }

  Change change_at(int from, int at, int to) const {
    const StretchFit before(prefixes_.between(from, at), weights_),
        after(prefixes_.between(at, to), weights_);
    OffsetInformation both = before.information();
    both += after.information();
    const Vector6d offset = options_.bias == BiasKind::none ? Vector6d::Zero() : both.offset();
    const Eigen::Index sample = std::min(at * prefixes_.step(), samples_.size() - 1);
    return {samples_.time[sample], before.body(offset), after.body(offset)};
  }

  const WrenchSamples& samples_;
  const PayloadOptions& options_;
  Vector6d weights_;
  double autocorrelation_;
  PrefixMoments prefixes_;
  int least_ = 1;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> changes_in(const WrenchSamples& samples, const PayloadOptions& options) {
  if (samples.segments.empty() || samples.segments.back().log != samples.segments.front().log)
    return {};
  const BiasKind bias = options.bias == BiasKind::none ? BiasKind::none : BiasKind::constant;
  const auto slow = slow_samples(samples, options.lowpass_hz);
  if (!slow) return {};
  const auto fit = least_squares_of(sums_of(slow->samples, bias));
  if (!fit) return {};
  return Search(slow->samples, options, inverse_squares(fit->rms), slow->autocorrelation).run();
}

WrenchSamples samples_between(const WrenchSamples& samples, double from, double to) {
  WrenchSamples part = samples;
  part.segments.clear();
  Eigen::Index size = 0;
  for (const WrenchSamples::Segment& segment : samples.segments) {
    const Eigen::Index begin = size;
    for (Eigen::Index i = segment.begin; i < segment.begin + segment.size; ++i) {
      if (samples.time[i] < from || samples.time[i] >= to) continue;
      part.time[size] = samples.time[i];
      part.motion.row(size) = samples.motion.row(i);
      part.wrench.row(size) = samples.wrench.row(i);
      if (part.gravity.rows() > 0) part.gravity.row(size) = samples.gravity.row(i);
      if (part.logged_time.size() > 0) part.logged_time[size] = samples.logged_time[i];
      ++size;
    }
    if (size > begin) part.segments.push_back({begin, size - begin, segment.log, segment.offset});
  }
  part.time.conservativeResize(size);
  part.motion.conservativeResize(size, part.motion.cols());
  part.wrench.conservativeResize(size, 6);
  if (part.gravity.rows() > 0) part.gravity.conservativeResize(size, 3);
  if (part.logged_time.size() > 0) part.logged_time.conservativeResize(size);
  return part;
}

}  // namespace heft::payload
