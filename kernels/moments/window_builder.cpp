#include "window_builder.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/parallel_for.hpp"
#include "block_memory.hpp"

namespace heft::cuda {

namespace {

constexpr std::int64_t kAlignment = 256;
constexpr std::int64_t kRunSamples = 16384;  ///< that one thread copies at a time
constexpr int kMaxCopiers = 8;

template <class T>
void write(std::byte* array, std::size_t index, const T& value) {
  std::memcpy(array + index * sizeof value, &value, sizeof value);
}

std::size_t bytes_of_doubles(std::int64_t count) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, count)) * sizeof(double);
}

}  // namespace

WindowBuilder::WindowBuilder(std::span<const InputColumns> sources, std::span<const StreamJob> jobs,
                             const Window& window)
    : sources_(sources), jobs_(jobs), window_(window) {
  plan_results();
  plan_parts_and_plain_rows();
  lay_out_input();
}

/// What is delivered, and which pieces are parts of the same chunk.
void WindowBuilder::plan_results() {
  std::vector<int> fold_of_job(jobs_.size(), -1);
  for (const Piece& piece : window_.pieces) {
    int fold = -1;
    if (piece.num_parts > 1) {
      int& latest = fold_of_job[piece.job];
      if (latest < 0 || folds_[latest].last->chunk != piece.chunk) {
        latest = static_cast<int>(folds_.size());
        folds_.push_back({&piece, piece.part, 0, 0, -1});
      }
      fold = latest;
      folds_[fold].last = &piece;
      ++folds_[fold].num_parts;
    }
    fold_of_piece_.push_back(fold);
    if (!piece.is_last()) continue;
    if (fold >= 0) folds_[fold].result = result_size_;
    deliveries_.push_back({piece, result_size_});
    result_size_ += result_size(jobs_[piece.job], piece);
  }
}

void WindowBuilder::plan_parts_and_plain_rows() {
  output_size_ = result_size_;
  for (FoldPlan& fold : folds_) {
    fold.parts = output_size_;
    output_size_ += fold.num_parts * jobs_[fold.last->job].fixed_result;
  }
  std::size_t delivery = 0;
  for (std::size_t i = 0; i < window_.pieces.size(); ++i) {
    const Piece& piece = window_.pieces[i];
    const StreamJob& job = jobs_[piece.job];
    Place place{piece.is_last() ? deliveries_[delivery++].offset : -1, -1};
    if (fold_of_piece_[i] >= 0) {
      const FoldPlan& fold = folds_[fold_of_piece_[i]];
      place.result = fold.parts + (piece.part - fold.first_part) * job.fixed_result;
    }
    if (!job.plain_widths.empty()) {
      place.plain_rows = output_size_;
      output_size_ += plain_rows_size(job, piece);
    }
    places_.push_back(place);
  }
}

void WindowBuilder::lay_out_input() {
  local_job_.assign(jobs_.size(), -1);
  for (const Piece& piece : window_.pieces) {
    if (local_job_[piece.job] >= 0) continue;
    local_job_[piece.job] = static_cast<int>(used_jobs_.size());
    used_jobs_.push_back(piece.job);
  }
  const auto take = [this](std::int64_t num_bytes) {
    const std::int64_t begin = input_bytes_;
    input_bytes_ += (num_bytes + kAlignment - 1) / kAlignment * kAlignment;
    return begin;
  };
  jobs_begin_ = take(static_cast<std::int64_t>(used_jobs_.size() * sizeof(DeviceJob)));
  tasks_begin_ = take(static_cast<std::int64_t>(window_.pieces.size() * sizeof(Task)));
  folds_begin_ = take(static_cast<std::int64_t>(folds_.size() * sizeof(Fold)));
  for (const Slice& slice : window_.slices)
    slice_begin_.push_back(take((slice.end - slice.begin) * sources_[slice.source].bytes_per_sample()));
}

Result<Done> WindowBuilder::build(Device& device, WindowMemory& memory, const SharedMemory& shared) {
  HEFT_CHECK(memory.pinned_input.reserve(device, static_cast<std::size_t>(input_bytes_)));
  HEFT_CHECK(memory.input.reserve(device, static_cast<std::size_t>(input_bytes_)));
  HEFT_CHECK(memory.output.reserve(device, bytes_of_doubles(output_size_)));
  HEFT_CHECK(memory.pinned_output.reserve(device, bytes_of_doubles(result_size_)));
  output_ = reinterpret_cast<double*>(memory.output.data());
  pinned_ = memory.pinned_input.data();
  input_ = memory.input.data();
  write_slices();
  write_jobs();
  write_tasks();
  write_folds(shared);
  memory.deliveries = deliveries_;
  return Done{};
}

/// One thread copies more slowly than the bus to the device takes it.
void WindowBuilder::write_slices() const {
  struct Run {
    std::size_t slice;
    std::int64_t begin;  ///< in the slice
  };
  std::vector<Run> runs;
  for (std::size_t i = 0; i < window_.slices.size(); ++i)
    for (std::int64_t at = 0; at < window_.slices[i].end - window_.slices[i].begin; at += kRunSamples)
      runs.push_back({i, at});
  const int num_threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxCopiers);
  parallel_for(static_cast<std::int64_t>(runs.size()), num_threads, [&](std::int64_t index, int) {
    const Run& run = runs[index];
    const Slice& slice = window_.slices[run.slice];
    const std::int64_t length = slice.end - slice.begin;
    sources_[slice.source].copy(slice.begin + run.begin, std::min(kRunSamples, length - run.begin),
                                reinterpret_cast<double*>(pinned_ + slice_begin_[run.slice]) + run.begin,
                                length);
  });
}

void WindowBuilder::write_jobs() const {
  for (std::size_t i = 0; i < used_jobs_.size(); ++i) {
    const StreamJob& job = jobs_[used_jobs_[i]];
    DeviceJob entry = job.device;
    if (job.source >= 0) {
      const std::size_t slice = window_.slice_of(job.source);
      const std::int64_t count = window_.slices[slice].end - window_.slices[slice].begin;
      const auto* samples = reinterpret_cast<const double*>(input_ + slice_begin_[slice]);
      sources_[job.source].place(samples, count, entry.samples);
      entry.given_rows = samples;
    }
    write(pinned_ + jobs_begin_, i, entry);
  }
}

/// Tasks of one kernel lie side by side.
void WindowBuilder::write_tasks() {
  std::size_t index = 0;
  for (const Kernel kernel : kKernels) {
    const std::size_t first_index = index;
    std::int64_t shared_bytes = 0;
    for (std::size_t i = 0; i < window_.pieces.size(); ++i) {
      const Piece& piece = window_.pieces[i];
      const StreamJob& job = jobs_[piece.job];
      if (job.kernel != kernel) continue;
      shared_bytes = std::max(shared_bytes, block_bytes(kernel, job.device).shared);
      const std::int64_t first = job.source < 0 ? 0 : window_.slices[window_.slice_of(job.source)].begin;
      const Place& place = places_[i];
      write(pinned_ + tasks_begin_, index++,
            Task{local_job_[piece.job], piece.begin - first, piece.count,
                 output_ + (place.plain_rows >= 0 ? place.plain_rows : place.result)});
    }
    if (index > first_index)
      launches_.push_back({kernel, static_cast<int>(index - first_index), shared_bytes});
  }
}

void WindowBuilder::write_folds(const SharedMemory& shared) const {
  for (std::size_t i = 0; i < folds_.size(); ++i) {
    const FoldPlan& plan = folds_[i];
    double* const carry =
        reinterpret_cast<double*>(shared.carries.data()) + shared.carry_begin[plan.last->job];
    write(pinned_ + folds_begin_, i,
          Fold{output_ + plan.parts, static_cast<int>(plan.num_parts), plan.first_part == 0,
               jobs_[plan.last->job].fixed_result, plan.result < 0 ? carry : output_ + plan.result, carry});
  }
}

Result<Done> WindowBuilder::launch(Device& device, const WindowMemory& memory,
                                   const SharedMemory& shared) const {
  HEFT_CHECK(device.upload(input_, pinned_, static_cast<std::size_t>(input_bytes_)));
  const auto* jobs = reinterpret_cast<const DeviceJob*>(input_ + jobs_begin_);
  const auto* tasks = reinterpret_cast<const Task*>(input_ + tasks_begin_);
  for (const auto& [kernel, num_tasks, shared_bytes] : launches_) {
    const int num_blocks = std::min({device.num_blocks(kernel), shared.num_blocks, num_tasks});
    HEFT_CHECK(device.launch({kernel, jobs, tasks, num_tasks, num_blocks, shared.scratch.data(),
                              shared.scratch_stride, shared_bytes}));
    tasks += num_tasks;
  }
  HEFT_CHECK(multiply_plain_rows(device));
  if (!folds_.empty())
    HEFT_CHECK(
        device.fold({reinterpret_cast<const Fold*>(input_ + folds_begin_), static_cast<int>(folds_.size())}));
  return device.download(memory.pinned_output.data(), memory.output.data(),
                         static_cast<std::size_t>(result_size_) * sizeof(double));
}

Result<Done> WindowBuilder::multiply_plain_rows(Device& device) const {
  for (std::size_t i = 0; i < window_.pieces.size(); ++i) {
    if (places_[i].plain_rows < 0) continue;
    const std::int64_t count = window_.pieces[i].count;
    const double* rows = output_ + places_[i].plain_rows;
    double* square = output_ + places_[i].result;
    for (const int width : jobs_[window_.pieces[i].job].plain_widths) {
      HEFT_CHECK(device.multiply(rows, count, count, width, square));
      rows += width * count;
      square += std::int64_t{width} * width;
    }
  }
  return Done{};
}

}  // namespace heft::cuda
