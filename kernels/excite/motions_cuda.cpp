// Candidate motions on a CUDA device: tables and memory once, then passes of an upload, launches
// and a download.
#include "kernels/motions_cuda.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "../cuda_edge.cuh"
#include "heft/core/row_adjoint.hpp"
#include "score_motions.cuh"
#include "table_memory.hpp"

namespace heft {

namespace {

using namespace cuda;

constexpr char kWhere[] = "motions on cuda";
/// Bytes of device memory for motions: more of them do not make it faster.
constexpr std::ptrdiff_t kMostBytes = std::ptrdiff_t{4} << 30;
constexpr int kMostMotions = 4096;  ///< at most the blocks of a grid along y

template <cudaError_t (*kFree)(void*)>
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { kFree(data_); }
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  void** place() { return &data_; }

 private:
  void* data_ = nullptr;
};

/// Tables of a robot on the host, which point to device memory after place().
class HostTables {
 public:
  HostTables(const HostTables&) = delete;
  HostTables& operator=(const HostTables&) = delete;

  explicit HostTables(const DeviceMotionInput& input) {
    const RegressorPlan& plan = *input.plan;
    tables.tree = plan.view();
    std::vector<double> base(9, 0.0);
    for (int i = 0; i < 3; ++i) base[static_cast<std::size_t>(6 + i)] = -plan.robot.gravity[i];
    memory.add(base, tables.base);
    tables.num_samples = input.num_samples;
    tables.num_coefficients = input.num_coefficients;
    tables.num_columns = static_cast<int>(input.precision.rows());
    tables.deviations = input.deviations;
    memory.add(plan.bodies, tables.tree.bodies);
    memory.add(plan.screws, tables.tree.screws);
    memory.add(plan.rows, tables.tree.rows);
    memory.add(plan.runs, tables.tree.runs);
    memory.add(plan.features, tables.tree.features);
    memory.add(plan.channel_entries, tables.tree.channels);
    for (int order = 0; order <= kMotionOrders; ++order)
      add_basis(input.basis[order], input.num_coefficients, tables.basis[order]);
    memory.add(input.counts, tables.counts);
    add_channels(plan, input);
    const Eigen::Index m = input.precision.rows();
    memory.add(input.precision.data(), static_cast<std::size_t>(m * m), tables.precision);
    std::vector<double> limits;
    for (Eigen::Index i = 0; i < input.limits.rows(); ++i)
      for (Eigen::Index k = 0; k < input.limits.cols(); ++k) limits.push_back(input.limits(i, k));
    memory.add(limits, tables.limits);
    memory.add(input.middle.data(), static_cast<std::size_t>(input.middle.size()), tables.middle);
    put_layout();
  }

  MotionTables tables{};
  MotionLayout layout{};
  TableMemory memory;

 private:
  void add_basis(const DeviceMotionInput::Basis& from, int num_coefficients, MotionBasis& to) {
    to.width = from.width;
    // `first` ascends: the samples of a coefficient follow each other
    const auto count = static_cast<std::size_t>(num_coefficients);
    std::vector<int> begin(count, 0), end(count, 0);
    for (int i = 0; i < num_coefficients; ++i) {
      const auto at = [&](int least) {
        return static_cast<int>(std::lower_bound(from.first.begin(), from.first.end(), least) -
                                from.first.begin());
      };
      begin[static_cast<std::size_t>(i)] = at(i - from.width + 1);
      end[static_cast<std::size_t>(i)] = at(i + 1);
    }
    memory.add(from.first, to.first);
    memory.add(begin, to.begin);
    memory.add(end, to.end);
    memory.add(from.values, to.values);
  }

  void add_channels(const RegressorPlan& plan, const DeviceMotionInput& input) {
    std::vector<int> first{0}, columns, squares{0},
        places(plan.channel_columns.size() * static_cast<std::size_t>(tables.num_columns), -1);
    std::vector<double> weights, reference, variance;
    std::vector<ProductTile> tiles;
    for (int c = 0; c < plan.num_channels(); ++c) {
      const std::vector<int>& of_channel = plan.channel_columns[static_cast<std::size_t>(c)];
      const int width = static_cast<int>(of_channel.size());
      for (int i = 0; i < width; ++i) {
        const int column = of_channel[static_cast<std::size_t>(i)];
        columns.push_back(column);
        reference.push_back(input.reference[column]);
        places[static_cast<std::size_t>(c * tables.num_columns + column)] = i;
        for (const int other : of_channel) variance.push_back(input.variance(column, other));
      }
      for (int left = 0; left < width; left += kTileColumns)
        for (int right = 0; right <= left; right += kTileColumns) tiles.push_back({c, left, right});
      weights.push_back(input.rate[c] * input.seconds / input.num_samples);
      first.push_back(first.back() + width);
      squares.push_back(squares.back() + width * width);
    }
    tables.num_tiles = static_cast<int>(tiles.size());
    num_entries_ = first.back();
    num_products_ = squares.back();
    memory.add(first, tables.first);
    memory.add(columns, tables.columns);
    memory.add(places, tables.places);
    memory.add(squares, tables.squares);
    memory.add(weights, tables.weights);
    memory.add(reference, tables.reference);
    memory.add(variance, tables.variance);
    memory.add(tiles, tables.tiles);
  }

  void put_layout() {
    const std::ptrdiff_t samples = tables.num_samples, m = tables.num_columns,
                         n = tables.tree.num_coordinates, channels = tables.tree.num_channels;
    std::ptrdiff_t size = 0;
    const auto take = [&](std::ptrdiff_t count) { return std::exchange(size, size + count); };
    layout.motion = take(kMotionOrders * n * samples);
    layout.rows = take(num_entries_ * samples);
    layout.bars = take(num_entries_ * samples);
    layout.torque = take(channels * samples);
    layout.deviation = take(channels * samples);
    layout.products = take(num_products_);
    layout.information = take(m * m);
    layout.factor = take(m * m);
    layout.root = take(m * m);
    layout.slope = take(m * m);
    layout.scale = take(2 * m);
    layout.by_motion = take(kMotionOrders * n * samples);
    layout.workspace =
        take(samples * std::max<std::ptrdiff_t>(core::workspace_size(tables.tree),
                                                core::adjoint_workspace_size(tables.tree)));
    layout.size = size;
  }

  std::ptrdiff_t num_entries_ = 0, num_products_ = 0;
};

class CudaMotions : public DeviceMotions {
 public:
  explicit CudaMotions(const DeviceMotionInput& input)
      : host_(input), is_log_det_(input.is_log_det) {}

  Result<Done> allocate(int most_motions) {
    HEFT_CHECK(find_device(kWhere));
    HEFT_TRY(stream, make_stream(kWhere));
    stream_ = std::move(stream);
    const std::vector<std::byte>& bytes = host_.memory.bytes();
    HEFT_CHECK(check(cudaMalloc(tables_.place(), bytes.size()), kWhere, "device memory"));
    HEFT_CHECK(check(cudaMemcpy(tables_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
                     kWhere, "copy to device"));
    effort_.bytes_up += static_cast<std::int64_t>(bytes.size());
    host_.memory.place(tables_.data());
    const MotionTables& tables = host_.tables;
    const std::ptrdiff_t n = tables.tree.num_coordinates, m = tables.num_columns,
                         on_samples = std::ptrdiff_t{tables.tree.num_channels} * tables.num_samples;
    most_up_ = std::max(tables.num_coefficients * n, m * m + 2 * on_samples);
    most_down_ =
        std::max(1 + kLimitedQuantities * n + m * m + 2 * on_samples, tables.num_coefficients * n);
    const std::ptrdiff_t bytes_each = bytes_of(1);
    capacity_ = static_cast<int>(std::clamp<std::ptrdiff_t>(kMostBytes / bytes_each, 1,
                                                            std::min(most_motions, kMostMotions)));
    // fewer motions if the device lacks memory: passes then take turns
    for (;; capacity_ /= 2) {
      const cudaError_t status =
          cudaMalloc(memory_.place(), static_cast<std::size_t>(bytes_of(capacity_)));
      if (status == cudaErrorMemoryAllocation && capacity_ > 1) {
        static_cast<void>(cudaGetLastError());
        continue;
      }
      HEFT_CHECK(check(status, kWhere, "device memory"));
      break;
    }
    return check(cudaMallocHost(pinned_.place(), static_cast<std::size_t>(bytes_of_pinned())),
                 kWhere, "page-locked memory");
  }

  int capacity() const override { return capacity_; }
  DeviceMotionEffort effort() const override { return effort_; }

  Result<Done> rows(std::span<DeviceMotion* const> motions) override {
    if (motions.empty()) return Done{};
    const MotionTables& tables = host_.tables;
    const DeviceMotion& like = *motions.front();
    const std::ptrdiff_t n = tables.tree.num_coordinates, K = tables.num_coefficients,
                         m = tables.num_columns,
                         on_samples = std::ptrdiff_t{tables.tree.num_channels} * tables.num_samples;
    MotionTransfer transfer{.coefficients = 0, .up_size = K * n};
    const auto down = [&](bool is_requested, std::ptrdiff_t count) {
      return is_requested ? std::exchange(transfer.down_size, transfer.down_size + count) : -1;
    };
    transfer.value = down(is_log_det_, 1);
    transfer.extremes = down(like.extremes != nullptr, kLimitedQuantities * n);
    transfer.information = down(like.information != nullptr, m * m);
    transfer.torque = down(like.torque != nullptr, on_samples);
    transfer.deviation = down(like.deviation != nullptr && tables.deviations > 0, on_samples);
    const Part up[] = {{0, K * n, &DeviceMotion::coefficients}};
    const Target targets[] = {{transfer.extremes, kLimitedQuantities * n, &DeviceMotion::extremes},
                              {transfer.information, m * m, &DeviceMotion::information},
                              {transfer.torque, on_samples, &DeviceMotion::torque},
                              {transfer.deviation, on_samples, &DeviceMotion::deviation}};
    HEFT_CHECK(pass(motions, transfer, up, targets, launch_motion_rows));
    for (std::size_t i = 0; i < motions.size() && transfer.value >= 0; ++i)
      motions[i]->value = down_of(transfer, i)[transfer.value];
    return Done{};
  }

  Result<Done> gradient(std::span<DeviceMotion* const> motions) override {
    if (motions.empty()) return Done{};
    const MotionTables& tables = host_.tables;
    const DeviceMotion& like = *motions.front();
    const std::ptrdiff_t n = tables.tree.num_coordinates, K = tables.num_coefficients,
                         m = tables.num_columns,
                         on_samples = std::ptrdiff_t{tables.tree.num_channels} * tables.num_samples;
    MotionTransfer transfer{.gradient = 0, .down_size = K * n};
    const auto up = [&](bool is_given, std::ptrdiff_t count) {
      return is_given ? std::exchange(transfer.up_size, transfer.up_size + count) : -1;
    };
    transfer.slope = up(like.slope != nullptr, m * m);
    transfer.by_torque = up(like.by_torque != nullptr, on_samples);
    transfer.by_deviation = up(like.by_deviation != nullptr && tables.deviations > 0, on_samples);
    const Part parts[] = {{transfer.slope, m * m, &DeviceMotion::slope},
                          {transfer.by_torque, on_samples, &DeviceMotion::by_torque},
                          {transfer.by_deviation, on_samples, &DeviceMotion::by_deviation}};
    const Target targets[] = {{0, K * n, &DeviceMotion::gradient}};
    return pass(motions, transfer, parts, targets, launch_motion_gradient);
  }

 private:
  /// Numbers of a motion in a transfer.
  struct Part {
    std::ptrdiff_t at, count;
    const double* DeviceMotion::*from;
  };
  struct Target {
    std::ptrdiff_t at, count;
    double* DeviceMotion::*to;
  };

  static constexpr std::ptrdiff_t kSlotBytes = 8;
  std::ptrdiff_t bytes_of_pinned() const {
    return capacity_ *
           (kSlotBytes + static_cast<std::ptrdiff_t>(sizeof(double)) * (most_up_ + most_down_));
  }
  std::ptrdiff_t bytes_of(int motions) const {
    return motions * (kSlotBytes + static_cast<std::ptrdiff_t>(sizeof(double)) *
                                       (most_up_ + most_down_ + host_.layout.size));
  }
  // on both sides: slots and numbers up, which travel together; numbers down; on the device,
  // motions
  int* slots(std::byte* begin) const { return reinterpret_cast<int*>(begin); }
  double* up(std::byte* begin) const {
    return reinterpret_cast<double*>(begin + capacity_ * kSlotBytes);
  }
  double* down(std::byte* begin) const { return up(begin) + capacity_ * most_up_; }
  const double* down_of(const MotionTransfer& transfer, std::size_t i) const {
    return down(pinned_.data()) + static_cast<std::ptrdiff_t>(i) * transfer.down_size;
  }

  Result<Done> pass(std::span<DeviceMotion* const> motions, const MotionTransfer& transfer,
                    std::span<const Part> parts, std::span<const Target> targets,
                    cudaError_t (*launch)(const MotionLaunch&, int*)) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < motions.size(); ++i) {
      slots(pinned_.data())[i] = motions[i]->slot;
      double* const to = up(pinned_.data()) + static_cast<std::ptrdiff_t>(i) * transfer.up_size;
      for (const Part& part : parts)
        if (part.at >= 0) std::copy_n((*motions[i]).*part.from, part.count, to + part.at);
    }
    const auto count = static_cast<std::ptrdiff_t>(motions.size());
    const std::ptrdiff_t up_bytes =
        capacity_ * kSlotBytes + count * transfer.up_size * std::ptrdiff_t{sizeof(double)};
    const std::ptrdiff_t down_bytes = count * transfer.down_size * std::ptrdiff_t{sizeof(double)};
    const auto queued = [&]() -> Result<Done> {
      HEFT_CHECK(
          check(cudaMemcpyAsync(memory_.data(), pinned_.data(), static_cast<std::size_t>(up_bytes),
                                cudaMemcpyHostToDevice, stream_.get()),
                kWhere, "copy to device"));
      int launches = 0;
      const cudaError_t status =
          launch({host_.tables,
                  host_.layout,
                  {transfer, down(memory_.data()) + capacity_ * most_down_, slots(memory_.data()),
                   up(memory_.data()), down(memory_.data())},
                  static_cast<int>(count),
                  stream_.get()},
                 &launches);
      effort_.launches += launches;
      HEFT_CHECK(check(status, kWhere, "launch"));
      return check(cudaMemcpyAsync(down(pinned_.data()), down(memory_.data()),
                                   static_cast<std::size_t>(down_bytes), cudaMemcpyDeviceToHost,
                                   stream_.get()),
                   kWhere, "copy from device");
    }();
    // wait also after an error: the memory is used again
    const auto done = check(cudaStreamSynchronize(stream_.get()), kWhere, "kernel");
    effort_.bytes_up += up_bytes;
    effort_.bytes_down += down_bytes;
    effort_.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    HEFT_CHECK(queued);
    HEFT_CHECK(done);
    for (std::size_t i = 0; i < motions.size(); ++i)
      for (const Target& target : targets)
        if (target.at >= 0)
          std::copy_n(down_of(transfer, i) + target.at, target.count, (*motions[i]).*target.to);
    return Done{};
  }

  HostTables host_;
  bool is_log_det_;
  int capacity_ = 0;
  std::ptrdiff_t most_up_ = 0, most_down_ = 0;
  Memory<cudaFree> tables_, memory_;
  Memory<cudaFreeHost> pinned_;
  Stream stream_;
  DeviceMotionEffort effort_;
};

}  // namespace

Result<std::unique_ptr<DeviceMotions>> make_cuda_motions(const DeviceMotionInput& input,
                                                         int most_motions) {
  auto motions = std::make_unique<CudaMotions>(input);
  HEFT_CHECK(motions->allocate(most_motions));
  return std::unique_ptr<DeviceMotions>(std::move(motions));
}

}  // namespace heft
