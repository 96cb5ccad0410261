// Clusters of bodies for the recursion: all bodies driven by one coordinate move as one stack
// (FORMULAS 5, rotors). With the members' motion vectors stacked, a cluster has constant screws F,
// a constant transform X from the stack of its parent cluster, and the operator blkdiag(f x).
//
// A member may be mounted on a body inward of the parent cluster, such as a motor in the shoulder
// that drives the wrist. The clusters between then contain a relay, a member without inertia or
// motion of its own that repeats that body's frame, so that both frames are available.
//
// A mimic joint may be outward of the joint that it follows, or on another branch. All bodies
// between then form one cluster with nested members: its screws depend on its coordinates, and its
// spans are found by sampling those coordinates (sampled_span.cpp).
#pragma once

#include <vector>

#include "spatial.hpp"

namespace heft::identifiability {

inline constexpr int kWorld = -1;  ///< the frame that carries the first bodies, in place of a body
                                   ///< index

struct Member {
  int body = kWorld;    ///< body of the frame, may be kWorld
  bool relay = false;   ///< only repeats that frame
  int parent_slot = 0;  ///< index of the carrying member in the parent cluster
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< in that member, at coordinate zero
  Vector6 screw = Vector6::Zero();  ///< velocity per unit rate of the coordinate
  int carrier = -1;                 ///< member of this cluster that carries it, if one does
};

struct Cluster {
  int parent = -1;  ///< index of the parent cluster
  std::vector<Member> members;
  bool has_constant_screws = true;  ///< one coordinate, and no member carries another

  int num_members() const { return static_cast<int>(members.size()); }
};

/// Returns the robot's clusters, parents first. Cluster 0 is the world, with one member. Within a
/// cluster links precede rotors, relays are last, and carriers precede the members that they carry.
std::vector<Cluster> joint_clusters(const Robot& robot);

}  // namespace heft::identifiability
