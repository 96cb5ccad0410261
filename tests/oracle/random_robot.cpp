#include "tests/oracle/random_robot.hpp"

namespace heft::oracle {

BodyParameters parameters_of_spread_mass(double mass, const Eigen::Vector3d& com,
                                         const Eigen::Matrix3d& covariance) {
  const Eigen::Matrix3d sigma = mass * (covariance + com * com.transpose());
  const Eigen::Matrix3d I = sigma.trace() * Eigen::Matrix3d::Identity() - sigma;
  BodyParameters pi;
  pi << mass, mass * com, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
  return pi;
}

BodyParameters random_parameters(Random& random, double smallest_mass, double largest_mass,
                                 double size) {
  const double mass = random.log_uniform(smallest_mass, largest_mass);
  const Eigen::Vector3d com = size * random.normal3();
  const Eigen::Matrix3d axes = random.rotation();
  Eigen::Vector3d semi_axes;
  for (double& s : semi_axes) s = size * random.log_uniform(0.2, 2);
  const Eigen::Matrix3d covariance = axes * semi_axes.cwiseAbs2().asDiagonal() * axes.transpose();
  return parameters_of_spread_mass(mass, com, covariance);
}

BodyParameters random_symmetric_parameters(Random& random, const Eigen::Vector3d& axis) {
  const double mass = random.log_uniform(0.02, 0.5);
  const Eigen::Vector3d com = 0.02 * random.normal() * axis;
  const double along = random.log_uniform(0.005, 0.03), across = random.log_uniform(0.005, 0.03);
  const Eigen::Matrix3d axial = axis * axis.transpose();
  const Eigen::Matrix3d covariance =
      along * along * axial + across * across * (Eigen::Matrix3d::Identity() - axial);
  return parameters_of_spread_mass(mass, com, covariance);
}

namespace {

/// Draws one robot; the parts below are its private steps.
class RandomRobotMaker {
 public:
  RandomRobotMaker(const RandomRobotOptions& options, std::uint64_t seed)
      : options_(options), random_(seed) {
    robot_.name = "random_" + std::to_string(seed);
    robot_.floating_base = options.floating_base;
    if (options.random_gravity) {
      const double magnitude = random_.uniform(1, 15);
      robot_.gravity = magnitude * random_.direction();
    }
  }

  Robot make() {
    std::vector<int> stack{-1};  // the last link and its ancestors: where the next may hang
    if (options_.floating_base) {
      add_floating_root();
      stack = {0};
    }
    const int num_links = random_.integer(options_.min_bodies, options_.max_bodies);
    for (int i = 0; i < num_links; ++i) {
      while (stack.size() > 1 && random_.chance(options_.branching)) stack.pop_back();
      int parent = stack.back();
      if (random_.chance(options_.massless)) {
        parent = add_link(parent, false);
        stack.push_back(parent);
      }
      stack.push_back(add_link(parent, true));
    }
    return robot_;
  }

 private:
  void add_floating_root() {
    Body root;
    root.name = "root";
    root.type = JointType::rigid;
    root.prior = random_parameters(random_);
    robot_.bodies.push_back(root);
  }

  // a joint with the body that it moves, and perhaps its rotor before it; returns the body's index
  int add_link(int parent, bool has_parameters) {
    Body link;
    const std::string number = std::to_string(100 + num_joints_++);
    link.name = "link" + number;
    link.joint = "joint" + number;
    link.parent = parent;
    link.type =
        options_.joint_types[random_.integer(0, static_cast<int>(options_.joint_types.size()) - 1)];
    link.X_parent_body = placement();
    link.axis = axis();
    if (link.type == JointType::helical)
      link.pitch = random_.sign() * random_.log_uniform(0.01, 0.3);
    link.has_parameters = has_parameters;
    if (has_parameters) link.prior = random_parameters(random_);

    if (robot_.num_coordinates() > 0 && random_.chance(options_.mimics)) {
      link.coordinate = random_.integer(0, robot_.num_coordinates() - 1);
      link.ratio = random_.sign() * random_.uniform(0.3, 2);
      link.offset = random_.uniform(-1, 1);
    } else {
      link.coordinate = add_coordinate(link);
      if (random_.chance(options_.rotors)) add_rotor(link);
    }
    robot_.bodies.push_back(link);
    return robot_.num_bodies() - 1;
  }

  int add_coordinate(const Body& link) {
    Coordinate coordinate;
    coordinate.name = link.joint;
    coordinate.is_angle = link.type != JointType::prismatic;
    coordinate.upper = coordinate.is_angle ? 3 : 0.5;
    coordinate.lower = -coordinate.upper;
    coordinate.max_velocity = coordinate.is_angle ? 5 : 1;
    coordinate.max_effort = 500;
    robot_.coordinates.push_back(coordinate);
    return robot_.num_coordinates() - 1;
  }

  void add_rotor(const Body& driven) {
    Body rotor;
    rotor.name = "rotor_" + driven.joint;
    rotor.joint = driven.joint;
    rotor.parent = driven.parent;
    rotor.X_parent_body = placement();
    rotor.axis = axis();
    rotor.coordinate = driven.coordinate;
    rotor.ratio = random_.sign() * random_.log_uniform(1, 150);
    rotor.is_rotor = true;
    rotor.symmetric = random_.chance(options_.symmetric_rotors);
    rotor.prior = rotor.symmetric ? random_symmetric_parameters(random_, rotor.axis)
                                  : random_parameters(random_, 0.02, 0.5, 0.02);
    robot_.bodies.push_back(rotor);
  }

  Eigen::Vector3d axis() {
    if (!random_.chance(options_.aligned)) return random_.direction();
    const double sign = random_.sign();
    return sign * Eigen::Vector3d::Unit(random_.integer(0, 2));
  }

  Eigen::Isometry3d placement() {
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = random_.chance(options_.aligned) ? quarter_turns() : random_.rotation();
    X.translation() = 0.3 * random_.normal3();
    return X;
  }

  // exact entries 0 and +-1: the placements where structural zeros show
  Eigen::Matrix3d quarter_turns() {
    const int i = random_.integer(0, 2), j = (i + random_.integer(1, 2)) % 3;
    Eigen::Matrix3d R;
    R.col(0) = random_.sign() * Eigen::Vector3d::Unit(i);
    R.col(1) = random_.sign() * Eigen::Vector3d::Unit(j);
    R.col(2) = R.col(0).cross(R.col(1));
    return R;
  }

  RandomRobotOptions options_;
  Random random_;
  Robot robot_;
  int num_joints_ = 0;
};

}  // namespace

Robot random_robot(const RandomRobotOptions& options, std::uint64_t seed) {
  return RandomRobotMaker(options, seed).make();
}

}  // namespace heft::oracle
