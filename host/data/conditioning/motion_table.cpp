#include "heft/log/motion_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "files/name_hint.hpp"
#include "heft/log/source.hpp"
#include "heft/signal/smoother.hpp"

namespace heft {

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

constexpr std::size_t kMaxTableNumbers = std::size_t{1} << 27;  ///< 1 GB

/// Numbers of the named columns, rows x columns; `in_time`: the first is the time, which must
/// increase.
Result<ArrayXXd> read_table(Source& source, const std::vector<std::string>& names,
                            bool in_time = true) {
  const std::vector<std::string>& there = source.groups().front().columns;
  std::vector<std::pair<int, Index>> wanted;  // column of the source, column of the table
  for (const std::string& name : names) {
    const auto at = std::find(there.begin(), there.end(), name);
    if (at == there.end())
      return Error{source.where(), "has no column '" + name + "'",
                   name_hint(name, there, "the header has")};
    wanted.emplace_back(static_cast<int>(at - there.begin()), static_cast<Index>(wanted.size()));
  }
  std::sort(wanted.begin(), wanted.end());
  std::vector<std::vector<int>> selection(source.groups().size());
  for (const auto& [column, place] : wanted) selection.front().push_back(column);
  HEFT_CHECK(source.select(selection));
  std::vector<double> numbers;
  ColumnBlock block;
  Index rows = 0;
  while (true) {
    HEFT_TRY(more, source.next(block));
    if (!more) break;
    for (std::int64_t i = 0; i < block.num_rows; ++i, ++rows) {
      const std::size_t begin = numbers.size();
      numbers.resize(begin + names.size());
      if (numbers.size() > kMaxTableNumbers)
        return Error{source.where(), "has a motion that does not fit in memory",
                     "check a part of the log"};
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const double number = block.columns[k][i];
        if (!std::isfinite(number))
          return Error{source.where(0, block.lines[i]) + ": " + there[wanted[k].first],
                       "is missing or not finite", "give every number in every row"};
        numbers[begin + wanted[k].second] = number;
      }
      if (in_time && rows > 0 && !(numbers[begin] > numbers[begin - names.size()]))
        return Error{source.where(0, block.lines[i]), "the time does not increase",
                     "give rows in the order of their times [s]"};
    }
  }
  using Table = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return ArrayXXd(Eigen::Map<const Table>(numbers.data(), rows, static_cast<Index>(names.size())));
}

/// Derivative by central differences, at the ends one-sided.
ArrayXXd differences(const Eigen::VectorXd& time, const ArrayXXd& values) {
  const Index rows = values.rows();
  ArrayXXd result(rows, values.cols());
  for (Index i = 0; i < rows; ++i) {
    const Index before = std::max<Index>(i - 1, 0), after = std::min<Index>(i + 1, rows - 1);
    result.row(i) = (values.row(after) - values.row(before)) / (time[after] - time[before]);
  }
  return result;
}

/// Finds the joint columns of a table; q_ is required for all joints.
struct JointColumns {
  std::vector<std::string> names, there;
  bool has_time = false, has_velocity = false, has_acceleration = false;

  JointColumns(const Source& source, const Robot& robot, bool wants_time)
      : there(source.groups().front().columns), has_time(has_column("t")) {
    if (wants_time || has_time) names.emplace_back("t"), has_time = true;
    const auto add = [&](const std::string& stem) {
      for (const Coordinate& joint : robot.coordinates) names.push_back(stem + joint.name);
    };
    const auto has = [&](const std::string& stem) {
      return std::all_of(robot.coordinates.begin(), robot.coordinates.end(),
                         [&](const Coordinate& joint) { return has_column(stem + joint.name); });
    };
    has_velocity = has("qd_");
    has_acceleration = has_velocity && has("qdd_");
    add("q_");
    if (has_velocity) add("qd_");
    if (has_acceleration) add("qdd_");
  }

 private:
  bool has_column(const std::string& name) const {
    return std::find(there.begin(), there.end(), name) != there.end();
  }
};

/// The column names of open_file, in order of preference.
std::vector<std::string> least_columns(const Robot& robot, bool wants_time) {
  std::vector<std::string> names;
  if (wants_time) names.emplace_back("t");
  for (const Coordinate& joint : robot.coordinates) names.push_back("q_" + joint.name);
  return names;
}

Result<MotionSamples> read_columns(const std::string& path, const Robot& robot, bool wants_time,
                                   JointColumns& columns, Source& source) {
  HEFT_TRY(table, read_table(source, columns.names, columns.has_time));
  if (table.rows() < (wants_time || columns.has_time ? 4 : 1))
    return Error{path, "has fewer than four rows", "give a complete motion"};
  const Index n = robot.num_coordinates(), first = columns.has_time ? 1 : 0;
  MotionSamples motion{.time = columns.has_time ? Eigen::VectorXd(table.col(0).matrix())
                                                : Eigen::VectorXd::LinSpaced(table.rows(), 0, 1),
                       .position = table.middleCols(first, n)};
  if (columns.has_velocity) motion.velocity = table.middleCols(first + n, n);
  if (columns.has_acceleration) motion.acceleration = table.middleCols(first + 2 * n, n);
  if (!columns.has_time) return motion;
  const Eigen::VectorXd steps =
      motion.time.tail(table.rows() - 1) - motion.time.head(table.rows() - 1);
  const double mean = steps.mean();
  Index at = 0;
  if (const double longest = steps.maxCoeff(&at); longest > 1.5 * mean)
    return Error{
        path,
        "has a gap of " + number_text(longest) + " s at " + number_text(motion.time[at]) + " s",
        "give samples at one rate"};
  return motion;
}

void put_missing_derivatives(MotionSamples& motion) {
  if (motion.velocity.size() == 0) motion.velocity = differences(motion.time, motion.position);
  if (motion.acceleration.size() == 0)
    motion.acceleration = differences(motion.time, motion.velocity);
}

/// A log's positions and velocities are noisy: low-pass them before differentiation, if the rate
/// allows it.
void smooth(const Robot& robot, MotionSamples& motion) {
  constexpr double kLowpass = 10;  // [Hz]
  const double rate =
      static_cast<double>(motion.size() - 1) / (motion.time[motion.size() - 1] - motion.time[0]);
  const auto smoother = Smoother::make({}, kLowpass, rate, "");
  if (!smoother || motion.size() < smoother->min_samples()) return;
  ArrayXXd& noisy = motion.velocity.size() > 0 ? motion.velocity : motion.position;
  Eigen::ArrayXd scratch;
  for (Index k = 0; k < robot.num_coordinates(); ++k) smoother->apply(noisy.col(k), scratch);
}

}  // namespace

Result<MotionSamples> read_motion(const std::string& path, const Robot& robot) {
  HEFT_TRY(source, open_file(path, {.columns = least_columns(robot, true)}));
  JointColumns columns(*source, robot, true);
  HEFT_TRY(motion, read_columns(path, robot, true, columns, *source));
  put_missing_derivatives(motion);
  motion.jerk = differences(motion.time, motion.acceleration);
  return motion;
}

Result<MotionSamples> read_task(const std::string& path, const Robot& robot) {
  HEFT_TRY(source, open_file(path, {.columns = least_columns(robot, false)}));
  JointColumns columns(*source, robot, false);
  HEFT_TRY(task, read_columns(path, robot, false, columns, *source));
  if (columns.has_time) {
    if (!columns.has_acceleration) smooth(robot, task);
    put_missing_derivatives(task);
  }
  for (ArrayXXd* values : {&task.velocity, &task.acceleration})
    if (values->size() == 0) *values = ArrayXXd::Zero(task.size(), robot.num_coordinates());
  if (task.size() <= kMaxTaskStates) return task;
  MotionSamples thinned{.time = Eigen::VectorXd(kMaxTaskStates)};
  for (ArrayXXd* values : {&thinned.position, &thinned.velocity, &thinned.acceleration})
    values->resize(kMaxTaskStates, robot.num_coordinates());
  for (Index i = 0; i < kMaxTaskStates; ++i) {
    const Index from = i * task.size() / kMaxTaskStates;
    thinned.time[i] = task.time[from];
    thinned.position.row(i) = task.position.row(from);
    thinned.velocity.row(i) = task.velocity.row(from);
    thinned.acceleration.row(i) = task.acceleration.row(from);
  }
  return thinned;
}

}  // namespace heft
