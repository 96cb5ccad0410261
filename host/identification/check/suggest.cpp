#include "check/suggest.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/readable_text.hpp"
#include "conditioning/position_range.hpp"
#include "conditioning/read_again.hpp"
#include "files/yaml_text.hpp"
#include "heft/log/several_files.hpp"
#include "log_numbers.hpp"
#include "logged_names.hpp"
#include "readers/column_guess.hpp"
#include "readers/constant_texts.hpp"
#include "readers/devices.hpp"
#include "readers/log_formats.hpp"
#include "suggested_sections.hpp"

namespace heft {

namespace {

using check::Numbers;

constexpr double kDerivative = 0.9;  ///< correlation of a logged velocity with the position's
                                     ///< derivative

constexpr const char* kWrench[] = {"fx", "fy", "fz", "nx", "ny", "nz"};

/// Whether a column increases by about the same step in every row.
bool is_steady(const Eigen::ArrayXd& column) {
  constexpr double kShare = 0.9, kOff = 0.5;
  const Eigen::Index num_steps = column.size() - 1;
  if (num_steps < 2) return false;
  const Eigen::ArrayXd steps = column.tail(num_steps) - column.head(num_steps);
  std::vector<double> sorted(steps.begin(), steps.end());
  if (!steps.isFinite().all() || !(steps > 0).all()) return false;
  std::nth_element(sorted.begin(), sorted.begin() + num_steps / 2, sorted.end());
  const double usual = sorted[static_cast<std::size_t>(num_steps / 2)];
  return static_cast<double>(((steps - usual).abs() <= kOff * usual).count()) >=
         kShare * static_cast<double>(num_steps);
}

/// Unit of stamps in which a log's steps are between 10 us and half a second; empty: seconds, or
/// known without a word.
std::string unit_of(const Eigen::ArrayXd& time) {
  const Eigen::Index num_steps = time.size() - 1;
  const double step = (time[num_steps] - time[0]) / static_cast<double>(num_steps);
  if (!(step >= 0.5)) return "";
  constexpr double kFirstEpoch = 946684800;
  for (const auto& [unit, seconds] : {std::pair{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}})
    if (step * seconds < 0.5) return time[0] * seconds > kFirstEpoch ? "" : unit;
  return "";
}

double correlation(const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
  const Eigen::ArrayXd x = a - a.mean(), y = b - b.mean();
  const double size = std::sqrt(x.square().sum() * y.square().sum());
  return size > 0 ? (x * y).sum() / size : 0;
}

/// One column a joint, in the joints' order.
using ColumnSet = std::vector<std::size_t>;

/// Extremes of columns, and whether all numbers are integers.
LoggedNumbers numbers_of(const Numbers& table, const ColumnSet& columns) {
  LoggedNumbers numbers{INFINITY, -INFINITY, true};
  for (const std::size_t k : columns)
    for (const double value : table.values.col(static_cast<Eigen::Index>(k))) {
      if (!std::isfinite(value)) continue;
      numbers.low = std::min(numbers.low, value);
      numbers.high = std::max(numbers.high, value);
      numbers.are_integers = numbers.are_integers && value == std::round(value);
    }
  return numbers;
}

class ByNumbers {
 public:
  ByNumbers(const Numbers& table, const Robot& robot, ColumnGuesses& guesses)
      : table_(table),
        robot_(robot),
        guesses_(guesses),
        num_joints_(static_cast<std::size_t>(robot.num_coordinates())) {}

  /// Finds the first increasing clock: by name, then two-part stamps, then other columns. Returns
  /// the reason if all candidates fail.
  std::string find_time() {
    std::string failures;
    for (const Clock& clock : clocks()) {
      const std::string fault = fault_of(clock);
      if (fault.empty()) {
        take(clock);
        return "";
      }
      if (clock.is_named)
        failures += (failures.empty() ? "" : "; ") + words_of(clock) + " " + fault;
    }
    for (ColumnGuess& guess : guesses_)
      if (guess.role == ColumnRole::time || guess.role == ColumnRole::nanoseconds) guess = {};
    for (std::size_t k = 0; k < table_.names.size() && failures.empty(); ++k)
      if (guesses_[k].role == ColumnRole::other && is_counter(k))
        failures = fmt::format(
            "'{}' only counts rows; if they are evenly spaced: log: {{time: {}, time_scale: "
            "SECONDS_PER_ROW}}",
            readable(table_.names[k]), yaml_quoted(table_.names[k]));
    return failures;
  }

  /// Assigns numbered columns to joints if the log names the joints in the same order.
  void order_by_names(const std::vector<std::string>& texts) {
    std::vector<int> joints;
    for (const std::string& text : texts)
      for (std::size_t joint = 0; joint < num_joints_; ++joint)
        if (text == robot_.coordinates[joint].name) joints.push_back(static_cast<int>(joint));
    std::vector<int> sorted = joints;
    std::sort(sorted.begin(), sorted.end());
    if (joints.size() != num_joints_ ||
        std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return;
    for (std::size_t k = 0; k < guesses_.size(); ++k)
      if (guesses_[k].joint >= 0 && !names_a_joint(table_.names[k]))
        guesses_[k].joint = joints[static_cast<std::size_t>(guesses_[k].joint)];
  }

  /// Roles whose columns hold hardly any numbers; such guesses are withdrawn. Columns recorded at a
  /// lower rate than the rows hold some.
  std::string withdraw_without_numbers(ColumnRole role) {
    constexpr double kShare = 0.02;
    std::string failures;
    for (std::size_t k = 0; k < guesses_.size(); ++k)
      if (guesses_[k].role == role && table_.values.rows() > 0 &&
          (!table_.is_numbers[k] || static_cast<double>(column(k).isFinite().count()) <
                                        kShare * static_cast<double>(table_.values.rows())))
        failures += (failures.empty() ? "'" : ", '") + readable(table_.names[k]) + "'";
    if (failures.empty()) return "";
    for (ColumnGuess& guess : guesses_)
      if (guess.role == role) guess = {};
    return failures + " contain no numbers";
  }

  void find_unit_of_time() {
    for (std::size_t k = 0; k < guesses_.size(); ++k)
      if (guesses_[k].role == ColumnRole::time && guesses_[k].unit.empty() &&
          table_.values.rows() > 2)
        guesses_[k].unit = unit_of(column(k));
  }

  /// Assigns the remaining columns, quantity by quantity or joint by joint.
  void find_signals() {
    if (has_all(guesses_, ColumnRole::position, robot_) &&
        has_all(guesses_, ColumnRole::torque, robot_))
      return;
    if (table_.values.rows() < 10) return;
    ColumnSet left;
    for (std::size_t k = 0; k < guesses_.size(); ++k)
      if (guesses_[k].role == ColumnRole::other && table_.is_numbers[k] &&
          column(k).isFinite().all() && !is_counter(k) && !is_pattern(table_.names[k]))
        left.push_back(k);
    const std::size_t num_sets = num_joints_ > 0 ? left.size() / num_joints_ : 0;
    std::vector<ColumnSet> side_by_side(num_sets), joint_by_joint(num_sets);
    for (std::size_t set = 0; set < num_sets; ++set)
      for (std::size_t joint = 0; joint < num_joints_; ++joint) {
        side_by_side[set].push_back(left[set * num_joints_ + joint]);
        joint_by_joint[set].push_back(left[joint * num_sets + set]);
      }
    const double one = find_derivative(side_by_side).score,
                 other = find_derivative(joint_by_joint).score;
    assign(other > one && other > kDerivative ? joint_by_joint : side_by_side);
  }

  void find_degrees() {
    constexpr double kTurns = 12.6;  // [rad]; joints without limits hardly turn so far in a log
    for (std::size_t k = 0; k < guesses_.size(); ++k) {
      if (guesses_[k].role != ColumnRole::position) continue;
      const Coordinate& joint = robot_.coordinates[static_cast<std::size_t>(guesses_[k].joint)];
      const LoggedNumbers numbers = numbers_of(table_, {k});
      if (are_evidently_degrees(numbers.low, numbers.high, joint) ||
          (joint.is_angle && !numbers.are_integers &&
           std::max(-numbers.low, numbers.high) > kTurns))
        in_degrees_ = true;
    }
    for (ColumnGuess& guess : guesses_)
      if (in_degrees_ && guess.role == ColumnRole::position) guess.unit = "deg";
  }

 private:
  struct Derivative {
    double score = 0;
    std::size_t of = 0, is = 0;  // sets
  };

  struct Clock {
    std::size_t seconds = 0;
    std::optional<std::size_t> nanoseconds;
    std::string unit;
    bool is_named = false;
  };

  std::vector<Clock> clocks() const {
    std::vector<Clock> clocks;
    const auto& names = table_.names;
    const auto pairs = stamp_pairs(names);
    for (std::size_t k = 0; k < names.size(); ++k)
      if (guesses_[k].role == ColumnRole::time) {
        Clock clock{k, {}, guesses_[k].unit, true};
        for (const auto& [seconds, nanoseconds] : pairs)
          if (seconds == k && guesses_[nanoseconds].role == ColumnRole::nanoseconds)
            clock.nanoseconds = nanoseconds;
        clocks.push_back(clock);
      }
    for (const auto& [seconds, nanoseconds] : pairs)
      clocks.push_back({seconds, nanoseconds, "", true});
    // without the failed clocks, names determine the next
    for (ColumnGuesses others = guess_columns(names_without(clocks), robot_);;) {
      const auto next = std::find_if(others.begin(), others.end(), [](const ColumnGuess& one) {
        return one.role == ColumnRole::time;
      });
      if (next == others.end()) break;
      clocks.push_back({static_cast<std::size_t>(next - others.begin()), {}, next->unit, true});
      others = guess_columns(names_without(clocks), robot_);
    }
    for (std::size_t k = 0; k < names.size(); ++k)
      if (guesses_[k].role == ColumnRole::other && is_steady(column(k)) && !counts_rows(k))
        clocks.push_back({k, {}, "", false});
    for (std::size_t k = 0; k + 1 < names.size() && !table_.header; ++k)
      if (are_integers(k, 946684800, 4102444800) && are_integers(k + 1, 0, 999999999))
        clocks.push_back({k, k + 1, "", false});
    return clocks;
  }

  bool are_integers(std::size_t k, double low, double high) const {
    const Eigen::ArrayXd x = column(k);
    return x.size() > 0 && x.isFinite().all() && (x == x.round()).all() && x.minCoeff() >= low &&
           x.maxCoeff() <= high;
  }

  std::vector<std::string> names_without(const std::vector<Clock>& clocks) const {
    std::vector<std::string> names = table_.names;
    for (const Clock& clock : clocks) {
      names[clock.seconds].clear();
      if (clock.nanoseconds) names[*clock.nanoseconds].clear();
    }
    return names;
  }

  /// Reason why a column is not a clock; empty if it is.
  std::string fault_of(const Clock& clock) const {
    constexpr double kRepeated = 0.2, kBackwards = 0.001;  // of the steps
    const Eigen::Index num_steps = table_.values.rows() - 1;
    if (num_steps < 2) return "";
    Eigen::ArrayXd time = column(clock.seconds) - column(clock.seconds)[0];
    if (clock.nanoseconds) time += 1e-9 * column(*clock.nanoseconds);
    if (!time.isFinite().all()) return "has missing numbers";
    const Eigen::ArrayXd steps = time.tail(num_steps) - time.head(num_steps);
    const auto num = static_cast<double>(num_steps);
    if (static_cast<double>((steps < 0).count()) > kBackwards * num) return "goes backwards";
    if (static_cast<double>((steps == 0).count()) > kRepeated * num)
      return "stands still for many rows";
    return "";
  }

  std::string words_of(const Clock& clock) const {
    const std::string seconds = "'" + readable(table_.names[clock.seconds]) + "'";
    return clock.nanoseconds
               ? seconds + " with '" + readable(table_.names[*clock.nanoseconds]) + "'"
               : seconds;
  }

  void take(const Clock& clock) {
    for (ColumnGuess& guess : guesses_)
      if (guess.role == ColumnRole::time || guess.role == ColumnRole::nanoseconds) guess = {};
    guesses_[clock.seconds] = {ColumnRole::time, -1, clock.unit};
    if (clock.nanoseconds) guesses_[*clock.nanoseconds] = {ColumnRole::nanoseconds, -1, ""};
  }

  bool names_a_joint(const std::string& name) const {
    return std::any_of(
        robot_.coordinates.begin(), robot_.coordinates.end(),
        [&](const Coordinate& joint) { return name.find(joint.name) != std::string::npos; });
  }

  /// Whether a column counts rows: by its name, or by steps of exactly one, which otherwise only
  /// stamps in milliseconds have.
  bool counts_rows(std::size_t k) const {
    const Eigen::ArrayXd x = column(k);
    const Eigen::Index num_steps = x.size() - 1;
    return heft::counts_rows(table_.names[k]) ||
           ((x.tail(num_steps) - x.head(num_steps)) == 1).all();
  }

  Eigen::ArrayXd column(std::size_t k) const {
    return table_.values.col(static_cast<Eigen::Index>(k));
  }
  bool is_counter(std::size_t k) const { return is_steady(column(k)); }

  Eigen::ArrayXd differences(std::size_t k) const {
    const Eigen::ArrayXd x = column(k);
    return x.tail(x.size() - 2) - x.head(x.size() - 2);
  }

  /// The pair of sets of which one is most nearly the derivative of the other.
  Derivative find_derivative(const std::vector<ColumnSet>& sets) const {
    Derivative best;
    for (std::size_t a = 0; a < sets.size(); ++a)
      for (std::size_t b = 0; b < sets.size(); ++b) {
        if (a == b) continue;
        std::vector<double> scores;
        for (std::size_t joint = 0; joint < num_joints_; ++joint) {
          const Eigen::ArrayXd logged = column(sets[b][joint]);
          scores.push_back(
              correlation(differences(sets[a][joint]), logged.segment(1, logged.size() - 2)));
        }
        std::nth_element(scores.begin(), scores.begin() + std::ssize(scores) / 2, scores.end());
        if (const double score = scores[scores.size() / 2]; score > best.score)
          best = {score, a, b};
      }
    return best;
  }

  /// Roughness: second differences relative to the signal.
  double roughness(const ColumnSet& set) const {
    double sum = 0;
    for (const std::size_t k : set) {
      const Eigen::ArrayXd x = column(k);
      const Eigen::Index n = x.size() - 2;
      const Eigen::ArrayXd second = x.head(n) - 2 * x.segment(1, n) + x.tail(n);
      const double size = (x - x.mean()).square().sum();
      sum += size > 0 ? second.square().sum() / size : 4;
    }
    return sum;
  }

  /// Whether names are compatible: none indicates another quantity, and there are not more columns
  /// of one name than joints. With seven columns such as "position_3" for six joints, the
  /// assignment is unknown.
  bool may_be(ColumnRole role, const ColumnSet& set) const {
    return std::all_of(set.begin(), set.end(), [&](std::size_t k) {
      const ColumnRole named = role_of(table_.names[k]);
      return named == ColumnRole::other ||
             (named == role && num_alike(table_.names[k]) <= num_joints_);
    });
  }

  std::size_t num_alike(const std::string& name) const {
    const std::string stem = stem_and_number(name).first;
    return static_cast<std::size_t>(std::count_if(
        table_.names.begin(), table_.names.end(),
        [&](const std::string& other) { return stem_and_number(other).first == stem; }));
  }

  void assign(std::vector<ColumnSet> sets) {
    const auto take = [&](ColumnRole role, std::size_t set) {
      if (!has_all(guesses_, role, robot_) && may_be(role, sets[set]))
        for (std::size_t joint = 0; joint < num_joints_; ++joint)
          guesses_[sets[set][joint]] = {role, static_cast<int>(joint), ""};
      sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(set));
    };
    if (const Derivative found = find_derivative(sets);
        found.score > kDerivative && !has_all(guesses_, ColumnRole::position, robot_)) {
      take(ColumnRole::velocity, found.is);
      take(ColumnRole::position, found.of - (found.is < found.of ? 1 : 0));
    }
    if (!sets.empty() && !has_all(guesses_, ColumnRole::position, robot_)) {
      const auto smoothest = std::min_element(
          sets.begin(), sets.end(),
          [&](const auto& a, const auto& b) { return roughness(a) < roughness(b); });
      take(ColumnRole::position, static_cast<std::size_t>(smoothest - sets.begin()));
    }
    if (sets.empty() || has_all(guesses_, ColumnRole::torque, robot_)) return;
    // what varies most roughly: commands and velocities are smoother
    const auto roughest =
        std::max_element(sets.begin(), sets.end(),
                         [&](const auto& a, const auto& b) { return roughness(a) < roughness(b); });
    take(ColumnRole::torque, static_cast<std::size_t>(roughest - sets.begin()));
  }

  const Numbers& table_;
  const Robot& robot_;
  ColumnGuesses& guesses_;
  std::size_t num_joints_;
  bool in_degrees_ = false;
};

std::string in_brackets(const std::string& words) {
  return words.empty() ? "" : " (" + words + ")";
}

/// Column names that `heft payload` reads.
bool has_wrench(const std::vector<std::string>& names) {
  return std::all_of(std::begin(kWrench), std::end(kWrench), [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

std::string comments(const Numbers& table, const ColumnGuesses& guesses, const Robot& robot) {
  const char* const kNames[] = {"?",        "time",         "nanoseconds", "position",
                                "velocity", "acceleration", "torque"};
  std::string text;
  for (std::size_t k = 0; k < table.names.size(); ++k) {
    const ColumnGuess& guess = guesses[k];
    const auto column = table.values.col(static_cast<Eigen::Index>(k));
    const std::string range =
        !table.is_numbers[k] || table.values.rows() == 0 || !column.isFinite().any()
            ? "no numbers"
            : fmt::format("{:.4g} .. {:.4g}", column.isFinite().select(column, INFINITY).minCoeff(),
                          column.isFinite().select(column, -INFINITY).maxCoeff());
    const std::string of =
        is_pattern(table.names[k]) ? ", {} stand for joints: rename it to use it"
        : guess.joint < 0          ? ""
                          : " of " + robot.coordinates[static_cast<std::size_t>(guess.joint)].name;
    text += fmt::format("# {:<28} {:<26} {}{}\n", readable(table.names[k]), range,
                        kNames[static_cast<int>(guess.role)], of);
  }
  return text;
}

/// Extremes of the columns of one role, and whether all are integers.
LoggedNumbers numbers_of(const Numbers& table, const ColumnGuesses& guesses, ColumnRole role) {
  ColumnSet columns;
  for (std::size_t k = 0; k < guesses.size(); ++k)
    if (guesses[k].role == role) columns.push_back(k);
  return numbers_of(table, columns);
}

/// A comment on devices whose range and resolution the log has, if names do not tell the device.
std::string devices_comment(const Numbers& table, const ColumnGuesses& guesses) {
  if (guess_device(table.names).device != nullptr) return "";
  std::string names;
  for (const Device* device : devices_by_numbers(numbers_of(table, guesses, ColumnRole::position),
                                                 numbers_of(table, guesses, ColumnRole::torque)))
    names += (names.empty() ? "" : ", ") + device->name;
  if (names.empty()) return "";
  return "# range and resolution of the numbers are those of device " + names +
         "; if it is that, use log: {device: NAME}\n";
}

/// How to name columns that were not found.
std::string remedy_of_missing(const std::vector<std::string>& names,
                              const std::vector<std::string>& texts, const std::string& log_path) {
  const auto is_list = [](const std::string& text) {
    return text.starts_with('[') || text.starts_with('(');
  };
  if (std::any_of(texts.begin(), texts.end(), is_list))
    return "its cells hold lists, such as the names of the joints: write one column per joint, or "
           "convert the recording itself: python3 -m heft_robot convert-log";
  if (const Device* device = guess_device(names).device)
    return fmt::format(
        "the names are those of device {}: set log: {{device: {}}}, or name the "
        "columns: log: {{position: [one per joint], torque: [..]}}",
        device->name, device->name);
  const std::string_view format = format_of_file(log_path);
  if (format == "mcap" || format == "bag")
    return "name the fields of the recording: log: {topics: {position: TOPIC.FIELD, torque: "
           "TOPIC.FIELD}}; heft info " +
           log_path + " lists them";
  return "name them in the configuration: log: {time: .., position: [one per joint], torque: [..]}";
}

}  // namespace

Result<Suggestion> suggest_columns(const std::string& robot_path, const std::string& log_path,
                                   const CheckLogOptions& options) {
  if (files_of_log(log_path).size() > 1)
    return Error{log_path, "consists of several files: columns are suggested for one file",
                 "run it for each file and put the columns that it prints into one configuration"};
  HEFT_CHECK(can_be_read_again(log_path));
  HEFT_TRY(robot, read_robot(robot_path, options.robot));
  HEFT_TRY(table, check::read_numbers_of_log(log_path, options.log, robot));
  const std::string joints =
      check::lock_joints_without_columns(table.names, robot_path, options.robot, robot);
  const std::vector<std::string> texts = constant_texts(log_path, options.log);
  const check::NamesByNumber logged_names = check::logged_joint_names(table.names, texts, robot);
  ColumnGuesses guesses = guess_columns(check::with_joint_names(table.names, logged_names), robot);
  const bool names_joints =
      has_all(guesses, ColumnRole::position, robot) && has_all(guesses, ColumnRole::torque, robot);
  if (!names_joints && has_wrench(table.names))
    return Error{
        log_path,
        "looks like a log of a force-torque sensor (fx..fz, nx..nz), not of a robot's joints",
        "estimate the sensor's load instead: heft payload --log " + log_path +
            " --out DIR; for joints, name their columns in the configuration"};
  ByNumbers numbers(table, robot, guesses);
  for (std::size_t k = 0; k < table.names.size(); ++k)
    if (!table.header && table.names[k] == table.time && options.log.time != table.time)
      guesses[k].role = ColumnRole::time;  // texts that were read as stamps
  if (logged_names.empty()) numbers.order_by_names(texts);
  const std::string no_time = numbers.find_time();
  const std::string no_position = numbers.withdraw_without_numbers(ColumnRole::position);
  const std::string no_torque = numbers.withdraw_without_numbers(ColumnRole::torque);
  for (const ColumnRole role : {ColumnRole::velocity, ColumnRole::acceleration})
    numbers.withdraw_without_numbers(role);
  numbers.find_signals();
  numbers.find_unit_of_time();
  numbers.find_degrees();

  Suggestion suggestion;
  if (std::none_of(guesses.begin(), guesses.end(),
                   [](const auto& one) { return one.role == ColumnRole::time; }))
    suggestion.missing.push_back("time" + in_brackets(no_time));
  if (!has_all(guesses, ColumnRole::position, robot))
    suggestion.missing.push_back("position" + in_brackets(no_position));
  if (!has_all(guesses, ColumnRole::torque, robot))
    suggestion.missing.push_back("torque" + in_brackets(no_torque));
  suggestion.remedy = remedy_of_missing(table.names, texts, log_path);
  const std::string section = log_section(table.names, guesses, robot, table.header);
  suggestion.yaml =
      std::string(kSuggestionMark) + " The likely meaning of every column of the log:\n" +
      comments(table, guesses, robot) + devices_comment(table, guesses) +
      (suggestion.missing.empty() ? check::with_device(table.names, section) : section) + joints;
  return suggestion;
}

}  // namespace heft
