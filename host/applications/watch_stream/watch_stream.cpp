#include "watch_stream/watch_stream.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "base/median.hpp"
#include "files/json_text.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRateSamples = 20;    // samples that determine the rate
constexpr double kSnapshotEvery = 60;       // s of samples
constexpr long long kComplainEvery = 1000;  // damaged lines
constexpr std::size_t kLargestSnapshot = std::size_t{1} << 30;
constexpr long long kMostTimes = 100000;  // samples between states whose CPU times are kept

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns a line; replaces bytes of names that are not UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const char* word_of(BaselineVerdict verdict) {
  return verdict == BaselineVerdict::within ? "within"
         : verdict == BaselineVerdict::left ? "left"
                                            : "unresolved";
}

/// Verdict of the baseline on a parameter after a change.
Json verdict_on_change(const WatchBaseline& baseline, const WatchModel& model,
                       const WatchEvent& event) {
  const int k = parameter_of_change(model.model.plan->layout, event.what);
  if (k < 0 || !std::isfinite(baseline.lower[k])) return nullptr;
  const double before = model.parameters[k];
  return word_of(
      verdict_on(baseline, k, before + event.size, before + event.lower, before + event.upper));
}

/// Sets the verdict of the baseline on the newest parameters that the model's own log determines.
void put_verdict_on_state(const WatchBaseline& baseline, const ParameterLayout& layout,
                          const WatchAnswer& answer, Json& json) {
  json["verdict"] = nullptr, json["left"] = Json::array();
  if (answer.number == 0) return;
  bool is_resolved = true;
  for (int k = 0; k < layout.num_parameters(); ++k) {
    const double half = baseline.half_width[k], value = answer.parameters[k];
    if (!std::isfinite(half) || !std::isfinite(baseline.lower[k])) continue;
    const BaselineVerdict verdict = verdict_on(baseline, k, value, value - half, value + half);
    if (verdict == BaselineVerdict::left) json["left"].push_back(layout.name(k));
    if (verdict == BaselineVerdict::unresolved) is_resolved = false;
  }
  json["verdict"] = word_of(!json["left"].empty() ? BaselineVerdict::left
                            : is_resolved         ? BaselineVerdict::within
                                                  : BaselineVerdict::unresolved);
}

/// Counts durations in steps of 0.1 us, up to a millisecond.
class Durations {
 public:
  void add(double seconds) {
    const double step = std::clamp(1e7 * seconds, 0.0, static_cast<double>(kSteps - 1));
    ++counts_[static_cast<std::size_t>(step)];
    ++total_;
  }
  /// Returns a quantile [us].
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

/// Solves whenever there are new sums, until it is destroyed.
class SolverThread {
 public:
  explicit SolverThread(Watcher& watcher)
      : thread_([this, &watcher] {
          while (!is_over_)
            if (!watcher.solve_if_due()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
          seconds_ = cpu_seconds();
        }) {}
  /// Ends the thread and returns its CPU time [s].
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

struct EarlySample {
  double time;
  std::vector<double> position, torque;
};

/// Returns the mean step [s] between samples, without repeated times and stalls; 0 if times do not
/// advance. Jitter and rounding of times change it less than the median.
double mean_step(const std::vector<EarlySample>& samples) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < samples.size(); ++k)
    if (const double step = samples[k].time - samples[k - 1].time; step > 0) steps.push_back(step);
  const double longest = kLongestWatchStep * median(steps);
  std::erase_if(steps, [longest](double step) { return step > longest; });
  const double sum = std::accumulate(steps.begin(), steps.end(), 0.0);
  return steps.empty() ? 0 : sum / static_cast<double>(steps.size());
}

}  // namespace

struct WatchStream::State {
  WatchModel model;
  WatchStreamOptions options;
  std::vector<EarlySample> early;
  std::optional<Watcher> watcher;
  std::optional<SolverThread> solver;
  std::vector<WatchLine> lines;  ///< of the newest call
  std::vector<double> times;     ///< CPU times since the last state [s]
  Durations durations;
  double time = std::nan(""), solver_seconds = 0;
  long long every = 1, since_state = 0, saved_at = 0, num_damaged = 0, num_dropped = 0;

  State(WatchModel model_, const WatchStreamOptions& options_)
      : model(std::move(model_)), options(options_) {}

  Result<Done> begin(double rate_hz, const std::string& snapshot) {
    const WatchOptions settings{.rate_hz = rate_hz, .forget_s = options.forget_s};
    auto made = snapshot.empty() ? Watcher::make(model, settings)
                                 : Watcher::resume(model, settings, snapshot);
    if (!made)
      return Error{snapshot.empty() ? made.error().where : options.snapshot, made.error().what,
                   made.error().remedy};
    watcher.emplace(std::move(*made));
    solver.emplace(*watcher);
    every = options.every > 0 ? options.every : std::max(1LL, std::llround(rate_hz));
    times.reserve(static_cast<std::size_t>(std::min(every, kMostTimes)));
    return Done{};
  }

  Result<Done> resume() {
    std::error_code ignored;
    if (options.snapshot.empty() || !std::filesystem::exists(options.snapshot, ignored))
      return Done{};
    HEFT_TRY(bytes, read_file_whole(options.snapshot, kLargestSnapshot));
    return begin(rate_of_snapshot(bytes), bytes);
  }

  Result<Done> take(double at, std::span<const double> position, std::span<const double> torque) {
    if (watcher) return feed(at, position, torque);
    early.push_back({at, {position.begin(), position.end()}, {torque.begin(), torque.end()}});
    if (early.size() < kRateSamples) return Done{};
    const double step = mean_step(early);
    if (!(step > 0))
      return Error{options.source, "has times that do not advance",
                   "give ascending times in seconds, or set log.time_unit"};
    HEFT_CHECK(begin(1 / step, ""));
    for (const EarlySample& sample : early)
      HEFT_CHECK(feed(sample.time, sample.position, sample.torque));
    early = {};
    return Done{};
  }

  Result<Done> feed(double at, std::span<const double> position, std::span<const double> torque) {
    const double begin = cpu_seconds();
    const auto events = watcher->push(at, position, torque);
    const double seconds = cpu_seconds() - begin;
    durations.add(seconds);
    if (times.size() < times.capacity()) times.push_back(seconds);
    if (std::isfinite(at)) time = at;
    for (const WatchEvent& event : events) put(event);
    if (++since_state >= every) put_state();
    if (static_cast<double>(watcher->num_samples() - saved_at) >
        kSnapshotEvery * watcher->options().rate_hz)
      HEFT_CHECK(save());
    return Done{};
  }

  Result<Done> save() {
    saved_at = watcher->num_samples();
    if (options.snapshot.empty()) return Done{};
    return write_file_whole(options.snapshot, watcher->snapshot());
  }

  /// The keys of all lines.
  Json line_of(const char* type, double at) {
    const WatchAnswer answer = watcher ? watcher->answer() : WatchAnswer{};
    const double latency = times.empty() ? std::nan("") : std::round(1e7 * median(times)) / 10;
    const double age = answer.number > 0 ? std::round(1e3 * (time - answer.time)) : std::nan("");
    return {{"t", number_or_null(at)},
            {"type", type},
            {"what", nullptr},
            {"size", nullptr},
            {"interval", nullptr},
            {"onset_s", nullptr},
            {"error_relative", number_or_null(watcher ? watcher->error_relative() : std::nan(""))},
            {"certified", answer.number > 0 && answer.certified},
            {"age_ms", number_or_null(age)},
            {"latency_us", number_or_null(latency)},
            {"schema", "heft-watch-1"}};
  }

  void put(const WatchEvent& event) {
    const bool is_change = event.type == WatchEvent::Type::change;
    Json json = line_of(is_change ? "change" : "error", event.time);
    json["what"] = event.what;
    if (is_change) {
      json["size"] = number_or_null(event.size);
      if (std::isfinite(event.lower)) json["interval"] = {event.lower, event.upper};
      json["onset_s"] = number_or_null(event.onset);
      if (options.baseline) json["verdict"] = verdict_on_change(*options.baseline, model, event);
    }
    lines.push_back({is_change ? WatchLine::Type::change : WatchLine::Type::error, event.what,
                     event.size, text_of(json)});
  }

  void put_state() {
    Json json = line_of("state", time);
    if (options.baseline && watcher)
      put_verdict_on_state(*options.baseline, model.model.plan->layout, watcher->answer(), json);
    if (num_dropped > 0) json["dropped"] = num_dropped;
    lines.push_back({WatchLine::Type::state, "", 0, text_of(json)});
    since_state = 0;
    times.clear();
  }

  void complain(const std::string& what) {
    if (num_damaged++ % kComplainEvery != 0) return;
    Json json = line_of("error", time);
    json["what"] = what;
    lines.push_back({WatchLine::Type::error, what, 0, text_of(json)});
  }

  Result<Done> finish() {
    if (solver) solver_seconds = solver->finish();
    if (!watcher) return Error{options.source, "has too few samples", "send 20 or more"};
    watcher->solve_if_due();
    put_state();
    return save();
  }
};

WatchStream::WatchStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
WatchStream::WatchStream(WatchStream&&) noexcept = default;
WatchStream& WatchStream::operator=(WatchStream&&) noexcept = default;
WatchStream::~WatchStream() = default;

Result<WatchStream> WatchStream::make(const IdentifiedModel& identified,
                                      const WatchStreamOptions& options) {
  HEFT_TRY(model, watch_model(identified));
  if (!(options.forget_s >= 0) || !std::isfinite(options.forget_s))
    return Error{"forget", "is not a finite number of seconds, 0 or more",
                 "give 60, for example; 0 forgets nothing"};
  if (options.every < 0)
    return Error{"every", "is a negative number of samples", "give 0 for one state per second"};
  WatchStream stream(std::make_unique<State>(std::move(model), options));
  HEFT_CHECK(stream.state_->resume());
  return stream;
}

Result<std::span<const WatchLine>> WatchStream::push(double time, std::span<const double> position,
                                                     std::span<const double> torque) {
  state_->lines.clear();
  HEFT_CHECK(state_->take(time, position, torque));
  return std::span<const WatchLine>(state_->lines);
}

std::span<const WatchLine> WatchStream::complain(const std::string& what) {
  state_->lines.clear();
  state_->complain(what);
  return state_->lines;
}

Result<std::span<const WatchLine>> WatchStream::finish() {
  state_->lines.clear();
  HEFT_CHECK(state_->finish());
  return std::span<const WatchLine>(state_->lines);
}

void WatchStream::set_dropped(long long count) {
  state_->num_dropped = count;
}
const Watcher* WatchStream::watcher() const {
  return state_->watcher ? &*state_->watcher : nullptr;
}
bool WatchStream::is_certified() const {
  return state_->watcher && state_->watcher->answer().certified;
}
SampleTimes WatchStream::sample_times() const {
  const Durations& durations = state_->durations;
  if (durations.total() == 0) return {};
  return {durations.total(), durations.quantile(0.5), durations.quantile(0.9999)};
}
double WatchStream::solver_seconds() const {
  return state_->solver_seconds;
}

}  // namespace heft
