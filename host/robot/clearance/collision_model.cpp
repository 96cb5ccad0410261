#include "clearance/collision_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.hpp"
#include "link_shapes.hpp"
#include "model/poses.hpp"
#include "pair_distances.hpp"
#include "srdf.hpp"

namespace heft {

namespace {

constexpr int kPostures = 200;        // random, that pairs are tried at
constexpr int kFewPostures = 20;      // after which pairs that seldom meet are left alone
constexpr double kNearlyAll = 0.9;    // of them: a pair that meets so often is made to
constexpr double kBuiltNear = 2;      // margins that all postures stay below: a pair is built near
constexpr double kNotMeeting = 5e-4;  // [m] that pairs keep which are built nearer than the margin
constexpr double kTouching = 0.01;    // [m] that a base may stand in an obstacle
constexpr double kSame = 1e-7;        // [m] by which distances that no joint changes differ

class ModelMaker {
 public:
  ModelMaker(const Robot& robot, const ClearanceOptions& options, const Eigen::VectorXd& lower,
             const Eigen::VectorXd& upper)
      : options_(options) {
    model_.robot = robot;
    model_.lower = lower;
    model_.upper = upper;
  }

  Result<CollisionModel> make() {
    if (options_.ignore) return nothing(", as requested");
    if (!can_make_hulls()) {
      if (options_.is_asked()) return make_hull({}).error();
      return nothing(": this program was built without FCL and Qhull");
    }
    auto shapes = read_link_shapes(model_.robot, options_.package_folders);
    if (!shapes) {
      if (options_.is_asked()) return shapes.error();
      return nothing(": " + shapes.error().where + " " + shapes.error().what);
    }
    if (shapes->links.empty()) {
      if (options_.is_asked())
        return Error{
            model_.robot.source, "has no collision shapes, so collisions cannot be checked",
            "add <collision> to its links, or omit the floor, obstacles and the SRDF file"};
      return nothing(": the robot file has no collision shapes");
    }
    for (const std::string& body : shapes->without)
      note("collisions of " + body + " are not checked: it has no collision shape");
    model_.links = std::move(shapes->links);
    HEFT_CHECK(put_world());
    std::set<LinkNames> disabled;
    if (!options_.srdf_path.empty()) {
      HEFT_TRY(read, read_disabled_pairs(options_.srdf_path, model_.robot.name, shapes->all));
      disabled = read;
    }
    put_pairs(disabled);
    HEFT_CHECK(sort_out());
    return std::move(model_);
  }

 private:
  void note(std::string words) { model_.notes.push_back(std::move(words)); }
  /// An empty model, with the reason.
  CollisionModel nothing(std::string words) {
    note("collisions are not checked" + std::move(words));
    return std::move(model_);
  }

  Result<Done> put_world() {
    if (!(options_.margin >= 0) || !std::isfinite(options_.margin))
      return Error{"limits.clearance", number_text(options_.margin) + " is out of range",
                   "write a distance of at least 0 in meters, such as 0.01 for 1 cm"};
    if (options_.floor) {
      if (!std::isfinite(*options_.floor))
        return Error{"floor", "is not a finite number", "write its height in meters"};
      model_.world.push_back(make_floor(*options_.floor));
    }
    if (options_.on_table) HEFT_CHECK(put_table());
    for (const Obstacle& obstacle : options_.obstacles) {
      auto solid = make_obstacle(obstacle);
      if (!solid)
        return Error{"obstacle '" + obstacle.name + "'", solid.error().what, solid.error().remedy};
      HEFT_CHECK(check_base_is_outside(obstacle));
      model_.world.push_back(*std::move(solid));
    }
    return Done{};
  }

  Result<Done> put_table() {
    double level = HUGE_VAL;
    for (const LinkShapes& link : model_.links)
      if (link.body < 0)
        for (const Hull& hull : link.hulls)
          level = std::min(level, hull.points.row(2).minCoeff() - hull.radius);
    if (!std::isfinite(level))
      return Error{
          model_.robot.source,
          "has no collision shape at its base, so the height of the table is unknown",
          "set the height of the table with --base hung --floor z, or omit the table with --base "
          "hung"};
    model_.world.push_back(make_floor(level));
    return Done{};
  }

  /// Links fixed to the base may touch an obstacle but not penetrate it: no joint could separate
  /// them.
  Result<Done> check_base_is_outside(const Obstacle& obstacle) const {
    Obstacle core = obstacle;
    const auto smaller = [](double size) { return std::max(size - 2 * kTouching, 0.2 * size); };
    core.shape.size = obstacle.shape.size.unaryExpr(smaller);
    core.shape.radius = 0.5 * smaller(2 * obstacle.shape.radius);
    core.shape.length = smaller(obstacle.shape.length);
    HEFT_TRY(solid, make_obstacle(core));
    const Eigen::Isometry3d base = Eigen::Isometry3d::Identity();
    for (const LinkShapes& link : model_.links)
      for (const Hull& hull : link.hulls)
        if (link.body < 0 && hull_distance(hull, base, solid.hull, base).distance <= 0)
          return Error{"obstacle '" + obstacle.name + "'",
                       "overlaps the link " + link.name + ", which is fixed to the base",
                       "move the obstacle, make it smaller, or remove the object that the base is "
                       "mounted on"};
    return Done{};
  }

  /// The nearest body above one that has shapes, -1 for the base.
  int above(int body) const {
    for (int at = model_.robot.bodies[body].parent; at >= 0; at = model_.robot.bodies[at].parent)
      for (const LinkShapes& link : model_.links)
        if (link.body == at) return at;
    return -1;
  }

  void put_pairs(const std::set<LinkNames>& disabled) {
    const int count = static_cast<int>(model_.links.size());
    for (int i = 0; i < count; ++i) {
      const LinkShapes& one = model_.links[i];
      for (int j = i + 1; j < count; ++j) {
        const LinkShapes& other = model_.links[j];
        if (one.body == other.body || (one.body >= 0 && above(one.body) == other.body) ||
            (other.body >= 0 && above(other.body) == one.body) ||
            disabled.contains(std::minmax(one.name, other.name)))
          continue;
        model_.pairs.push_back({i, j, false});
      }
      for (int w = 0; one.body >= 0 && w < static_cast<int>(model_.world.size()); ++w)
        model_.pairs.push_back({i, w, true});
    }
  }

  /// Removes pairs that always collide and distances that never change.
  Result<Done> sort_out() {
    struct Tally {
      int meetings = 0, near = 0;
      bool is_free = false;  ///< they may meet, and need not
      double least = HUGE_VAL, most = 0;
    };
    std::vector<Tally> tallies(model_.pairs.size());
    RandomStream random(7);
    PairDistances distances(model_);
    const double near = kBuiltNear * options_.margin;
    for (int posture = 0; posture < kPostures; ++posture) {
      const auto poses = model_.poses(model_.random_posture(random));
      for (std::size_t i = 0; i < tallies.size(); ++i) {
        if (posture == kFewPostures && tallies[i].near < kFewPostures / 2 &&
            tallies[i].most >= near)
          tallies[i].is_free = true;
        if (tallies[i].is_free) continue;
        const double distance = distances.at_least(static_cast<int>(i), poses, near);
        tallies[i].meetings += distance > 0 ? 0 : 1;
        tallies[i].near += distance < options_.margin ? 1 : 0;
        tallies[i].least = std::min(tallies[i].least, distance);
        tallies[i].most = std::max(tallies[i].most, distance);
      }
    }
    std::vector<CollisionPair> kept;
    for (std::size_t i = 0; i < tallies.size(); ++i) {
      CollisionPair& pair = model_.pairs[i];
      pair.wanted = options_.margin;
      const Tally& tally = tallies[i];
      const std::string first = model_.first_name(pair), second = model_.second_name(pair);
      if (tally.is_free && tally.most - tally.least > kSame) {
        kept.push_back(pair);
      } else if (tally.meetings >= kNearlyAll * kPostures) {
        if (pair.with_world)
          return Error{model_.world[pair.second].is_floor ? "floor" : "obstacles",
                       second + " and the link " + first + " collide in " +
                           std::to_string(tally.meetings) + " of " + std::to_string(kPostures) +
                           " random postures",
                       "the robot is inside it: move it, or remove the object that the base is "
                       "mounted on"};
        note(first + " and " + second +
             " collide in nearly all postures: this pair is not checked");
      } else if (tally.most - tally.least <= kSame) {
        if (tally.least < options_.margin)
          note(first + " and " + second + " are " + number_text(tally.least, 3) +
               " m apart in every posture");
      } else {
        if (tally.near >= kNearlyAll * kPostures || (tally.near > 0 && tally.most < near)) {
          pair.wanted = std::min(kNotMeeting, options_.margin);
          note(first + " and " + second + " are closer than " + number_text(near, 3) +
               " m in nearly all postures: for this pair, only contact counts as a collision");
        }
        kept.push_back(pair);
      }
    }
    model_.pairs = kept;
    return Done{};
  }

  const ClearanceOptions& options_;
  CollisionModel model_;
};

}  // namespace

std::vector<Eigen::Isometry3d> CollisionModel::poses(const Eigen::VectorXd& position) const {
  std::vector<Eigen::Isometry3d> poses = body_poses(robot, position);
  poses.insert(poses.begin(), Eigen::Isometry3d::Identity());
  return poses;
}

std::vector<int> CollisionModel::coordinates_between(const CollisionPair& pair) const {
  std::vector<int> coordinates;
  int one = links[pair.first].body, other = pair.with_world ? -1 : links[pair.second].body;
  while (one != other) {
    int& outer = one > other ? one : other;
    const Body& body = robot.bodies[outer];
    if (body.coordinate >= 0) coordinates.push_back(body.coordinate);
    outer = body.parent;
  }
  return coordinates;
}

Eigen::VectorXd CollisionModel::random_posture(RandomStream& random) const {
  return Eigen::VectorXd::NullaryExpr(
      lower.size(), [&](Eigen::Index k) { return random.uniform(lower[k], upper[k]); });
}

Result<CollisionModel> make_collision_model(const Robot& robot, const ClearanceOptions& options,
                                            const Eigen::VectorXd& lower,
                                            const Eigen::VectorXd& upper) {
  return ModelMaker(robot, options, lower, upper).make();
}

double spheres_apart(const CollisionModel& model, const CollisionPair& pair,
                     const std::vector<Eigen::Isometry3d>& poses) {
  const LinkShapes& first = model.links[pair.first];
  const Eigen::Vector3d center = poses[first.body + 1] * first.center;
  if (pair.with_world) {
    const WorldSolid& solid = model.world[pair.second];
    Eigen::Vector3d slope;
    return solid.distance(center, slope) - first.reach;
  }
  const LinkShapes& second = model.links[pair.second];
  return (center - poses[second.body + 1] * second.center).norm() - first.reach - second.reach;
}

}  // namespace heft
