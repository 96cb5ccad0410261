// Monitors a working robot: keeps its parameters up to date and detects changes.
//
// Positions and torques pass one causal low-pass (causal_motion.hpp). Rows and torques are added to
// sums, with or without forgetting, and the residuals go to sequential tests (change_detector.hpp).
// A solver in another thread computes certified parameters from the sums. Threads: one thread calls
// push() and the other members, another one solve_if_due(); any thread may call answer().
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/moments/moments.hpp"
#include "heft/setup/setup.hpp"
#include "heft/solve/solve.hpp"
#include "predict/identified_model.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Longest step between samples, in periods; longer ones are stalls.
inline constexpr double kLongestWatchStep = 2.5;

/// The model of the watched robot.
struct WatchModel {
  Model model;
  Eigen::VectorXd parameters;    ///< of the model's layout
  Eigen::VectorXd residual_rms;  ///< of every channel; zero: unknown, or the channel is unused
  Prior prior;
  Constraints constraints;
  double lowpass_hz = 10;
  SolveOptions solve;
};

/// Returns the model to watch. Errors: a moving base, sensors, wrenches, contacts, known torques,
/// gains, expressions and columns with memory, which are not supported.
Result<WatchModel> watch_model(const IdentifiedModel& identified);

struct WatchOptions {
  double rate_hz = 0;           ///< of the samples
  double forget_s = 0;          ///< time constant of forgetting; 0: nothing is forgotten
  double window_s = 0;          ///< duration of the sums, in steps of a sixteenth; 0: everything
  double lowpass_hz = 0;        ///< 0: that of the identification, at most an eighth of the rate
  double solve_every_s = 0.05;  ///< shortest time between answers
  /// Changes of friction and offsets over this time [s] or longer are tracked, not reported.
  double track_s = 100;
  double false_alarms_per_day = 0.01;  ///< bound on the expected number (change_detector.hpp)
  bool seeks_changes = true;
};

/// A change or an error. `what` points into the Watcher and is valid as long as it lives.
struct WatchEvent {
  enum class Type { change, error };
  Type type = Type::error;
  double time = 0;              ///< of the sample at which it was noticed [s]
  const char* what = "";        ///< "coulomb joint_3"; for an error a sentence
  double size = 0;              ///< [N m], [N m s/rad], [rad], [kg], or a fraction of a gain
  double lower = 0, upper = 0;  ///< 95 % interval
  double onset = 0;             ///< when it began [s]
  double log_evidence = 0;      ///< natural logarithm of the e-value
};

/// Result of the solver.
struct WatchAnswer {
  double time = 0;  ///< of the newest sample in it [s]
  bool certified = false;
  double gap = 0;
  Eigen::VectorXd parameters;  ///< of the layout
  double num_samples = 0;      ///< number of samples behind it
  long long number = 0;        ///< 1 for the first
};

class Watcher {
 public:
  /// Allocates all memory. Errors: options that are not finite or do not suit the rate; those of
  /// watch_model.
  static Result<Watcher> make(WatchModel model, const WatchOptions& options);
  /// Continues where snapshot() was taken: the same samples give the same bits. Errors: those of
  /// make(); bytes of another program, robot, model or options.
  static Result<Watcher> resume(WatchModel model, const WatchOptions& options,
                                std::string_view snapshot);
  Watcher(Watcher&&) noexcept;
  Watcher& operator=(Watcher&&) noexcept;
  ~Watcher();

  /// Takes a sample: [rad] or [m] of every coordinate, [N m] or [N] of every channel, in the order
  /// of the plan. Does not allocate or block. The returned events are valid until the next call.
  /// Skips invalid samples and returns an error event for them.
  std::span<const WatchEvent> push(double time, std::span<const double> position,
                                   std::span<const double> torque);

  /// Returns the rms of the residual divided by the rms of the torque, over the last ten seconds or
  /// with the time constant of forgetting. NaN until the filter has settled.
  double error_relative() const;
  /// Delay of the filtered motion [s].
  double delay_s() const;
  long long num_samples() const;  ///< number of samples in the sums

  /// Filtered torques of all channels at the sample summed last, and the torques that the
  /// identified model predicts: [N m] or [N]. Valid until the next push().
  std::span<const double> measured() const;
  std::span<const double> predicted() const;

  /// Returns the sums so far as moments of the plan, num_rows rounded.
  Moments moments() const;

  /// Returns the state of push() for a file, without that of the solver.
  std::string snapshot() const;

  /// Solves if new sums are due. Returns false if none are, or if the solver found no answer.
  bool solve_if_due();
  /// Returns the newest answer; number 0 before the first.
  WatchAnswer answer() const;

  const WatchModel& model() const;
  const WatchOptions& options() const;

 private:
  struct State;
  explicit Watcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns the rate in a snapshot [Hz], 0 if there is none.
double rate_of_snapshot(std::string_view snapshot);

/// Returns the sums of whole arrays, one row per sample at uniform times, with the same filter but
/// the code of the backends: a watcher without forgetting must arrive at the same sums.
Result<Moments> watched_sums(const WatchModel& model, const WatchOptions& options,
                             const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& torque);

}  // namespace heft
#pragma GCC visibility pop
