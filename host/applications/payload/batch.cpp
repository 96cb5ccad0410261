#include "heft/payload/payload.hpp"

#include <algorithm>
#include <atomic>

#include "base/parallel_for.hpp"
#include "methods/automatic.hpp"

namespace heft {

namespace {

using namespace payload;

void weigh_one(const PayloadTask& task, AutomaticFitter& fitter, PayloadAnswer& answer) {
  const auto fit = fitter.fit(*task.samples, *task.shape);
  if (!fit) {
    answer.failure = fit.error().message();
    return;
  }
  put((*fit)->answer, answer);
}

}  // namespace

Result<Done> payload::check_batch(const std::vector<PayloadTask>& tasks, int num_threads) {
  if (num_threads < 1) return Error{"batch", "needs at least one thread", "give one or more"};
  for (const PayloadTask& task : tasks)
    if (task.samples == nullptr || task.shape == nullptr || task.samples->size() == 0)
      return Error{"batch", "a task has no samples or no shape", "give each task both"};
  return Done{};
}

Result<std::vector<PayloadAnswer>> weigh_batch(const std::vector<PayloadTask>& tasks,
                                               const PayloadOptions& options, int num_threads,
                                               const Progress& progress) {
  HEFT_CHECK(payload::check_batch(tasks, num_threads));
  // shares of tasks: the calling thread reports progress between its own
  constexpr std::int64_t kShare = 64;
  const auto size = static_cast<std::int64_t>(tasks.size());
  std::vector<PayloadAnswer> answers(tasks.size());
  std::vector<AutomaticFitter> fitters(static_cast<std::size_t>(num_threads),
                                       AutomaticFitter(options));
  std::atomic<std::int64_t> num_done{0};
  std::atomic<bool> is_stopped{false};
  parallel_for((size + kShare - 1) / kShare, num_threads, [&](std::int64_t share, int thread) {
    if (is_stopped) return;
    const std::int64_t end = std::min(size, (share + 1) * kShare);
    for (std::int64_t k = share * kShare; k < end; ++k)
      weigh_one(tasks[static_cast<std::size_t>(k)], fitters[static_cast<std::size_t>(thread)],
                answers[static_cast<std::size_t>(k)]);
    num_done += end - share * kShare;
    if (thread == 0 && !report_progress(progress, "weighing",
                                        static_cast<double>(num_done) / static_cast<double>(size)))
      is_stopped = true;
  });
  if (is_stopped) return stopped();
  return answers;
}

}  // namespace heft
