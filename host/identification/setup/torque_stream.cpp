#include "torque_stream.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/median.hpp"
#include "heft/signal/smoother.hpp"
#include "readers/log_table.hpp"

namespace heft {

namespace {

constexpr double kLongest = 3600;      ///< [s] that is read of each file
constexpr double kMotionStep = 0.02;   ///< [s] between samples of the motion
constexpr double kTorqueStep = 0.005;  ///< [s]; rows of faster logs are averaged
constexpr std::size_t kLeastBins = 50;

/// Averages of rows in bins of kTorqueStep, or single rows of slower logs.
class Bins {
 public:
  explicit Bins(std::size_t num_columns) : sums_(num_columns) {}

  void add(double time, const std::vector<double>& row) {
    if (count_ > 0 && time >= begin_ + kTorqueStep) close();
    if (count_ == 0) begin_ = time;
    time_ += time;
    for (std::size_t k = 0; k < row.size(); ++k) sums_[k] += row[k];
    ++count_;
  }
  void close() {
    if (count_ == 0) return;
    times.push_back(time_ / count_);
    for (double& sum : sums_) numbers.push_back(std::exchange(sum, 0) / count_);
    time_ = count_ = 0;
  }

  std::vector<double> times, numbers;

 private:
  std::vector<double> sums_;
  double begin_ = 0, time_ = 0, count_ = 0;
};

/// Interpolates the bins linearly at uniform times.
Eigen::ArrayXXd on_grid(const Bins& bins, double step, Eigen::Index num_columns) {
  const auto& times = bins.times;
  const auto num_rows = static_cast<Eigen::Index>((times.back() - times.front()) / step) + 1;
  Eigen::ArrayXXd grid(num_rows, num_columns);
  std::size_t next = 1;
  for (Eigen::Index row = 0; row < num_rows; ++row) {
    const double time = times.front() + step * static_cast<double>(row);
    while (next + 1 < times.size() && times[next] < time) ++next;
    const double share =
        std::clamp((time - times[next - 1]) / (times[next] - times[next - 1]), 0.0, 1.0);
    for (Eigen::Index k = 0; k < num_columns; ++k) {
      const auto of = [&](std::size_t bin) {
        return bins
            .numbers[bin * static_cast<std::size_t>(num_columns) + static_cast<std::size_t>(k)];
      };
      grid(row, k) = of(next - 1) + share * (of(next) - of(next - 1));
    }
  }
  return grid;
}

Result<Bins> read_bins(Source& source, const std::vector<std::string>& columns, double time_scale) {
  const ColumnGroup& table = source.groups().front();
  std::vector<int> selected = {table.clock};
  for (const std::string& name : columns)
    selected.push_back(static_cast<int>(
        std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin()));
  std::vector<int> sorted = selected;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::size_t> places;
  for (const int column : selected)
    places.push_back(static_cast<std::size_t>(
        std::lower_bound(sorted.begin(), sorted.end(), column) - sorted.begin()));
  HEFT_CHECK(source.select({sorted}));
  Bins bins(columns.size());
  std::vector<double> row(columns.size());
  double first = std::nan(""), last = -INFINITY;
  ColumnBlock block;
  for (bool goes_on = true; goes_on;) {
    HEFT_TRY(found, source.next(block));
    goes_on = found;
    for (std::int64_t k = 0; goes_on && k < block.num_rows; ++k) {
      const double time = block.columns[places[0]][k] * time_scale;
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = block.columns[places[c + 1]][k];
      const bool is_whole =
          std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
      if (!is_whole || !(time > last)) continue;
      if (std::isnan(first)) first = time;
      last = time;
      goes_on = time - first <= kLongest;
      if (goes_on) bins.add(time, row);
    }
  }
  bins.close();
  return bins;
}

void append(Samples& all, const Samples& block, Eigen::Index row, Eigen::Index at) {
  if (at == all.time.size()) {
    const Eigen::Index size = std::max<Eigen::Index>(2 * at, 1024);
    all.time.conservativeResize(size);
    for (auto member : {&Samples::position, &Samples::velocity, &Samples::acceleration})
      (all.*member).conservativeResize(size, block.position.cols());
  }
  all.time[at] = block.time[row];
  for (auto member : {&Samples::position, &Samples::velocity, &Samples::acceleration})
    (all.*member).row(at) = (block.*member).row(row);
}

}  // namespace

// Cubic Hermite polynomial between two rows.
std::pair<double, double> TorqueStream::at(double time, Eigen::Index channel) const {
  const double place =
      std::clamp((time - first_s) / step_s, 0.0, static_cast<double>(torque.rows() - 1));
  const auto row =
      std::clamp<Eigen::Index>(static_cast<Eigen::Index>(std::floor(place)), 0, torque.rows() - 2);
  const double u = place - static_cast<double>(row), v = 1 - u;
  const double a = torque(row, channel), b = torque(row + 1, channel);
  const double da = step_s * slope(row, channel), db = step_s * slope(row + 1, channel);
  return {v * v * (1 + 2 * u) * a + u * u * (3 - 2 * u) * b + u * v * (v * da - u * db),
          (6 * u * v * (b - a) + v * (1 - 3 * u) * da + u * (3 * u - 2) * db) / step_s};
}

Result<double> origin_of(const std::string& path, const LogFormat& format) {
  HEFT_TRY(table, open_table(Log(path), format, 0));
  if (table.columns().clock < 0) return 0.0;
  HEFT_CHECK(table.source->select({{table.columns().clock}}));
  ColumnBlock block;
  HEFT_CHECK(table.source->next(block));
  return static_cast<double>(table.source->origin());
}

Result<MotionStream> read_motion_stream(const std::string& path, const Robot& robot,
                                        const std::vector<Channel>& channels,
                                        const LogFormat& format,
                                        const ConditioningOptions& conditioning) {
  MotionStream motion;
  HEFT_TRY(origin, origin_of(path, format));
  motion.origin_s = origin;
  ConditioningOptions options;
  options.lowpass_hz = kMatchingCutoff;
  options.need_torque = false;
  options.max_gap_s = conditioning.max_gap_s;
  Eigen::Index size = 0;
  const auto keep = [&](int, const Samples& block) -> Result<Done> {
    for (Eigen::Index row = 0; row < block.size(); ++row) {
      const Eigen::ArrayXd& time = motion.samples.time;
      if (size > 0 &&
          (block.time[row] < time[size - 1] + kMotionStep || block.time[row] > time[0] + kLongest))
        continue;
      append(motion.samples, block, row, size++);
    }
    return Done{};
  };
  const DerivedSignals none;
  HEFT_CHECK(condition_log(Log(path), {robot, channels, format, options, none}, keep));
  motion.samples.time.conservativeResize(size);
  for (auto member : {&Samples::position, &Samples::velocity, &Samples::acceleration})
    (motion.samples.*member).conservativeResize(size, Eigen::NoChange);
  return motion;
}

Result<TorqueStream> read_torque_stream(const std::string& path,
                                        const std::vector<std::string>& columns,
                                        const LogFormat& format) {
  HEFT_TRY(table, open_table(Log(path), format, 0));
  HEFT_TRY(bins, read_bins(*table.source, columns, format.time_scale));
  const Error short_log{path, "has too few rows with torques", "record longer"};
  if (bins.times.size() < kLeastBins) return short_log;
  std::vector<double> steps;
  for (std::size_t k = 1; k < bins.times.size(); ++k)
    steps.push_back(bins.times[k] - bins.times[k - 1]);
  TorqueStream stream{.first_s = bins.times.front(), .step_s = median(std::move(steps))};
  stream.origin_s = static_cast<double>(table.source->origin());
  if (!(kLongest / stream.step_s < 1e7)) return short_log;
  stream.torque = on_grid(bins, stream.step_s, std::ssize(columns));
  HEFT_TRY(smoother, Smoother::make({}, kMatchingCutoff, 1 / stream.step_s, "its rate"));
  if (stream.torque.rows() <= smoother.min_samples()) return short_log;
  Eigen::ArrayXXd scratch;
  smoother.apply_to_columns(stream.torque, stream.torque, scratch);
  stream.torque.rowwise() -= stream.torque.colwise().mean().eval();
  stream.slope.resizeLike(stream.torque);
  for (Eigen::Index c = 0; c < stream.torque.cols(); ++c) {
    Eigen::ArrayXd slope;
    differentiate(stream.torque.col(c), stream.step_s, slope);
    stream.slope.col(c) = slope;
  }
  return stream;
}

}  // namespace heft
