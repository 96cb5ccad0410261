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
};

NoiseRows noise_rows(const Eigen::ArrayXd& time, const Eigen::ArrayXXd& position, double period) {
  constexpr int kOrder = 4;
  std::vector<NoiseRows> parts;
  Eigen::Index count = 0;
  const std::vector<Eigen::Index> first = stretches_without_lost_rows(time, period);
  for (std::size_t s = 0; s + 1 < first.size(); ++s) {
    const Eigen::Index rows = first[s + 1] - first[s];
    if (rows < 2 * kReach + 1) continue;
    const Eigen::ArrayXXd q = position.middleRows(first[s], rows);
    const Eigen::ArrayXXd t = time.segment(first[s], rows);
    const Eigen::ArrayXXd slope = smoothed_slope(q) / period;
    // the middle row of a difference, except rows with one-sided slopes
    const Eigen::Index skip = kReach, kept = rows - 2 * kReach;
    const Eigen::ArrayXXd dq = differences<kOrder>(q), dt = differences<kOrder>(t);
    NoiseRows part;
    part.velocity = slope.middleRows(skip, kept);
    part.noise = dq.middleRows(skip - kOrder / 2, kept) -
                 part.velocity.colwise() * dt.col(0).segment(skip - kOrder / 2, kept);
    count += kept;
    parts.push_back(std::move(part));
  }
  // chunks from all over a long log
  const Eigen::Index every = std::max<Eigen::Index>(1, count / kMaxSampledRows);
  NoiseRows all{Eigen::ArrayXXd(count, position.cols()), Eigen::ArrayXXd(count, position.cols())};
  Eigen::Index at = 0;
  for (const NoiseRows& part : parts) {
    if (every == 1 && part.noise.allFinite() && part.velocity.allFinite()) {
      all.noise.middleRows(at, part.noise.rows()) = part.noise;
      all.velocity.middleRows(at, part.noise.rows()) = part.velocity;
      at += part.noise.rows();
      continue;
    }
    for (Eigen::Index k = 0; k < part.noise.rows(); ++k) {
      if (k / kChunk % every != 0) continue;
      if (!part.noise.row(k).isFinite().all() || !part.velocity.row(k).isFinite().all()) continue;
      all.noise.row(at) = part.noise.row(k);
      all.velocity.row(at++) = part.velocity.row(k);
    }
  }
  all.noise.conservativeResize(at, Eigen::NoChange);
  all.velocity.conservativeResize(at, Eigen::NoChange);
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

/// Share of a joint's noise that the shift estimated from the other joints explains.
double explained_by_others(const NoiseRows& rows, const NoiseProducts& products,
                           const FactorModel& model, Eigen::Index joint) {
  Eigen::ArrayXd weight = model.noise2.inverse();
  weight[joint] = 0;
  const Eigen::ArrayXd precision =
      1 / std::max(model.shift2, 1e-30) + (products.velocity2 * weight.matrix()).array();
  const Eigen::ArrayXd shift = (products.velocity_noise * weight.matrix()).array() / precision;
  const double before = rows.noise.col(joint).square().sum();
  const double after = (rows.noise.col(joint) - rows.velocity.col(joint) * shift).square().sum();
  return before > 0 ? 1 - after / before : 0;
}

/// Whether two joints explain a part of each other's noise. The model begins with half of the noise
/// as shift, so that few steps show one.
bool may_have_shift(const NoiseRows& rows, const NoiseProducts& products,
                    const FactorModel& model) {
  constexpr double kPart = 0.2 * kAgrees;
  int num_agreeing = 0;
  for (Eigen::Index j = 0; j < rows.noise.cols() && num_agreeing < 2; ++j)
    num_agreeing += explained_by_others(rows, products, model, j) > kPart;
  return num_agreeing >= 2;
}

FactorModel fit_factor(const NoiseRows& rows, const NoiseProducts& products) {
  constexpr int kIterations = 60, kEarly = 10;
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
    if (k == kEarly && !may_have_shift(rows, products, model)) break;
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
  // central differences under a Hann window: 1/4, 3/4, 1, 3/4, 1/4 over 3
  constexpr std::array<double, kReach> kWeights = {1.0 / 3, 0.25, 1.0 / 12};
  // of all rows but those near the ends at once
  if (const Eigen::Index inner = rows - 2 * kReach; inner > 0) {
    auto inside = slope.middleRows(kReach, inner);
    double scale = 0;
    for (Eigen::Index d = 1; d <= kReach; ++d) {
      const double weight = kWeights[static_cast<std::size_t>(d - 1)];
      inside +=
          weight * (values.middleRows(kReach + d, inner) - values.middleRows(kReach - d, inner));
      scale += 2 * weight * static_cast<double>(d);
    }
    inside /= scale;
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
      const double weight = kWeights[static_cast<std::size_t>(d - 1)];
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
  const FactorModel model = fit_factor(rows, products);
  found.rms = std::sqrt(model.shift2);
  const Eigen::Index last = model.shift.size() - 1;
  const double power = model.shift.square().sum();
  found.autocorrelation =
      power > 0 ? (model.shift.head(last) * model.shift.tail(last)).sum() / power : 0;
  found.explained =
      Eigen::ArrayXd::Constant(position.cols(), std::numeric_limits<double>::quiet_NaN());
  for (Eigen::Index j = 0; j < position.cols(); ++j) {
    if (!(speed[j] > kSlowJoint * speed.maxCoeff())) continue;
    ++found.num_joints;
    found.explained[j] = explained_by_others(rows, products, model, j);
    if (found.explained[j] > kAgrees) ++found.num_agreeing;
  }
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
