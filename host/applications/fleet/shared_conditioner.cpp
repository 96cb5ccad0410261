#include "shared_conditioner.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heft {

namespace {

// the conditioner for which this thread works and has a core
thread_local const SharedConditioner* t_works_for = nullptr;

std::int64_t bytes_of(std::span<const RawSegment> segments) {
  std::size_t numbers = 0;
  for (const RawSegment& segment : segments) {
    const auto num_uniform = static_cast<std::size_t>(segment.num_uniform);
    numbers += segment.time.size() + segment.values.size();
    numbers += num_uniform * (1 + 3 * static_cast<std::size_t>(segment.plan->num_coordinates) +
                              2 * segment.plan->channels.size());  // samples
  }
  return static_cast<std::int64_t>(sizeof(double) * numbers);
}

DeviceWork difference(const DeviceWork& after, const DeviceWork& before) {
  return {.bytes_up = after.bytes_up - before.bytes_up,
          .bytes_down = after.bytes_down - before.bytes_down,
          .launches = after.launches - before.launches,
          .device_s = after.device_s - before.device_s};
}

}  // namespace

struct SharedConditioner::Request {
  std::span<const RawSegment> segments;
  std::size_t robot;
  std::int64_t bytes;
  bool is_of_worker, keeps_core;
  std::optional<Result<Wave>> wave = {};
};

SharedConditioner::SharedConditioner(std::shared_ptr<DeviceConditioner> device, int num_cores,
                                     std::int64_t max_bytes)
    : device_(std::move(device)), max_bytes_(max_bytes), free_cores_(num_cores) {}

void SharedConditioner::expect(int num_workers) {
  const std::lock_guard lock(mutex_);
  num_workers_ += num_workers;
}

void SharedConditioner::take_core(std::unique_lock<std::mutex>& lock) {
  core_is_free_.wait(lock, [&] { return free_cores_ > 0; });
  --free_cores_;
}

void SharedConditioner::free_core() {
  ++free_cores_;
  core_is_free_.notify_one();
}

void SharedConditioner::enter() {
  std::unique_lock lock(mutex_);
  take_core(lock);
  ++num_running_;
  t_works_for = this;
}

void SharedConditioner::leave() {
  const std::lock_guard lock(mutex_);
  t_works_for = nullptr;
  --num_workers_, --num_running_;
  free_core();
  changed_.notify_all();  // the others may have waited for this one
}

bool SharedConditioner::may_lead() const {
  if (is_running_ || waiting_.empty()) return false;
  const bool has_outsider = std::ssize(waiting_) > num_waiting_workers_;
  if (has_outsider || waiting_bytes_ >= max_bytes_) return true;
  const bool can_go_on = free_cores_ > 0 && num_waiting_workers_ + num_running_ < num_workers_;
  return num_running_ == 0 && !can_go_on;
}

void SharedConditioner::serve(const Request& request) {
  if (!request.is_of_worker) return;
  --num_waiting_workers_;
  if (request.keeps_core) ++num_running_;
}

Result<SharedConditioner::Wave> SharedConditioner::condition(std::span<const RawSegment> segments,
                                                             std::size_t robot, bool keeps_core) {
  const bool is_worker = t_works_for == this;
  Request request{segments, robot, bytes_of(segments), is_worker, keeps_core};
  std::unique_lock lock(mutex_);
  if (failure_) return *failure_;
  waiting_.push_back(&request);
  waiting_bytes_ += request.bytes;
  if (is_worker) {
    ++num_waiting_workers_, --num_running_;
    if (!keeps_core) free_core();
  }
  while (!request.wave) {
    if (may_lead())
      lead(lock);
    else
      changed_.wait(lock);
  }
  if (is_worker && !keeps_core) {
    take_core(lock);
    ++num_running_;
  }
  return *std::move(request.wave);
}

void SharedConditioner::lead(std::unique_lock<std::mutex>& lock) {
  std::vector<Request*> requests;
  std::set<std::size_t> robots;
  std::int64_t bytes = 0;
  while (!waiting_.empty() && (requests.empty() || bytes + waiting_.front()->bytes <= max_bytes_)) {
    Request* const request = waiting_.front();
    waiting_.pop_front();
    requests.push_back(request);
    robots.insert(request->robot);
    bytes += request->bytes;
    serve(*request);
  }
  waiting_bytes_ -= bytes;
  is_running_ = true;
  lock.unlock();

  const auto conditioned = [&] {
    if (requests.size() == 1) return device_->condition(requests.front()->segments);
    std::vector<RawSegment> all;
    for (const Request* request : requests)
      all.insert(all.end(), request->segments.begin(), request->segments.end());
    return device_->condition(all);
  };
  const DeviceWork before = device_->work();
  Result<std::vector<ConditionedSegment>> found = conditioned();
  const DeviceWork work = difference(device_->work(), before);

  lock.lock();
  is_running_ = false;
  if (!found) {
    failure_ = found.error();
    for (Request* request : requests) request->wave.emplace(*failure_);
    // those that still wait would fail like these
    for (Request* request : waiting_) {
      request->wave.emplace(*failure_);
      serve(*request);
    }
    waiting_.clear();
    waiting_bytes_ = 0;
  } else {
    auto next = std::make_move_iterator(found->begin());
    for (Request* request : requests) {
      const auto end = next + std::ssize(request->segments);
      request->wave.emplace(Wave{.segments = std::vector<ConditionedSegment>(next, end),
                                 .work = work,
                                 .num_robots = std::ssize(robots)});
      next = end;
    }
  }
  changed_.notify_all();
}

std::optional<Error> SharedConditioner::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void SharedConditioner::count(std::size_t robot, const ConditionedOnDevice& logs) {
  const std::lock_guard lock(counts_mutex_);
  robots_.insert(robot);
  counts_.num_logs += logs.num_logs;
  counts_.host_cpu_s += logs.host_cpu_s;
  for (const auto& [log, why] : logs.on_host) ++counts_.on_host[why];
}

FleetWaves SharedConditioner::report() const {
  const DeviceWork work = device_->work();
  const std::lock_guard lock(counts_mutex_);
  FleetWaves all = counts_;
  all.num_robots = std::ssize(robots_);
  all.chosen_because = kDeviceIsRequested;
  all.bytes_up = work.bytes_up;
  all.bytes_down = work.bytes_down;
  all.launches = work.launches;
  all.device_s = work.device_s;
  return all;
}

Result<std::vector<ConditionedSegment>> RobotConditioner::condition(
    std::span<const RawSegment> segments) {
  const bool keeps_core = !std::exchange(lends_core_, false);
  HEFT_TRY(wave, shared_.condition(segments, robot_, keeps_core));
  work_.bytes_up += wave.work.bytes_up;
  work_.bytes_down += wave.work.bytes_down;
  work_.launches += wave.work.launches;
  work_.device_s += wave.work.device_s;
  num_robots_ = std::max(num_robots_, wave.num_robots);
  return std::move(wave.segments);
}

void RobotConditioner::count(const ConditionedOnDevice& logs) {
  shared_.count(robot_, logs);
  logs_.num_logs += logs.num_logs;
  logs_.host_cpu_s += logs.host_cpu_s;
  logs_.on_host.insert(logs_.on_host.end(), logs.on_host.begin(), logs.on_host.end());
}

void RobotConditioner::complete(WaveReport& report) const {
  shared_.count(robot_, ConditionedOnDevice{report.num_logs, report.on_host, report.host_cpu_s});
  report.num_robots = num_robots_;
  report.num_logs += logs_.num_logs;
  report.host_cpu_s += logs_.host_cpu_s;
  for (const auto& log : logs_.on_host)
    if (std::ranges::find(report.on_host, log) == report.on_host.end())
      report.on_host.push_back(log);
}

}  // namespace heft
