#include "transfer_builder.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel_for.hpp"
#include "block_memory.hpp"

namespace heft::cuda {

namespace {

constexpr std::int64_t kAlignment = 256;
constexpr std::int64_t kRunSamples = 16384;  ///< that one thread copies at a time

template <class T>
void write(std::byte* array, std::size_t index, const T& value) {
  std::memcpy(array + index * sizeof value, &value, sizeof value);
}

std::size_t bytes_of_doubles(std::int64_t count) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, count)) * sizeof(double);
}

}  // namespace

TransferBuilder::TransferBuilder(std::span<const InputColumns> sources,
                                 std::span<const StreamJob> jobs, const Transfer& transfer,
                                 int num_copiers)
    : sources_(sources), jobs_(jobs), transfer_(transfer), num_copiers_(num_copiers) {
  plan_results();
  plan_parts();
  lay_out_input();
}

/// The results to deliver, and the pieces of each chunk.
void TransferBuilder::plan_results() {
  std::vector<int> sum_of_job(jobs_.size(), -1);
  for (const Piece& piece : transfer_.pieces) {
    int part_sum = -1;
    if (piece.num_parts > 1) {
      int& latest = sum_of_job[piece.job];
      if (latest < 0 || part_sums_[latest].last->chunk != piece.chunk) {
        latest = static_cast<int>(part_sums_.size());
        part_sums_.push_back({&piece, piece.part, 0, 0, -1});
      }
      part_sum = latest;
      part_sums_[part_sum].last = &piece;
      ++part_sums_[part_sum].num_parts;
    }
    sum_of_piece_.push_back(part_sum);
    if (!piece.is_last()) continue;
    if (part_sum >= 0) part_sums_[part_sum].result = result_size_;
    deliveries_.push_back({piece, result_size_});
    result_size_ += result_size(jobs_[piece.job], piece);
  }
}

void TransferBuilder::plan_parts() {
  output_size_ = result_size_;
  for (PartSumPlan& part_sum : part_sums_) {
    part_sum.parts = output_size_;
    output_size_ += part_sum.num_parts * jobs_[part_sum.last->job].fixed_result;
  }
  std::size_t delivery = 0;
  for (std::size_t i = 0; i < transfer_.pieces.size(); ++i) {
    const Piece& piece = transfer_.pieces[i];
    const StreamJob& job = jobs_[piece.job];
    std::int64_t place = piece.is_last() ? deliveries_[delivery++].offset : -1;
    if (sum_of_piece_[i] >= 0) {
      const PartSumPlan& part_sum = part_sums_[sum_of_piece_[i]];
      place = part_sum.parts + (piece.part - part_sum.first_part) * job.fixed_result;
    }
    places_.push_back(place);
  }
}

void TransferBuilder::lay_out_input() {
  local_job_.assign(jobs_.size(), -1);
  for (const Piece& piece : transfer_.pieces) {
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
  tasks_begin_ = take(static_cast<std::int64_t>(transfer_.pieces.size() * sizeof(Task)));
  part_sums_begin_ = take(static_cast<std::int64_t>(part_sums_.size() * sizeof(PartSum)));
  for (const Slice& slice : transfer_.slices)
    slice_begin_.push_back(
        take((slice.end - slice.begin) * sources_[slice.source].bytes_per_sample()));
}

Result<Done> TransferBuilder::build(Device& device, TransferMemory& memory,
                                    const SharedMemory& shared) {
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
  write_part_sums(shared);
  memory.deliveries = deliveries_;
  memory.num_results = result_size_;
  return Done{};
}

void TransferBuilder::write_slices() const {
  struct Run {
    std::size_t slice;
    std::int64_t begin;  ///< in the slice
  };
  std::vector<Run> runs;
  for (std::size_t i = 0; i < transfer_.slices.size(); ++i)
    for (std::int64_t at = 0; at < transfer_.slices[i].end - transfer_.slices[i].begin;
         at += kRunSamples)
      runs.push_back({i, at});
  parallel_for(static_cast<std::int64_t>(runs.size()), num_copiers_, [&](std::int64_t index, int) {
    const Run& run = runs[index];
    const Slice& slice = transfer_.slices[run.slice];
    const std::int64_t length = slice.end - slice.begin;
    sources_[slice.source].copy(
        slice.begin + run.begin, std::min(kRunSamples, length - run.begin),
        reinterpret_cast<double*>(pinned_ + slice_begin_[run.slice]) + run.begin, length);
  });
}

void TransferBuilder::write_jobs() const {
  for (std::size_t i = 0; i < used_jobs_.size(); ++i) {
    const StreamJob& job = jobs_[used_jobs_[i]];
    DeviceJob entry = job.device;
    if (job.source >= 0) {
      const std::size_t slice = transfer_.slice_of(job.source);
      const std::int64_t count = transfer_.slices[slice].end - transfer_.slices[slice].begin;
      const auto* samples = reinterpret_cast<const double*>(input_ + slice_begin_[slice]);
      sources_[job.source].place(samples, count, entry.samples);
      entry.given_rows = samples;
    }
    write(pinned_ + jobs_begin_, i, entry);
  }
}

/// Tasks of one kernel are adjacent.
void TransferBuilder::write_tasks() {
  std::size_t index = 0;
  for (const Kernel kernel : kKernels) {
    const std::size_t first_index = index;
    std::int64_t shared_bytes = 0;
    for (std::size_t i = 0; i < transfer_.pieces.size(); ++i) {
      const Piece& piece = transfer_.pieces[i];
      const StreamJob& job = jobs_[piece.job];
      if (job.kernel != kernel) continue;
      shared_bytes = std::max(shared_bytes, block_bytes(kernel, job.device).shared);
      const std::int64_t first =
          job.source < 0 ? 0 : transfer_.slices[transfer_.slice_of(job.source)].begin;
      write(pinned_ + tasks_begin_, index++,
            Task{local_job_[piece.job], piece.begin - first, piece.count, output_ + places_[i]});
    }
    if (index > first_index)
      launches_.push_back({kernel, static_cast<int>(index - first_index), shared_bytes});
  }
}

void TransferBuilder::write_part_sums(const SharedMemory& shared) const {
  for (std::size_t i = 0; i < part_sums_.size(); ++i) {
    const PartSumPlan& plan = part_sums_[i];
    double* const carry =
        reinterpret_cast<double*>(shared.carries.data()) + shared.carry_begin[plan.last->job];
    write(pinned_ + part_sums_begin_, i,
          PartSum{output_ + plan.parts, static_cast<int>(plan.num_parts), plan.first_part == 0,
                  jobs_[plan.last->job].fixed_result,
                  plan.result < 0 ? carry : output_ + plan.result, carry});
  }
}

Result<Done> TransferBuilder::launch(Device& device, const TransferMemory& memory,
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
  if (!part_sums_.empty())
    HEFT_CHECK(device.add_parts({reinterpret_cast<const PartSum*>(input_ + part_sums_begin_),
                                 static_cast<int>(part_sums_.size())}));
  return device.download(memory.pinned_output.data(), memory.output.data(),
                         static_cast<std::size_t>(result_size_) * sizeof(double));
}

}  // namespace heft::cuda
