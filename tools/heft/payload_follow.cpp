// heft payload --follow: samples from standard input, one line of JSON per update on standard
// output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "files/json_text.hpp"
#include "heft/log/arrays.hpp"
#include "heft/payload/follow.hpp"
#include "payload/wrench_stream.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/input_lines.hpp"
#include "tools/heft/payload_flags.hpp"

namespace heft::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kToTellRate = 20;  // samples

/// Reads a line without its end; false at the end of the input. Error: not text.
Result<bool> next_line(InputLines& input, std::string& line) {
  HEFT_TRY(found, input.next(line));
  if (found == InputLines::Found::too_long)
    return Error{
        input.name(), "has a line of more than 64 kB and is not a text table",
        "send lines of numbers separated by commas, after a line with the names of the columns"};
  return found != InputLines::Found::end;
}

/// Stops the run once half the interval of the mass is below a share of it, or that of the center
/// of mass is below a length.
struct Goal {
  double mass_share = 0, com = 0;

  bool is_reached(const PayloadUpdate& update) const {
    const auto half = [](const PayloadInterval& interval) {
      return (interval.high - interval.low) / 2;
    };
    if (!update.certificate.certified) return false;
    if (mass_share > 0 && !(half(update.mass) <= mass_share * update.parameters[core::kMass]))
      return false;
    for (const PayloadInterval& axis : update.com)
      if (com > 0 && !(half(axis) <= com)) return false;
    return mass_share > 0 || com > 0;
  }
};

Result<Goal> goal_of(const std::string& words) {
  Goal goal;
  if (words.empty()) return goal;
  char quantity[16], unit[8];
  double value = 0;
  const bool is_read = std::sscanf(words.c_str(), "%15s %lf %7s", quantity, &value, unit) == 3;
  const std::string what = is_read ? std::string(quantity) + " " + unit : "";
  if (what == "mass %" && value > 0) goal.mass_share = value / 100;
  if (what == "com mm" && value > 0) goal.com = value / 1000;
  if (!(goal.mass_share > 0) && !(goal.com > 0))
    return Error{"--until", "'" + words + "' is not a goal",
                 "write \"mass 1 %\" or \"com 5 mm\" for half the 95 % interval"};
  return goal;
}

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string line_of(const PayloadUpdate& update, double microseconds) {
  const BodyParameters& x = update.parameters;
  const auto interval = [](const PayloadInterval& i) -> Json {
    return {number_or_null(i.low), number_or_null(i.high)};
  };
  Json com = Json::array(), of_com = Json::array();
  for (int axis = 0; axis < 3; ++axis) {
    com.push_back(number_or_null(x[1 + axis] / x[0]));
    of_com.push_back(interval(update.com[static_cast<std::size_t>(axis)]));
  }
  const Json json = {{"t", number_or_null(update.time)},
                     {"mass", number_or_null(x[0])},
                     {"com", com},
                     {"interval", {{"mass", interval(update.mass)}, {"com", of_com}}},
                     {"certified", update.certificate.certified},
                     {"us", number_or_null(std::round(10 * microseconds) / 10)}};
  return json.dump();
}

/// Processes samples as they come, and keeps them for the files at the end if --out is given.
class Stream {
 public:
  Stream(const PayloadFlags& flags, const PayloadInput& input, PayloadShape shape, Goal goal)
      : flags_(flags), input_(input), shape_(std::move(shape)), goal_(goal) {}

  /// Runs until the goal is reached or the input ends.
  Result<Done> run() {
    std::string line;
    InputLines lines;
    HEFT_TRY(has_header, next_line(lines, line));
    if (!has_header)
      return Error{"standard input", "is empty",
                   "send the names of the columns, then one line per sample"};
    const SensorOptions& sensor = input_.options.sensor;
    HEFT_TRY(reader, input_.on_link
                         ? WrenchLineReader::make(line, *input_.on_link, sensor, "standard input")
                         : WrenchLineReader::make(line, sensor, "standard input"));
    for (std::int64_t number = 2; !is_reached_; ++number) {
      HEFT_TRY(found, next_line(lines, line));
      if (!found) break;
      HEFT_TRY(sample, reader.read(line, "standard input:" + std::to_string(number)));
      if (!flags_.out.empty()) keep(reader);
      if (sample) HEFT_CHECK(take(*sample));
    }
    if (!follower_) return Error{"standard input", "has too few samples", "send 20 or more"};
    if (!is_reached_) HEFT_CHECK(update());
    return Done{};
  }

  bool is_reached() const { return is_reached_; }
  bool is_certified() const { return is_certified_; }

  /// The samples read, as a log that refers to this object.
  Log log() const {
    const auto width = static_cast<std::int64_t>(names_.size());
    const std::string time = input_.on_link ? input_.on_link->format.time : "t";
    ArrayGroup group;
    for (std::int64_t k = 0; k < width; ++k) {
      const ArrayView column(kept_.data() + k, static_cast<std::int64_t>(kept_.size()) / width, 1,
                             width, 0);
      const std::string& name = names_[static_cast<std::size_t>(k)];
      if (name == time)
        group.time = column;
      else
        group.columns.push_back({{name}, column});
    }
    return array_log("standard input", {group});
  }

  /// The quantile `share` of the updates' CPU time in microseconds.
  double quantile(double share) {
    if (times_.empty()) return 0;
    std::sort(times_.begin(), times_.end());
    return times_[static_cast<std::size_t>(share * static_cast<double>(times_.size() - 1))];
  }
  std::size_t num_updates() const { return times_.size(); }

 private:
  void keep(const WrenchLineReader& reader) {
    if (names_.empty()) names_ = reader.names();
    kept_.insert(kept_.end(), reader.numbers().begin(), reader.numbers().end());
  }

  Result<Done> take(const WrenchSample& sample) {
    if (follower_) return feed(sample);
    first_.push_back(sample);
    if (first_.size() < kToTellRate) return Done{};
    std::vector<double> steps;
    for (std::size_t k = 1; k < first_.size(); ++k)
      steps.push_back(first_[k].time - first_[k - 1].time);
    std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
    HEFT_TRY(made, PayloadFollower::make(input_.options, shape_, 1 / steps[steps.size() / 2]));
    follower_.emplace(std::move(made));
    for (const WrenchSample& early : first_) HEFT_CHECK(feed(early));
    return Done{};
  }

  Result<Done> feed(const WrenchSample& sample) {
    if (last_ && sample.time == *last_) return Done{};  // repeated
    last_ = sample.time;
    HEFT_CHECK(follower_->add(sample.time, sample.w, sample.wd, sample.u, sample.wrench));
    if (!next_) next_ = sample.time + flags_.every;
    if (sample.time < *next_ || is_reached_) return Done{};
    next_ = std::max(*next_ + flags_.every, sample.time);
    return update();
  }

  Result<Done> update() {
    const double begin = thread_seconds();
    const auto update = follower_->update();
    const double microseconds = 1e6 * (thread_seconds() - begin);
    if (!update) return Done{};  // nothing has moved yet
    times_.push_back(microseconds);
    is_certified_ = update->certificate.certified;
    is_reached_ = goal_.is_reached(*update);
    std::printf("%s\n", line_of(*update, microseconds).c_str());
    std::fflush(stdout);
    return Done{};
  }

  const PayloadFlags& flags_;
  const PayloadInput& input_;
  PayloadShape shape_;
  Goal goal_;
  std::optional<PayloadFollower> follower_;
  std::vector<WrenchSample> first_;
  std::vector<std::string> names_;
  std::vector<double> kept_;  ///< rows of all that was read, if files are wanted
  std::optional<double> last_, next_;
  std::vector<double> times_;
  bool is_reached_ = false, is_certified_ = false;
};

}  // namespace

int run_payload_follow(const PayloadFlags& flags) {
  const auto input = payload_input_of(flags);
  if (!input) return fail(input.error());
  const PayloadOptions& options = input->options;
  if (options.finds_changes || !options.changes.empty())
    return fail({"--follow", "does not support changes of the payload",
                 "weigh the recorded log with --log"});
  if (options.finds_bias_changes || !options.bias_changes.empty())
    return fail(
        {"--follow", "does not support jumps of the offset", "weigh the recorded log with --log"});
  if (options.sensor.finds_delay)
    return fail(
        {"--follow", "cannot estimate the delay of the wrench",
         "set payload.wrench_delay_s to seconds; auto estimates it from a recorded log with --log"});
  const auto shape = read_payload_shape(input->options.prior);
  if (!shape) return fail(shape.error());
  const auto goal = goal_of(flags.until);
  if (!goal) return fail(goal.error());
  Stream stream(flags, *input, *shape, *goal);
  if (const auto done = stream.run(); !done) return fail(done.error());
  if (stream.num_updates() == 0)
    return fail({"standard input",
                 "identifies no mass: neither motion nor gravity changed, or the sign is reversed",
                 "turn the sensor; weigh the recorded log with --log to find the cause"});
  std::fprintf(stderr, "%zu updates, %.0f us each (median), %.0f us at 99.9 %%\n",
               stream.num_updates(), stream.quantile(0.5), stream.quantile(0.999));
  if (!flags.out.empty()) {
    const auto result = weigh_and_accept(flags, *input, *shape, {stream.log()});
    if (!result) return fail(result.error());
    if (const auto files = write_payload(*result, flags.out); !files) return fail(files.error());
  }
  if (!flags.until.empty() && !stream.is_reached())
    return fail({"--until", "'" + flags.until + "' was not reached when the input ended",
                 "move for longer or through more poses"});
  return stream.is_certified() ? kSuccess : kNotCertified;
}

}  // namespace heft::tools
