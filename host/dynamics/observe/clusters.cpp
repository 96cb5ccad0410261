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
    std::stable_partition(group.begin(), group.end(),
                          [&](int i) { return !robot.bodies[i].is_rotor; });
  return groups;
}

/// Union of groups of bodies: the group of every body, and the dependencies of every group.
class JoinedGroups {
 public:
  explicit JoinedGroups(const Robot& robot) : robot_(robot), groups_(groups_of_bodies(robot)) {
    index();
  }

  const std::vector<std::vector<int>>& groups() const { return groups_; }
  int group_of(int body) const { return group_of_[body]; }

  /// Merges several groups; links before rotors, carriers before the bodies they carry.
  void join(std::vector<int> parts) {
    std::sort(parts.begin(), parts.end());
    std::vector<int>& joined = groups_[parts.front()];
    for (std::size_t k = parts.size(); k-- > 1;) {
      joined.insert(joined.end(), groups_[parts[k]].begin(), groups_[parts[k]].end());
      groups_[parts[k]].clear();
    }
    std::sort(joined.begin(), joined.end());
    std::stable_partition(joined.begin(), joined.end(),
                          [&](int i) { return !robot_.bodies[i].is_rotor; });
    std::erase_if(groups_, [](const std::vector<int>& group) { return group.empty(); });
    index();
  }

  /// Orders groups so that every body's parent is in the same or an earlier one; joins cyclically
  /// dependent groups first.
  std::vector<int> parents_first() {
    while (true) {
      std::vector<int> order = order_as_far_as_possible();
      if (order.size() == groups_.size()) return order;
      join(some_cycle(order));
    }
  }

 private:
  void index() {
    group_of_.assign(robot_.num_bodies(), 0);
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g)
      for (int body : groups_[g]) group_of_[body] = g;
  }

  /// The groups that a group depends on.
  std::vector<int> parents_of(int group) const {
    std::vector<int> parents;
    for (int body : groups_[group]) {
      const int parent = robot_.bodies[body].parent;
      if (parent >= 0 && group_of_[parent] != group) parents.push_back(group_of_[parent]);
    }
    return parents;
  }

  std::vector<int> order_as_far_as_possible() const {
    std::vector<int> num_waiting(groups_.size(), 0);
    std::vector<std::vector<int>> followers(groups_.size());
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g)
      for (const int parent : parents_of(g)) {
        ++num_waiting[g];
        followers[parent].push_back(g);
      }
    std::deque<int> ready;
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g)
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

  /// Finds a cycle among the groups that cannot be ordered.
  std::vector<int> some_cycle(const std::vector<int>& reached) const {
    std::vector<bool> is_reached(groups_.size(), false);
    for (const int g : reached) is_reached[g] = true;
    int at = 0;
    while (is_reached[at]) ++at;
    std::vector<int> way;  // inward, always to a group that waits itself
    while (std::find(way.begin(), way.end(), at) == way.end()) {
      way.push_back(at);
      const std::vector<int> parents = parents_of(at);
      at = *std::find_if(parents.begin(), parents.end(),
                         [&](int parent) { return !is_reached[parent]; });
    }
    return {std::find(way.begin(), way.end(), at), way.end()};
  }

  const Robot& robot_;
  std::vector<std::vector<int>> groups_;
  std::vector<int> group_of_;
};

class ClusterBuilder {
 public:
  explicit ClusterBuilder(const Robot& robot) : robot_(robot), cluster_of_(robot.num_bodies()) {
    clusters_.push_back({.parent = -1, .members = {Member{}}});
    depth_.push_back(0);
  }

  /// Adds the cluster of a group whose parents are all placed. Clusters that have to be one with
  /// it, since its parents are on several branches, are returned instead, by their bodies.
  std::vector<int> add(const std::vector<int>& group) {
    const auto is_own = [&](int body) {
      return std::find(group.begin(), group.end(), body) != group.end();
    };
    int deepest = 0;
    for (int body : group)
      if (const int parent = robot_.bodies[body].parent; !is_own(parent))
        if (const int c = cluster_of(parent); depth_[c] > depth_[deepest]) deepest = c;
    for (int body : group)
      if (const int parent = robot_.bodies[body].parent;
          !is_own(parent) && !is_inward_or_same(cluster_of(parent), deepest))
        return bodies_between(cluster_of(parent), deepest);

    Cluster cluster{.parent = deepest, .members = {}};
    for (int i : group) cluster.members.push_back(member(i, deepest, cluster));
    std::vector<int> coordinates;
    for (const Member& member : cluster.members) {
      const int coordinate = robot_.bodies[member.body].coordinate;
      if (coordinate >= 0 &&
          std::find(coordinates.begin(), coordinates.end(), coordinate) == coordinates.end())
        coordinates.push_back(coordinate);
      if (member.carrier >= 0) cluster.has_constant_screws = false;
    }
    if (coordinates.size() > 1) cluster.has_constant_screws = false;
    for (int i : group) cluster_of_[i] = static_cast<int>(clusters_.size());
    depth_.push_back(depth_[deepest] + 1);
    clusters_.push_back(std::move(cluster));
    return {};
  }

  std::vector<Cluster> take() { return std::move(clusters_); }

 private:
  int cluster_of(int body) const { return body < 0 ? 0 : cluster_of_[body]; }

  /// Creates the member for a body; earlier members of the cluster exist.
  Member member(int index, int parent_cluster, const Cluster& cluster) {
    const Body& body = robot_.bodies[index];
    Member member{.body = index,
                  .relay = false,
                  .pose = pose_at(body, body.offset),
                  .screw = body.ratio * joint_screw(body)};
    for (int k = 0; k < cluster.num_members(); ++k)
      if (cluster.members[k].body == body.parent) member.carrier = k;
    if (member.carrier < 0) {
      member.parent_slot = slot_of(body.parent, parent_cluster);
      return member;
    }
    const Member& carrier = cluster.members[member.carrier];
    member.parent_slot = carrier.parent_slot;
    member.pose = carrier.pose * member.pose;
    return member;
  }

  /// One body each of the clusters from two clusters inward to the first that carries both.
  std::vector<int> bodies_between(int a, int b) const {
    std::vector<int> bodies;
    while (a != b) {
      int& deeper = depth_[a] >= depth_[b] ? a : b;
      bodies.push_back(clusters_[deeper].members.front().body);
      deeper = clusters_[deeper].parent;
    }
    return bodies;
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

std::vector<Cluster> joint_clusters(const Robot& robot) {
  JoinedGroups joined(robot);
  while (true) {
    ClusterBuilder builder(robot);
    std::vector<int> parts;
    for (const int g : joined.parents_first()) {
      for (const int body : builder.add(joined.groups()[g])) parts.push_back(joined.group_of(body));
      if (parts.empty()) continue;
      parts.push_back(g);
      break;
    }
    if (parts.empty()) return builder.take();
    joined.join(std::move(parts));
  }
}

}  // namespace heft::identifiability
