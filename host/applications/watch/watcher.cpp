#include "watch/watcher.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "causal_motion.hpp"
#include "change_detector.hpp"
#include "model/sample_view.hpp"
#include "recursive_moments.hpp"
#include "snapshot_bytes.hpp"
#include "watch_solver.hpp"
#include "watched_filter.hpp"

namespace heft {

namespace {

using namespace watch;

constexpr char kMagic[8] = {'h', 'e', 'f', 't', 'w', 'a', 't', '2'};
constexpr double kRateTolerance = 0.1;  // of the mean step
constexpr double kRateMemory = 50;      // samples
constexpr double kErrorMemory = 10;     // s
constexpr double kQuiet = 1;            // s between two errors of the same kind
constexpr double kStepsPerPeriod = 2;   // of the low-pass, in change detection
constexpr double kFirstSolve = 1;       // s of samples before the first answer

enum Fault { kStall, kBackward, kDuplicate, kRate, kSize, kNotFinite, kNumFaults };

/// FNV-1a.
void add_to_digest(unsigned long long& digest, const void* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    digest = (digest ^ static_cast<const unsigned char*>(bytes)[i]) * 1099511628211ULL;
}

/// Digest of robot, model and options, which a snapshot must match.
unsigned long long digest_of(const WatchModel& model, const WatchOptions& options) {
  unsigned long long digest = 14695981039346656037ULL;
  const RegressorPlan& plan = *model.model.plan;
  for (const Channel& channel : plan.channels)
    add_to_digest(digest, channel.name.data(), channel.name.size());
  for (int k = 0; k < plan.layout.num_parameters(); ++k) {
    const std::string name = plan.layout.name(k);
    add_to_digest(digest, name.data(), name.size());
  }
  add_to_digest(digest, model.parameters.data(),
                static_cast<std::size_t>(model.parameters.size()) * sizeof(double));
  add_to_digest(digest, model.residual_rms.data(),
                static_cast<std::size_t>(model.residual_rms.size()) * sizeof(double));
  const double numbers[] = {options.forget_s,
                            options.window_s,
                            options.track_s,
                            options.false_alarms_per_day,
                            options.seeks_changes ? 1.0 : 0.0,
                            cutoff_of(model, options)};
  add_to_digest(digest, numbers, sizeof numbers);
  return digest;
}

Result<Done> check(const WatchOptions& options, double cutoff_hz) {
  constexpr char kCutoff[] = "conditioning.lowpass_hz";
  const auto refuse = [](const char* option, const char* what, const char* remedy) {
    return Error{option, what, remedy};
  };
  if (!(options.rate_hz > 0) || !std::isfinite(options.rate_hz))
    return refuse("rate", "is not a finite number above zero", "give ascending times in seconds");
  for (const auto& [option, value] :
       {std::pair("forget", options.forget_s), std::pair("window_s", options.window_s)})
    if (!(value >= 0) || !std::isfinite(value))
      return refuse(option, "is not a finite number of seconds, 0 or more",
                    "give 60, for example, or 0 for none");
  if (options.forget_s > 0 && options.forget_s * options.rate_hz < 1)
    return refuse("forget", "is shorter than the time between two samples",
                  "give 60, for example; 0 forgets nothing");
  if (!(options.track_s > 0) || !(options.false_alarms_per_day > 0) ||
      !(options.solve_every_s >= 0))
    return refuse("heft watch",
                  "track_s and false_alarms_per_day must be above zero, solve_every_s 0 or more",
                  "leave them at their defaults");
  if (!(cutoff_hz > 1e-5 * options.rate_hz))
    return refuse(kCutoff, "is too low for the rate of the samples", "check the unit of the times");
  // times in other units than seconds would give wrong parameters with a certificate
  if (!(cutoff_hz < options.rate_hz / 2))
    return Error{kCutoff,
                 fmt::format("{:.3g} Hz is not below half the rate of the samples, {:.3g} Hz",
                             cutoff_hz, options.rate_hz / 2),
                 "send more samples per second; times that are not in seconds need log.time_unit: "
                 "ms, us or ns"};
  return Done{};
}

}  // namespace

struct Watcher::State {
  WatchModel model;
  WatchOptions options;
  PlanPtr plan;
  std::vector<char> is_used;
  ChannelCoefficients coefficients;
  CausalMotion motion;
  SampleRows rows;
  RecursiveMoments moments;
  ChangeDetector detector;
  WatchSolver solver;

  // of push()
  std::vector<double> predicted, residual;
  std::vector<WatchEvent> events;
  std::vector<std::string> not_finite;  ///< texts, a position or torque each
  bool has_last = false;
  double last_time = 0, mean_step = 0, error2 = 0, torque2 = 0, fade_of_error = 0;
  long long num_pushed = 0, num_summed = 0, step = 1, since_step = 0;
  std::vector<double> reported_at;  ///< of every Fault

  // between the threads
  long long solve_every = 1, since_solve = 0;
  std::mutex sums_mutex;
  std::vector<double> shared;
  double shared_count = 0, shared_time = 0;
  bool is_fresh = false;
  Moments solved;
  mutable std::mutex answer_mutex;
  WatchAnswer answer;

  State(WatchModel model_, const WatchOptions& options_)
      : model(std::move(model_)),
        options(options_),
        plan(model.model.plan),
        is_used(used_channels(model)),
        coefficients(channel_coefficients(*plan, model.parameters)),
        motion(cutoff_of(model, options), options.rate_hz, plan->robot.num_coordinates(),
               plan->num_channels()),
        rows(plan),
        moments(plan,
                options.forget_s > 0 ? std::exp(-1 / (options.rate_hz * options.forget_s)) : 1,
                std::llround(options.window_s * options.rate_hz)),
        detector(with_noise(model), options, is_used,
                 static_cast<double>(detection_step(model, options)) / options.rate_hz,
                 detection_step(model, options)),
        solver(model) {
    step = detection_step(model, options);
    mean_step = 1 / options.rate_hz;
    fade_of_error =
        std::exp(-1 / (options.rate_hz * (options.forget_s > 0 ? options.forget_s : kErrorMemory)));
    solve_every = std::max(1LL, std::llround(options.solve_every_s * options.rate_hz));
    predicted.assign(static_cast<std::size_t>(plan->num_channels()), 0.0);
    residual = predicted;
    events.reserve(ChangeDetector::kMostEvents + kNumFaults);
    reported_at.assign(kNumFaults, -std::numeric_limits<double>::infinity());
    for (const Coordinate& coordinate : plan->robot.coordinates)
      not_finite.push_back("the position of " + coordinate.name + " is not a number");
    for (const Channel& channel : plan->channels)
      not_finite.push_back("the torque of " + channel.name + " is not a number");
    shared.assign(moments.size(), 0.0);
    solved = zero_moments(plan);
  }

  static std::vector<char> used_channels(const WatchModel& model) {
    std::vector<char> used;
    for (int c = 0; c < model.model.plan->num_channels(); ++c)
      used.push_back(watch::is_used(model, c));
    return used;
  }
  static long long detection_step(const WatchModel& model, const WatchOptions& options) {
    return std::max(1LL,
                    std::llround(options.rate_hz / (kStepsPerPeriod * cutoff_of(model, options))));
  }
  /// Returns the model with residuals above zero.
  static WatchModel with_noise(const WatchModel& model) {
    WatchModel noisy = model;
    for (double& rms : noisy.residual_rms)
      if (!(rms > 0)) rms = 1e-3;
    return noisy;
  }

  template <class Archive>
  void visit(Archive& archive) {
    motion.visit(archive);
    moments.visit(archive);
    detector.visit(archive);
    archive(has_last), archive(last_time), archive(mean_step), archive(error2), archive(torque2);
    archive(num_pushed), archive(num_summed), archive(since_step);
    archive(reported_at);
  }

  void fail(Fault fault, double time, const char* what) {
    double& reported = reported_at[fault];
    if (std::abs(time - reported) < kQuiet || events.size() == events.capacity()) return;
    reported = time;
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    events.push_back({WatchEvent::Type::error, time, what, kNan, kNan, kNan, kNan, kNan});
  }

  void restart() {
    motion.restart();
    detector.interrupt();
  }

  /// Returns whether to use the sample, by its time and that of the last one.
  bool is_in_time(double time) {
    const double period = 1 / options.rate_hz, gap = time - std::exchange(last_time, time);
    if (!std::exchange(has_last, true)) return true;
    if (gap == 0) {
      fail(kDuplicate, time, "the time of a row is that of the row before; the row is skipped");
      return false;
    }
    if (gap < 0) {
      fail(kBackward, time, "the clock jumps back; the filter restarts");
      restart();
      return true;
    }
    const bool is_stall = gap > kLongestWatchStep * period;
    // some stalls do not change the rate, but steps that are all long do
    const double step_of_rate = is_stall ? (1 + 2 * kRateTolerance) * period : gap;
    mean_step += (step_of_rate - mean_step) / kRateMemory;
    if (std::abs(mean_step - period) > kRateTolerance * period) {
      fail(kRate, time,
           "the rate of the samples has changed; they are skipped; restart to use the new rate");
      restart();
      return false;
    }
    if (is_stall) {
      fail(kStall, time, "samples are missing; the filter restarts");
      restart();
    }
    return true;
  }

  bool are_finite(double time, std::span<const double> position, std::span<const double> torque) {
    const auto find = [&](std::span<const double> numbers, std::size_t first) {
      for (std::size_t k = 0; k < numbers.size(); ++k)
        if (!std::isfinite(numbers[k])) {
          fail(kNotFinite, time, not_finite[first + k].c_str());
          return false;
        }
      return true;
    };
    return find(position, 0) && find(torque, position.size());
  }

  void push(double time, std::span<const double> position, std::span<const double> torque) {
    events.clear();
    ++num_pushed;
    if (!std::isfinite(time))
      return fail(kNotFinite, last_time, "the time of a row is not a number; the row is skipped");
    if (static_cast<int>(position.size()) != plan->robot.num_coordinates() ||
        static_cast<int>(torque.size()) != plan->num_channels())
      return fail(kSize, time,
                  "a row has a different number of joints than the model; the row is skipped");
    // a skipped sample leaves a gap in time
    if (!are_finite(time, position, torque) || !is_in_time(time)) return;
    if (!motion.push(position.data(), torque.data())) return detector.interrupt();
    rows.evaluate(motion.position(), motion.velocity(), motion.acceleration(), motion.torque());
    moments.add(rows, is_used);
    ++num_summed;
    error2 *= fade_of_error, torque2 *= fade_of_error;
    for (std::size_t c = 0; c < residual.size(); ++c) {
      predicted[c] = rows.product(static_cast<int>(c), coefficients);
      residual[c] = motion.torque()[c] - predicted[c];
      if (!is_used[c]) continue;
      error2 += residual[c] * residual[c];
      torque2 += motion.torque()[c] * motion.torque()[c];
    }
    if (options.seeks_changes) seek_changes(time);
    ++since_solve;
    if (since_solve >= solve_every &&
        static_cast<double>(num_summed) >= kFirstSolve * options.rate_hz)
      share(time);
  }

  void seek_changes(double time) {
    if (++since_step >= step) {
      since_step = 0;
      detector.step(time - motion.delay_s(), rows, motion.position(), motion.velocity(),
                    motion.acceleration(), predicted.data(), residual.data());
    } else {
      detector.advance(time, events);
    }
  }

  /// Passes the sums to the solver, unless it is busy taking others.
  void share(double time) {
    const std::unique_lock lock(sums_mutex, std::try_to_lock);
    if (!lock || is_fresh) return;
    since_solve = 0;
    shared_count = moments.put_sums(shared);
    shared_time = time;
    is_fresh = true;
  }

  bool solve_if_due() {
    WatchAnswer found;
    {
      const std::lock_guard lock(sums_mutex);
      if (!is_fresh) return false;
      solved.packed.swap(shared);
      found.num_samples = shared_count;
      found.time = shared_time;
      is_fresh = false;
    }
    for (std::size_t c = 0; c < is_used.size(); ++c)
      solved.num_rows[c] = is_used[c] ? found.num_samples : 0;
    if (!solver.solve(solved, found)) return false;
    const std::lock_guard lock(answer_mutex);
    found.number = answer.number + 1;
    answer = std::move(found);
    return true;
  }
};

Watcher::Watcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
Watcher::Watcher(Watcher&&) noexcept = default;
Watcher& Watcher::operator=(Watcher&&) noexcept = default;
Watcher::~Watcher() = default;

Result<Watcher> Watcher::make(WatchModel model, const WatchOptions& options) {
  HEFT_CHECK(check(options, wanted_cutoff(model, options)));
  return Watcher(std::make_unique<State>(std::move(model), options));
}

double rate_of_snapshot(std::string_view snapshot) {
  SnapshotReader reader(snapshot);
  char magic[sizeof kMagic] = {};
  for (char& letter : magic) reader(letter);
  double rate = 0;
  reader(rate);
  const bool is_one = reader.is_sound() && std::equal(magic, magic + sizeof magic, kMagic);
  return is_one && std::isfinite(rate) ? rate : 0;
}

std::string Watcher::snapshot() const {
  std::string bytes;
  SnapshotWriter writer(bytes);
  for (const char letter : kMagic) writer(letter);
  writer(state_->options.rate_hz);
  writer(digest_of(state_->model, state_->options));
  state_->visit(writer);
  return bytes;
}

Result<Watcher> Watcher::resume(WatchModel model, const WatchOptions& options,
                                std::string_view snapshot) {
  const double rate = rate_of_snapshot(snapshot);
  if (!(rate > 0))
    return Error{"snapshot", "was not written by this version of heft watch", "remove the file"};
  if (rate != options.rate_hz)
    return Error{
        "snapshot",
        fmt::format("was written at {:.9g} samples per second, not {:.9g}", rate, options.rate_hz),
        "remove the file, or restore the rate"};
  HEFT_TRY(watcher, make(std::move(model), options));
  SnapshotReader reader(snapshot.substr(sizeof kMagic + sizeof rate));
  unsigned long long digest = 0;
  reader(digest);
  if (digest != digest_of(watcher.state_->model, options))
    return Error{"snapshot", "was made with another robot, model or options",
                 "remove the file, or use the model and options it was made with"};
  watcher.state_->visit(reader);
  if (!reader.is_sound() || !reader.is_at_end())
    return Error{"snapshot", "is damaged", "remove the file"};
  return std::move(watcher);
}

std::span<const WatchEvent> Watcher::push(double time, std::span<const double> position,
                                          std::span<const double> torque) {
  state_->push(time, position, torque);
  return state_->events;
}

double Watcher::error_relative() const {
  return std::sqrt(state_->error2 / state_->torque2);
}
double Watcher::delay_s() const {
  return state_->motion.delay_s();
}
long long Watcher::num_samples() const {
  return state_->num_summed;
}
std::span<const double> Watcher::measured() const {
  return {state_->motion.torque(), state_->predicted.size()};
}
std::span<const double> Watcher::predicted() const {
  return state_->predicted;
}

Moments Watcher::moments() const {
  Moments moments = zero_moments(state_->plan);
  const double count = state_->moments.put_sums(moments.packed);
  for (std::size_t c = 0; c < moments.num_rows.size(); ++c)
    moments.num_rows[c] = state_->is_used[c] ? std::round(count) : 0;
  return moments;
}

bool Watcher::solve_if_due() {
  return state_->solve_if_due();
}

WatchAnswer Watcher::answer() const {
  const std::lock_guard lock(state_->answer_mutex);
  return state_->answer;
}

const WatchModel& Watcher::model() const {
  return state_->model;
}
const WatchOptions& Watcher::options() const {
  return state_->options;
}

}  // namespace heft
