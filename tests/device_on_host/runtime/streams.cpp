#include <time.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/device_on_host/runtime/machine.hpp"

namespace heft::device_on_host {

namespace {

double processor_s_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

int Streams::create() {
  queues_[next_] = {};
  return next_++;
}

void Streams::destroy(int stream) {
  queues_.at(stream).is_destroyed = true;
  ++num_destroyed_;
}

void Streams::enqueue(int stream, std::function<void()> work) {
  queues_.at(stream).waiting.push_back({std::move(work), {}});
}

void Streams::enqueue_wait(int stream, Place place) {
  queues_.at(stream).waiting.push_back({{}, place});
}

Place Streams::end_of(int stream) const {
  const Queue& queue = queues_.at(stream);
  return {stream, queue.num_done + queue.waiting.size()};
}

void Streams::run_one(int stream) {
  Queue& queue = queues_.at(stream);
  run_until(queue.waiting.front().waits_for);
  const Work work = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  if (work.run) {
    const double begin_s = processor_s_of_thread();
    work.run();
    machine().traffic.emulation_s += processor_s_of_thread() - begin_s;
  }
  ++queue.num_done;
}

void Streams::run_until(Place place) {
  if (place.stream < 0) return;
  while (queues_.at(place.stream).num_done < place.number) run_one(place.stream);
}

void Streams::run_all() {
  for (const auto& [stream, queue] : queues_) run_until(end_of(stream));
}

void Streams::pass_time(StreamOrder order, std::mt19937_64& random) {
  if (order == StreamOrder::eager) run_all();
  if (order != StreamOrder::random) return;
  while (random() % 3 != 0) {
    std::vector<int> busy;
    for (const auto& [stream, queue] : queues_)
      if (!queue.waiting.empty()) busy.push_back(stream);
    if (busy.empty()) return;
    run_one(busy[random() % busy.size()]);
  }
}

void Streams::forget_all() {
  for (auto& [stream, queue] : queues_) {
    queue.num_done += queue.waiting.size();
    queue.waiting.clear();
  }
}

}  // namespace heft::device_on_host
