// Joints for the recursion: all bodies that one coordinate drives move as one stack (FORMULAS 5, rotors).
// With the members' motion vectors one below the other a cluster has constant screws F, a constant transform
// X from the stack of its parent cluster, and the operator blkdiag(f x).
//
// A member may hang on a body inward of the parent cluster: a motor in the shoulder that drives the wrist.
// Then the clusters between carry a relay, a member without inertia or motion of its own that repeats that
// body's frame, so that both are seen together.
#pragma once

#include <optional>
#include <vector>

#include "spatial.hpp"

namespace heft::identifiability {

inline constexpr int kWorld = -1;  ///< the frame that carries the first bodies, in place of a body index

struct Member {
  int body = kWorld;    ///< whose frame it is, kWorld included
  bool relay = false;   ///< only repeats that frame
  int parent_slot = 0;  ///< index of the carrying member in the parent cluster
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< in the carrying member, at coordinate zero
  Vector6 screw = Vector6::Zero();                         ///< velocity per unit rate of the coordinate
};

struct Cluster {
  int parent = -1;  ///< index of the parent cluster
  std::vector<Member> members;

  int num_members() const { return static_cast<int>(members.size()); }
};

/// The robot's clusters, parents first. Cluster 0 is the world, with one member. Within a cluster links come
/// before rotors, relays last. Nothing if a coordinate drives bodies that are outward of one another or on
/// different branches: these have no constant screws in a common stack.
std::optional<std::vector<Cluster>> joint_clusters(const Robot& robot);

}  // namespace heft::identifiability
