#include "check/joint_orders.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace heft {

namespace {

constexpr std::size_t kMostPermuted = 4;  // groups of which all orders are tried

struct Subtree {
  std::string structure;
  std::vector<int> coordinates;
};

std::vector<std::vector<int>> children_of(const Robot& robot) {
  std::vector<std::vector<int>> children(robot.bodies.size() + 1);  // the last: of the base
  for (int i = 0; i < robot.num_bodies(); ++i) {
    const Body& body = robot.bodies[static_cast<std::size_t>(i)];
    if (body.is_rotor) continue;
    children[body.parent < 0 ? robot.bodies.size() : static_cast<std::size_t>(body.parent)]
        .push_back(i);
  }
  return children;
}

Subtree subtree_of(const Robot& robot, const std::vector<std::vector<int>>& children, int root) {
  const Body& body = robot.bodies[static_cast<std::size_t>(root)];
  Subtree subtree;
  subtree.structure = "(" + std::to_string(static_cast<int>(body.type));
  if (body.coordinate >= 0) subtree.coordinates.push_back(body.coordinate);
  for (const int child : children[static_cast<std::size_t>(root)]) {
    const Subtree below = subtree_of(robot, children, child);
    subtree.structure += below.structure;
    for (const int coordinate : below.coordinates)
      if (std::find(subtree.coordinates.begin(), subtree.coordinates.end(), coordinate) ==
          subtree.coordinates.end())
        subtree.coordinates.push_back(coordinate);
  }
  subtree.structure += ")";
  return subtree;
}

/// The distances that groups move.
int change_of(const std::vector<int>& from) {
  int sum = 0;
  for (int k = 0; k < static_cast<int>(from.size()); ++k)
    sum += std::abs(from[static_cast<std::size_t>(k)] - k);
  return sum;
}

std::vector<std::vector<int>> exchanges(std::size_t num_groups) {
  std::vector<std::vector<int>> all;
  for (std::size_t a = 0; a < num_groups; ++a)
    for (std::size_t b = a + 1; b < num_groups; ++b) {
      all.push_back(unchanged_order(static_cast<int>(num_groups)));
      std::swap(all.back()[a], all.back()[b]);
    }
  return all;
}

void sort_by_change(std::vector<std::vector<int>>& arrangements) {
  std::stable_sort(arrangements.begin(), arrangements.end(),
                   [](const auto& a, const auto& b) { return change_of(a) < change_of(b); });
}

/// All arrangements of a few groups, exchanges of two of many.
std::vector<std::vector<int>> some_arrangements(std::size_t num_groups) {
  if (num_groups <= kMostPermuted) return arrangements(num_groups);
  std::vector<std::vector<int>> all = exchanges(num_groups);
  sort_by_change(all);
  return all;
}

/// Depths of the joints, by the bodies that they move first.
std::vector<int> depths_of(const Robot& robot) {
  std::vector<int> of_body(robot.bodies.size(), 0), depths(robot.coordinates.size(), -1);
  for (std::size_t i = 0; i < robot.bodies.size(); ++i) {
    const Body& body = robot.bodies[i];
    of_body[i] = (body.parent < 0 ? 0 : of_body[static_cast<std::size_t>(body.parent)]) + 1;
    if (body.coordinate >= 0 && depths[static_cast<std::size_t>(body.coordinate)] < 0)
      depths[static_cast<std::size_t>(body.coordinate)] = of_body[i];
  }
  return depths;
}

/// The log has joint `listed[k]` in place k.
JointOrder order_of_list(const std::vector<int>& listed) {
  JointOrder order(listed.size());
  for (int k = 0; k < static_cast<int>(listed.size()); ++k)
    order[static_cast<std::size_t>(listed[static_cast<std::size_t>(k)])] = k;
  return order;
}

int num_moved(const JointOrder& order) {
  int count = 0;
  for (int k = 0; k < static_cast<int>(order.size()); ++k)
    count += order[static_cast<std::size_t>(k)] != k;
  return count;
}

}  // namespace

JointOrder unchanged_order(int num_joints) {
  JointOrder order(static_cast<std::size_t>(num_joints));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<std::vector<int>> arrangements(std::size_t num_groups) {
  std::vector<std::vector<int>> all;
  std::vector<int> from = unchanged_order(static_cast<int>(num_groups));
  while (std::next_permutation(from.begin(), from.end())) all.push_back(from);
  sort_by_change(all);
  return all;
}

bool branches(const Robot& robot) {
  const auto children = children_of(robot);
  return std::any_of(children.begin(), children.end(),
                     [](const auto& some) { return some.size() > 1; });
}

std::vector<LikeGroups> like_groups(const Robot& robot) {
  std::vector<LikeGroups> sets;
  const auto children = children_of(robot);
  for (const std::vector<int>& siblings : children) {
    std::map<std::string, LikeGroups> by_structure;
    for (const int child : siblings) {
      Subtree subtree = subtree_of(robot, children, child);
      if (!subtree.coordinates.empty())
        by_structure[subtree.structure].push_back(std::move(subtree.coordinates));
    }
    for (auto& [structure, groups] : by_structure)
      if (groups.size() > 1) sets.push_back(std::move(groups));
  }
  return sets;
}

JointOrder order_of_groups(int num_joints, const LikeGroups& groups, const std::vector<int>& from) {
  JointOrder order = unchanged_order(num_joints);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t k = 0; k < groups[g].size(); ++k)
      order[static_cast<std::size_t>(groups[g][k])] = groups[static_cast<std::size_t>(from[g])][k];
  return order;
}

std::vector<JointOrder> orders_of_groups(const Robot& robot) {
  std::vector<JointOrder> orders;
  for (const LikeGroups& groups : like_groups(robot)) {
    const bool are_single = groups.front().size() == 1;
    for (const std::vector<int>& from : some_arrangements(groups.size())) {
      JointOrder order = order_of_groups(robot.num_coordinates(), groups, from);
      // two single joints are exchanged elsewhere
      if (!are_single || num_moved(order) > 2) orders.push_back(std::move(order));
    }
  }
  return orders;
}

std::vector<JointOrder> orders_of_all(const Robot& robot) {
  const int n = robot.num_coordinates();
  std::vector<std::vector<int>> lists(5, unchanged_order(n));
  std::reverse(lists[0].begin(), lists[0].end());
  std::rotate(lists[1].begin(), lists[1].begin() + std::min(1, n), lists[1].end());
  std::rotate(lists[2].rbegin(), lists[2].rbegin() + std::min(1, n), lists[2].rend());
  const auto name = [&](int joint) -> const std::string& {
    return robot.coordinates[static_cast<std::size_t>(joint)].name;
  };
  std::stable_sort(lists[3].begin(), lists[3].end(),
                   [&](int a, int b) { return name(a) < name(b); });
  const std::vector<int> depths = depths_of(robot);
  std::stable_sort(lists[4].begin(), lists[4].end(), [&](int a, int b) {
    return depths[static_cast<std::size_t>(a)] < depths[static_cast<std::size_t>(b)];
  });
  std::vector<JointOrder> orders;
  for (const std::vector<int>& listed : lists) {
    JointOrder order = order_of_list(listed);
    if (num_moved(order) > 2 && std::find(orders.begin(), orders.end(), order) == orders.end())
      orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace heft
