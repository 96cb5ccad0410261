// Independent tasks over a fixed number of threads. The assignment of tasks to threads is
// arbitrary, so tasks must write to separate memory. Helper threads are kept between calls; a new
// one is created only if none is idle.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace heft {

/// A pool of waiting threads. Lives until the process ends, because threads may still be waiting
/// then.
class ThreadPool {
 public:
  static ThreadPool& instance() {
    static ThreadPool* const pool = [] {
      // a forked process has only the forking thread: reset the pool there
      pthread_atfork(nullptr, nullptr, [] { new (current()) State; });
      return new ThreadPool;
    }();
    return *pool;
  }

  /// Calls work(thread) for every thread in [1, num_threads) on helpers and work(0) here; returns
  /// when all are done. If the system cannot create enough threads, fewer helpers are used. An
  /// exception in a helper, for example bad_alloc, is rethrown here.
  void run(int num_threads, const std::function<void(int)>& work) {
    Latch latch;
    for (int thread = 1; thread < num_threads && begin({&work, thread, &latch}); ++thread) {
    }
    work(0);
    latch.wait();
    if (latch.thrown) std::rethrow_exception(latch.thrown);
  }

 private:
  // every exit waits for the helpers, also an exception
  struct Latch {
    int left = 0;
    std::mutex mutex;
    std::condition_variable done;
    std::exception_ptr thrown;  ///< of the first helper that failed

    ~Latch() { wait(); }
    void wait() {
      std::unique_lock lock(mutex);
      done.wait(lock, [&] { return left == 0; });
    }
    void count_up() {
      const std::lock_guard lock(mutex);
      ++left;
    }
    void count_down(std::exception_ptr by_helper) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::move(by_helper);
      if (--left == 0)
        done.notify_one();  // under the lock: the latch may be destroyed as soon as the waiting
                            // thread continues
    }
  };
  struct Job {
    const std::function<void(int)>* work;
    int thread;
    Latch* latch;
  };
  struct State {
    std::mutex mutex;
    std::condition_variable has_job;
    std::vector<Job> jobs;  // never more than the number of idle helpers
    std::size_t num_idle = 0;
  };

  static State* current() {
    static State* const state = new State;
    return state;
  }

  // an idle helper takes the job, or a new one if there are not enough: callers that are helpers
  // themselves must not wait for each other
  static bool begin(Job job) {
    State& state = *current();
    const std::lock_guard lock(state.mutex);
    if (state.num_idle <= state.jobs.size()) {
      try {
        std::thread(help).detach();
      } catch (const std::system_error&) {
        return false;
      }
      ++state.num_idle;
    }
    state.jobs.push_back(job);  // may throw
    job.latch->count_up();      // before any helper can see the job
    state.has_job.notify_one();
    return true;
  }

  static void help() {
    State& state = *current();
    std::unique_lock lock(state.mutex);
    while (true) {
      state.has_job.wait(lock, [&] { return !state.jobs.empty(); });
      const Job job = state.jobs.back();
      state.jobs.pop_back();
      --state.num_idle;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        (*job.work)(job.thread);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      ++state.num_idle;  // before the caller continues, so that it finds this helper idle
      lock.unlock();
      job.latch->count_down(std::move(thrown));
      lock.lock();
    }
  }
};

/// Returns the number of threads for an option: 0 means one per hardware thread.
inline int threads_for(int option) {
  return option > 0 ? option : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Returns the number of threads for a command-line option; numbers above four per hardware thread
/// are taken as typing errors and limited to four.
inline int threads_of_command(int option) {
  return std::min(threads_for(option), 4 * threads_for(0));
}

/// Calls task(index, thread) for every index in [0, num_tasks), thread in [0, num_threads).
template <class Task>
void parallel_for(std::int64_t num_tasks, int num_threads, const Task& task) {
  if (num_threads > num_tasks) num_threads = static_cast<int>(num_tasks);
  std::atomic<std::int64_t> next{0};
  const auto work = [&](int thread) {
    for (std::int64_t index = next++; index < num_tasks; index = next++) task(index, thread);
  };
  if (num_threads > 1) {
    ThreadPool::instance().run(num_threads, work);
  } else {
    work(0);
  }
}

}  // namespace heft
