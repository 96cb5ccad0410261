#include "work_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel_for.hpp"

namespace heft {

namespace {

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

constexpr double kForever_s = 1e9;  // beyond it a clock's ticks run over

}  // namespace

WorkPool::WorkPool(int num_threads, double time_s, Progress progress)
    : num_threads_(threads_for(num_threads)),
      end_(time_s > 0 && time_s < kForever_s
               ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(time_s))
               : Clock::time_point::max()),
      progress_(std::move(progress)) {}

void WorkPool::limit_threads(int most) {
  num_threads_ = std::min(num_threads_, most);
}

void WorkPool::use_gate(std::shared_ptr<WorkerGate> gate, int num_workers) {
  gate_ = std::move(gate);
  num_workers_ = num_workers;
}

bool WorkPool::must_stop(const std::string& words, double fraction) const {
  return Clock::now() >= end_ || (progress_ && !progress_(words, fraction));
}

bool WorkPool::run(const std::string& stage, const char* unit, std::size_t num_tasks,
                   const std::function<void(std::size_t, const Progress&)>& task) {
  if (is_stopped_) return false;
  if (num_tasks == 0) return true;
  const auto start = Clock::now();
  std::atomic<std::size_t> next{0}, num_done{0};
  std::atomic<bool> stops{false};
  std::mutex mutex;
  std::condition_variable has_ended;
  int num_running = 0;
  const auto work = [&] {
    if (gate_) gate_->enter();
    const Progress goes_on = [&](const std::string&, double) { return !stops.load(); };
    while (!stops) {
      const std::size_t index = next++;
      if (index >= num_tasks) break;
      task(index, goes_on);
      ++num_done;
    }
    if (gate_) gate_->leave();
    const std::lock_guard lock(mutex);
    --num_running;
    has_ended.notify_all();
  };
  std::vector<std::jthread> threads;
  const int num_workers = gate_ ? std::max(num_threads_, num_workers_) : num_threads_;
  const auto count = std::min(static_cast<std::size_t>(num_workers), num_tasks);
  num_running = static_cast<int>(count);
  if (gate_) gate_->expect(num_running);
  for (std::size_t k = 0; k < count; ++k) threads.emplace_back(work);
  for (;;) {
    {
      std::unique_lock lock(mutex);
      has_ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return num_running == 0; });
      if (num_running == 0) break;
    }
    if (stops) continue;
    const auto done = static_cast<double>(num_done.load());
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double rate = done / std::max(seconds, 1e-3);
    std::string words = fmt::format("{} {:.0f}/{} {}", stage, done, num_tasks, unit);
    if (done > 0)
      words += fmt::format(", {:.3g}/s, {} left", rate,
                           duration_text((static_cast<double>(num_tasks) - done) / rate));
    if (must_stop(words, done / static_cast<double>(num_tasks))) stops = true;
  }
  threads.clear();
  is_stopped_ = stops && num_done < num_tasks;
  // a signal during the last task stops all later work
  is_stopped_ = is_stopped_ || must_stop(stage, 1);
  return !is_stopped_;
}

}  // namespace heft
