// Streams coordinates and a wrench: computes the motion at the middle of the newest samples by
// forward kinematics.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/median.hpp"
#include "conditioning/log_columns.hpp"
#include "link_kinematics.hpp"
#include "local_polynomial.hpp"
#include "readers/text_line.hpp"
#include "stream_rows.hpp"

namespace heft::payload {

namespace {

constexpr std::size_t kToTellRate = 20;  // rows
constexpr double kRestartPause = 10;     // periods, after which the window restarts
constexpr int kPolynomialDegree = 4;     // the second derivative is good to the third power of a
                                         // window

class CoordinateRows final : public StreamRows {
 public:
  static Result<std::shared_ptr<StreamRows>> make(const std::vector<std::string>& names,
                                                  const SensorOnLink& sensor,
                                                  const SensorOptions& options,
                                                  const std::string& where) {
    if (sensor.robot.floating_base)
      return Error{"--robot", "has a floating base, whose motion a stream does not contain",
                   "weigh the recorded log with --log"};
    if (!sensor.format.unwrap.none())
      return Error{"log.unwrap", "is not supported for streams",
                   "send positions without jumps, or weigh the recorded log with --log"};
    auto rows = std::shared_ptr<CoordinateRows>(new CoordinateRows(sensor, options));
    HEFT_TRY(time_scale, seconds_per_stamp(sensor.format));
    rows->time_scale_ = time_scale;
    HEFT_TRY(kinematics, LinkKinematics::make(rows->sensor_, rows->options_));
    rows->kinematics_ = kinematics;
    ColumnGroup table{.name = "", .columns = names};
    const auto time = std::find(names.begin(), names.end(), sensor.format.time);
    table.clock = time == names.end() ? -1 : static_cast<int>(time - names.begin());
    LogFormat format = sensor.format;
    format.torque = {"{joint}"};
    ConditioningOptions conditioning = sensor.conditioning;
    conditioning.velocity = VelocitySource::from_position;
    HEFT_TRY(wrench, wrench_names(names, options, where));
    HEFT_TRY(found, find_log_columns(table, rows->sensor_.robot,
                                     wrench_channels(kinematics.place().body, wrench), format,
                                     conditioning, {}, where));
    rows->columns_ = found;
    return std::shared_ptr<StreamRows>(rows);
  }

  Result<std::optional<WrenchSample>> sample(const std::vector<double>& numbers,
                                             const std::string& where) override {
    const double time = time_scale_ * numbers[static_cast<std::size_t>(columns_.time_column)];
    const int num_coordinates = sensor_.robot.num_coordinates();
    Eigen::RowVectorXd values(num_coordinates + 6);
    const auto value = [&](int k) {
      const LogColumns::Value& v = columns_.values[static_cast<std::size_t>(k)];
      return v.scale * numbers[static_cast<std::size_t>(v.column)] - v.offset;
    };
    for (int k = 0; k < num_coordinates; ++k) values[k] = value(columns_.first_position + k);
    for (int c = 0; c < 6; ++c)
      values[num_coordinates + c] = value(columns_.torque[static_cast<std::size_t>(c)]);
    if (!std::isfinite(time) || !values.allFinite()) return std::optional<WrenchSample>();
    if (time == last_time_) return std::optional<WrenchSample>();  // repeated
    if (time < last_time_) return Error{where, "time does not increase", "send samples in order"};
    last_time_ = time;
    return local_ ? next(time, values) : early(time, values);
  }

 private:
  CoordinateRows(const SensorOnLink& sensor, const SensorOptions& options)
      : sensor_(sensor), options_(options) {}

  /// The first rows determine the rate, and with it the length of the window.
  std::optional<WrenchSample> early(double time, const Eigen::RowVectorXd& values) {
    early_.emplace_back(time, values);
    if (early_.size() < kToTellRate) return {};
    std::vector<double> steps;
    for (std::size_t k = 1; k < early_.size(); ++k)
      steps.push_back(early_[k].first - early_[k - 1].first);
    period_ = median(std::move(steps));
    const ConditioningOptions& conditioning = sensor_.conditioning;
    const bool is_given = conditioning.filter == FilterKind::savitzky_golay;
    const int degree = is_given ? std::max(conditioning.savgol_order, 2) : kPolynomialDegree;
    const int half_width =
        is_given ? std::max(conditioning.savgol_window / 2, (degree + 2) / 2)
                 : LocalPolynomial::half_width_of(conditioning.lowpass_hz, 1 / period_, degree);
    local_.emplace(static_cast<int>(values.size()), half_width, degree);
    std::optional<WrenchSample> newest;
    for (const auto& [at, row] : early_) newest = next(at, row);
    early_.clear();
    return newest;
  }

  std::optional<WrenchSample> next(double time, const Eigen::RowVectorXd& values) {
    if (time - last_in_window_ > kRestartPause * period_) local_->restart();
    last_in_window_ = time;
    if (!local_->add(time, values)) return {};
    const int num_coordinates = sensor_.robot.num_coordinates();
    const auto motion_of = [&](int derivative) -> Eigen::VectorXd {
      return local_->fit().row(derivative).head(num_coordinates).transpose();
    };
    const CoordinateMotion state{motion_of(0), motion_of(1), motion_of(2)};
    const BodyMotion motion = kinematics_.motion(state);
    const Vector6d logged = local_->fit().row(0).tail<6>().transpose();
    return WrenchSample{local_->time(), motion.w, motion.wd, motion.u,
                        kinematics_.wrench(motion, logged)};
  }

  SensorOnLink sensor_;
  SensorOptions options_;
  LinkKinematics kinematics_;
  LogColumns columns_;
  std::vector<std::pair<double, Eigen::RowVectorXd>> early_;
  std::optional<LocalPolynomial> local_;
  double time_scale_ = 1, period_ = 0, last_time_ = -std::numeric_limits<double>::infinity(),
         last_in_window_ = last_time_;
};

}  // namespace

Result<std::shared_ptr<StreamRows>> rows_of_coordinates(const std::vector<std::string>& names,
                                                        const SensorOnLink& sensor,
                                                        const SensorOptions& options,
                                                        const std::string& where) {
  return CoordinateRows::make(names, sensor, options, where);
}

}  // namespace heft::payload
