// Scores of any batch of motions and robots: value, gradient and extremes of every motion, numbers
// and no moments. What the search of a design asks thousands of times, for studies, and for
// optimizers that are not ours. Threads: a ScoredRobot never changes: any number of threads may
// share it, and call score().
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "heft/base/progress.hpp"
#include "heft/base/result.hpp"
#include "heft/excite/options.hpp"
#include "heft/model/robot.hpp"
#include "heft/training/training_data.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A robot, what is believed of it, its limits, an objective and a shape of motions, made ready
/// once for any number of scores. Copies share what was made.
class ScoredRobot {
 public:
  /// Of the options objective, shape, limits, beliefs and task count. Motions are looked at at i
  /// duration / num_samples; num_samples 0: twenty a second, 100 to 4000, as the search of designs
  /// takes. Errors as of design_excitation().
  static Result<ScoredRobot> make(const Robot& robot, const ExciteOptions& options,
                                  const TrainingData* known = nullptr, int num_samples = 0);

  const MotionShape& shape() const;
  int num_samples() const;
  int num_coordinates() const;
  /// log det of the information about all parameters before any motion [nats].
  double log_det_prior() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit ScoredRobot(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// The rows of MotionScore::extremes.
enum class ExtremeOf : int { position, velocity, acceleration, jerk, torque };
inline constexpr int kNumExtremes = 5;

struct MotionScore {
  /// What designs minimize [nats]: of the objective d minus log det M; infinite where the motion
  /// has no information.
  double value = 0;
  /// By the coefficients, of their shape; empty unless it was asked for, or where the value is
  /// infinite.
  Eigen::MatrixXd gradient;
  /// kNumExtremes x coordinates: the largest |value| / limit at the samples, of positions about the
  /// middle, of torques with what the robot may be unlike its file; 0 where there is no limit. A
  /// motion keeps its limits there if none is above 1.
  Eigen::ArrayXXd extremes;
};

/// One motion to score.
struct ScoredMotion {
  const ScoredRobot* robot = nullptr;
  Eigen::MatrixXd coefficients;  ///< as CoefficientMotion::coefficients, of the robot's shape
};

struct ScoreOptions {
  bool with_gradient = false;
  int threads = 0;  ///< 0: one per hardware thread
};

/// The scores of all motions in their order, the same for any number of threads; motions of one
/// robot that follow each other are cheapest. Collisions are not looked at. Errors: coefficients of
/// another shape or that are not finite; a stop of `progress`.
Result<std::vector<MotionScore>> score(std::span<const ScoredMotion> motions,
                                       const ScoreOptions& options = {},
                                       const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
