#include "clusters.hpp"

#include <algorithm>
#include <deque>

namespace heft::identifiability {

namespace {

/// Bodies that move together: one group per coordinate and one per rigid body, links before rotors.
std::vector<std::vector<int>> groups_of_bodies(const Robot& robot) {
  std::vector<std::vector<int>> groups(robot.num_coordinates());
  for (int i = 0; i < robot.num_bodies(); ++i) {
    const int k = robot.bodies[i].coordinate;
    if (k < 0)
      groups.push_back({i});
    else
      groups[k].push_back(i);
  }
  std::erase_if(groups, [](const std::vector<int>& group) { return group.empty(); });
  for (std::vector<int>& group : groups)
    std::stable_partition(group.begin(), group.end(), [&](int i) { return !robot.bodies[i].is_rotor; });
  return groups;
}

/// Groups in an order in which every body's parent is in an earlier group; shorter than `groups` if there is
/// none.
std::vector<int> parents_first(const Robot& robot, const std::vector<std::vector<int>>& groups) {
  std::vector<int> group_of(robot.num_bodies());
  for (int g = 0; g < static_cast<int>(groups.size()); ++g)
    for (int body : groups[g]) group_of[body] = g;

  std::vector<int> num_waiting(groups.size(), 0);
  std::vector<std::vector<int>> followers(groups.size());
  for (int i = 0; i < robot.num_bodies(); ++i) {
    const int parent = robot.bodies[i].parent;
    if (parent < 0) continue;
    ++num_waiting[group_of[i]];
    followers[group_of[parent]].push_back(group_of[i]);
  }
  std::deque<int> ready;
  for (int g = 0; g < static_cast<int>(groups.size()); ++g)
    if (num_waiting[g] == 0) ready.push_back(g);
  std::vector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.front());
    ready.pop_front();
    for (int follower : followers[order.back()])
      if (--num_waiting[follower] == 0) ready.push_back(follower);
  }
  return order;
}

class ClusterBuilder {
 public:
  explicit ClusterBuilder(const Robot& robot) : robot_(robot), cluster_of_(robot.num_bodies()) {
    clusters_.push_back({.parent = -1, .members = {Member{}}});
    depth_.push_back(0);
  }

  /// Adds the cluster of a group whose parents are all placed; false if they are not on one path to the root.
  bool add(const std::vector<int>& group) {
    int deepest = 0;
    for (int body : group)
      if (const int c = parent_cluster(body); depth_[c] > depth_[deepest]) deepest = c;
    for (int body : group)
      if (!is_inward_or_same(parent_cluster(body), deepest)) return false;

    Cluster cluster{.parent = deepest, .members = {}};
    for (int i : group) {
      const Body& body = robot_.bodies[i];
      cluster.members.push_back({.body = i,
                                 .relay = false,
                                 .parent_slot = slot_of(body.parent, deepest),
                                 .pose = pose_at(body, body.offset),
                                 .screw = body.ratio * joint_screw(body)});
      cluster_of_[i] = static_cast<int>(clusters_.size());
    }
    depth_.push_back(depth_[deepest] + 1);
    clusters_.push_back(std::move(cluster));
    return true;
  }

  std::vector<Cluster> take() { return std::move(clusters_); }

 private:
  int parent_cluster(int body) const {
    const int parent = robot_.bodies[body].parent;
    return parent < 0 ? 0 : cluster_of_[parent];
  }

  bool is_inward_or_same(int candidate, int cluster) const {
    while (depth_[cluster] > depth_[candidate]) cluster = clusters_[cluster].parent;
    return cluster == candidate;
  }

  /// The member of a cluster that has a body's frame; relays it from further inward where it must.
  int slot_of(int body, int cluster) {
    std::vector<Member>& members = clusters_[cluster].members;
    for (int slot = 0; slot < static_cast<int>(members.size()); ++slot)
      if (members[slot].body == body) return slot;
    const int parent_slot = slot_of(body, clusters_[cluster].parent);
    members.push_back({.body = body, .relay = true, .parent_slot = parent_slot});
    return static_cast<int>(members.size()) - 1;
  }

  const Robot& robot_;
  std::vector<int> cluster_of_, depth_;
  std::vector<Cluster> clusters_;
};

}  // namespace

std::optional<std::vector<Cluster>> joint_clusters(const Robot& robot) {
  const std::vector<std::vector<int>> groups = groups_of_bodies(robot);
  const std::vector<int> order = parents_first(robot, groups);
  if (order.size() != groups.size()) return std::nullopt;
  ClusterBuilder builder(robot);
  for (int g : order)
    if (!builder.add(groups[g])) return std::nullopt;
  return builder.take();
}

}  // namespace heft::identifiability
