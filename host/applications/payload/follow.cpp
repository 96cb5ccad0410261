#include "heft/payload/follow.hpp"

#include <algorithm>
#include <cmath>

#include "heft/signal/smoother.hpp"
#include "methods/automatic.hpp"
#include "methods/intervals.hpp"
#include "sums/motion_moments.hpp"
#include "sums/rows.hpp"

namespace heft {

namespace {

using namespace payload;
using Vector = MotionMoments::Vector;

constexpr int kOrder = 4;
constexpr double kStreamPause = 10;       // periods
constexpr Eigen::Index kRecent = 256;     // samples from which the color of the residuals is judged
constexpr int kJudgeEvery = 64;           // updates
constexpr double kLargestInStream = 1e9;  // of any quantity in SI units

/// Low-pass of twelve motion numbers and six wrench numbers; initialized at rest on the first
/// value.
class CausalFilter {
 public:
  CausalFilter() = default;
  CausalFilter(double cutoff_hz, double rate_hz)
      : sections_(butterworth_lowpass(kOrder, cutoff_hz / rate_hz)), state_(2 * sections_.size()) {}

  void restart() { has_past_ = false; }

  Vector filtered(const Vector& value) {
    Vector x = value;
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      const Biquad& b = sections_[s];
      Vector &first = state_[2 * s], &second = state_[2 * s + 1];
      if (!has_past_) {
        second = (b.b2 - b.a2) * x;
        first = (b.b1 - b.a1) * x + second;
      }
      const Vector y = b.b0 * x + first;
      first = b.b1 * x - b.a1 * y + second;
      second = b.b2 * x - b.a2 * y;
      x = y;
    }
    has_past_ = true;
    return x;
  }

  /// 1 / sum h^2 of the impulse response h: number of filtered samples with the information of one.
  double autocorrelation_samples() const {
    CausalFilter copy = *this;
    copy.has_past_ = true;
    std::fill(copy.state_.begin(), copy.state_.end(), Vector::Zero());
    double power = 0, last = 0;
    Vector impulse = Vector::Zero();
    impulse[0] = 1;
    for (int k = 0; k < 1000000; ++k) {
      const double h = copy.filtered(impulse)[0];
      impulse[0] = 0;
      power += h * h;
      last = std::max(std::abs(h), 0.99 * last);
      if (k > 10 && last < 1e-9) break;
    }
    return power > 0 ? std::max(1.0, 1 / power) : 1;
  }

 private:
  std::vector<Biquad> sections_;
  std::vector<Vector> state_;
  bool has_past_ = false;  ///< the state is that of samples before
};

}  // namespace

struct PayloadFollower::State {
  PayloadOptions options;
  PayloadShape shape;
  double period = 0;
  CausalFilter filter;
  bool filters = false;

  // sums of filtered samples about the first of them
  std::int64_t num_samples = 0;
  double time = 0;
  Vector origin = Vector::Zero(), sum = Vector::Zero();
  MotionMoments moments;

  // the latest of them in a ring buffer, and the color of residuals estimated from them
  Eigen::Array<double, Eigen::Dynamic, MotionMoments::kSize> recent{kRecent, MotionMoments::kSize};
  double filter_autocorrelation = 1, autocorrelation = 1;
  std::int64_t num_updates = 0, judged_at = 0;
  AutomaticFit fit;

  void judge_color() {
    const Eigen::Index size =
        std::min<Eigen::Index>(kRecent, static_cast<Eigen::Index>(num_samples));
    WrenchSamples samples;
    samples.time = Eigen::ArrayXd::LinSpaced(size, 0, static_cast<double>(size - 1));
    samples.motion.resize(size, WrenchSamples::kNumMotion);
    samples.wrench.resize(size, 6);
    samples.segments = {{0, size, 0}};
    for (Eigen::Index i = 0; i < size; ++i) {
      const Eigen::Index at = (static_cast<Eigen::Index>(num_samples) - size + i) % kRecent;
      samples.motion.row(i) = recent.row(at).head<WrenchSamples::kNumMotion>();
      samples.wrench.row(i) = recent.row(at).tail<6>();
    }
    autocorrelation = std::max(filter_autocorrelation,
                               autocorrelation_samples(samples, options.bias, fit.data.x));
    judged_at = num_samples;
  }

  Eigen::VectorXd sum_of_motion() const {
    return (sum + moments.count * origin).head<WrenchSamples::kNumMotion>();
  }

  Sums sums() const {
    MotionMoments about = moments;
    about.products.triangularView<Eigen::StrictlyUpper>() = about.products.transpose();
    if (options.bias == BiasKind::none)
      about.products += sum * origin.transpose() + origin * sum.transpose() +
                        moments.count * origin * origin.transpose();
    else
      about.products -= sum * sum.transpose() / moments.count;
    Sums result;
    add_moments(about, result);
    result.num_offsets = options.bias == BiasKind::none ? 0 : 1;
    return result;
  }
};

PayloadFollower::PayloadFollower(std::unique_ptr<State> state) : state_(std::move(state)) {}
PayloadFollower::PayloadFollower(PayloadFollower&&) noexcept = default;
PayloadFollower& PayloadFollower::operator=(PayloadFollower&&) noexcept = default;
PayloadFollower::~PayloadFollower() = default;

Result<PayloadFollower> PayloadFollower::make(const PayloadOptions& options,
                                              const PayloadShape& shape, double rate_hz) {
  if (!(rate_hz > 0) || !std::isfinite(rate_hz))
    return Error{"payload", "the samples have no valid rate", "give ascending times in seconds"};
  if (options.bias == BiasKind::per_segment || options.bias == BiasKind::drift)
    return Error{
        "payload.bias",
        std::string(enum_name(options.bias)) + " is only for logs: a stream has at most one offset",
        "set payload.bias: constant"};
  auto state = std::make_unique<State>();
  state->options = options;
  state->shape = shape;
  state->period = 1 / rate_hz;
  if (options.lowpass_hz > 0) {
    HEFT_CHECK(low_pass_of(options.lowpass_hz, rate_hz));
    state->filter = CausalFilter(options.lowpass_hz, rate_hz);
    state->filters = true;
    state->filter_autocorrelation = state->autocorrelation =
        state->filter.autocorrelation_samples();
  }
  return PayloadFollower(std::move(state));
}

Result<Done> PayloadFollower::add(double time, const Eigen::Vector3d& w, const Eigen::Vector3d& wd,
                                  const Eigen::Vector3d& u, const Vector6d& wrench) {
  State& s = *state_;
  Vector raw;
  raw << motion_numbers(w, wd, u), wrench;
  if (!std::isfinite(time) || !raw.allFinite() || raw.cwiseAbs().maxCoeff() > kLargestInStream)
    return Error{"sample", "a number is not finite or outside the range of a sensor",
                 "drop the sample"};
  if (s.num_samples > 0 && !(time > s.time))
    return Error{"sample", "time does not increase",
                 "drop repeated samples, and send them in order"};
  if (s.filters) {
    if (s.num_samples > 0 && time - s.time > kStreamPause * s.period) s.filter.restart();
    raw = s.filter.filtered(raw);
  }
  if (s.num_samples == 0) s.origin = raw;
  s.recent.row(static_cast<Eigen::Index>(s.num_samples % kRecent)) = raw.transpose().array();
  const Vector value = raw - s.origin;
  s.moments.products.selfadjointView<Eigen::Lower>().rankUpdate(value);
  s.moments.count += 1;
  s.sum += value;
  s.time = time;
  ++s.num_samples;
  return Done{};
}

Result<PayloadUpdate> PayloadFollower::update() {
  State& s = *state_;
  constexpr std::int64_t kMinSamples = 10;
  if (s.num_samples < kMinSamples)
    return Error{"payload", "not enough samples yet", "add more samples"};
  s.fit.filter_autocorrelation = s.filter_autocorrelation;
  s.fit.lowpass_hz = s.filters ? s.options.lowpass_hz : 0;
  s.fit.sums = s.sums();
  HEFT_TRY(data, least_squares_of(s.fit.sums));
  s.fit.data = std::move(data);
  if (s.num_updates++ % kJudgeEvery == 0 || s.num_samples > s.judged_at + s.judged_at / 4)
    s.judge_color();
  HEFT_CHECK(fit_twice(s.options, s.shape, [&] { return s.autocorrelation; }, s.fit));
  const Intervals intervals =
      student_intervals(s.fit, s.sum_of_motion(), s.autocorrelation, s.options);
  return PayloadUpdate{.time = s.time,
                       .num_samples = s.num_samples,
                       .parameters = s.fit.answer.x,
                       .certificate = s.fit.answer.certificate,
                       .mass = intervals.mass,
                       .com = intervals.com};
}

}  // namespace heft
