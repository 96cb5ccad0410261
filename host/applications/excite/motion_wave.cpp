#include "motion_wave.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/parallel_for.hpp"
#include "scorer.hpp"
#include "signal_columns.hpp"

namespace heft::excite {

Result<DeviceMotionInput> device_input(const Task& task, ExcitationObjective objective) {
  const Information& information = *task.information;
  const Limits& limits = *task.limits;
  HEFT_TRY(signals, SignalColumns::make(*information.plan));
  if (!signals.empty())
    return Error{"motions on cuda", "columns with expressions are evaluated only on the CPU",
                 "set the backend to cpu, or remove these columns"};
  const int n = information.plan->num_channels();
  DeviceMotionInput input{.plan = information.plan.get(),
                          .seconds = task.shape.duration,
                          .num_samples = task.num_samples,
                          .num_coefficients = task.shape.num_coefficients(),
                          .rate = information.rate,
                          .reference = information.reference,
                          .variance = information.variance,
                          .precision = information.precision,
                          .is_log_det = objective == ExcitationObjective::d,
                          .deviations = limits.torque_deviations,
                          .limits = Eigen::ArrayXXd::Zero(kNumLimitKinds, n),
                          .middle = limits.middle};
  for (int order = 0; order < 4; ++order) {
    const BasisTable table = basis_table(task, order);
    input.basis[order] = {table.width, table.first, table.values};
  }
  for (const bool counts : counted_samples(task)) input.counts.push_back(counts ? 1 : 0);
  for (int kind = 0; kind < kNumLimitKinds; ++kind)
    for (int k = 0; k < n; ++k)
      if (std::isfinite(limits.size[kind][k]) && (kind == kTorque || !limits.is_locked(k)))
        input.limits(kind, k) = limits.size[kind][k];
  return input;
}

MotionWave::MotionWave(std::unique_ptr<DeviceMotions> device, const DeviceMotionInput& input,
                       int host_threads)
    : device_(std::move(device)),
      num_samples_(input.num_samples),
      num_channels_(input.plan->num_channels()),
      num_columns_(static_cast<int>(input.precision.rows())),
      is_log_det_(input.is_log_det),
      host_threads_(std::max(1, host_threads)) {
  for (int slot = device_->capacity(); slot-- > 0;) free_slots_.push_back(slot);
}

void MotionWave::run(std::int64_t count, const std::function<void(std::int64_t, int)>& task,
                     const std::function<void()>& wait_step) {
  struct Turn {
    std::counting_semaphore<>& threads;
    explicit Turn(std::counting_semaphore<>& of) : threads(of) { threads.acquire(); }
    ~Turn() { threads.release(); }
  };
  struct CountedEnd {
    std::atomic<std::int64_t>& ended;
    ~CountedEnd() { ++ended; }  // also after an exception
  };
  std::atomic<std::int64_t> begun{0}, ended{0};
  const auto threads = static_cast<int>(std::min<std::int64_t>(count, capacity()));
  parallel_for(count, threads, [&](std::int64_t index, int thread) {
    ++begun;
    {
      const CountedEnd end{ended};
      const Turn turn(host_threads_);
      task(index, thread);
    }
    while (thread == 0 && wait_step && begun == count && ended < count) {
      wait_step();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
}

MotionWave::Seat::Seat(MotionWave& wave)
    : wave_(wave),
      torque_(Eigen::ArrayXXd::Zero(wave.num_samples_, wave.num_channels_)),
      deviation_(torque_) {
  if (!wave.is_log_det_) information_.setZero(wave.num_columns_, wave.num_columns_);
  const std::lock_guard lock(wave.mutex_);
  motion_.slot = wave.free_slots_.back();
  wave.free_slots_.pop_back();
  ++wave.num_seats_;
}

MotionWave::Seat::~Seat() {
  const std::lock_guard lock(wave_.mutex_);
  wave_.free_slots_.push_back(motion_.slot);
  --wave_.num_seats_;
  wave_.run_if_all_wait();
}

bool MotionWave::Seat::rows(const Eigen::MatrixXd& coefficients) {
  motion_.coefficients = coefficients.data();
  motion_.information = wave_.is_log_det_ ? nullptr : information_.data();
  motion_.torque = torque_.data();
  motion_.deviation = deviation_.data();
  return wave_.evaluate(motion_, Step::rows);
}

bool MotionWave::Seat::gradient(const Eigen::MatrixXd& slope, const Eigen::ArrayXXd& by_torque,
                                const Eigen::ArrayXXd& by_deviation, Eigen::MatrixXd& result) {
  motion_.slope = wave_.is_log_det_ ? nullptr : slope.data();
  const Eigen::ArrayXXd none = Eigen::ArrayXXd::Zero(wave_.num_samples_, wave_.num_channels_);
  motion_.by_torque = by_torque.size() > 0 ? by_torque.data() : none.data();
  motion_.by_deviation = by_deviation.size() > 0 ? by_deviation.data() : none.data();
  motion_.gradient = result.data();
  return wave_.evaluate(motion_, Step::gradient);
}

bool MotionWave::evaluate(DeviceMotion& motion, Step step) {
  Request request{&motion, step};
  host_threads_.release();
  bool is_right = false;
  {
    std::unique_lock lock(mutex_);
    waiting_.push_back(&request);
    run_if_all_wait();
    has_news_.wait(lock, [&] { return request.is_done; });
    is_right = !error_;
  }
  host_threads_.acquire();
  return is_right;
}

void MotionWave::run_if_all_wait() {
  if (waiting_.empty() || waiting_.size() < num_seats_) return;
  // gradients first, so that all scorers then wait for the same step
  const bool any_gradient = std::any_of(waiting_.begin(), waiting_.end(), [](const Request* of) {
    return of->step == Step::gradient;
  });
  run_wave(any_gradient ? Step::gradient : Step::rows);
}

void MotionWave::run_wave(Step step) {
  const auto begin = std::partition(waiting_.begin(), waiting_.end(),
                                    [&](const Request* of) { return of->step != step; });
  std::vector<DeviceMotion*> motions;
  for (auto at = begin; at != waiting_.end(); ++at) motions.push_back((*at)->motion);
  if (!error_) {
    const Result<Done> done =
        step == Step::rows ? device_->rows(motions) : device_->gradient(motions);
    if (!done) error_ = done.error(), has_failed_ = true;
  }
  for (auto at = begin; at != waiting_.end(); ++at) (*at)->is_done = true;
  waiting_.erase(begin, waiting_.end());
  has_news_.notify_all();
}

}  // namespace heft::excite
