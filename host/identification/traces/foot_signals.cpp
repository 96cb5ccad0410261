#include "traces/foot_signals.hpp"

#include <limits>

#include "linalg/minimum_norm.hpp"
#include "rows/projected_rows.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

constexpr int kStates = 2;  ///< with and without the margin

/// Whether a contact acts without its margin. Automatic states are known only with it: both are
/// alike except within the margin of an end.
double unwidened(const FootSignals& foot, const UnfilteredMotion& motion, Eigen::Index row) {
  const Eigen::ArrayXd& time = motion.samples.time;
  const auto state = motion.samples.signal.col(foot.level_signal);
  const double margin = foot.widen_s + 1e-9;
  for (Eigen::Index i = row; i >= 0 && time[row] - time[i] <= margin; --i)
    if (state[i] == 0) return 0;
  for (Eigen::Index i = row; i < time.size() && time[i] - time[row] <= margin; ++i)
    if (state[i] == 0) return 0;
  return 1;
}

/// J' / s of the directions that act at a row, over the used channels; sets their number.
Eigen::MatrixXd acting_directions(const UnknownWrenches& wrenches, const Samples& samples,
                                  Eigen::Index row, const std::vector<bool>& used) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(wrenches.noise.size(), std::ssize(wrenches.directions));
  for (std::size_t d = 0; d < wrenches.directions.size(); ++d) {
    const UnknownDirection& direction = wrenches.directions[d];
    for (std::size_t k = 0; k < direction.channels.size(); ++k)
      if (const int c = direction.channels[k]; used.empty() || used[static_cast<std::size_t>(c)])
        J(c, static_cast<Eigen::Index>(d)) =
            samples.signal(row, direction.first_signal + static_cast<int>(k)) / wrenches.noise[c];
  }
  return J;
}

}  // namespace

int FootSeries::num_series_of(int foot) const {
  const FootSignals& one = feet_[static_cast<std::size_t>(foot)];
  return static_cast<int>(one.components.size()) + (one.is_measured() ? 0 : kStates);
}

int FootSeries::num_series() const {
  int sum = 0;
  for (int foot = 0; foot < num_feet(); ++foot) sum += num_series_of(foot);
  return sum;
}

Eigen::ArrayXXd FootSeries::of(const Samples& block, const Eigen::ArrayXXd& unexplained) const {
  Eigen::ArrayXXd series = Eigen::ArrayXXd::Constant(block.size(), num_series(),
                                                     std::numeric_limits<double>::quiet_NaN());
  Eigen::Index first = 0;
  for (int foot = 0; foot < num_feet(); first += num_series_of(foot), ++foot)
    if (const FootSignals& one = feet_[static_cast<std::size_t>(foot)]; one.is_measured())
      series.middleCols(first, num_series_of(foot)) =
          block.signal.middleCols(one.first_signal, num_series_of(foot));
  if (has_unknown_wrenches(block)) set_unmeasured(block, unexplained, series);
  return series;
}

void FootSeries::set_unmeasured(const Samples& block, const Eigen::ArrayXXd& unexplained,
                                Eigen::ArrayXXd& series) const {
  const UnfilteredMotion& motion = *block.unfiltered;
  const UnknownWrenches& wrenches = *motion.unknown_wrenches;
  const std::vector<bool> used = used_channels(block);
  for (Eigen::Index i = 0; i < block.size(); ++i) {
    const Eigen::Index row = motion.first + i * motion.step;
    const Eigen::MatrixXd J = acting_directions(wrenches, motion.samples, row, used);
    Eigen::VectorXd f = Eigen::VectorXd::Zero(J.cols());
    // tau - Y x = -J'f
    if (!J.isZero(0))
      f = minimum_norm_solution(
          J, -unexplained.row(i).transpose().matrix().cwiseQuotient(wrenches.noise));
    Eigen::Index first = 0;
    for (int k = 0; k < num_feet(); first += num_series_of(k), ++k) {
      const FootSignals& foot = feet_[static_cast<std::size_t>(k)];
      if (foot.is_measured()) continue;
      const UnknownContact& contact = wrenches.contacts[static_cast<std::size_t>(foot.contact)];
      series.row(i).segment(first, contact.num_directions) =
          f.segment(contact.first_direction, contact.num_directions).transpose().array();
      series(i, first + contact.num_directions) = motion.samples.signal(row, foot.level_signal);
      series(i, first + contact.num_directions + 1) = unwidened(foot, motion, row);
    }
  }
}

Eigen::ArrayXXd FootSeries::forces(const Eigen::ArrayXXd& series) const {
  Eigen::ArrayXXd forces(series.rows(), 3 * num_feet());
  Eigen::Index first = 0;
  for (int foot = 0; foot < num_feet(); first += num_series_of(foot), ++foot)
    forces.middleCols<3>(3 * foot) = series.middleCols<3>(first);
  return forces;
}

FootTraces FootSeries::description(int foot) const {
  const FootSignals& one = feet_[static_cast<std::size_t>(foot)];
  FootTraces traces{.name = one.name,
                    .frame = one.frame,
                    .body = one.body,
                    .point = one.point,
                    .R_body_frame = one.R_body_frame,
                    .is_measured = one.is_measured(),
                    .state = {},
                    .widen_s = one.widen_s,
                    .components = one.components};
  if (!one.is_measured())
    traces.state = one.state.is_automatic()   ? "residuals"
                   : one.state.column.empty() ? "threshold"
                                              : "flag";
  return traces;
}

}  // namespace heft
