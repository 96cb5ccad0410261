#include "large_batch.hpp"

#include <numeric>
#include <utility>

#include "base/parallel_for.hpp"
#include "packing.hpp"

namespace heft::cuda {

namespace {

std::size_t square(const ProblemShape& shape) {
  const auto n = static_cast<std::size_t>(shape.padded());
  return n * n;
}

}  // namespace

std::size_t LargeBatch::bytes_a_problem(const ProblemShape& shape) {
  const int vectors = PackedProblem::size_for(shape) + PackedAnswer::size_for(shape) +
                      LargeWorkspace::size_for(shape, kLargeThreads);
  return sizeof(double) * (static_cast<std::size_t>(vectors) + 2 * square(shape)) +
         4 * sizeof(double*) + 3 * sizeof(int);
}

Result<Done> LargeBatch::open() {
  is_tried_ = true;
  HEFT_TRY(stream, make_stream(kBatchOnCuda));
  stream_ = std::move(stream);
  HEFT_TRY(library, CusolverLibrary::open(stream_.get()));
  library_ = std::move(library);
  return Done{};
}

bool LargeBatch::is_available() {
  if (!is_tried_) static_cast<void>(open());
  return library_ != nullptr;
}

Result<Done> LargeBatch::reserve(const ProblemShape& shape, std::size_t count) {
  using Twin = TwinArray<double>::Twin;
  HEFT_CHECK(problems_.reserve(count * static_cast<std::size_t>(PackedProblem::size_for(shape)),
                               Twin::on_host));
  HEFT_CHECK(answers_.reserve(count * static_cast<std::size_t>(PackedAnswer::size_for(shape)),
                              Twin::on_host));
  HEFT_CHECK(workspaces_.reserve(
      count * static_cast<std::size_t>(LargeWorkspace::size_for(shape, kLargeThreads))));
  HEFT_CHECK(matrices_.reserve(count * square(shape)));
  HEFT_CHECK(factors_.reserve(count * square(shape)));
  HEFT_CHECK(members_.reserve(count, TwinArray<int>::Twin::on_host));
  HEFT_CHECK(is_done_.reserve(count, TwinArray<int>::Twin::on_host));
  HEFT_CHECK(info_.reserve(count));
  return pointers_.reserve(4 * count, TwinArray<double*>::Twin::on_host);
}

void LargeBatch::point_at(const ProblemShape& shape, const std::vector<int>& members) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto k = static_cast<std::size_t>(members[i]);
    members_.host()[i] = members[i];
    const LargeWorkspace workspace(
        shape, kLargeThreads,
        workspaces_.device() +
            k * static_cast<std::size_t>(LargeWorkspace::size_for(shape, kLargeThreads)));
    const Workspace vectors(shape, nullptr, nullptr, workspace.vectors);
    double** const pointers = pointers_.host();
    pointers[i] = matrices_.device() + k * square(shape);
    pointers[members.size() + i] = vectors.dy;
    pointers[2 * members.size() + i] = factors_.device() + k * square(shape);
    pointers[3 * members.size() + i] = vectors.gradient;
  }
}

Result<Done> LargeBatch::solve(const ProblemShape& shape,
                               std::span<const solver::PlainProblem> problems,
                               const solver::PlainOptions& options, int num_threads,
                               std::span<solver::PlainAnswer> answers) {
  const std::size_t count = problems.size();
  const auto problem_size = static_cast<std::size_t>(PackedProblem::size_for(shape)),
             answer_size = static_cast<std::size_t>(PackedAnswer::size_for(shape));
  HEFT_CHECK(reserve(shape, count));
  parallel_for(static_cast<std::int64_t>(count), num_threads, [&](std::int64_t k, int) {
    const auto at = static_cast<std::size_t>(k);
    pack(problems[at], shape, problems_.host() + at * problem_size);
  });
  HEFT_CHECK(problems_.upload(count * problem_size, stream_));

  std::vector<int> members(count);
  std::iota(members.begin(), members.end(), 0);
  // the first system is Q itself, whose factor is kept for the gaps
  LargeLaunch launch{shape,
                     {options.gap_tolerance, options.max_steps},
                     static_cast<int>(count),
                     0,
                     members_.device(),
                     problems_.device(),
                     answers_.device(),
                     workspaces_.device(),
                     factors_.device(),
                     is_done_.device(),
                     stream_.get()};
  while (!members.empty()) {
    const bool is_first = launch.steps++ == 0;
    const int left = launch.count = static_cast<int>(members.size());
    point_at(shape, members);
    HEFT_CHECK(members_.upload(members.size(), stream_));
    HEFT_CHECK(pointers_.upload(4 * members.size(), stream_));
    double** const pointers = pointers_.device();
    const CholeskyBatch gaps{shape.padded(), left, pointers + 2 * left, pointers + 3 * left,
                             info_.device()},
        steps{shape.padded(), left, is_first ? gaps.d_matrices : pointers, pointers + left,
              info_.device()};
    if (is_first) {
      HEFT_CHECK(check(launch_large_begin(launch), kBatchOnCuda, "launch"));
      launch.d_matrices = matrices_.device();
    }
    HEFT_CHECK(library_->factor(steps));
    HEFT_CHECK(library_->solve(steps));
    HEFT_CHECK(check(launch_large_judge(launch), kBatchOnCuda, "launch"));
    HEFT_CHECK(library_->solve(gaps));
    HEFT_CHECK(check(launch_large_conclude(launch), kBatchOnCuda, "launch"));
    HEFT_CHECK(is_done_.download(count, stream_));
    HEFT_CHECK(check(cudaStreamSynchronize(stream_.get()), kBatchOnCuda, "kernel"));
    std::erase_if(members, [&](int k) { return is_done_.host()[k] != 0; });
  }
  HEFT_CHECK(answers_.download(count * answer_size, stream_));
  HEFT_CHECK(check(cudaStreamSynchronize(stream_.get()), kBatchOnCuda, "kernel"));
  for (std::size_t k = 0; k < count; ++k)
    unpack(answers_.host() + k * answer_size, shape, answers[k]);
  return Done{};
}

void LargeBatch::abandon() {
  if (stream_.get())
    static_cast<void>(check(cudaStreamSynchronize(stream_.get()), kBatchOnCuda, "kernel"));
  for (TwinArray<double>* array : {&problems_, &answers_, &workspaces_, &matrices_, &factors_})
    array->release();
  for (TwinArray<int>* array : {&members_, &is_done_, &info_}) array->release();
  pointers_.release();
}

}  // namespace heft::cuda
