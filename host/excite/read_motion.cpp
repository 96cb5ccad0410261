// A user's own motion, from a table.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_text.hpp"
#include "files/name_hint.hpp"
#include "heft/excite/files.hpp"
#include "heft/log/source.hpp"

namespace heft {

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

constexpr std::size_t kMostNumbers = std::size_t{1} << 27;  ///< 1 GB

/// Numbers of the named columns, rows x columns.
Result<ArrayXXd> read_table(Source& source, const std::vector<std::string>& names) {
  const std::vector<std::string>& there = source.groups().front().columns;
  std::vector<std::pair<int, Index>> wanted;  // column of the source, column of the table
  for (const std::string& name : names) {
    const auto at = std::find(there.begin(), there.end(), name);
    if (at == there.end())
      return Error{source.where(), "has no column '" + name + "'", name_hint(name, there, "the header has ")};
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
      if (numbers.size() > kMostNumbers)
        return Error{source.where(), "is longer than any motion to record", "judge a part of it"};
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const double number = block.columns[k][i];
        if (!std::isfinite(number))
          return Error{source.where(0, block.lines[i]) + ": " + there[wanted[k].first],
                       "is missing or not finite", "give every row all its numbers"};
        numbers[begin + wanted[k].second] = number;
      }
      if (rows > 0 && !(numbers[begin] > numbers[begin - names.size()]))
        return Error{source.where(0, block.lines[i]), "the time does not rise",
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

}  // namespace

Result<MotionSamples> read_motion(const std::string& path, const Robot& robot) {
  std::vector<std::string> names = {"t"};
  const auto add = [&](const std::string& stem) {
    for (const Coordinate& joint : robot.coordinates) names.push_back(stem + joint.name);
  };
  add("q_");
  HEFT_TRY(source, open_file(path, {.columns = names}));
  const std::vector<std::string>& there = source->groups().front().columns;
  const auto has = [&](const std::string& stem) {
    return std::all_of(robot.coordinates.begin(), robot.coordinates.end(), [&](const Coordinate& joint) {
      return std::find(there.begin(), there.end(), stem + joint.name) != there.end();
    });
  };
  const bool has_velocity = has("qd_"), has_acceleration = has_velocity && has("qdd_");
  if (has_velocity) add("qd_");
  if (has_acceleration) add("qdd_");
  HEFT_TRY(table, read_table(*source, names));
  if (table.rows() < 4) return Error{path, "has fewer than four rows", "give a whole motion"};
  const Index n = robot.num_coordinates();
  MotionSamples motion{.time = table.col(0).matrix(), .position = table.middleCols(1, n)};
  const Eigen::VectorXd steps = motion.time.tail(table.rows() - 1) - motion.time.head(table.rows() - 1);
  const double mean = steps.mean();
  Index at = 0;
  if (const double longest = steps.maxCoeff(&at); longest > 1.5 * mean)
    return Error{path,
                 "has a gap of " + number_text(longest) + " s at " + number_text(motion.time[at]) + " s",
                 "give samples at one rate"};
  motion.velocity =
      has_velocity ? ArrayXXd(table.middleCols(1 + n, n)) : differences(motion.time, motion.position);
  motion.acceleration =
      has_acceleration ? ArrayXXd(table.middleCols(1 + 2 * n, n)) : differences(motion.time, motion.velocity);
  motion.jerk = differences(motion.time, motion.acceleration);
  return motion;
}

}  // namespace heft
