#include "rows/projected_rows.hpp"

#include <algorithm>
#include <set>

#include "base/parallel_for.hpp"
#include "heft/core/null_space.hpp"
#include "kinds.hpp"
#include "projectors.hpp"
#include "row_filter.hpp"

namespace heft {

namespace {

constexpr Eigen::Index kColumnsAtATime = 8;
using Columns = Eigen::Array<double, 1, kColumnsAtATime>;

/// Structural columns of all affected channels, in order.
std::vector<int> columns_of(const RegressorPlan& plan, const std::vector<int>& channels) {
  std::set<int> columns;
  for (const int c : channels)
    columns.insert(plan.channel_columns[c].begin(), plan.channel_columns[c].end());
  return {columns.begin(), columns.end()};
}

/// Columns that are neighbors in a channel's rows and in a tile of the columns of all channels.
struct Run {
  Eigen::Index column = 0;
  int place = 0, count = 0;
};

/// What a channel has in a tile.
struct ColumnsOfTile {
  std::vector<Run> runs;
  int torque = -1;  ///< place of the torque; -1: in another tile

  bool empty() const { return runs.empty() && torque < 0; }
};

/// The columns of a channel by tile. The torque is behind the last column of all.
std::vector<ColumnsOfTile> columns_by_tile(const std::vector<int>& all,
                                           const std::vector<int>& columns) {
  std::vector<ColumnsOfTile> tiles(all.size() / kSignalLanes + 1);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const auto at = std::lower_bound(all.begin(), all.end(), columns[k]) - all.begin();
    std::vector<Run>& runs = tiles[static_cast<std::size_t>(at / kSignalLanes)].runs;
    const auto place = static_cast<int>(at % kSignalLanes);
    const bool continues = !runs.empty() && runs.back().column + runs.back().count == column &&
                           runs.back().place + runs.back().count == place;
    if (continues)
      ++runs.back().count;
    else
      runs.push_back({column, place, 1});
  }
  tiles.back().torque = static_cast<int>(std::ssize(all) % kSignalLanes);
  return tiles;
}

/// Memory of one thread.
struct ThreadMemory {
  std::vector<double> given;
  Eigen::ArrayXXd scratch;
};

/// Projects the rows of a block at the full rate, by tiles of kSignalLanes columns; then filters
/// and decimates them. Projected columns are many times as large as the block, so that only some
/// tiles are in memory at a time; projectors stay for all of them.
class ProjectedBlock {
 public:
  ProjectedBlock(const RegressorPlan& plan, const Samples& block, const std::vector<bool>& used,
                 const std::vector<RowArray>& rows)
      : block_(block),
        motion_(*block.unfiltered),
        rows_(rows),
        parts_(static_cast<std::size_t>((motion_.samples.size() + kRows - 1) / kRows),
               Projectors(*motion_.unknown_wrenches, used)),
        channels_(Projectors(*motion_.unknown_wrenches, used).channels()),
        affected_(affected_channels(*motion_.unknown_wrenches)),
        all_(columns_of(plan, affected_)),
        num_tiles_(std::ssize(all_) / kSignalLanes + 1),
        channel_size_(motion_.samples.size() * kSignalLanes) {
    for (const int c : channels_)
      tiles_.push_back(columns_by_tile(all_, plan.channel_columns[static_cast<std::size_t>(c)]));
    const double bytes_of_tile = 8.0 * static_cast<double>(channels_.size() * channel_size_);
    tiles_at_a_time_ = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(kMostBytes / std::max(1.0, bytes_of_tile)), 1, num_tiles_);
    projected_.resize(tiles_at_a_time_ * std::ssize(channels_) * channel_size_);
  }

  /// Makes room in `made` for the rows of affected channels; those not used stay zero.
  void make_room(std::vector<RowArray>& made) const {
    for (const int c : affected_)
      made[static_cast<std::size_t>(c)] = RowArray::Zero(block_.size(), std::ssize(all_) + 1);
  }

  /// Projects, filters and decimates all columns into `made`, which has room.
  void run(int num_threads, std::vector<RowArray>& made) {
    std::vector<ThreadMemory> memory(static_cast<std::size_t>(num_threads));
    for (std::int64_t first = 0; first < num_tiles_; first += tiles_at_a_time_) {
      const Tiles tiles{first, std::min(num_tiles_, first + tiles_at_a_time_)};
      parallel_for(std::ssize(parts_), num_threads, [&](std::int64_t part, int thread) {
        project(part, tiles, memory[static_cast<std::size_t>(thread)]);
      });
      const std::int64_t num_filters = (tiles.last - tiles.first) * std::ssize(channels_);
      parallel_for(num_filters, num_threads, [&](std::int64_t task, int thread) {
        filter(tiles, task, memory[static_cast<std::size_t>(thread)].scratch, made);
      });
    }
  }

 private:
  static constexpr Eigen::Index kRows = Projectors::kMostSamples;
  static constexpr double kMostBytes = 16e6;  ///< of projected columns, if one tile is not larger

  /// Tiles first .. last - 1, which are in memory.
  struct Tiles {
    std::int64_t first, last;
  };

  /// Projects columns of kMostSamples samples; the first tiles make the projectors.
  void project(std::int64_t part, const Tiles& tiles, ThreadMemory& memory) {
    const Eigen::Index first = part * kRows;
    const Eigen::Index count = std::min(kRows, motion_.samples.size() - first);
    Projectors& projectors = parts_[static_cast<std::size_t>(part)];
    if (tiles.first == 0) projectors.set(motion_.samples, first, count);
    memory.given.resize(channels_.size() * kRows * kSignalLanes);
    std::vector<int> sources;
    for (std::int64_t tile = tiles.first; tile < tiles.last; ++tile) {
      sources.clear();
      for (std::size_t k = 0; k < channels_.size(); ++k) {
        const ColumnsOfTile& columns = tiles_[k][static_cast<std::size_t>(tile)];
        if (columns.empty()) continue;
        put(channels_[k], columns, first, count,
            memory.given.data() + std::ssize(sources) * kRows * kSignalLanes);
        sources.push_back(static_cast<int>(k));
      }
      projectors.project(sources, memory.given.data(),
                         values(tile - tiles.first, 0) + first * kSignalLanes, channel_size_);
    }
  }

  /// Filters the columns of one channel and tile.
  void filter(const Tiles& tiles, std::int64_t task, Eigen::ArrayXXd& scratch,
              std::vector<RowArray>& made) {
    const std::int64_t tile = task % (tiles.last - tiles.first),
                       k = task / (tiles.last - tiles.first);
    const Eigen::Index first = (tiles.first + tile) * kSignalLanes;
    const Eigen::Index count = std::min<Eigen::Index>(kSignalLanes, std::ssize(all_) + 1 - first);
    RowArray& rows = made[static_cast<std::size_t>(channels_[static_cast<std::size_t>(k)])];
    const Eigen::Map<const RowArray> columns(values(tile, k), motion_.samples.size(), kSignalLanes);
    motion_.lowpass.apply_to_rows(columns.leftCols(count), motion_.first, motion_.step,
                                  rows.middleCols(first, count), scratch);
  }

  /// Of a tile in memory.
  double* values(std::int64_t tile, std::int64_t channel) {
    return projected_.data() + (tile * std::ssize(channels_) + channel) * channel_size_;
  }

  /// Writes a channel's columns of a tile at some samples, zero where it has none.
  void put(int channel, const ColumnsOfTile& columns, Eigen::Index first, Eigen::Index count,
           double* to) const {
    const RowArray& rows = rows_[static_cast<std::size_t>(channel)];
    const auto torque = motion_.samples.torque.col(channel);
    std::fill(to, to + count * kSignalLanes, 0.0);
    for (Eigen::Index i = first; i < first + count; ++i, to += kSignalLanes) {
      for (const Run& run : columns.runs) {
        const double* const from = rows.data() + i * rows.cols() + run.column;
        std::copy(from, from + run.count, to + run.place);
      }
      if (columns.torque >= 0) to[columns.torque] = torque[i];
    }
  }

  const Samples& block_;
  const UnfilteredMotion& motion_;
  const std::vector<RowArray>& rows_;
  std::vector<Projectors> parts_;  ///< of kRows samples each
  std::vector<int> channels_;      ///< that are projected
  std::vector<int> affected_;
  std::vector<int> all_;  ///< columns of affected channels; the torque is behind the last
  std::int64_t num_tiles_, tiles_at_a_time_ = 1;
  std::ptrdiff_t channel_size_;  ///< numbers of a channel and tile in projected_
  Eigen::ArrayXd projected_;     ///< tile by tile and channel by channel, not initialized
  std::vector<std::vector<ColumnsOfTile>> tiles_;  ///< of every channel
};

/// Filters and decimates the row of a channel that no wrench affects.
RowArray filtered(const UnfilteredMotion& motion, const RowArray& rows, Eigen::Index channel,
                  Eigen::Index num_samples) {
  RowArray with_torque(rows.rows(), rows.cols() + 1);
  with_torque << rows, motion.samples.torque.col(channel);
  RowArray made(num_samples, with_torque.cols());
  Eigen::ArrayXXd scratch;
  for (Eigen::Index first = 0; first < with_torque.cols(); first += kSignalLanes)
    filter_columns(with_torque, motion, first, made, scratch);
  return made;
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

Eigen::ArrayXXd projected_weight(const Samples& block) {
  const std::vector<int> channels =
      NullSpace(*block.unfiltered->unknown_wrenches, used_channels(block)).channels();
  Eigen::ArrayXXd weight = block.weight;
  for (Eigen::Index i = 0; i < weight.rows(); ++i)
    if ((block.weight.row(i)(channels) == 0).any())
      for (const int c : channels) weight(i, c) = 0;
  return weight;
}

Eigen::ArrayXXd remaining_shares(const Samples& block) {
  const UnfilteredMotion& motion = *block.unfiltered;
  NullSpace null_space(*motion.unknown_wrenches, used_channels(block));
  Eigen::ArrayXXd shares = (projected_weight(block) != 0).cast<double>();
  for (Eigen::Index i = 0; i < block.size(); ++i) {
    null_space.set(motion.samples, motion.first + i * motion.step);
    shares.row(i)(null_space.channels()) *= null_space.remaining().transpose().array();
  }
  return shares;
}

Result<Done> make_projected_rows(const RegressorPlan& plan, const Samples& block, Backend& backend,
                                 MadeRows& made) {
  const UnfilteredMotion& motion = *block.unfiltered;
  const int num_threads = backend.num_threads();
  std::vector<RowArray> unfiltered;
  HEFT_CHECK(backend.evaluate_rows(plan, motion.samples, unfiltered));
  std::vector<RowArray> rows(unfiltered.size());
  ProjectedBlock projected(plan, block, used_channels(block), unfiltered);
  projected.make_room(rows);
  projected.run(num_threads, rows);
  std::vector<int> others;
  for (std::size_t c = 0; c < rows.size(); ++c)
    if (rows[c].size() == 0) others.push_back(static_cast<int>(c));
  parallel_for(std::ssize(others), num_threads, [&](std::int64_t task, int) {
    const int c = others[static_cast<std::size_t>(task)];
    rows[c] = filtered(motion, unfiltered[c], c, block.size());
  });
  made.weight = projected_weight(block);
  for (std::size_t c = 0; c < rows.size(); ++c)
    rows[c].colwise() *= made.weight.col(static_cast<Eigen::Index>(c));
  made.rows = std::move(rows);
  return Done{};
}

void add_unknown_wrenches(const Samples& block, std::span<Eigen::ArrayXXd> predicted) {
  const Samples& samples = block.unfiltered->samples;
  Projectors projectors(*block.unfiltered->unknown_wrenches, used_channels(block));
  const std::vector<int>& channels = projectors.channels();
  const auto num_channels = std::ssize(channels);
  Eigen::VectorXd whole(num_channels), left(num_channels);
  const auto add = [&](const double* projector, Eigen::Index i, Eigen::ArrayXXd& of_job) {
    for (Eigen::Index k = 0; k < num_channels; ++k) {
      const int c = channels[static_cast<std::size_t>(k)];
      whole[k] = samples.torque(i, c) - of_job(i, c);
    }
    left.noalias() =
        Eigen::Map<const Eigen::MatrixXd>(projector, num_channels, num_channels) * whole;
    for (Eigen::Index k = 0; k < num_channels; ++k)
      of_job(i, channels[static_cast<std::size_t>(k)]) += whole[k] - left[k];
  };
  for (Eigen::Index first = 0; first < samples.size(); first += Projectors::kMostSamples) {
    const Eigen::Index count = std::min(Projectors::kMostSamples, samples.size() - first);
    projectors.set(samples, first, count);
    for (Eigen::Index i = 0; i < count; ++i)
      if (const double* const projector = projectors.of(i))
        for (Eigen::ArrayXXd& of_job : predicted) add(projector, first + i, of_job);
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
  return static_cast<int>(
      core::orthonormalize<double>(entry, static_cast<int>(noise_.size()), num_directions_));
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
