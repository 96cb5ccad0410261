#include "recursion.hpp"

#include "joint_algebra.hpp"
#include "sampled_span.hpp"
#include "subspace.hpp"

namespace heft::identifiability {

namespace {

/// The motion of the world: gravity alone, or free motion; at rest, gravity in every direction.
ClusterSpan world_span(const Robot& robot, const ObserveOptions& options) {
  ClusterSpan world;
  world.N.resize(0, 10);
  const bool moves = robot.floating_base || options.base == BaseMotion::uncounted;
  if (!moves) {
    world.V.setZero(6, robot.gravity.any() ? 1 : 0);
    if (robot.gravity.any()) world.V.col(0).tail<3>() = robot.gravity;
    world.K.resize(10, 0);
  } else if (!options.static_only) {
    world.V.setIdentity(6, 6);
    world.K.setIdentity(10, 10);
  } else if (robot.gravity.any()) {
    world.V.setZero(6, 3);
    world.V.bottomRows<3>().setIdentity();
    world.K.setIdentity(10, 4);  // mass and first moments
  } else {
    world.V.resize(6, 0);
    world.K.resize(10, 0);
  }
  return world;
}

/// The root of a floating base: its wrench is equivalent to all motions of the base.
ClusterSpan counted_root_span(const ClusterSpan& world) {
  ClusterSpan root = world;
  root.N = world.K.transpose();
  return root;
}

ClusterSpan span_of(const Cluster& cluster, const ClusterSpan& parent,
                    const ObserveOptions& options) {
  const Eigen::Index n = cluster.num_members();
  Subspace V(6 * n, options.tolerance), K(10 * n, options.tolerance),
      rows(10 * n, options.tolerance);

  Eigen::MatrixXd carried_V(6 * n, parent.V.cols()), carried_K(10 * n, parent.K.cols());
  Eigen::VectorXd F(6 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Member& member = cluster.members[i];
    carried_V.middleRows(6 * i, 6) =
        motion_transform(member.pose) * parent.V.middleRows(6 * member.parent_slot, 6);
    carried_K.middleRows(10 * i, 10) = inertia_to_parent(member.pose).transpose() *
                                       parent.K.middleRows(10 * member.parent_slot, 10);
    F.segment<6>(6 * i) = member.screw;
  }
  if (F.any()) F.normalize();

  V.add_columns(carried_V);
  close_under(motion_algebra(cluster).generators, V);

  // K is made of functionals of inertia: operators act on it transposed
  JointAlgebra inertia = inertia_algebra(cluster);
  for (Eigen::MatrixXd& O : inertia.generators) O.transposeInPlace();
  K.add_columns(carried_K);
  close_under(inertia.generators, K);

  if (!options.static_only) V.add_columns(F);
  Eigen::MatrixXd M(10 * n, V.rank());
  for (Eigen::Index j = 0; j < V.rank(); ++j)
    for (Eigen::Index i = 0; i < n; ++i)
      M.col(j).segment<10>(10 * i) =
          coupling(V.basis().col(j).segment<6>(6 * i), F.segment<6>(6 * i));

  Eigen::MatrixXd felt(10 * n,
                       M.cols() + K.rank() * static_cast<Eigen::Index>(inertia.rates.size()));
  felt.leftCols(M.cols()) = M;
  for (std::size_t k = 0; k < inertia.rates.size(); ++k)
    felt.middleCols(M.cols() + K.rank() * static_cast<Eigen::Index>(k), K.rank()) =
        inertia.rates[k].transpose() * K.basis();
  rows.add_columns(felt);
  K.add_columns(M);
  return {V.basis(), K.basis(), rows.basis().transpose()};
}

/// Columns of a member's ten parameters that are its parameters, scaled to length one.
Eigen::MatrixXd parameter_directions(const Robot& robot, const Member& member) {
  if (member.relay || member.body == kWorld) return Eigen::MatrixXd(10, 0);
  if (!is_restricted(robot.bodies[member.body])) return Matrix10::Identity();
  const std::vector<ObservedParameter> parameters = parameters_of(robot, member.body);
  Eigen::MatrixXd directions(10, parameters.size());
  for (Eigen::Index i = 0; i < directions.cols(); ++i)
    directions.col(i) = parameters[i].direction.normalized();
  return directions;
}

/// Rows of one cluster in the ten columns of a member of it or of a cluster outward of it.
Eigen::MatrixXd rows_at(const std::vector<Cluster>& clusters, const std::vector<ClusterSpan>& spans,
                        int source, int cluster, int slot) {
  if (cluster < source) return Eigen::MatrixXd::Zero(spans[source].N.rows(), 10);
  if (cluster == source) return spans[source].N.middleCols(10 * slot, 10);
  const Member& member = clusters[cluster].members[slot];
  return rows_at(clusters, spans, source, clusters[cluster].parent, member.parent_slot) *
         inertia_to_parent(member.pose);
}

/// For every cluster the first cluster of its group. A body with fewer than ten parameters hides
/// directions of its own joint's rows that show again in the bodies that it carries: their clusters
/// are counted together.
std::vector<int> counting_groups(const Robot& robot, const std::vector<Cluster>& clusters) {
  std::vector<int> cluster_of(robot.num_bodies());
  std::vector<int> group(clusters.size());
  for (int c = 0; c < static_cast<int>(clusters.size()); ++c) {
    group[c] = c;
    for (const Member& member : clusters[c].members) {
      if (member.relay || member.body == kWorld) continue;
      cluster_of[member.body] = c;
      const int parent = robot.bodies[member.body].parent;
      if (parent < 0 || !is_restricted(robot.bodies[parent])) continue;
      const int mine = group[c], theirs = group[cluster_of[parent]];
      for (int b = 0; mine != theirs && b <= c; ++b)
        if (group[b] == mine) group[b] = theirs;
    }
  }
  return group;
}

/// Counts one group, innermost cluster last, and writes what each cluster adds.
void count_group(const Robot& robot, const std::vector<Cluster>& clusters,
                 const std::vector<ClusterSpan>& spans, const std::vector<int>& group,
                 double tolerance, std::vector<int>& counts) {
  struct Columns {
    int cluster, slot;
    Eigen::MatrixXd directions;
  };
  std::vector<Columns> columns;
  Eigen::Index dimension = 0;
  for (int c : group)
    for (int slot = 0; slot < clusters[c].num_members(); ++slot) {
      columns.push_back({c, slot, parameter_directions(robot, clusters[c].members[slot])});
      dimension += columns.back().directions.cols();
    }
  Subspace span(dimension, tolerance);
  for (auto c = group.rbegin(); c != group.rend(); ++c) {
    Eigen::MatrixXd rows(spans[*c].N.rows(), dimension);
    Eigen::Index first = 0;
    for (const Columns& block : columns) {
      const Eigen::Index width = block.directions.cols();
      if (width > 0)
        rows.middleCols(first, width) =
            rows_at(clusters, spans, *c, block.cluster, block.slot) * block.directions;
      first += width;
    }
    const Eigen::Index before = span.rank();
    span.add_columns(rows.transpose());
    counts[*c] = static_cast<int>(span.rank() - before);
  }
}

}  // namespace

std::vector<ClusterSpan> recurse(const Robot& robot, const std::vector<Cluster>& clusters,
                                 const ObserveOptions& options) {
  std::vector<ClusterSpan> spans{world_span(robot, options)};
  for (std::size_t c = 1; c < clusters.size(); ++c) {
    const bool is_counted_root = robot.floating_base && options.base == BaseMotion::as_modeled &&
                                 clusters[c].members[0].body == 0;
    spans.push_back(is_counted_root ? counted_root_span(spans[0])
                    : clusters[c].has_constant_screws
                        ? span_of(clusters[c], spans[clusters[c].parent], options)
                        : sampled_span_of(robot, clusters[c], spans[clusters[c].parent], options));
  }
  return spans;
}

std::vector<int> base_parameter_counts(const Robot& robot, const std::vector<Cluster>& clusters,
                                       const std::vector<ClusterSpan>& spans, double tolerance) {
  const std::vector<int> group_of = counting_groups(robot, clusters);
  std::vector<std::vector<int>> groups(clusters.size());
  for (int c = 0; c < static_cast<int>(clusters.size()); ++c) groups[group_of[c]].push_back(c);
  std::vector<int> counts(clusters.size(), 0);
  for (const std::vector<int>& group : groups)
    if (!group.empty()) count_group(robot, clusters, spans, group, tolerance, counts);
  return counts;
}

int transfer_dimension(const Robot& robot, const Cluster& cluster, const ClusterSpan& span,
                       double tolerance) {
  std::vector<Eigen::MatrixXd> columns;
  Eigen::Index num_columns = 0;
  for (int i = 0; i < cluster.num_members(); ++i) {
    const Member& member = cluster.members[i];
    if (member.relay) continue;
    const Eigen::MatrixXd N = span.N.middleCols(10 * i, 10);
    const bool is_symmetric =
        is_restricted(robot.bodies[member.body]) && robot.bodies[member.body].has_parameters;
    columns.push_back(is_symmetric ? N * parameter_directions(robot, member) : N);
    num_columns += columns.back().cols();
  }
  Eigen::MatrixXd rows(span.N.rows(), num_columns);
  Eigen::Index first = 0;
  for (const Eigen::MatrixXd& block : columns) {
    rows.middleCols(first, block.cols()) = block;
    first += block.cols();
  }
  Subspace seen(num_columns, tolerance);
  seen.add_columns(rows.transpose());
  return static_cast<int>(num_columns - seen.rank());
}

Eigen::MatrixXd identifiable_rows(const Robot& robot, const std::vector<Cluster>& clusters,
                                  const std::vector<ClusterSpan>& spans) {
  Eigen::Index num_rows = 0;
  for (const ClusterSpan& span : spans) num_rows += span.N.rows();
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(num_rows, 10 * robot.num_bodies());

  // all[c]: rows of clusters up to c in the columns of the members of c
  std::vector<Eigen::MatrixXd> all(clusters.size());
  Eigen::Index done = 0;
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const Cluster& cluster = clusters[c];
    all[c] = Eigen::MatrixXd::Zero(num_rows, 10 * cluster.num_members());
    for (int i = 0; c > 0 && i < cluster.num_members(); ++i)
      all[c].middleCols(10 * i, 10) =
          all[cluster.parent].middleCols(10 * cluster.members[i].parent_slot, 10) *
          inertia_to_parent(cluster.members[i].pose);
    all[c].middleRows(done, spans[c].N.rows()) = spans[c].N;
    done += spans[c].N.rows();
    for (int i = 0; i < cluster.num_members(); ++i)
      if (const Member& member = cluster.members[i]; !member.relay && member.body != kWorld)
        rows.middleCols(10 * member.body, 10) = all[c].middleCols(10 * i, 10);
  }
  return rows;
}

int rank_of_first_rows(const Eigen::MatrixXd& basis, Eigen::Index count, double tolerance) {
  Subspace span(count, tolerance);
  span.add_columns(basis.topRows(count));
  return static_cast<int>(span.rank());
}

}  // namespace heft::identifiability
