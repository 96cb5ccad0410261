#include "host/model/regrouping.hpp"

namespace heft {

using core::ColumnSet;
using core::KernelEntry;

core::ColumnSet kept_columns(JointType type) {
  switch (type) {
    case JointType::revolute:
      return ColumnSet::revolute;
    case JointType::prismatic:
      return ColumnSet::prismatic;
    case JointType::helical:
      return ColumnSet::helical;
    case JointType::rigid:
      break;
  }
  return ColumnSet::all;
}

std::vector<KeptEntry> kept_entries(ColumnSet columns) {
  if (columns == ColumnSet::first) return {{0, core::kHx}, {1, core::kHy}, {2, core::kSxx}, {2, core::kSyy}};
  if (columns == ColumnSet::prismatic) return {{0, core::kHx}, {1, core::kHy}, {2, core::kHz}, {3, core::kM}};
  std::vector<KeptEntry> entries;
  for (int e = 0; e < static_cast<int>(columns); ++e) entries.push_back({e, static_cast<KernelEntry>(e)});
  return entries;
}

std::array<int, 2> position_of(KernelEntry entry) {
  switch (entry) {
    case core::kSxx:
      return {0, 0};
    case core::kSyy:
      return {1, 1};
    case core::kSzz:
      return {2, 2};
    case core::kSxy:
      return {0, 1};
    case core::kSxz:
      return {0, 2};
    case core::kSyz:
      return {1, 2};
    case core::kHx:
      return {0, 3};
    case core::kHy:
      return {1, 3};
    case core::kHz:
      return {2, 3};
    default:
      return {3, 3};
  }
}

Eigen::Isometry3d kernel_frame(const Body& body) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  if (body.type != JointType::rigid)
    X.linear() = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), body.axis).toRotationMatrix();
  return X;
}

}  // namespace heft
