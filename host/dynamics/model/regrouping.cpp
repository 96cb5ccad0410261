#include "model/regrouping.hpp"

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
  if (columns == ColumnSet::first)
    return {{0, core::kHx}, {1, core::kHy}, {2, core::kSxx}, {2, core::kSyy}};
  if (columns == ColumnSet::prismatic)
    return {{0, core::kHx}, {1, core::kHy}, {2, core::kHz}, {3, core::kM}};
  std::vector<KeptEntry> entries;
  for (int e = 0; e < static_cast<int>(columns); ++e)
    entries.push_back({e, static_cast<KernelEntry>(e)});
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

std::vector<int> first_structural_columns(const RegressorPlan& plan) {
  std::vector<int> first{0};
  for (const core::BodyEntry& entry : plan.bodies)
    first.push_back(first.back() + static_cast<int>(entry.columns));
  return first;
}

Eigen::SparseMatrix<double> regrouping_matrix(const RegressorPlan& plan) {
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<std::vector<KeptEntry>> kept;  // of every body
  for (const core::BodyEntry& body : plan.bodies) kept.push_back(kept_entries(body.columns));
  const std::vector<int> first_structural = first_structural_columns(plan);
  const int num_structural = first_structural.back();
  for (int i = 0; i < plan.layout.num_bodies(); ++i) {
    const int body = plan.layout.body_index[i];
    const Eigen::Matrix4d T = plan.kernel_frames[body].in_body.inverse().matrix();
    for (int k = 0; k < core::kNumParameters; ++k) {
      Eigen::Matrix4d J = T * pseudo_inertia(BodyParameters::Unit(k)) * T.transpose();
      for (int b = body; b >= 0; b = plan.bodies[b].parent) {
        const double rounding = 4e-16 * J.cwiseAbs().maxCoeff();
        for (const auto& [place, kernel_entry] : kept[static_cast<std::size_t>(b)]) {
          const auto [row, column] = position_of(kernel_entry);
          if (std::abs(J(row, column)) > rounding)
            entries.emplace_back(first_structural[b] + place,
                                 plan.layout.index(i, static_cast<core::Parameter>(k)),
                                 J(row, column));
          J(row, column) = J(column, row) = 0;
        }
        if ((J.array() == 0).all()) break;  // nothing to transfer
        const Eigen::Matrix4d X = plan.kernel_frames[b].in_parent.matrix();
        J = (X * J * X.transpose()).eval();
      }
    }
  }
  for (int j = 0; j < plan.layout.num_columns(); ++j)
    entries.emplace_back(num_structural + j, plan.layout.column_index(j), 1.0);
  Eigen::SparseMatrix<double> W(num_structural + plan.layout.num_columns(),
                                plan.layout.num_parameters());
  W.setFromTriplets(entries.begin(), entries.end());
  return W;
}

}  // namespace heft
