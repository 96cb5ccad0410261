#include "rows/projected_rows.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/parallel_for.hpp"
#include "heft/core/null_space.hpp"
#include "kinds.hpp"
#include "row_filter.hpp"

namespace heft {

namespace {

constexpr Eigen::Index kColumnsAtATime = 8;
using Columns = Eigen::Array<double, 1, kColumnsAtATime>;

/// Channels that any wrench affects, in order.
std::vector<int> affected_channels(const UnknownWrenches& wrenches) {
  std::set<int> channels;
  for (const UnknownDirection& direction : wrenches.directions)
    channels.insert(direction.channels.begin(), direction.channels.end());
  return {channels.begin(), channels.end()};
}

/// Structural columns of all affected channels, in order.
std::vector<int> columns_of(const RegressorPlan& plan, const std::vector<int>& channels) {
  std::set<int> columns;
  for (const int c : channels)
    columns.insert(plan.channel_columns[c].begin(), plan.channel_columns[c].end());
  return {columns.begin(), columns.end()};
}

/// Positions of a channel's columns, and then of the torque, among `all` and the torque.
std::vector<Eigen::Index> places_in(const std::vector<int>& all, const std::vector<int>& columns) {
  std::vector<Eigen::Index> places;
  for (const int column : columns)
    places.push_back(std::lower_bound(all.begin(), all.end(), column) - all.begin());
  places.push_back(std::ssize(all));
  return places;
}

/// Rows at the full rate with the raw torque as last column.
Result<std::vector<RowArray>> rows_with_torque(const RegressorPlan& plan, const Samples& samples,
                                               Backend& backend) {
  std::vector<RowArray> rows;
  HEFT_CHECK(backend.evaluate_rows(plan, samples, rows));
  for (std::size_t c = 0; c < rows.size(); ++c) {
    rows[c].conservativeResize(Eigen::NoChange, rows[c].cols() + 1);
    rows[c].rightCols(1) = samples.torque.col(static_cast<Eigen::Index>(c));
  }
  return rows;
}

/// Replaces the rows of the affected channels by projected ones over the columns of all of them.
/// Affected channels that are not used become zero.
void project(const RegressorPlan& plan, const UnfilteredMotion& motion,
             const std::vector<bool>& used, int num_threads, std::vector<RowArray>& rows) {
  const UnknownWrenches& wrenches = *motion.unknown_wrenches;
  const std::vector<int> affected = affected_channels(wrenches);
  const std::vector<int> all = columns_of(plan, affected);
  const Eigen::Index num_samples = motion.samples.size(), width = std::ssize(all) + 1;
  std::vector<std::vector<Eigen::Index>> places(rows.size());
  std::vector<RowArray> projected(rows.size());
  for (const int c : affected) {
    places[c] = places_in(all, plan.channel_columns[c]);
    projected[c] = RowArray::Zero(num_samples, width);
  }
  constexpr Eigen::Index kSamplesOfTask = 256;
  const Eigen::Index num_tasks = (num_samples + kSamplesOfTask - 1) / kSamplesOfTask;
  parallel_for(num_tasks, num_threads, [&](std::int64_t task, int) {
    NullSpace null_space(wrenches, used);
    const std::vector<int>& channels = null_space.channels();
    RowArray values(std::ssize(channels), width);
    const Eigen::Index end = std::min((task + 1) * kSamplesOfTask, num_samples);
    for (Eigen::Index i = task * kSamplesOfTask; i < end; ++i) {
      values.setZero();
      for (std::size_t k = 0; k < channels.size(); ++k)
        values.row(static_cast<Eigen::Index>(k))(places[channels[k]]) = rows[channels[k]].row(i);
      if (null_space.set(motion.samples, i) > 0) null_space.apply(values);
      for (std::size_t k = 0; k < channels.size(); ++k)
        projected[channels[k]].row(i) = values.row(static_cast<Eigen::Index>(k));
    }
  });
  for (const int c : affected) rows[c] = std::move(projected[c]);
}

/// Filters and decimates the rows of all channels.
void filter(const UnfilteredMotion& motion, Eigen::Index num_samples, int num_threads,
            std::vector<RowArray>& rows) {
  std::vector<Eigen::ArrayXXd> scratch(static_cast<std::size_t>(num_threads));
  for (RowArray& of_channel : rows) {
    RowArray filtered(num_samples, of_channel.cols());
    const Eigen::Index num_groups = (of_channel.cols() + kSignalLanes - 1) / kSignalLanes;
    parallel_for(num_groups, num_threads, [&](std::int64_t group, int thread) {
      filter_columns(of_channel, motion, group * kSignalLanes, filtered, scratch[thread]);
    });
    of_channel = std::move(filtered);
  }
}

}  // namespace

bool has_unknown_wrenches(const Samples& block) {
  return block.unfiltered && block.unfiltered->unknown_wrenches;
}

Samples without_unknown_wrenches(Samples block) {
  if (!has_unknown_wrenches(block)) return block;
  UnfilteredMotion motion = *block.unfiltered;
  motion.unknown_wrenches = nullptr;
  block.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(motion));
  return block;
}

PlanPtr projected_plan(const PlanPtr& plan, const UnknownWrenches& wrenches) {
  RegressorPlan projected = *plan;
  projected.whitened_from = plan;
  projected.channel_entries.clear();
  projected.packed_size = 0;
  const std::vector<int> affected = affected_channels(wrenches);
  const std::vector<int> all = columns_of(*plan, affected);
  for (const int c : affected) projected.channel_columns[c] = all;
  for (const std::vector<int>& columns : projected.channel_columns) {
    const int width = static_cast<int>(columns.size()) + 1;
    projected.channel_entries.push_back({width, projected.packed_size});
    projected.packed_size += core::packed_triangle(width);
  }
  return std::make_shared<const RegressorPlan>(std::move(projected));
}

std::vector<bool> used_channels(const Samples& block) {
  std::vector<bool> used = block.unfiltered->measured;
  for (std::size_t c = 0; c < used.size(); ++c)
    if (block.weight.size() > 0)
      used[c] = used[c] && (block.weight.col(static_cast<Eigen::Index>(c)) != 0).any();
  return used;
}

Result<Done> make_projected_rows(const RegressorPlan& plan, const Samples& block, Backend& backend,
                                 MadeRows& made) {
  const UnfilteredMotion& motion = *block.unfiltered;
  const std::vector<bool> used = used_channels(block);
  HEFT_TRY(rows, rows_with_torque(plan, motion.samples, backend));
  project(plan, motion, used, backend.num_threads(), rows);
  filter(motion, block.size(), backend.num_threads(), rows);
  made.weight = block.weight;
  const std::vector<int> channels = NullSpace(*motion.unknown_wrenches, used).channels();
  for (Eigen::Index i = 0; i < made.weight.rows(); ++i)
    if ((block.weight.row(i)(channels) == 0).any())
      for (const int c : channels) made.weight(i, c) = 0;
  for (std::size_t c = 0; c < rows.size(); ++c)
    rows[c].colwise() *= made.weight.col(static_cast<Eigen::Index>(c));
  made.rows = std::move(rows);
  return Done{};
}

void add_unknown_wrenches(const Samples& block, Eigen::ArrayXXd& predicted) {
  const Samples& samples = block.unfiltered->samples;
  NullSpace null_space(*block.unfiltered->unknown_wrenches, used_channels(block));
  const std::vector<int>& channels = null_space.channels();
  RowArray residual(std::ssize(channels), 1);
  for (Eigen::Index i = 0; i < samples.size(); ++i) {
    if (null_space.set(samples, i) == 0) continue;
    const Eigen::ArrayXd whole =
        (samples.torque.row(i)(channels) - predicted.row(i)(channels)).transpose();
    residual.col(0) = whole;
    null_space.apply(residual);
    for (std::size_t k = 0; k < channels.size(); ++k) {
      const auto place = static_cast<Eigen::Index>(k);
      predicted(i, channels[k]) += whole[place] - residual(place, 0);
    }
  }
}

NullSpace::NullSpace(const UnknownWrenches& wrenches, const std::vector<bool>& used)
    : wrenches_(wrenches), place_(static_cast<std::size_t>(wrenches.noise.size()), -1) {
  for (const int c : affected_channels(wrenches)) {
    if (!used.empty() && !used[c]) continue;
    place_[c] = static_cast<int>(channels_.size());
    channels_.push_back(c);
  }
  noise_ = wrenches.noise(channels_);
  basis_.resize(noise_.size(), std::ssize(wrenches.directions));
}

int NullSpace::set(const Samples& samples, Eigen::Index row) {
  num_directions_ = 0;
  for (const UnknownDirection& direction : wrenches_.directions) {
    auto column = basis_.col(num_directions_);
    column.setZero();
    for (std::size_t k = 0; k < direction.channels.size(); ++k)
      if (const int place = place_[direction.channels[k]]; place >= 0)
        column[place] =
            samples.signal(row, direction.first_signal + static_cast<int>(k)) / noise_[place];
    if (!column.isZero(0)) ++num_directions_;
  }
  const auto entry = [this](int c, int k) -> double& { return basis_(c, k); };
  return core::orthonormalize<double>(entry, static_cast<int>(noise_.size()), num_directions_);
}

void NullSpace::apply(Eigen::Ref<RowArray> values) const {
  values.colwise() /= noise_.array();
  const auto entry = [this](int c, int k) { return basis_(c, k); };
  const auto num_channels = static_cast<int>(noise_.size());
  Eigen::Index column = 0;
  for (; column + kColumnsAtATime <= values.cols(); column += kColumnsAtATime) {
    const auto part = [&](int c) { return Eigen::Map<Columns>(&values(c, column)); };
    core::remove_directions<Columns>(entry, num_channels, num_directions_, part);
  }
  for (; column < values.cols(); ++column) {
    const auto part = [&](int c) -> double& { return values(c, column); };
    core::remove_directions<double>(entry, num_channels, num_directions_, part);
  }
  values.colwise() *= noise_.array();
}

Eigen::VectorXd NullSpace::remaining() const {
  const auto basis = basis_.leftCols(num_directions_);
  return Eigen::VectorXd::Ones(noise_.size()) - basis.rowwise().squaredNorm();
}

}  // namespace heft
