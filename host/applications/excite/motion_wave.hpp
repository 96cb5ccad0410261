// Scores the motions of all starts of a search together on a device. Every start runs on its own
// thread; a wave scores their current motions in a fixed number of launches. The result of a start
// does not depend on the others. Threads: safe to call from several threads.
#pragma once

#include <Eigen/Core>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/excite/options.hpp"
#include "kernels/motions_cuda.hpp"

namespace heft::excite {

struct Task;

/// Input of a device for the motions of a task. Error: columns with expressions, which only the
/// host evaluates.
Result<DeviceMotionInput> device_input(const Task& task, ExcitationObjective objective);

class MotionWave {
 public:
  /// `host_threads`: starts whose host code runs at a time.
  MotionWave(std::unique_ptr<DeviceMotions> device, const DeviceMotionInput& input,
             int host_threads);

  int capacity() const { return device_->capacity(); }
  DeviceMotionEffort effort() const { return device_->effort(); }
  /// The first error of the device, to be read when no start runs; once there is one, evaluations
  /// fail.
  const std::optional<Error>& error() const { return error_; }
  bool has_failed() const { return has_failed_; }

  /// Calls task(index, thread) for every index in [0, count), up to capacity() at a time on threads
  /// of their own; thread 0 is the calling one. While it waits for the others, it calls `wait_step`
  /// many times a second.
  void run(std::int64_t count, const std::function<void(std::int64_t, int)>& task,
           const std::function<void()>& wait_step = {});

  /// Motions that one scorer evaluates, one after the other. A wave starts when all scorers wait
  /// for it. The thread is one of run().
  class Seat {
   public:
    explicit Seat(MotionWave& wave);
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    ~Seat();

    /// Evaluates coefficients: torques and their deviations, and G, or for log det the value
    /// instead. False if the device failed.
    bool rows(const Eigen::MatrixXd& coefficients);
    /// The gradient of the same motion: slope of the objective with respect to G, empty for log
    /// det, and slopes with respect to torques, samples x channels, empty: no dependence.
    bool gradient(const Eigen::MatrixXd& slope, const Eigen::ArrayXXd& by_torque,
                  const Eigen::ArrayXXd& by_deviation, Eigen::MatrixXd& result);

    bool is_log_det() const { return wave_.is_log_det_; }
    double value() const { return motion_.value; }
    const Eigen::MatrixXd& information() const { return information_; }
    const Eigen::ArrayXXd& torque() const { return torque_; }
    const Eigen::ArrayXXd& deviation() const { return deviation_; }

   private:
    MotionWave& wave_;
    DeviceMotion motion_;
    Eigen::MatrixXd information_;
    Eigen::ArrayXXd torque_, deviation_;
  };

 private:
  enum class Step { rows, gradient };
  struct Request {
    DeviceMotion* motion;
    Step step;
    bool is_done = false;
  };

  bool evaluate(DeviceMotion& motion, Step step);
  void run_if_all_wait();
  /// Evaluates the waiting motions of one step; the others stay.
  void run_wave(Step step);

  const std::unique_ptr<DeviceMotions> device_;
  const int num_samples_, num_channels_, num_columns_;
  const bool is_log_det_;
  std::mutex mutex_;
  std::condition_variable has_news_;
  std::vector<Request*> waiting_;
  std::vector<int> free_slots_;
  std::size_t num_seats_ = 0;
  std::optional<Error> error_;
  std::atomic<bool> has_failed_{false};
  std::counting_semaphore<> host_threads_;
};

}  // namespace heft::excite
