#include "executor/torque_changes.hpp"

#include <algorithm>
#include <iterator>

#include "executor/instruction_sets.hpp"
#include "executor/scratch_memory.hpp"
#include "model/sample_view.hpp"

namespace heft {

namespace {

/// Ten parameters of every body in its kernel frame, of all bodies that it carries.
std::vector<double> bodies_of(const RegressorPlan& plan, const Eigen::VectorXd& parameters) {
  std::vector<Eigen::Matrix4d> inertias(plan.bodies.size(), Eigen::Matrix4d::Zero());
  for (int i = 0; i < plan.layout.num_bodies(); ++i) {
    const auto body = static_cast<std::size_t>(plan.layout.body_index[static_cast<std::size_t>(i)]);
    const Eigen::Matrix4d T = plan.kernel_frames[body].in_body.inverse().matrix();
    const BodyParameters of_body =
        parameters.segment<core::kNumParameters>(core::kNumParameters * i);
    inertias[body] += T * pseudo_inertia(of_body) * T.transpose();
  }
  std::vector<double> bodies;
  for (const Eigen::Matrix4d& J : inertias) {
    double of[core::kNumParameters];
    of[core::kMass] = J(3, 3);
    of[core::kMcx] = J(0, 3), of[core::kMcy] = J(1, 3), of[core::kMcz] = J(2, 3);
    of[core::kIxx] = J(1, 1) + J(2, 2), of[core::kIyy] = J(0, 0) + J(2, 2);
    of[core::kIzz] = J(0, 0) + J(1, 1);
    of[core::kIxy] = -J(0, 1), of[core::kIxz] = -J(0, 2), of[core::kIyz] = -J(1, 2);
    bodies.insert(bodies.end(), std::begin(of), std::end(of));
  }
  return bodies;
}

/// The changed body and all outward of it.
std::vector<int> outward_of(const RegressorPlan& plan, int body) {
  std::vector<int> outward{body};
  for (int b = body + 1; b < static_cast<int>(plan.bodies.size()); ++b)
    if (std::find(outward.begin(), outward.end(),
                  plan.bodies[static_cast<std::size_t>(b)].parent) != outward.end())
      outward.push_back(b);
  return outward;
}

core::BodyEntry changed_entry(const RegressorPlan& plan, const FrameChange& change) {
  const auto b = static_cast<std::size_t>(change.body);
  core::BodyEntry entry = plan.bodies[b];
  const Eigen::Isometry3d& before = plan.robot.bodies[b].X_parent_body;
  Eigen::Isometry3d in_parent = change.X_parent_body * plan.kernel_frames[b].in_body;
  if (entry.parent >= 0)
    in_parent =
        plan.kernel_frames[static_cast<std::size_t>(entry.parent)].in_body.inverse() * in_parent;
  for (int i = 0; i < 3; ++i) entry.translation[i] = in_parent.translation()[i];
  if (change.X_parent_body.linear() != before.linear()) {
    // the joint's angle includes that of its frame
    const Eigen::Matrix3d R = in_parent.linear() * Eigen::AngleAxisd(-plan.kernel_frames[b].angle,
                                                                     Eigen::Vector3d::UnitZ());
    entry.pose = core::PoseKind::general;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) entry.rotation[3 * i + j] = R(i, j);
  }
  entry.turn_offset += entry.turn * change.shift;
  return entry;
}

}  // namespace

bool can_change(const RegressorPlan& plan, const FrameChange& change) {
  if (plan.whitened_from) return false;
  if (change.shift == 0) return true;
  const Body& changed = plan.robot.bodies[static_cast<std::size_t>(change.body)];
  const auto moves = [&](const Body& body) {
    return body.type != JointType::rigid && body.coordinate == changed.coordinate;
  };
  const auto& bodies = plan.robot.bodies;
  return changed.type == JointType::revolute &&
         std::count_if(bodies.begin(), bodies.end(), moves) == 1 &&
         std::none_of(plan.features.begin(), plan.features.end(),
                      [&](const core::FeatureEntry& entry) {
                        return entry.feature == core::Feature::position &&
                               entry.source == changed.coordinate;
                      });
}

Result<std::vector<Eigen::ArrayXXd>> torque_changes(const RegressorPlan& plan,
                                                    const Samples& samples,
                                                    const Eigen::VectorXd& parameters,
                                                    std::span<const FrameChange> changes,
                                                    InstructionSet set) {
  HEFT_TRY(kernels, cpu::lane_kernels(set));
  if (changes.empty()) return std::vector<Eigen::ArrayXXd>{};
  const core::TreeView tree = plan.view();
  const core::SampleView view = sample_view(plan, samples);
  const std::vector<double> bodies = bodies_of(plan, parameters);
  std::vector<Eigen::ArrayXXd> torques(changes.size());
  std::vector<std::vector<int>> outward;
  std::vector<cpu::ChangedBody> changed;
  std::vector<double*> places;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    torques[k].resize(samples.size(), plan.num_channels());
    places.push_back(torques[k].data());
    outward.push_back(outward_of(plan, changes[k].body));
    changed.push_back({changed_entry(plan, changes[k]), outward.back().data(),
                       static_cast<int>(outward.back().size())});
  }
  cpu::ScratchMemory scratch;
  kernels->put_torque_changes({&tree, &view, bodies.data(), static_cast<int>(samples.size()),
                               scratch.at_least(kernels->torque_changes_scratch_bytes(tree)),
                               changed.data(), static_cast<int>(changed.size()), places.data()});
  return torques;
}

}  // namespace heft
