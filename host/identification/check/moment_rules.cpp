// check_moments: checks torques with least squares over the whole log.
//
// Delay: the torque is evaluated at t + d for a grid of d by four-point interpolation. The weighted
// residual of the full regressor has its minimum at the delay between torque and motion; a parabola
// through the three lowest points locates it between the samples.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "heft/observe/observe.hpp"
#include "heft/solve/least_squares.hpp"
#include "linalg/factorizations.hpp"
#include "signal/cubic_weights.hpp"
#include "torque_agreement.hpp"

namespace heft::check {

namespace {

constexpr double kUsualDelay = 0.03, kLongestDelay = 0.5;  // s; the longest is that of the option
constexpr double kDelayStep = 0.002, kCoarseStep = 0.02;   // s

struct Fitted {
  NormalEquations equations;
  LeastSquares fit;
};

class DelayedLog {
 public:
  DelayedLog(const CleanLog& clean, PlanPtr plan, Backend& backend)
      : clean_(clean), plan_(std::move(plan)), backend_(backend) {
    const Eigen::ArrayXd& time = clean.samples.time;
    period_ = (time[time.size() - 1] - time[0]) / static_cast<double>(time.size() - 1);
    for (Eigen::Index k = 1; k < time.size(); ++k)
      if (clean.segment[static_cast<std::size_t>(k)] ==
          clean.segment[static_cast<std::size_t>(k - 1)])
        period_ = std::min(period_, time[k] - time[k - 1]);
  }

  double period() const { return period_; }

  /// The longest delay to test: most rows of the longest segment count with it [s].
  double longest() const {
    constexpr double kShare = 0.1;  // of a segment, at each end
    Eigen::Index most = 0, count = 0;
    for (Eigen::Index k = 0; k < clean_.samples.size(); ++k) {
      count = k > 0 && segment(k) == segment(k - 1) ? count + 1 : 1;
      most = std::max(most, count);
    }
    return std::min(kLongestDelay, kShare * static_cast<double>(most) * period_);
  }

  /// Moments with the torque of `delay` seconds later; rows less than `longest` seconds, or the
  /// delay if that is more, from the ends of segments never count.
  Result<Moments> moments(double delay, double longest) const {
    Samples samples = clean_.samples;
    const Eigen::Index n = samples.size();
    const auto reach =
        static_cast<Eigen::Index>(std::ceil(std::max(longest, std::abs(delay)) / period_)) + 2;
    const double rows = delay / period_;
    const auto whole = static_cast<Eigen::Index>(std::floor(rows));
    const std::array<double, 4> weights = cubic_weights(rows - static_cast<double>(whole));
    for (Eigen::Index k = 0; k < n; ++k) {
      const bool inside = k >= reach && k + reach < n && segment(k - reach) == segment(k + reach);
      if (!inside) {
        samples.weight.row(k) = 0;
        samples.torque.row(k) = 0;
        continue;
      }
      samples.torque.row(k) = 0;
      for (int j = 0; j < 4; ++j) {
        samples.torque.row(k) +=
            weights[static_cast<std::size_t>(j)] * clean_.samples.torque.row(k + whole - 1 + j);
        samples.weight.row(k) *= clean_.samples.weight.row(k + whole - 1 + j);
      }
      samples.torque.row(k) *= samples.weight.row(k);
    }
    MomentAccumulator accumulator(plan_, backend_);
    HEFT_CHECK(accumulator.push(0, samples));
    return accumulator.finish();
  }

 private:
  int segment(Eigen::Index row) const { return clean_.segment[static_cast<std::size_t>(row)]; }

  const CleanLog& clean_;
  PlanPtr plan_;
  Backend& backend_;
  double period_ = 0;
};

Result<Fitted> fitted(const Moments& moments, const Eigen::VectorXd& weights) {
  Fitted fitted;
  fitted.equations = normal_equations(moments, weights);
  HEFT_TRY(fit, least_squares(moments.plan->layout, fitted.equations));
  fitted.fit = fit;
  return fitted;
}

// 1 / s_c^2 from an ordinary fit; zero for channels without rows
Result<Eigen::VectorXd> residual_weights(const Moments& moments) {
  const int num_channels = moments.plan->num_channels();
  HEFT_TRY(ordinary, fitted(moments, Eigen::VectorXd::Ones(num_channels)));
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(num_channels);
  for (int c = 0; c < num_channels; ++c) {
    const double rows = moments.num_rows[static_cast<std::size_t>(c)];
    const double sum = residual_sum(moments, c, ordinary.fit.x);
    if (rows > 0 && sum > 0) weights[c] = rows / sum;
  }
  return weights;
}

/// The delay with the smallest residual cost among evenly spaced ones, located by a parabola.
struct BestDelay {
  double seconds = 0, cost = 0;
  int edge = 0;  ///< -1, 1: it is the first or last one
};

Result<BestDelay> best_delay(const DelayedLog& delayed, const Eigen::VectorXd& weights,
                             double middle, double half_width, double step, double longest) {
  const int half = static_cast<int>(std::lround(half_width / step));
  std::vector<double> costs;
  for (int k = -half; k <= half; ++k) {
    HEFT_TRY(moments, delayed.moments(middle + k * step, longest));
    HEFT_TRY(fit, fitted(moments, weights));
    costs.push_back(fit.fit.residual_cost);
  }
  const auto best = std::min_element(costs.begin(), costs.end()) - costs.begin();
  if (best == 0 || best == 2 * half)
    return BestDelay{middle + static_cast<double>(best - half) * step,
                     costs[static_cast<std::size_t>(best)], best == 0 ? -1 : 1};
  const auto at = [&](std::ptrdiff_t k) { return costs[static_cast<std::size_t>(k)]; };
  const double bend = at(best - 1) - 2 * at(best) + at(best + 1);
  const double vertex = bend > 0 ? (at(best - 1) - at(best + 1)) / (2 * bend) : 0;
  return BestDelay{middle + (static_cast<double>(best - half) + vertex) * step, at(best), 0};
}

Result<std::optional<Finding>> delay(const LogFacts& log, const std::string& path,
                                     const DelayedLog& delayed, const Eigen::VectorXd& weights) {
  constexpr double kBetter = 0.8, kMin = 0.0015;  // of the residual; s
  double longest = kUsualDelay;
  HEFT_TRY(best, best_delay(delayed, weights, 0, kUsualDelay, kDelayStep, longest));
  if (best.edge != 0) {
    // beyond the usual ones in this direction, first coarsely
    const double half_width = 0.5 * delayed.longest(), middle = best.edge * half_width;
    longest = delayed.longest() + kCoarseStep;  // whole steps, and the fine ones, go beyond it
    HEFT_TRY(coarse, best_delay(delayed, weights, middle, half_width, kCoarseStep, longest));
    if (coarse.edge != 0) return std::optional<Finding>{};
    HEFT_TRY(fine, best_delay(delayed, weights, coarse.seconds, kCoarseStep, kDelayStep, longest));
    if (fine.edge != 0) return std::optional<Finding>{};
    best = fine;
  }
  HEFT_TRY(now, delayed.moments(0, longest));
  HEFT_TRY(without, fitted(now, weights));
  const double seconds = best.seconds, left = best.cost / without.fit.residual_cost;
  if (!(std::abs(seconds) > kMin) || !(left < kBetter)) return std::optional<Finding>{};
  return std::optional<Finding>{Finding{
      "torque-delay", Severity::error, "torques", path + ":1",
      fmt::format("torque is logged {:.2f} ms {} position: correcting this leaves {:.2g} of the "
                  "least-squares residual ({:.2g} periods of the log)",
                  1e3 * std::abs(seconds), seconds > 0 ? "after" : "before", left,
                  std::abs(seconds) / log.raw.median_step),
      seconds, "s",
      fmt::format("subtract {:.2f} ms from the stamps of the torque, or add to the "
                  "configuration: conditioning: {{torque_delay_s: {:.5g}}}",
                  1e3 * seconds, seconds)}};
}

/// Standard errors of base parameters and extra columns, by their index in the layout. `G` is
/// weighted by 1 / s_c^2; filtered noise is correlated over half a period of the cutoff, so that
/// rows count for fewer.
Eigen::VectorXd standard_errors(const LogFacts& log, const Eigen::MatrixXd& G,
                                const std::vector<int>& unknowns) {
  const auto size = static_cast<Eigen::Index>(unknowns.size());
  const Eigen::MatrixXd own = G(unknowns, unknowns);
  const Eigen::VectorXd scale = own.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd scaled = scale.asDiagonal() * own * scale.asDiagonal();
  scaled.diagonal().array() += 1e-12;
  const double alike =
      std::max(1.0, 0.5 / (log.raw.median_step * log.options.conditioning.lowpass_hz));
  const Eigen::ArrayXd variance =
      scaled.ldlt().solve(Eigen::MatrixXd::Identity(size, size)).diagonal();
  Eigen::VectorXd errors = Eigen::VectorXd::Zero(G.rows());
  errors(unknowns) = scale.array() * (alike * variance).max(0).sqrt();
  return errors;
}

void offsets(const LogFacts& log, const std::string& path, const Moments& moments,
             const Fitted& fit, const Eigen::VectorXd& errors, std::vector<Finding>& findings) {
  constexpr double kShare = 0.3, kSure = 10;  // of the rms torque; standard errors
  const ParameterLayout& layout = moments.plan->layout;
  for (int k = 0; k < layout.num_columns(); ++k) {
    const Column& column = layout.columns[static_cast<std::size_t>(k)];
    if (column.effect != ColumnEffect::offset) continue;
    const auto channel = static_cast<std::size_t>(column.terms[0].channel);
    const double sum =
        residual_sum(moments, static_cast<int>(channel), Eigen::VectorXd::Zero(fit.fit.x.size()));
    const double rms = std::sqrt(sum / std::max(moments.num_rows[channel], 1.0));
    const int at = layout.column_index(k);
    const double offset = fit.fit.x[at];
    if (!(std::abs(offset) > kShare * rms) || !(std::abs(offset) > kSure * errors[at])) continue;
    findings.push_back(
        {"torque-offset", Severity::warning, log.raw.name(log.raw.columns.torque[channel]),
         path + ":1",
         fmt::format("a constant offset of {:.3g} {} (+- {:.2g}) in a torque of {:.3g} rms", offset,
                     column.unit, errors[at], rms),
         offset, column.unit,
         "tare the sensor, or keep an offset column; a spring has the same effect"});
  }
}

// Base parameters whose standard error exceeds both their size in the URDF and the useful
// precision.
std::optional<Finding> excitation(const LogFacts& log, const std::string& path,
                                  const Moments& moments, const Observability& observability,
                                  const std::vector<int>& base, const Eigen::VectorXd& errors) {
  constexpr double kSmall = 0.02;  // of the largest of the same unit on the robot: good enough for
                                   // any use
  constexpr std::size_t kMaxNamed = 3;
  const ParameterLayout& layout = moments.plan->layout;
  Eigen::VectorXd prior(observability.num_parameters());
  for (int i = 0; i < layout.num_bodies(); ++i)
    prior.segment<core::kNumParameters>(core::kNumParameters * i) =
        log.robot.bodies[static_cast<std::size_t>(layout.body_index[static_cast<std::size_t>(i)])]
            .prior;
  const Eigen::VectorXd usual = (observability.base_matrix() * prior).cwiseAbs();
  std::map<std::string, double> largest;  // by unit
  const auto parameter = [&](std::size_t i) -> const ObservedParameter& {
    return observability.parameters[static_cast<std::size_t>(base[i])];
  };
  for (std::size_t i = 0; i < base.size(); ++i) {
    double& size = largest[parameter(i).unit];
    size = std::max(size, usual[static_cast<Eigen::Index>(i)]);
  }
  for (Eigen::Index p = 0; p < prior.size(); ++p) {
    double& size = largest[core::kParameterUnits[p % core::kNumParameters]];
    size = std::max(size, std::abs(prior[p]));
  }
  std::vector<std::string> weak;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double size =
        std::max(usual[static_cast<Eigen::Index>(i)], kSmall * largest[parameter(i).unit]);
    if (!(errors[base[i]] < size)) weak.push_back(parameter(i).label);
  }
  if (weak.empty()) return {};
  const bool many = weak.size() * 4 > base.size();
  const std::vector<std::string> first(
      weak.begin(), weak.begin() + static_cast<long>(std::min(weak.size(), kMaxNamed)));
  return Finding{
      "not-excited",
      many ? Severity::warning : Severity::note,
      "motion",
      path + ":1",
      fmt::format("no improvement over the prior for {} of {} base parameters: {}{}", weak.size(),
                  base.size(), fmt::join(first, ", "), weak.size() > first.size() ? ", .." : ""),
      static_cast<double>(weak.size()),
      "1",
      "move faster and through more postures; otherwise the prior determines them"};
}

}  // namespace

Result<std::vector<Finding>> check_moments(const LogFacts& log, const std::string& path,
                                           const CleanLog& clean) {
  std::vector<Finding> findings;
  HEFT_TRY(columns, make_columns(log.robot, log.channels, log.options.model));
  HEFT_TRY(plan, make_regressor_plan(log.robot, log.channels, std::move(columns)));
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu}));
  const DelayedLog delayed(clean, plan, *backend);
  HEFT_TRY(moments, delayed.moments(0, kUsualDelay));
  double rows = 0;
  for (const double n : moments.num_rows) rows += n;
  if (rows < 2 * plan->layout.num_parameters()) return findings;
  HEFT_TRY(weights, residual_weights(moments));
  HEFT_TRY(fit, fitted(moments, weights));
  HEFT_TRY(late, delay(log, path, delayed, weights));
  if (late) findings.push_back(*late);

  HEFT_TRY(observability, observe(log.robot, {.channels = false}));
  // a symmetric rotor has parameters of its own, not those of the layout
  if (observability.num_parameters() != plan->layout.column_index(0)) return findings;
  const std::vector<int> base = observability.base_parameters();
  std::vector<int> unknowns = base;
  for (int k = 0; k < plan->layout.num_columns(); ++k)
    unknowns.push_back(plan->layout.column_index(k));
  const Eigen::VectorXd errors = standard_errors(log, fit.equations.G, unknowns);
  offsets(log, path, moments, fit, errors, findings);
  if (auto weak = excitation(log, path, moments, observability, base, errors))
    findings.push_back(*weak);
  return findings;
}

}  // namespace heft::check
