#include "conditioning/sample_shifts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/median.hpp"

namespace heft {

namespace {

constexpr Eigen::Index kFewestToTell = 100;
constexpr Eigen::Index kMaxSampledRows = 8192;  ///< of a long log
constexpr Eigen::Index kChunk = 64;             ///< rows that follow each other
constexpr double kSlowJoint = 0.02;      ///< of the fastest joint's velocity: slower joints are
                                         ///< uninformative of shifts
constexpr double kAgrees = 0.5;          ///< share of a joint's noise
constexpr double kSmallestShift = 0.01;  ///< of a period: a smaller one changes nothing
constexpr double kRowToRow = -0.65;  ///< steps of an acceleration would be at -0.5, those of a jerk
                                     ///< at 0
constexpr Eigen::Index kReach = 3;   ///< of smoothed_slope
/// Central differences under a Hann window: 1/4, 3/4, 1, 3/4, 1/4 over 3.
constexpr std::array<double, kReach> kSlopeWeights = {1.0 / 3, 0.25, 1.0 / 12};
constexpr double kSlopeScale = 2 * kSlopeWeights[0] + 4 * kSlopeWeights[1] + 6 * kSlopeWeights[2];
constexpr double kLostStep = 1.5;    ///< periods
constexpr double kCatchesUp = 0.75;  ///< periods: after a late stamp the next comes early

/// Binomial differences, scaled to preserve the variance of white noise.
template <int order>
constexpr std::array<double, order + 1> difference() {
  std::array<double, order + 1> c{};
  c[0] = 1;
  for (int k = 1; k <= order; ++k)
    c[static_cast<std::size_t>(k)] = -c[static_cast<std::size_t>(k - 1)] * (order - k + 1) / k;
  return c;
}

template <int order>
double norm_of_difference() {
  double sum = 0;
  for (const double c : difference<order>()) sum += c * c;
  return std::sqrt(sum);
}

/// Rows minus order values.
template <int order>
Eigen::ArrayXXd differences(const Eigen::ArrayXXd& values) {
  const auto c = difference<order>();
  const Eigen::Index rows = values.rows() - order;
  const double norm = norm_of_difference<order>();
  Eigen::ArrayXXd sum(rows, values.cols());
  for (Eigen::Index column = 0; column < values.cols(); ++column) {
    const double* const from = values.col(column).data();
    double* const to = sum.col(column).data();
    for (Eigen::Index row = 0; row < rows; ++row) {
      double total = 0;
      for (std::size_t k = 0; k <= order; ++k)
        total += c[k] * from[row + static_cast<Eigen::Index>(k)];
      to[row] = total / norm;
    }
  }
  return sum;
}

/// Noise of every joint in differences of order four, and its velocity there; the rows that can be
/// used.
struct NoiseRows {
  Eigen::ArrayXXd noise, velocity;

  /// Writes a stretch from row `at` on: the middle rows of its differences, except rows with
  /// one-sided slopes.
  template <class Times, class Positions>
  void put(Eigen::Index at, const Times& time, const Positions& position, double period) {
    constexpr auto c = difference<4>();
    const double norm = norm_of_difference<4>();
    const Eigen::Index kept = time.size() - 2 * kReach;
    const auto rows = [kept](const auto& column, Eigen::Index offset) {
      return column.segment(kReach + offset, kept);
    };
    const auto noise_of = [&](const auto& x) {
      return (c[0] * rows(x, -2) + c[1] * rows(x, -1) + c[2] * rows(x, 0) + c[3] * rows(x, 1) +
              c[4] * rows(x, 2)) /
             norm;
    };
    const Eigen::ArrayXd dt = noise_of(time);
    for (Eigen::Index j = 0; j < position.cols(); ++j) {
      const auto q = position.col(j);
      auto slope = velocity.col(j).segment(at, kept);
      slope = (kSlopeWeights[0] * (rows(q, 1) - rows(q, -1)) +
               kSlopeWeights[1] * (rows(q, 2) - rows(q, -2)) +
               kSlopeWeights[2] * (rows(q, 3) - rows(q, -3))) /
              kSlopeScale / period;
      noise.col(j).segment(at, kept) = noise_of(q) - slope * dt;
    }
  }

  bool are_finite() const {  // an infinite sum of finite numbers is examined row by row
    return std::isfinite(noise.sum()) && std::isfinite(velocity.sum());
  }
};

/// Drops rows without a number and, of a long log, all but some chunks of every stretch.
/// `first`: the first rows of the stretches, and the number of rows.
void drop_rows(NoiseRows& all, const std::vector<Eigen::Index>& first) {
  const Eigen::Index every = std::max<Eigen::Index>(1, first.back() / kMaxSampledRows);
  if (every == 1 && all.are_finite()) return;
  Eigen::Index at = 0;
  for (std::size_t s = 0; s + 1 < first.size(); ++s)
    for (Eigen::Index k = first[s]; k < first[s + 1]; ++k) {
      if ((k - first[s]) / kChunk % every != 0) continue;
      if (!all.noise.row(k).isFinite().all() || !all.velocity.row(k).isFinite().all()) continue;
      all.noise.row(at) = all.noise.row(k);
      all.velocity.row(at++) = all.velocity.row(k);
    }
  all.noise.conservativeResize(at, Eigen::NoChange);
  all.velocity.conservativeResize(at, Eigen::NoChange);
}

NoiseRows noise_rows(const Eigen::ArrayXd& time, const Eigen::ArrayXXd& position, double period) {
  const std::vector<Eigen::Index> stretches = stretches_without_lost_rows(time, period);
  std::vector<Eigen::Index> first = {0};  // of every stretch, in the result
  for (std::size_t s = 0; s + 1 < stretches.size(); ++s)
    first.push_back(first.back() +
                    std::max<Eigen::Index>(0, stretches[s + 1] - stretches[s] - 2 * kReach));
  NoiseRows all{Eigen::ArrayXXd(first.back(), position.cols()),
                Eigen::ArrayXXd(first.back(), position.cols())};
  for (std::size_t s = 0; s + 1 < stretches.size(); ++s) {
    const Eigen::Index rows = stretches[s + 1] - stretches[s];
    if (rows > 2 * kReach)
      all.put(first[s], time.segment(stretches[s], rows), position.middleRows(stretches[s], rows),
              period);
  }
  drop_rows(all, first);
  return all;
}

/// Estimates one shift per row and one noise variance per joint: EM on r_j = v_j w + n_j.
struct FactorModel {
  Eigen::ArrayXd noise2;  ///< per joint
  double shift2 = 0;
  Eigen::ArrayXd shift;
};

/// Products of all rows that the model needs, computed once.
struct NoiseProducts {
  Eigen::MatrixXd velocity2, velocity_noise;  ///< rows x joints
  Eigen::ArrayXd noise2;                      ///< mean of squares, per joint

  explicit NoiseProducts(const NoiseRows& rows)
      : velocity2(rows.velocity.square()),
        velocity_noise(rows.velocity * rows.noise),
        noise2(rows.noise.square().colwise().mean().transpose()) {}
};

/// Shares of the joints' noise that the shift estimated from the other joints explains.
Eigen::ArrayXd explained_by_others(const NoiseRows& rows, const NoiseProducts& products,
                                   const FactorModel& model) {
  const Eigen::Index num_joints = model.noise2.size();
  const Eigen::ArrayXd weight = model.noise2.inverse();
  // sums over later joints; those over earlier ones are added below
  Eigen::ArrayXXd precision(rows.noise.rows(), num_joints), sum(rows.noise.rows(), num_joints);
  precision.rightCols(1).setConstant(1 / std::max(model.shift2, 1e-30));
  sum.rightCols(1).setZero();
  for (Eigen::Index j = num_joints - 1; j > 0; --j) {
    precision.col(j - 1) = precision.col(j) + products.velocity2.col(j).array() * weight[j];
    sum.col(j - 1) = sum.col(j) + products.velocity_noise.col(j).array() * weight[j];
  }
  Eigen::ArrayXd precision_before = Eigen::ArrayXd::Zero(rows.noise.rows()),
                 sum_before = precision_before, explained(num_joints);
  for (Eigen::Index j = 0; j < num_joints; ++j) {
    const auto shift = (sum.col(j) + sum_before) / (precision.col(j) + precision_before);
    const double before = products.noise2[j] * static_cast<double>(rows.noise.rows()),
                 after = (rows.noise.col(j) - rows.velocity.col(j) * shift).square().sum();
    explained[j] = before > 0 ? 1 - after / before : 0;
    precision_before += products.velocity2.col(j).array() * weight[j];
    sum_before += products.velocity_noise.col(j).array() * weight[j];
  }
  return explained;
}

/// Empty if the joints do not explain each other's noise. The model begins with half of the noise
/// as shift, so that few steps show one.
std::optional<FactorModel> fit_factor(const NoiseRows& rows, const NoiseProducts& products) {
  constexpr int kIterations = 60, kEarly = 3;
  constexpr double kPart = 0.2 * kAgrees;
  constexpr double kSettled = 1e-4;
  const Eigen::ArrayXd& power = products.noise2;
  const auto num_rows = static_cast<double>(products.velocity2.rows());
  const Eigen::ArrayXd least = (1e-6 * power).max(1e-30);
  FactorModel model{(0.5 * power).max(least), 0, {}};
  model.shift2 =
      power.sum() / std::max(products.velocity2.mean() * static_cast<double>(power.size()), 1e-30);
  Eigen::VectorXd weight, sum, variance, second;  // of rows but the first
  for (int k = 0; k < kIterations; ++k) {
    weight = model.noise2.inverse();
    sum.noalias() = products.velocity2 * weight;
    variance = (1 / std::max(model.shift2, 1e-30) + sum.array()).inverse();
    sum.noalias() = products.velocity_noise * weight;
    model.shift = sum.array() * variance.array();
    second = model.shift.square() + variance.array();
    // mean of (n - v w)^2 + v^2 var(w) by the products
    const Eigen::ArrayXd explained = products.velocity_noise.transpose() * model.shift.matrix(),
                         shifted = products.velocity2.transpose() * second;
    model.noise2 = (power + (shifted - 2 * explained) / num_rows).max(least);
    const double before = model.shift2;
    model.shift2 = second.mean();
    if (std::abs(model.shift2 - before) < kSettled * before) break;
    // two joints or more explain a part of each other's noise
    if (k == kEarly && (explained_by_others(rows, products, model) > kPart).count() < 2) return {};
  }
  return model;
}

/// Solves a symmetric positive definite system with four diagonals.
class BandedSystem {
 public:
  static constexpr int kBand = 3;
  explicit BandedSystem(Eigen::Index size) : lower_(Eigen::ArrayXXd::Zero(size, kBand + 1)) {}

  double& operator()(Eigen::Index row, Eigen::Index column) { return lower_(row, row - column); }

  /// Destroys the matrix: it becomes its L D L'.
  Eigen::ArrayXd solve(Eigen::ArrayXd b) {
    const Eigen::Index n = b.size();
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = std::max<Eigen::Index>(0, i - kBand); j <= i; ++j) {
        double value = lower_(i, i - j);
        for (Eigen::Index k = std::max<Eigen::Index>(0, i - kBand); k < j; ++k)
          if (j - k <= kBand) value -= lower_(i, i - k) * lower_(j, j - k) * lower_(k, 0);
        lower_(i, i - j) = j < i ? value / lower_(j, 0) : value;
      }
    }
    for (Eigen::Index i = 0; i < n; ++i)
      for (int d = 1; d <= kBand && d <= i; ++d) b[i] -= lower_(i, d) * b[i - d];
    b /= lower_.col(0);
    for (Eigen::Index i = n - 1; i >= 0; --i)
      for (int d = 1; d <= kBand && i + d < n; ++d) b[i] -= lower_(i + d, d) * b[i + d];
    return b;
  }

 private:
  Eigen::ArrayXXd lower_;  // rows x (diagonal, first below it, ..)
};

/// Differences of order three of v_j e, for the least squares in e.
class ShiftEquations {
 public:
  static constexpr int kOrder = BandedSystem::kBand;
  static constexpr Eigen::Index kEnd = kReach;  ///< differences at either end, whose slopes are
                                                ///< one-sided
  ShiftEquations(const Eigen::ArrayXXd& velocity, const Eigen::ArrayXXd& noise)
      : velocity_(velocity), noise_(noise) {
    c_ = difference<kOrder>();
    for (double& c : c_) c /= norm_of_difference<kOrder>();
  }

  Eigen::ArrayXd shift(const Eigen::ArrayXd& noise2, double shift2) const {
    const Eigen::Index rows = velocity_.rows();
    BandedSystem system(rows);
    Eigen::ArrayXd right = Eigen::ArrayXd::Zero(rows);
    const Eigen::RowVectorXd weight = noise2.inverse().matrix().transpose();
    for (Eigen::Index i = 0; i < rows; ++i) system(i, i) = 1 / shift2;
    for (Eigen::Index w = kEnd; w < noise_.rows() - kEnd; ++w)
      for (int a = 0; a <= kOrder; ++a) {
        const Eigen::RowVectorXd weighted =
            velocity_.row(w + a).matrix().cwiseProduct(weight) * c_[static_cast<std::size_t>(a)];
        right[w + a] += weighted.dot(noise_.row(w).matrix());
        for (int b = 0; b <= a; ++b)
          system(w + a, w + b) +=
              weighted.dot(velocity_.row(w + b).matrix()) * c_[static_cast<std::size_t>(b)];
      }
    return system.solve(std::move(right));
  }

  Eigen::ArrayXd left2(const Eigen::ArrayXd& shift) const {
    const Eigen::ArrayXXd left = noise_ - differences<kOrder>(velocity_.colwise() * shift);
    return left.middleRows(kEnd, left.rows() - 2 * kEnd).square().colwise().mean().transpose();
  }

 private:
  Eigen::ArrayXXd velocity_, noise_;
  std::array<double, kOrder + 1> c_{};
};

}  // namespace

bool CommonShift::is_found() const {
  return num_agreeing >= 2 && 2 * num_agreeing > num_joints && rms > kSmallestShift * period &&
         autocorrelation < kRowToRow;
}

double CommonShift::least_explained() const {
  double least = 1;
  for (const double share : explained)
    if (share > kAgrees) least = std::min(least, share);
  return least;
}

std::vector<Eigen::Index> stretches_without_lost_rows(const Eigen::ArrayXd& time, double period) {
  std::vector<Eigen::Index> first = {0};
  for (Eigen::Index k = 1; k < time.size(); ++k) {
    const double step = time[k] - time[k - 1];
    const bool is_late = k + 1 < time.size() && time[k + 1] - time[k] < kCatchesUp * period &&
                         step < 2 * kLostStep * period;
    if (!(step > 0) || (step > kLostStep * period && !is_late)) first.push_back(k);
  }
  first.push_back(time.size());
  return first;
}

Eigen::ArrayXXd smoothed_slope(const Eigen::ArrayXXd& values) {
  const Eigen::Index rows = values.rows();
  Eigen::ArrayXXd slope = Eigen::ArrayXXd::Zero(rows, values.cols());
  // of all rows but those near the ends at once
  if (const Eigen::Index inner = rows - 2 * kReach; inner > 0) {
    auto inside = slope.middleRows(kReach, inner);
    for (Eigen::Index d = 1; d <= kReach; ++d)
      inside += kSlopeWeights[static_cast<std::size_t>(d - 1)] *
                (values.middleRows(kReach + d, inner) - values.middleRows(kReach - d, inner));
    inside /= kSlopeScale;
  }
  for (Eigen::Index k = 0; k < rows; ++k) {
    const Eigen::Index reach = std::min({kReach, k, rows - 1 - k});
    if (reach == kReach) continue;
    if (reach == 0) {
      if (rows > 1)
        slope.row(k) = k == 0 ? values.row(1) - values.row(0) : values.row(k) - values.row(k - 1);
      continue;
    }
    double scale = 0;
    for (Eigen::Index d = 1; d <= reach; ++d) {
      const double weight = kSlopeWeights[static_cast<std::size_t>(d - 1)];
      slope.row(k) += weight * (values.row(k + d) - values.row(k - d));
      scale += 2 * weight * static_cast<double>(d);
    }
    slope.row(k) /= scale;
  }
  return slope;
}

std::optional<CommonShift> find_common_shift(const Eigen::ArrayXd& time,
                                             const Eigen::ArrayXXd& position) {
  if (position.rows() < kFewestToTell || position.cols() < 2) return {};
  std::vector<double> steps;
  for (Eigen::Index k = 1; k < time.size(); ++k)
    if (const double step = time[k] - time[k - 1]; step > 0) steps.push_back(step);
  if (steps.empty()) return {};
  CommonShift found;
  found.period = median(steps);
  NoiseRows rows = noise_rows(time, position, found.period);
  if (rows.noise.rows() < kFewestToTell) return {};
  const Eigen::ArrayXd speed = rows.velocity.square().colwise().mean().sqrt().transpose();
  const NoiseProducts products(rows);
  const auto model = fit_factor(rows, products);
  Eigen::ArrayXd explained = Eigen::ArrayXd::Zero(position.cols());
  if (model) {
    found.rms = std::sqrt(model->shift2);
    const Eigen::Index last = model->shift.size() - 1;
    const double power = model->shift.square().sum();
    found.autocorrelation =
        power > 0 ? (model->shift.head(last) * model->shift.tail(last)).sum() / power : 0;
    explained = explained_by_others(rows, products, *model);
  }
  const auto moves = speed > kSlowJoint * speed.maxCoeff();
  found.explained = moves.select(explained, std::numeric_limits<double>::quiet_NaN());
  found.num_joints = static_cast<int>(moves.count());
  found.num_agreeing = static_cast<int>((moves && explained > kAgrees).count());
  if (found.num_joints < 2) return {};
  return found;
}

Eigen::ArrayXd sample_shifts(const Eigen::ArrayXXd& position, double period) {
  constexpr int kPasses = 2, kIterations = 25;
  constexpr double kStart = 0.1, kLeast = 1e-4;  // of a period
  constexpr double kSettled = 1e-3;
  Eigen::ArrayXd shift = Eigen::ArrayXd::Zero(position.rows());
  const Eigen::ArrayXXd noise = differences<ShiftEquations::kOrder>(position);
  const Eigen::ArrayXd power = noise.square().colwise().mean().transpose();
  Eigen::ArrayXd noise2 = (0.1 * power).max(1e-24);
  double shift2 = kStart * kStart * period * period;
  Eigen::ArrayXXd velocity = smoothed_slope(position) / period;
  for (int pass = 0; pass < kPasses; ++pass) {
    if (pass > 0) velocity = smoothed_slope(position - velocity.colwise() * shift) / period;
    const ShiftEquations equations(velocity, noise);
    for (int k = 0; k < kIterations; ++k) {
      shift = equations.shift(noise2, shift2);
      const double before = shift2;
      noise2 = equations.left2(shift).max(1e-24);
      shift2 = std::max(shift.square().mean(), kLeast * kLeast * period * period);
      if (std::abs(shift2 - before) < kSettled * before) break;
    }
  }
  return shift;
}

}  // namespace heft
