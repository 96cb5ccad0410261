#include "mechanics/row_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/widest.hpp"

namespace heft::mechanics {

namespace {

using Vector = core::Vector3<double>;

constexpr std::ptrdiff_t kCacheLine = 64 / sizeof(double);

Vector vector_of(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

/// Pose of a floating base and the derivatives of q, as defined in mechanics.hpp.
Result<core::BodyState<double>> floating_base(const double* pose, const double* qd,
                                              const double* qdd, const Eigen::Vector3d& gravity) {
  using Map = Eigen::Map<const Eigen::Vector3d>;
  const Eigen::Quaterniond turned(pose[6], pose[3], pose[4], pose[5]);
  if (!(std::abs(turned.norm() - 1) <= 1e-6))
    return Error{
        "", fmt::format("the base's quaternion has the length {:.7g} instead of 1", turned.norm()),
        "divide it by its length; the order is x y z w"};
  const Eigen::Matrix3d R = turned.normalized().toRotationMatrix();
  const Eigen::Vector3d v = Map(qd), w = Map(qd + 3), wd = Map(qdd + 3),
                        g = R.transpose() * gravity;
  const Eigen::Vector3d a = Map(qdd) + w.cross(v) - g;
  return core::BodyState<double>{
      {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)},
      vector_of(Map(pose)),
      vector_of(w),
      vector_of(wd),
      vector_of(v),
      vector_of(a),
      vector_of(g)};
}

double number(const ArrayView& array, std::int64_t i, std::int64_t k) {
  return array.data[i * array.row_stride + k * array.column_stride];
}

/// Copies columns [first, first + num_columns) of `count` rows to `to`; lanes without a row repeat
/// the last one.
void copy_columns(const ArrayView& array, std::int64_t begin, int count, int first, int num_columns,
                  int lanes, double* to) {
  for (int k = 0; k < num_columns; ++k)
    for (int lane = 0; lane < lanes; ++lane)
      *to++ = number(array, begin + std::min(lane, count - 1), first + k);
}

}  // namespace

const Kernels& widest_kernels() {
  return widest(kAvx512Kernels, kAvx2Kernels, kBaselineKernels);
}

RowWriter::RowWriter(const RegressorPlan& plan, const MechanicsTables& tables, MechanicsRow kind,
                     Cache cache, const Kernels& kernels)
    : plan_(plan),
      kernels_(kernels),
      cache_(cache),
      size_of_state_(core::num_mechanics_rows(kind, plan.num_channels()) *
                     static_cast<std::ptrdiff_t>(plan.layout.num_parameters())) {
  const core::MechanicsTree tree{plan_.view(), tables.body_axes.data()};
  const std::ptrdiff_t lanes = kernels_.lanes,
                       of_coordinates = lanes * plan_.robot.num_coordinates(),
                       of_workspace = lanes * core::mechanics_workspace_size(tree.tree),
                       of_base = lanes * core::kStateSize;
  const auto size = static_cast<std::size_t>(of_workspace + of_base + 3 * of_coordinates +
                                             lanes * size_of_state_);
  memory_.resize(size + kCacheLine);  // zero where no body acts
  void* at = memory_.data();
  std::size_t space = memory_.size() * sizeof(double);
  double* const workspace = static_cast<double*>(std::align(64, size * sizeof(double), at, space));
  rows_ = workspace + of_workspace;  // every part is a multiple of packs
  base_ = rows_ + lanes * size_of_state_;
  coordinates_ = base_ + of_base;
  task_ = {.tree = tree,
           .kind = kind,
           .position = coordinates_,
           .velocity = coordinates_ + of_coordinates,
           .acceleration = coordinates_ + 2 * of_coordinates,
           .base = base_,
           .first_parameter = tables.first_parameter.data(),
           .width = plan_.layout.num_parameters(),
           .rows = rows_,
           .size_of_state = size_of_state_,
           .workspace = workspace};
  for (int lane = 0; lane < lanes; ++lane) put_base(lane, standing_base(plan_.robot));
}

void RowWriter::put_base(int lane, const core::BodyState<double>& base) {
  double numbers[core::kStateSize];
  static_assert(sizeof base == sizeof numbers);
  std::memcpy(numbers, &base, sizeof numbers);  // R, p, w, wd, v, a, g
  for (std::ptrdiff_t i = 0; i < core::kStateSize; ++i)
    base_[i * kernels_.lanes + lane] = numbers[i];
}

Result<Done> RowWriter::gather(const States& states, std::int64_t begin, int count) {
  const int n = plan_.robot.num_coordinates(), lanes = kernels_.lanes;
  int poses = 0, velocities = 0;
  if (plan_.robot.floating_base) {
    poses = 7, velocities = 6;
    for (int lane = 0; lane < count; ++lane) {
      double pose[7], qd[6], qdd[6];
      for (int k = 0; k < poses; ++k) pose[k] = number(states.q, begin + lane, k);
      for (int k = 0; k < velocities; ++k)
        qd[k] = number(states.qd, begin + lane, k), qdd[k] = number(states.qdd, begin + lane, k);
      const auto base = floating_base(pose, qd, qdd, plan_.robot.gravity);
      if (!base)
        return Error{fmt::format("state {}", begin + lane), base.error().what, base.error().remedy};
      put_base(lane, *base);
    }
  }
  double* const to = coordinates_;
  copy_columns(states.q, begin, count, poses, n, lanes, to);
  copy_columns(states.qd, begin, count, velocities, n, lanes,
               to + static_cast<std::ptrdiff_t>(lanes) * n);
  copy_columns(states.qdd, begin, count, velocities, n, lanes,
               to + 2 * static_cast<std::ptrdiff_t>(lanes) * n);
  return Done{};
}

Result<Done> RowWriter::put(const States& states, std::int64_t begin, std::int64_t count,
                            double* rows) {
  const std::ptrdiff_t lanes = kernels_.lanes;
  const bool streams = cache_ == Cache::passed_by &&
                       reinterpret_cast<std::uintptr_t>(rows) % (lanes * sizeof(double)) == 0;
  for (std::int64_t done = 0; done < count; done += lanes) {
    const auto valid = std::min<std::int64_t>(lanes, count - done);
    HEFT_CHECK(gather(states, begin + done, static_cast<int>(valid)));
    kernels_.put_rows(task_);
    double* const to = rows + done * size_of_state_;
    if (streams && valid == lanes)
      kernels_.stream(rows_, lanes * size_of_state_, to);
    else
      std::copy_n(rows_, valid * size_of_state_, to);
  }
  if (streams) kernels_.fence();
  return Done{};
}

}  // namespace heft::mechanics
