// heft watch: samples of a working robot from standard input, lines of JSON on standard output.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <thread>

#include "base/text.hpp"
#include "files/json_text.hpp"
#include "files/whole_file.hpp"
#include "predict/identified_model.hpp"
#include "tools/heft/command.hpp"
#include "watch/baseline.hpp"
#include "watch/watcher.hpp"

namespace heft::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestSampleLine = 1 << 16;
constexpr std::size_t kRateSamples = 20;    // samples
constexpr std::size_t kMostWaiting = 1000;  // lines that a reader has not taken
constexpr int kPatience = 1000;             // ms that one line waits before others are dropped
constexpr double kSnapshotEvery = 60;       // s of samples
constexpr long long kComplainEvery = 1000;  // lines that are damaged
constexpr std::size_t kLargestSnapshot = std::size_t{1} << 30;

struct WatchFlags {
  std::string model, snapshot, baseline;
  double forget = 0;
  long long every = 0;
};

volatile std::sig_atomic_t stop_requested = 0;

void request_stop(int) {
  stop_requested = 1;
}

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Lines of standard input; a signal ends them.
class InputLines {
 public:
  enum class Found { line, too_long, end };

  Found next(std::string& line) {
    line.clear();
    bool is_too_long = false;
    for (;;) {
      for (; at_ < size_; ++at_) {
        const char c = buffer_[at_];
        if (c == '\n') {
          ++at_;
          return is_too_long ? Found::too_long : Found::line;
        }
        if (line.size() >= kLongestSampleLine) is_too_long = true;
        if (c != '\r' && !is_too_long) line.push_back(c);
      }
      if (stop_requested) return Found::end;
      const ssize_t count = ::read(STDIN_FILENO, buffer_, sizeof buffer_);
      if (count < 0 && errno == EINTR) continue;
      at_ = 0, size_ = count > 0 ? static_cast<std::size_t>(count) : 0;
      // a line without an end may be half a line
      if (count <= 0) return Found::end;
    }
  }

 private:
  char buffer_[1 << 16];
  std::size_t at_ = 0, size_ = 0;
};

/// Lines on standard output that never hold up the samples: while a reader does not take them,
/// states are dropped and the rest waits.
class OutputLines {
 public:
  void put(const std::string& line, bool may_be_dropped) {
    send_waiting(is_slow_ ? 0 : kPatience);
    if (!waiting_.empty()) {
      if (may_be_dropped || waiting_.size() >= kMostWaiting)
        ++num_dropped_;
      else
        waiting_.push_back(line + "\n");
      return;
    }
    waiting_.push_back(line + "\n");
    send_waiting(is_slow_ ? 0 : kPatience);
  }

  void finish() {
    is_slow_ = false;
    send_waiting(kPatience);
  }

  long long num_dropped() const { return num_dropped_; }
  bool is_closed() const { return is_closed_; }

 private:
  void send_waiting(int patience_ms) {
    while (!waiting_.empty() && !is_closed_) {
      pollfd out{STDOUT_FILENO, POLLOUT, 0};
      // a pipe that says so has room for a line
      const int ready = ::poll(&out, 1, patience_ms);
      if (ready < 0 && errno == EINTR) continue;
      is_slow_ = ready <= 0;
      if (is_slow_) return;
      const std::string& line = waiting_.front();
      const ssize_t count = ::write(STDOUT_FILENO, line.data() + sent_, line.size() - sent_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        is_closed_ = true;
        return;
      }
      sent_ += static_cast<std::size_t>(count);
      if (sent_ < line.size()) continue;
      waiting_.pop_front();
      sent_ = 0;
    }
  }

  std::deque<std::string> waiting_;
  std::size_t sent_ = 0;  ///< of the first
  long long num_dropped_ = 0;
  bool is_slow_ = false, is_closed_ = false;
};

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const auto comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma), " \t\r\""));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

double number_of(std::string_view field) {
  const std::string text(field);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || end != text.c_str() + text.size() ? std::nan("") : value;
}

/// Where a quantity stands in a line, and its unit: scale * number - offset.
struct Field {
  std::size_t column = 0;
  double scale = 1, offset = 0;
};

/// The header of the samples read as the identification read its logs.
class SampleColumns {
 public:
  static Result<SampleColumns> make(const std::string& header, const IdentifiedModel& identified) {
    const LogFormat& format = identified.configuration.log;
    if (!format.unwrap.none())
      return Error{"log.unwrap", "is not supported by heft watch",
                   "send positions that do not jump"};
    SampleColumns columns;
    const auto names = fields_of(header);
    columns.num_columns_ = names.size();
    const auto find = [&](const std::vector<std::string>& patterns, const std::string& joint,
                          int index) -> std::optional<std::size_t> {
      for (std::string name : patterns) {
        for (const auto& [mark, text] : {std::pair(std::string("{joint}"), joint),
                                         std::pair(std::string("{i}"), std::to_string(index + 1))})
          if (const auto at = name.find(mark); at != std::string::npos)
            name.replace(at, mark.size(), text);
        const auto found = std::find(names.begin(), names.end(), name);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
      }
      return {};
    };
    const auto missing = [](const std::string& name) {
      return Error{"standard input:1", "has no column for " + name,
                   "send a header with the columns of the logs that the model was identified from"};
    };
    const auto time = find({format.time}, "", 0);
    if (!time) return missing("the time, '" + format.time + "'");
    columns.time_ = {*time, format.time_scale, 0};
    const RegressorPlan& plan = *identified.model.plan;
    for (int j = 0; j < plan.robot.num_coordinates(); ++j) {
      const Coordinate& joint = plan.robot.coordinates[static_cast<std::size_t>(j)];
      const auto column = find(format.position, joint.name, j);
      if (!column) return missing("the position of " + joint.name);
      const bool is_degrees = joint.is_angle && format.angle_unit.of(joint.name, j) == "deg";
      const double unit = is_degrees ? std::numbers::pi / 180 : 1;
      columns.position_.push_back({*column, unit * format.position_scale.of(joint.name, j),
                                   format.position_offset.of(joint.name, j)});
    }
    for (const Channel& channel : plan.channels) {
      const auto column = find(format.torque, channel.name, channel.coordinate);
      if (!column) return missing("the torque of " + channel.name);
      columns.torque_.push_back({*column, format.torque_scale.of(channel.name, channel.coordinate),
                                 format.torque_offset.of(channel.name, channel.coordinate)});
    }
    return columns;
  }

  /// False for a line of another number of fields. Fields that are no numbers are nan.
  bool read(const std::string& line) {
    const auto fields = fields_of(line);
    if (fields.size() != num_columns_) return false;
    const auto value = [&](const Field& field) {
      return field.scale * number_of(fields[field.column]) - field.offset;
    };
    time = value(time_);
    q.clear(), tau.clear();
    for (const Field& field : position_) q.push_back(value(field));
    for (const Field& field : torque_) tau.push_back(value(field));
    return true;
  }

  double time = 0;
  std::vector<double> q, tau;

 private:
  std::size_t num_columns_ = 0;
  Field time_;
  std::vector<Field> position_, torque_;
};

/// Counts of durations in steps of 0.1 us, up to a millisecond.
class Durations {
 public:
  void add(double seconds) {
    const double step = std::clamp(1e7 * seconds, 0.0, static_cast<double>(kSteps - 1));
    ++counts_[static_cast<std::size_t>(step)];
    ++total_;
  }
  /// [us]
  double quantile(double share) const {
    long long rest = std::llround(share * static_cast<double>(total_));
    for (std::size_t k = 0; k < kSteps; ++k)
      if ((rest -= counts_[k]) <= 0) return 0.1 * static_cast<double>(k + 1);
    return 0.1 * kSteps;
  }
  long long total() const { return total_; }

 private:
  static constexpr std::size_t kSteps = 10000;
  std::vector<long long> counts_ = std::vector<long long>(kSteps);
  long long total_ = 0;
};

/// Solves while there is something to solve, until it is destroyed.
class SolverThread {
 public:
  explicit SolverThread(Watcher& watcher)
      : thread_([this, &watcher] {
          while (!is_over_)
            if (!watcher.solve_if_due()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
          seconds_ = cpu_seconds();
        }) {}
  /// Ends it; [s] of CPU that it took.
  double finish() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    return seconds_;
  }
  ~SolverThread() { finish(); }
  SolverThread(const SolverThread&) = delete;
  SolverThread& operator=(const SolverThread&) = delete;

 private:
  std::atomic<bool> is_over_{false};
  double seconds_ = 0;
  std::thread thread_;
};

class WatchStream {
 public:
  WatchStream(const WatchFlags& flags, const IdentifiedModel& identified)
      : flags_(flags), identified_(identified) {}

  Result<Done> run() {
    if (!flags_.baseline.empty()) {
      HEFT_TRY(baseline, read_watch_baseline(flags_.baseline, flags_.model, identified_));
      baseline_.emplace(std::move(baseline));
    }
    std::string line;
    if (input_.next(line) != InputLines::Found::line)
      return Error{"standard input", "is empty",
                   "send the names of the columns, then one line per sample"};
    HEFT_TRY(columns, SampleColumns::make(line, identified_));
    if (!flags_.snapshot.empty() && std::filesystem::exists(flags_.snapshot)) {
      HEFT_TRY(bytes, read_file_whole(flags_.snapshot, kLargestSnapshot));
      HEFT_CHECK(begin(rate_of_snapshot(bytes), bytes));
    }
    while (!output_.is_closed()) {
      const auto found = input_.next(line);
      if (found == InputLines::Found::end) break;
      if (found == InputLines::Found::too_long || !columns.read(line)) {
        complain("a line has another number of columns than the header; it is left out");
        continue;
      }
      HEFT_CHECK(take(columns));
    }
    const double solver_seconds = solver_ ? solver_->finish() : 0;
    if (!watcher_)
      return stop_requested ? Result<Done>(stopped())
                            : Error{"standard input", "has too few samples", "send 20 or more"};
    const long long num_answers = watcher_->answer().number;
    watcher_->solve_if_due();
    put_state();
    output_.finish();
    HEFT_CHECK(save());
    std::fprintf(stderr, "%lld samples, %.1f us each (median), %.1f us at 99.99 %%\n",
                 durations_.total(), durations_.quantile(0.5), durations_.quantile(0.9999));
    if (num_answers > 0 && solver_seconds > 0)
      std::fprintf(stderr, "%lld answers, %.1f answers per second of CPU\n", num_answers,
                   static_cast<double>(num_answers) / solver_seconds);
    if (output_.num_dropped() > 0)
      std::fprintf(stderr, "%lld lines dropped, which no one read in time\n",
                   output_.num_dropped());
    return stop_requested ? Result<Done>(stopped()) : Result<Done>(Done{});
  }

  bool is_certified() const { return watcher_ && watcher_->answer().certified; }

 private:
  struct Early {
    double time;
    std::vector<double> q, tau;
  };

  static Error stopped() {
    return Error{.where = "heft watch",
                 .what = "was stopped by a signal",
                 .remedy = "start it again to go on",
                 .is_stop = true};
  }

  Result<Done> begin(double rate_hz, const std::string& snapshot) {
    HEFT_TRY(model, watch_model(identified_));
    const WatchOptions options{.rate_hz = rate_hz, .forget_s = flags_.forget};
    auto made = snapshot.empty() ? Watcher::make(std::move(model), options)
                                 : Watcher::resume(std::move(model), options, snapshot);
    if (!made)
      return Error{snapshot.empty() ? made.error().where : flags_.snapshot, made.error().what,
                   made.error().remedy};
    watcher_.emplace(std::move(*made));
    solver_.emplace(*watcher_);
    every_ = flags_.every > 0 ? flags_.every : std::max(1LL, std::llround(rate_hz));
    cpu_.reserve(static_cast<std::size_t>(std::min(every_, 100000LL)));
    return Done{};
  }

  Result<Done> take(const SampleColumns& sample) {
    if (watcher_) return feed(sample.time, sample.q, sample.tau);
    early_.push_back({sample.time, sample.q, sample.tau});
    if (early_.size() < kRateSamples) return Done{};
    std::vector<double> steps;
    for (std::size_t k = 1; k < early_.size(); ++k)
      if (const double step = early_[k].time - early_[k - 1].time; step > 0) steps.push_back(step);
    if (steps.empty())
      return Error{"standard input", "has times that do not advance",
                   "give ascending times in seconds, or log.time_scale when identifying"};
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                     steps.end());
    HEFT_CHECK(begin(1 / steps[steps.size() / 2], ""));
    for (const Early& early : early_) HEFT_CHECK(feed(early.time, early.q, early.tau));
    early_.clear();
    return Done{};
  }

  Result<Done> feed(double time, const std::vector<double>& q, const std::vector<double>& tau) {
    const double begin = cpu_seconds();
    const auto events = watcher_->push(time, q, tau);
    const double seconds = cpu_seconds() - begin;
    durations_.add(seconds);
    if (cpu_.size() < cpu_.capacity()) cpu_.push_back(seconds);
    if (std::isfinite(time)) time_ = time;
    for (const WatchEvent& event : events) put(event);
    if (++since_state_ >= every_) put_state();
    if (!flags_.snapshot.empty() &&
        watcher_->num_samples() - saved_at_ > kSnapshotEvery * watcher_->options().rate_hz)
      HEFT_CHECK(save());
    return Done{};
  }

  Result<Done> save() {
    if (flags_.snapshot.empty() || !watcher_) return Done{};
    saved_at_ = watcher_->num_samples();
    return write_file_whole(flags_.snapshot, watcher_->snapshot());
  }

  /// Keys that all lines have.
  Json line_of(const char* type, double time) {
    const WatchAnswer answer = watcher_->answer();
    double latency = std::nan("");
    if (!cpu_.empty()) {
      const auto middle = cpu_.begin() + static_cast<std::ptrdiff_t>(cpu_.size() / 2);
      std::nth_element(cpu_.begin(), middle, cpu_.end());
      latency = std::round(1e7 * *middle) / 10;
    }
    const double age = answer.number > 0 ? std::round(1e3 * (time_ - answer.time)) : std::nan("");
    return {{"t", number_or_null(time)},
            {"type", type},
            {"what", nullptr},
            {"size", nullptr},
            {"interval", nullptr},
            {"onset_s", nullptr},
            {"error_relative", number_or_null(watcher_->error_relative())},
            {"certified", answer.number > 0 && answer.certified},
            {"age_ms", number_or_null(age)},
            {"latency_us", number_or_null(latency)},
            {"schema", "heft-watch-1"}};
  }

  static const char* word_of(BaselineVerdict verdict) {
    return verdict == BaselineVerdict::within ? "within"
           : verdict == BaselineVerdict::left ? "left"
                                              : "unresolved";
  }

  /// What the baseline says of a parameter after a change.
  Json verdict_on_change(const WatchEvent& event) const {
    const int k = parameter_of_change(identified_.model.plan->layout, event.what);
    if (k < 0 || !std::isfinite(baseline_->lower[k])) return nullptr;
    const double before = identified_.parameters[k];
    return word_of(
        verdict_on(*baseline_, k, before + event.size, before + event.lower, before + event.upper));
  }

  /// What the baseline says of the newest parameters that the model's own log tells.
  void put_verdict_on_state(Json& json) const {
    const WatchAnswer answer = watcher_->answer();
    json["verdict"] = nullptr, json["left"] = Json::array();
    if (answer.number == 0) return;
    bool is_resolved = true;
    const ParameterLayout& layout = identified_.model.plan->layout;
    for (int k = 0; k < layout.num_parameters(); ++k) {
      const double half = baseline_->half_width[k], value = answer.parameters[k];
      if (!std::isfinite(half) || !std::isfinite(baseline_->lower[k])) continue;
      const BaselineVerdict verdict = verdict_on(*baseline_, k, value, value - half, value + half);
      if (verdict == BaselineVerdict::left) json["left"].push_back(layout.name(k));
      if (verdict == BaselineVerdict::unresolved) is_resolved = false;
    }
    json["verdict"] = word_of(!json["left"].empty() ? BaselineVerdict::left
                              : is_resolved         ? BaselineVerdict::within
                                                    : BaselineVerdict::unresolved);
  }

  void put(const WatchEvent& event) {
    const bool is_change = event.type == WatchEvent::Type::change;
    Json json = line_of(is_change ? "change" : "error", event.time);
    json["what"] = event.what;
    if (is_change) {
      json["size"] = number_or_null(event.size);
      if (std::isfinite(event.lower)) json["interval"] = {event.lower, event.upper};
      json["onset_s"] = number_or_null(event.onset);
      if (baseline_) json["verdict"] = verdict_on_change(event);
    }
    output_.put(json.dump(), false);
  }

  void put_state() {
    Json json = line_of("state", time_);
    if (baseline_) put_verdict_on_state(json);
    if (output_.num_dropped() > 0) json["dropped"] = output_.num_dropped();
    output_.put(json.dump(), true);
    since_state_ = 0;
    cpu_.clear();
  }

  /// Of lines that cannot be read, the first of many.
  void complain(const char* what) {
    if (num_damaged_++ % kComplainEvery != 0) return;
    if (!watcher_) {
      output_.put(
          Json{{"t", nullptr}, {"type", "error"}, {"what", what}, {"schema", "heft-watch-1"}}
              .dump(),
          false);
      return;
    }
    Json json = line_of("error", time_);
    json["what"] = what;
    output_.put(json.dump(), false);
  }

  const WatchFlags& flags_;
  const IdentifiedModel& identified_;
  InputLines input_;
  OutputLines output_;
  std::vector<Early> early_;
  std::optional<WatchBaseline> baseline_;
  std::optional<Watcher> watcher_;
  std::optional<SolverThread> solver_;
  std::vector<double> cpu_;  ///< [s] of pushes since the last state
  Durations durations_;
  double time_ = 0;
  long long every_ = 1, since_state_ = 0, saved_at_ = 0, num_damaged_ = 0;
};

int run_watch(const WatchFlags& flags) {
  struct sigaction action {};
  action.sa_handler = request_stop;  // without SA_RESTART: a read is interrupted
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const auto identified = read_identified_model(flags.model);
  if (!identified) return fail(identified.error());
  if (const auto model = watch_model(*identified); !model) return fail(model.error());
  for (const std::string& doubt : identified->doubts)
    std::fprintf(stderr, "doubt of the model: %s\n", printable(doubt).c_str());
  auto stream = std::make_unique<WatchStream>(flags, *identified);
  if (const auto done = stream->run(); !done) return fail(done.error());
  return stream->is_certified() ? kSuccess : kNotCertified;
}

}  // namespace

void add_watch(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "watch", "monitor a working robot: certified parameters, and what changed");
  auto flags = std::make_shared<WatchFlags>();
  command
      ->add_option("--model", flags->model, "output directory of heft identify, or its result.json")
      ->required();
  command
      ->add_option("--forget", flags->forget,
                   "time constant of the parameters [s]: older samples count less; 0: all count")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--every", flags->every, "samples between lines of type state; 0: one second")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option(
      "--snapshot", flags->snapshot,
      "file to resume from if it exists, written every minute of samples and at the end");
  command->add_option(
      "--baseline", flags->baseline,
      "fleet.json of heft fleet run, or a result.json: adds to states and changes whether "
      "they are within it");
  command->footer(
      "Samples are lines of CSV on standard input, after a header with the columns of the logs that the model\n"
      "was identified from. Exit code 5: stopped by a signal; the snapshot is written.\n"
      "Examples:\n"
      "  heft watch --model result < log.csv\n"
      "  robot_logger | heft watch --model result --forget 60 --snapshot watch.bin");
  command->callback([flags, &run] { run = [flags] { return run_watch(*flags); }; });
}

}  // namespace heft::tools
