#include "setup/match_clocks.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/number_text.hpp"
#include "conditioning/log_columns.hpp"
#include "heft/executor/executor.hpp"
#include "heft/setup/setup.hpp"
#include "linalg/factorizations.hpp"
#include "readers/log_table.hpp"
#include "torque_stream.hpp"

namespace heft {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kCoarseRows = 600, kFineRows = 3000;
constexpr double kCoarseStep = 0.04;  ///< [s] between offsets that are tried
constexpr double kSearched = 60;      ///< [s] around equal start times and around equal clocks
constexpr double kLeastOverlap = 3;   ///< [s]
constexpr double kIndependent = 0.5 / kMatchingCutoff;  ///< [s] between independent residuals
constexpr double kSameCell = 0.3;  ///< [s]: offsets that are closer belong to one maximum
constexpr int kCandidates = 6;
constexpr double kLeastExplained = 0.3;  ///< share of the torques' variance
constexpr double kMostUncertain = 0.02;  ///< [s] standard deviation of an offset
constexpr double kSameClock = 5e-4;      ///< [s]
constexpr double kSignificant = 4;       ///< standard deviations
constexpr double kRateInSteps = 240;     ///< [s]: longer recordings are matched outward from the
                                         ///< middle

/// Orthonormal bases of each channel's rows at some times of the motion.
struct Basis {
  VectorXd time;
  std::vector<MatrixXd> of_channel;
};

/// stamp = time + offset + rate (time - center)
struct Fit {
  double offset = 0, rate = 0, center = 0;
  double offset_sd = INFINITY, rate_sd = INFINITY;
  double explained = 0;  ///< share of the variance, minus that of as many random columns
  Index num_rows = 0;

  double stamp(double time) const { return time + offset + rate * (time - center); }
  double time(double stamp) const { return center + (stamp - offset - center) / (1 + rate); }
};

/// Consecutive rows of the motion.
struct Rows {
  Index begin = 0, size = 0;
};

std::vector<Index> spread(const Rows& all, Index most) {
  const Index stride = std::max<Index>(1, (all.size + most - 1) / most);
  std::vector<Index> some;
  for (Index k = 0; k < all.size; k += stride) some.push_back(all.begin + k);
  return some;
}

class Matching {
 public:
  Matching(const MotionStream& motion, const TorqueStream& torques, PlanPtr plan,
           std::vector<int> channels)
      : motion_(motion.samples),
        torques_(torques),
        plan_(std::move(plan)),
        channels_(std::move(channels)),
        shared_(motion.origin_s - torques.origin_s) {}

  Result<Done> prepare() {
    HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
    backend_ = std::move(backend);
    return Done{};
  }
  /// Returns the best clock; empty if the motion does not determine it.
  Result<std::optional<Fit>> best() const;
  bool is_shared(const Fit& fit) const {
    return fit.rate == 0 &&
           std::abs(fit.offset - shared_) <= std::max(kSameClock, kSignificant * fit.offset_sd);
  }
  bool overlaps_as_logged() const { return overlap({.offset = shared_}).size > 0; }

 private:
  Result<Basis> basis(const std::vector<Index>& rows) const;
  Result<std::vector<double>> coarse() const;
  std::vector<double> offsets() const;
  Rows overlap(const Fit& fit, double share = 1) const;
  Result<std::optional<Fit>> refined(double offset) const;
  Result<std::optional<Fit>> improved(Fit fit, const Rows& rows, bool has_rate) const;
  Result<std::optional<Fit>> with_rate(const Fit& fit) const;

  const Samples& motion_;
  const TorqueStream& torques_;
  PlanPtr plan_;
  std::vector<int> channels_;  ///< of the plan, by column of the torques
  double shared_;              ///< offset of a common clock [s]
  std::unique_ptr<Backend> backend_;
};

// A constant column stands for the unknown zero of the torques, whose mean was subtracted.
Result<Basis> Matching::basis(const std::vector<Index>& chosen) const {
  Samples some;
  const auto num_rows = std::ssize(chosen);
  some.time = motion_.time(chosen);
  for (auto member : {&Samples::position, &Samples::velocity, &Samples::acceleration})
    some.*member = (motion_.*member)(chosen, Eigen::all);
  std::vector<RowArray> rows;
  HEFT_CHECK(backend_->evaluate_rows(*plan_, some, rows));
  Basis basis{.time = some.time};
  for (const int channel : channels_) {
    const RowArray& of_channel = rows[static_cast<std::size_t>(channel)];
    MatrixXd columns(num_rows, of_channel.cols() + 1);
    columns << of_channel.matrix(), VectorXd::Ones(num_rows);
    for (Index k = 0; k < columns.cols(); ++k)
      if (const double size = columns.col(k).norm(); size > 0) columns.col(k) /= size;
    Eigen::ColPivHouseholderQR<MatrixXd> factors(columns.rows(), columns.cols());
    factors.setThreshold(1e-6);
    factors.compute(columns);
    MatrixXd q = MatrixXd::Identity(num_rows, factors.rank());
    q.applyOnTheLeft(factors.householderQ());
    basis.of_channel.push_back(std::move(q));
  }
  return basis;
}

std::vector<double> Matching::offsets() const {
  const double longest = std::max(motion_.time[motion_.size() - 1] - motion_.time[0],
                                  torques_.last_s() - torques_.first_s);
  const double reach = std::min(kSearched, longest);
  std::set<long> steps;
  for (const double middle : {torques_.first_s - motion_.time[0], shared_})
    for (double offset = middle - reach; offset <= middle + reach; offset += kCoarseStep)
      if (overlap({.offset = offset}).size > 0) steps.insert(std::lround(offset / kCoarseStep));
  std::vector<double> offsets;
  for (const long step : steps) offsets.push_back(kCoarseStep * static_cast<double>(step));
  return offsets;
}

// Torques outside their file count as zero, so that a short overlap explains little.
Result<std::vector<double>> Matching::coarse() const {
  HEFT_TRY(coarse, basis(spread({0, motion_.size()}, kCoarseRows)));
  const std::vector<double> tried = offsets();
  VectorXd explained = VectorXd::Zero(std::ssize(tried));
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const auto channel = static_cast<Index>(c);
    MatrixXd torque = MatrixXd::Zero(coarse.time.size(), std::ssize(tried));
    for (Index j = 0; j < torque.cols(); ++j)
      for (Index k = 0; k < torque.rows(); ++k)
        if (const double stamp = coarse.time[k] + tried[static_cast<std::size_t>(j)];
            stamp >= torques_.first_s && stamp <= torques_.last_s())
          torque(k, j) = torques_.at(stamp, channel).first;
    const double variance = torques_.torque.col(channel).square().mean();
    if (variance > 0)
      explained += (coarse.of_channel[c].transpose() * torque).colwise().squaredNorm().transpose() /
                   variance;
  }
  std::vector<Index> order(tried.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return explained[a] > explained[b]; });
  std::vector<double> maxima;
  for (const Index k : order) {
    const double offset = tried[static_cast<std::size_t>(k)];
    const bool is_new = std::none_of(maxima.begin(), maxima.end(), [&](double other) {
      return std::abs(other - offset) < kSameCell;
    });
    if (is_new) maxima.push_back(offset);
    if (std::ssize(maxima) == kCandidates) break;
  }
  return maxima;
}

/// Rows of the motion within the torques, with a margin; only the middle `share` of them. Empty if
/// they are too short.
Rows Matching::overlap(const Fit& fit, double share) const {
  constexpr double kMargin = 0.3;  // [s]: ends of the filter, and room for the offset to change
  const auto* const begin = motion_.time.data();
  const auto* const end = begin + motion_.size();
  const auto* first = std::lower_bound(begin, end, fit.time(torques_.first_s + kMargin));
  const auto* last = std::upper_bound(first, end, fit.time(torques_.last_s() - kMargin));
  if (last - first < 2 || *(last - 1) - *first < kLeastOverlap) return {};
  const auto cut = static_cast<Index>(0.5 * (1 - share) * static_cast<double>(last - first));
  return {first - begin + cut, last - first - 2 * cut};
}

// Gauss-Newton on the part of the torques outside the basis; residuals set the channel weights.
Result<std::optional<Fit>> Matching::improved(Fit fit, const Rows& rows, bool has_rate) const {
  constexpr int kMaxSteps = 30;
  constexpr double kLargestStep = 0.05, kSmallestStep = 1e-7;  // [s]
  if (rows.size < 2) return std::optional<Fit>();
  HEFT_TRY(fine, basis(spread(rows, kFineRows)));
  const Index num_rows = fine.time.size();
  const double length = fine.time[num_rows - 1] - fine.time[0];
  const double middle = 0.5 * (fine.time[num_rows - 1] + fine.time[0]);
  fit.offset += fit.rate * (middle - fit.center);
  fit.center = middle;
  const double independent =
      std::min(1.0, length / static_cast<double>(num_rows - 1) / kIndependent);
  VectorXd torque(num_rows), slope(num_rows);
  for (int step = 0; step < kMaxSteps; ++step) {
    Eigen::Matrix2d information = Eigen::Matrix2d::Zero();
    Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
    double explained = 0;
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      for (Index k = 0; k < num_rows; ++k)
        std::tie(torque[k], slope[k]) = torques_.at(fit.stamp(fine.time[k]), static_cast<Index>(c));
      const MatrixXd& q = fine.of_channel[c];
      MatrixXd columns(num_rows, 3);
      columns.col(0) = torque;
      columns.col(1) = slope;
      columns.col(2) = slope.array() * (fine.time.array() - middle);
      const double variance = (torque.array() - torque.mean()).square().mean();
      columns -= q * (q.transpose() * columns);
      const double freedom =
          independent * static_cast<double>(num_rows) - static_cast<double>(q.cols());
      const double noise = columns.col(0).squaredNorm() * independent / freedom;
      if (!(freedom > 1) || !(variance > 0) || !(noise > 0)) continue;
      explained += std::max(0.0, 1 - noise / variance);
      information += columns.rightCols(2).transpose() * columns.rightCols(2) / noise;
      gradient -= columns.rightCols(2).transpose() * columns.col(0) / noise;
    }
    if (!has_rate) {
      information.row(1) << 0, 1;
      information.col(1) << 0, 1;
      gradient[1] = 0;
    }
    const Eigen::LDLT<Eigen::Matrix2d> solver(information);
    Eigen::Vector2d change = solver.solve(gradient);
    if (!change.allFinite() || !(information(0, 0) > 0)) return std::optional<Fit>();
    const double size = std::abs(change[0]) + 0.5 * length * std::abs(change[1]);
    if (size > kLargestStep) change *= kLargestStep / size;
    fit.offset += change[0];
    fit.rate += change[1];
    fit.explained = explained / static_cast<double>(channels_.size());
    fit.num_rows = num_rows;
    const Eigen::Matrix2d covariance = solver.solve(Eigen::Matrix2d::Identity()) / independent;
    fit.offset_sd = std::sqrt(covariance(0, 0));
    fit.rate_sd = has_rate ? std::sqrt(covariance(1, 1)) : 0;
    if (size < kSmallestStep) break;
  }
  return std::optional<Fit>(fit);
}

Result<std::optional<Fit>> Matching::refined(double offset) const {
  const Fit start{.offset = offset};
  HEFT_TRY(fit, improved(start, overlap(start), false));
  if (!fit || std::abs(fit->offset - offset) > 1 || overlap(*fit).size == 0)
    return std::optional<Fit>();
  return fit;
}

// A long recording is matched outward from its middle, so that no part is off by more than the
// correlation time of the torques.
Result<std::optional<Fit>> Matching::with_rate(const Fit& start) const {
  Fit fit = start;
  const Rows whole = overlap(fit);
  const double length = motion_.time[whole.begin + whole.size - 1] - motion_.time[whole.begin];
  for (double share = length > kRateInSteps ? 0.125 : 1; share <= 1; share *= 2) {
    HEFT_TRY(better, improved(fit, overlap(fit, share), true));
    if (!better) return std::optional<Fit>();
    fit = *better;
  }
  constexpr double kSmallDrift = 1e-4;  // [s] from the middle to the ends
  const bool is_real = std::abs(fit.rate) > kSignificant * fit.rate_sd &&
                       0.5 * length * std::abs(fit.rate) > kSmallDrift;
  if (is_real) return std::optional<Fit>(fit);
  fit.rate = 0;
  return improved(fit, overlap(fit), false);
}

// Periodic motions fit equally well at several offsets; the one with the longest overlap is chosen.
Result<std::optional<Fit>> Matching::best() const {
  constexpr double kAlike = 1.2;  // of the unexplained share
  if (motion_.size() < 2) return std::optional<Fit>();
  HEFT_TRY(candidates, coarse());
  std::vector<Fit> fits;
  for (const double offset : candidates) {
    HEFT_TRY(fit, refined(offset));
    if (fit) fits.push_back(*fit);
  }
  double least = INFINITY;
  for (const Fit& fit : fits) least = std::min(least, 1 - fit.explained);
  std::erase_if(fits, [&](const Fit& fit) { return 1 - fit.explained > kAlike * least; });
  if (fits.empty()) return std::optional<Fit>();
  const auto longest = std::max_element(fits.begin(), fits.end(), [&](const Fit& a, const Fit& b) {
    return overlap(a).size < overlap(b).size;
  });
  HEFT_TRY(fit, with_rate(*longest));
  const bool is_shown =
      fit && fit->explained >= kLeastExplained && fit->offset_sd <= kMostUncertain;
  return is_shown ? fit : std::optional<Fit>();
}

/// The columns of a log by file.
struct FileColumns {
  std::vector<std::string> paths;
  std::size_t motion = 0;
  std::map<std::size_t, std::vector<std::pair<int, std::string>>> torques;  ///< by file: channels
                                                                            ///< and their columns
};

/// Returns nothing if positions are in several files, if all torques are in their file, or if
/// columns are missing.
std::optional<FileColumns> columns_of_files(const std::string& words, const Robot& robot,
                                            const std::vector<Channel>& channels,
                                            const LogFormat& format,
                                            const ConditioningOptions& conditioning) {
  FileColumns found{.paths = files_of_log(words)};
  if (found.paths.size() < 2 || robot.floating_base) return {};
  std::map<std::string, std::size_t> file_of;
  for (std::size_t k = 0; k < found.paths.size(); ++k) {
    const auto table = open_table(Log(found.paths[k]), format, conditioning.max_gap_s);
    if (!table) return {};
    for (const std::string& name : table->columns().columns) file_of[name] = k;
  }
  const auto joined = open_table(Log(words), format, conditioning.max_gap_s);
  if (!joined) return {};
  const std::vector<std::string>& names = joined->columns().columns;
  const auto columns = find_log_columns(joined->columns(), robot, channels, format, conditioning,
                                        {}, joined->source->where());
  if (!columns) return {};
  const auto name_of = [&](int value) -> const std::string& {
    return names[static_cast<std::size_t>(columns->values[static_cast<std::size_t>(value)].column)];
  };
  found.motion = file_of[name_of(columns->first_position)];
  for (int joint = 0; joint < robot.num_coordinates(); ++joint)
    if (file_of[name_of(columns->first_position + joint)] != found.motion) return {};
  for (std::size_t c = 0; c < columns->torque.size(); ++c) {
    if (columns->torque[c] < 0) continue;
    const std::string& name = name_of(columns->torque[c]);
    if (file_of[name] != found.motion)
      found.torques[file_of[name]].emplace_back(static_cast<int>(c), name);
  }
  return found.torques.empty() ? std::nullopt : std::optional(std::move(found));
}

Error not_shown(const std::string& file, const std::string& motion) {
  return {file,
          "has no time in common with " + motion +
              ", and the motion does not show how their clocks differ",
          "record at least 20 s in which all joints move, or convert the stamps of both files to "
          "one clock"};
}

/// The clock of a file with torques relative to that with the motion; empty: the same.
Result<std::optional<Fit>> fit_of_file(const FileColumns& files, std::size_t file,
                                       const MotionStream& motion, const PlanPtr& plan,
                                       const LogFormat& format) {
  std::vector<int> channels;
  std::vector<std::string> names;
  for (const auto& [channel, name] : files.torques.at(file)) {
    channels.push_back(channel);
    names.push_back(name);
  }
  const auto torques = read_torque_stream(files.paths[file], names, format);
  if (!torques) return std::optional<Fit>();
  Matching matching(motion, *torques, plan, std::move(channels));
  HEFT_CHECK(matching.prepare());
  HEFT_TRY(fit, matching.best());
  if (!fit && !matching.overlaps_as_logged())
    return not_shown(files.paths[file], files.paths[files.motion]);
  return fit && !matching.is_shared(*fit) ? fit : std::optional<Fit>();
}

/// Returns the map of each file to the first one, from clocks relative to that of the motion.
std::vector<ClockMap> maps_to_first(const std::vector<ClockMap>& to_motion) {
  std::vector<ClockMap> maps;
  const ClockMap first = to_motion.front();
  for (const ClockMap& map : to_motion) {
    // stamp = b + (1 + r) motion and time = b0 + (1 + r0) motion
    const double rate = (1 + map.rate) / (1 + first.rate) - 1;
    maps.push_back({map.offset_s - (1 + rate) * first.offset_s, rate});
  }
  return maps;
}

Result<Done> match(Log& log, const Robot& robot, const std::vector<Channel>& channels,
                   const LogFormat& format, const ConditioningOptions& conditioning,
                   std::vector<ClockMatch>& clocks) {
  const bool is_whole = !(log.part().from_s > LogPart().from_s || log.part().to_s < LogPart().to_s);
  if (!is_whole) return Done{};  // its clocks were matched before it was cut
  const auto files = columns_of_files(log.name(), robot, channels, format, conditioning);
  if (!files) return Done{};
  const auto motion =
      read_motion_stream(files->paths[files->motion], robot, channels, format, conditioning);
  if (!motion) return Done{};  // reported when the log is read
  HEFT_TRY(columns, make_columns(robot, channels, {}));
  HEFT_TRY(plan, make_regressor_plan(robot, channels, std::move(columns)));
  std::vector<double> origins;
  std::vector<ClockMap> to_motion;
  std::map<std::size_t, Fit> fits;
  for (std::size_t k = 0; k < files->paths.size(); ++k) {
    HEFT_TRY(origin, origin_of(files->paths[k], format));
    origins.push_back(origin);
    to_motion.push_back({motion->origin_s - origin, 0});
    if (!files->torques.contains(k)) continue;
    HEFT_TRY(fit, fit_of_file(*files, k, *motion, plan, format));
    if (!fit) continue;
    to_motion[k] = {fit->offset - fit->rate * fit->center, fit->rate};
    fits[k] = *fit;
  }
  if (fits.empty()) return Done{};
  const std::vector<ClockMap> maps = maps_to_first(to_motion);
  for (std::size_t k = 1; k < maps.size(); ++k) {
    if (!fits.contains(k) && !fits.contains(0)) continue;
    const Fit& fit = fits.contains(k) ? fits[k] : fits[0];
    clocks.push_back({log.name(),
                      files->paths[k],
                      {maps[k].offset_s - (origins[0] - origins[k]), maps[k].rate},
                      std::hypot(fit.offset_sd, fit.rate_sd * fit.center),
                      fit.rate_sd});
  }
  log = log_of_files(log.name(), maps);
  return Done{};
}

}  // namespace

Result<MatchedLogs> match_clocks(std::vector<Log> logs, const Robot& robot,
                                 const std::vector<Channel>& channels, const LogFormat& format,
                                 const ConditioningOptions& conditioning) {
  MatchedLogs matched{.logs = std::move(logs)};
  for (Log& log : matched.logs)
    HEFT_CHECK(match(log, robot, channels, format, conditioning, matched.clocks));
  return matched;
}

}  // namespace heft
