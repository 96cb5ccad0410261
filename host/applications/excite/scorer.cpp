#include "scorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heft::excite {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;

namespace {

double time_of(const Task& task, int sample) {
  return sample * task.shape.duration / task.num_samples;
}

}  // namespace

BasisTable basis_table(const Task& task, int order) {
  std::vector<BasisRow> rows;
  BasisTable table;
  for (int s = 0; s < task.num_samples; ++s) {
    rows.push_back(basis_row(task.shape, time_of(task, s), order));
    table.width = std::max(table.width, static_cast<int>(rows.back().values.size()));
  }
  for (const BasisRow& row : rows) {
    // a short row at the last coefficients starts earlier, padded with zeros
    const int begin = std::min(row.first, task.shape.num_coefficients() - table.width);
    table.first.push_back(begin);
    table.values.resize(table.values.size() + table.width, 0);
    std::copy(row.values.begin(), row.values.end(),
              table.values.end() - table.width + (row.first - begin));
  }
  return table;
}

std::vector<bool> counted_samples(const Task& task) {
  std::vector<bool> counts;
  for (int s = 0; s < task.num_samples; ++s)
    counts.push_back(task.shape.kind != ExcitationMotion::poses ||
                     task.shape.is_at_rest(time_of(task, s)));
  return counts;
}

Scorer::Scorer(const Task& task)
    : task_(task),
      kernels_(widest_kernels()),
      rows_(*task.information, task.num_samples, task.limits->torque_deviations > 0),
      n_(rows_.num_channels()) {
  // one row per coefficient, padded to whole packs
  coefficients_ = slope_ = PaddedRows::Zero(
      task_.shape.num_coefficients(), (n_ + kernels_.lanes - 1) / kernels_.lanes * kernels_.lanes);
  if (task_.spheres != nullptr && !task_.spheres->groups().empty())
    clearance_.emplace(*task_.spheres, task_.wanted, task_.num_samples);
  if (task_.tightness.size() == 0) task_.tightness = ArrayXXd::Ones(kNumLimitKinds, n_);
  if (task_.wave != nullptr) {
    seat_.emplace(*task_.wave);
    torque_ = deviation_ = ArrayXXd::Zero(rows_.stride(), n_);
  }
  for (int order = 0; order < 4; ++order) basis_[order] = basis_table(task_, order);
  counts_ = counted_samples(task_);
  all_count_ = task_.shape.kind != ExcitationMotion::poses;
  for (ArrayXXd& values : motion_) values = ArrayXXd::Zero(rows_.stride(), n_);
  for (ArrayXXd& ratio : ratio_) ratio = ArrayXXd::Zero(rows_.stride(), num_ratios());
  const Index size = task.information->precision.rows();
  G_ = MatrixXd::Zero(size, size);
}

BasisColumns BasisTable::columns() const {
  return {first.data(), values.data(), width, static_cast<int>(first.size())};
}

void Scorer::move(int order) {
  ArrayXXd& values = motion_[order];
  kernels_.move(basis_[order].columns(), coefficients_.data(), n_, values.data(), rows_.stride());
  for (int k = 0; k < n_; ++k)
    values.col(k)
        .tail(rows_.stride() - task_.num_samples)
        .setConstant(values(task_.num_samples - 1, k));
}

void Scorer::put_ratios() {
  if (has_ratios_) return;
  has_ratios_ = true;
  for (int order = seat_ ? 0 : 3; order < 4; ++order) move(order);
  if (seat_) {
    torque_.topRows(task_.num_samples) = seat_->torque();
    deviation_.topRows(task_.num_samples) = seat_->deviation();
  } else {
    rows_.put_torques();
  }
  const ArrayXXd &torque = seat_ ? torque_ : rows_.torque(),
                 &spread = seat_ ? deviation_ : rows_.deviation();
  for (int kind = 0; kind < kNumLimitKinds; ++kind)
    for (int k = 0; k < n_; ++k) {
      auto upper = ratio_[0].col(kind * n_ + k), lower = ratio_[1].col(kind * n_ + k);
      const double size = task_.limits->size[kind][k] * task_.tightness(kind, k);
      if (!std::isfinite(size) || (kind != kTorque && task_.limits->is_locked(k))) {
        upper.setZero();
        lower.setZero();
      } else if (kind == kTorque) {
        const double deviations = task_.limits->torque_deviations;
        upper = (deviations * spread.col(k) + torque.col(k)) / size;
        lower = (deviations * spread.col(k) - torque.col(k)) / size;
      } else {
        upper = (motion_[kind].col(k) - (kind == kPosition ? task_.limits->middle[k] : 0)) / size;
        lower = -upper;
      }
    }
  put_coupling_ratios(kNumLimitKinds * n_);
}

void Scorer::put_coupling_ratios(Index at) {
  const CouplingLimits& couplings = task_.limits->couplings;
  for (int kind = 0; kind < kTorque; ++kind)
    for (Index j = 0; j < couplings.count(); ++j, ++at) {
      const double size = couplings.size[kind][j] * task_.tightness(kind, 0);
      if (!std::isfinite(size)) continue;  // stays zero
      ratio_[0].col(at) = ((motion_[kind].matrix() * couplings.factors.row(j).transpose()).array() -
                           (kind == kPosition ? couplings.middle[j] : 0)) /
                          size;
      ratio_[1].col(at) = -ratio_[0].col(at);
    }
}

double Scorer::worst() {
  put_ratios();
  return std::max({ratio_[0].topRows(task_.num_samples).maxCoeff(),
                   ratio_[1].topRows(task_.num_samples).maxCoeff(),
                   clearance_ ? 1 + clearance_->worst(motion_[0]) : 0});
}

Multipliers Scorer::no_multipliers() const {
  const ArrayXXd none = ArrayXXd::Zero(rows_.stride(), num_ratios());
  return {none, none, clearance_ ? clearance_->no_multipliers() : ClearanceMultipliers{}};
}

void Scorer::raise(Multipliers& m) {
  put_ratios();
  m.upper = (m.upper + m.mu * (ratio_[0] - 1)).max(0);
  m.lower = (m.lower + m.mu * (ratio_[1] - 1)).max(0);
  if (clearance_) clearance_->raise(motion_[0], m.mu, m.clearance);
}

/// (200 / N) sum ([max(0, l + mu (h - 1))]^2 - l^2) / (2 mu) over both sides, and its slopes by h.
double Scorer::penalty(const Multipliers& m, ArrayXXd& upper, ArrayXXd& lower) const {
  const double weight = 200.0 / task_.num_samples;
  upper = weight * (m.upper + m.mu * (ratio_[0] - 1)).max(0);
  lower = weight * (m.lower + m.mu * (ratio_[1] - 1)).max(0);
  upper.bottomRows(rows_.stride() - task_.num_samples).setZero();
  lower.bottomRows(rows_.stride() - task_.num_samples).setZero();
  const double squares = upper.square().sum() + lower.square().sum();
  const double before = m.upper.topRows(task_.num_samples).square().sum() +
                        m.lower.topRows(task_.num_samples).square().sum();
  return (squares / weight - weight * before) / (2 * m.mu);
}

bool Scorer::evaluate(const MatrixXd& coefficients, MatrixXd* slope) {
  coefficients_.leftCols(n_) = coefficients;
  has_ratios_ = false;
  if (seat_) {
    if (!seat_->rows(coefficients)) return false;
    objective_ = seat_->is_log_det() ? seat_->value() - task_.information->log_det_offset
                                     : task_.objective->value(seat_->information(), slope);
  } else {
    for (int order = 0; order < 3; ++order) move(order);
    rows_.set(motion_[0], motion_[1], motion_[2], all_count_);
    G_.setZero();
    rows_.add_information(task_.shape.duration, counts_, G_);
    objective_ = task_.objective->value(G_, slope);
  }
  return std::isfinite(objective_);
}

double Scorer::value(const MatrixXd& coefficients, const Multipliers* multipliers,
                     MatrixXd* gradient) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  MatrixXd slope;
  if (!evaluate(coefficients, gradient != nullptr ? &slope : nullptr)) return kNone;
  ArrayXXd upper, lower, by_motion[4];
  double value = objective_;
  if (multipliers != nullptr) {
    put_ratios();
    value += penalty(*multipliers, upper, lower);
  }
  if (gradient != nullptr)
    for (ArrayXXd& by : by_motion) by = ArrayXXd::Zero(rows_.stride(), n_);
  if (multipliers != nullptr && clearance_)
    value += clearance_->value(motion_[0], multipliers->clearance, multipliers->mu,
                               gradient != nullptr ? &by_motion[0] : nullptr);
  if (gradient == nullptr) return value;

  ChannelRows::Bars bars{task_.shape.duration, slope, {}, {}};
  if (multipliers != nullptr) put_slopes(upper, lower, by_motion, bars);
  MatrixXd through_rows;  // of a device; on the CPU it is in by_motion
  if (seat_) {
    through_rows.resizeLike(coefficients);
    const auto sampled = [&](const ArrayXXd& by) {
      return ArrayXXd(by.topRows(by.size() > 0 ? task_.num_samples : 0));
    };
    if (!seat_->gradient(slope, sampled(bars.by_torque), sampled(bars.by_deviation), through_rows))
      return kNone;
  } else {
    rows_.add_gradient(bars, by_motion[0], by_motion[1], by_motion[2]);
  }
  slope_.setZero();
  for (int order = 0; order < (multipliers != nullptr ? 4 : 3); ++order)
    kernels_.move_back(basis_[order].columns(), by_motion[order].data(), rows_.stride(), n_,
                       slope_.data());
  *gradient = slope_.leftCols(n_);
  if (seat_) *gradient += through_rows;
  return value;
}

ArrayXXd Scorer::extremes() {
  put_ratios();
  ArrayXXd largest(kNumLimitKinds, n_);
  for (int kind = 0; kind < kNumLimitKinds; ++kind)
    for (int k = 0; k < n_; ++k) {
      const Index at = kind * n_ + k;
      largest(kind, k) = std::max(ratio_[0].col(at).head(task_.num_samples).maxCoeff(),
                                  ratio_[1].col(at).head(task_.num_samples).maxCoeff());
    }
  return largest;
}

/// Maps gradients with respect to ratios to those with respect to the motion, through the rows for
/// torques.
void Scorer::put_slopes(const ArrayXXd& upper, const ArrayXXd& lower, ArrayXXd (&by_motion)[4],
                        ChannelRows::Bars& bars) const {
  const double deviations = task_.limits->torque_deviations;
  bars.by_torque = ArrayXXd::Zero(rows_.stride(), n_);
  if (deviations > 0) bars.by_deviation = bars.by_torque;
  for (int kind = 0; kind < kNumLimitKinds; ++kind)
    for (int k = 0; k < n_; ++k) {
      const double size = task_.limits->size[kind][k] * task_.tightness(kind, k);
      if (!std::isfinite(size) || (kind != kTorque && task_.limits->is_locked(k))) continue;
      const Index at = kind * n_ + k;
      (kind == kTorque ? bars.by_torque : by_motion[kind]).col(k) +=
          (upper.col(at) - lower.col(at)) / size;
      if (kind == kTorque && deviations > 0)
        bars.by_deviation.col(k) = deviations / size * (upper.col(at) + lower.col(at));
    }
  const CouplingLimits& couplings = task_.limits->couplings;
  Index at = kNumLimitKinds * n_;
  for (int kind = 0; kind < kTorque; ++kind)
    for (Index j = 0; j < couplings.count(); ++j, ++at) {
      const double size = couplings.size[kind][j] * task_.tightness(kind, 0);
      if (!std::isfinite(size)) continue;
      by_motion[kind].matrix() +=
          ((upper.col(at) - lower.col(at)) / size).matrix() * couplings.factors.row(j);
    }
}

}  // namespace heft::excite
