// A robot that works: its parameters all the time, and what changed.
//
// Positions and torques go through one causal low-pass (causal_motion.hpp), rows and torques into
// sums that may forget, and what the model leaves over into sequential tests (change_detector.hpp).
// A solver in another thread makes certified parameters of the sums. Threads: push() and the calls
// beside it are one thread's, solve_if_due() another's; answer() is anyone's.
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

/// What is watched.
struct WatchModel {
  Model model;
  Eigen::VectorXd parameters;    ///< of the model's layout
  Eigen::VectorXd residual_rms;  ///< of every channel; zero: not known, or the channel is not used
  Prior prior;
  Constraints constraints;
  double lowpass_hz = 10;
  SolveOptions solve;
};

/// Errors, each with what to change: a base that moves, sensors, known torques, expressions and
/// columns with memory, which are not watched yet.
Result<WatchModel> watch_model(const IdentifiedModel& identified);

struct WatchOptions {
  double rate_hz = 0;           ///< of the samples
  double forget_s = 0;          ///< time constant of forgetting; 0: nothing is forgotten
  double window_s = 0;          ///< that is summed, in steps of a sixteenth; 0: everything
  double lowpass_hz = 0;        ///< 0: that of the identification, at most an eighth of the rate
  double solve_every_s = 0.05;  ///< least time between answers
  /// Friction and offsets that change over this time or more slowly are followed without a word
  /// [s].
  double track_s = 100;
  double false_alarms_per_day = 0.01;  ///< bound on their expected number (change_detector.hpp)
  bool seeks_changes = true;
};

/// Something that happened. `what` is a name of Watcher's and stays as long as it does.
struct WatchEvent {
  enum class Type { change, error };
  Type type = Type::error;
  double time = 0;              ///< of the sample at which it was noticed [s]
  const char* what = "";        ///< "coulomb joint_3"; of an error a sentence
  double size = 0;              ///< [N m], [N m s/rad], [rad], [kg], or a share of a gain
  double lower = 0, upper = 0;  ///< 95 % interval
  double onset = 0;             ///< when it began [s]
  double log_evidence = 0;      ///< natural logarithm of the e-value
};

/// What the solver found.
struct WatchAnswer {
  double time = 0;  ///< of the newest sample in it [s]
  bool certified = false;
  double gap = 0;
  Eigen::VectorXd parameters;  ///< of the layout
  double num_samples = 0;      ///< that it is made from
  long long number = 0;        ///< 1 for the first
};

class Watcher {
 public:
  /// Takes all memory. Errors: options that are no numbers or do not suit the rate; those of
  /// watch_model.
  static Result<Watcher> make(WatchModel model, const WatchOptions& options);
  /// Goes on where snapshot() was taken: the same samples give the same bits. Errors besides: bytes
  /// of another program, robot, model or options.
  static Result<Watcher> resume(WatchModel model, const WatchOptions& options,
                                std::string_view snapshot);
  Watcher(Watcher&&) noexcept;
  Watcher& operator=(Watcher&&) noexcept;
  ~Watcher();

  /// Takes a sample: [rad] or [m] of every coordinate, [N m] or [N] of every channel, in the order
  /// of the plan. Allocates nothing and waits for no one. What is returned holds until the next
  /// call. Samples that make no sense are left out and are events.
  std::span<const WatchEvent> push(double time, std::span<const double> position,
                                   std::span<const double> torque);

  /// rms of what the model leaves over, over the rms of the torque: of the last ten seconds, or of
  /// what is not forgotten. NaN before the filter has settled.
  double error_relative() const;
  /// [s] by which motion is late behind the filter.
  double delay_s() const;
  long long num_samples() const;  ///< that were summed

  /// Torques of all channels behind the filter, at the sample that was summed last, and what the
  /// identified model predicts of them: [N m] or [N]. They hold until the next push().
  std::span<const double> measured() const;
  std::span<const double> predicted() const;

  /// The sums so far, Moments of the plan, num_rows rounded.
  Moments moments() const;

  /// State of push(), for a file. Without the solver's.
  std::string snapshot() const;

  /// Makes an answer if there are new samples and it is time. False if not, or if there is none.
  bool solve_if_due();
  /// The newest; number 0 before the first.
  WatchAnswer answer() const;

  const WatchModel& model() const;
  const WatchOptions& options() const;

 private:
  struct State;
  explicit Watcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The rate in a snapshot [Hz], 0 if there is none.
double rate_of_snapshot(std::string_view snapshot);

/// The sums of whole arrays behind the same filter, a row a sample at even times, by the backends'
/// own code: what a watcher that forgets nothing must come to.
Result<Moments> watched_sums(const WatchModel& model, const WatchOptions& options,
                             const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& torque);

}  // namespace heft
#pragma GCC visibility pop
