// Expectation maximization for the population's mean and scatter, from H and g of every robot
// (FORMULAS 10):
//
//   V_r = (H_r + D_r)^-1,  D_r = Sigma^-1          M_r = H_r - H_r V_r H_r = D_r - D_r V_r D_r
//   mu  = (sum M_r + Lambda_0)^-1 (sum (g_r - H_r V_r g_r) + Lambda_0 z_0)
//   m_r = V_r (g_r + D_r mu)
//   sigma_g^2 = mean over r, k in g of [V_r]_kk + (m_r - mu)_k^2
//
// Lambda_0 is 1 / lambda^2 on bodies, with lambda, the error of the robot file, estimated likewise.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "coordinates.hpp"

namespace heft::population {

/// Current estimate of the population.
struct Belief {
  Eigen::VectorXd mean;        ///< n
  Eigen::VectorXd variance;    ///< per group, of a robot about the mean
  Eigen::MatrixXd covariance;  ///< n x n, of the mean
  double file_variance = 0;    ///< lambda^2
};

/// The information of one robot, and the groups in which it does not belong to the population.
struct Member {
  LogInformation information;
  std::vector<bool> released;  ///< per group
};

/// Constants of all rounds.
struct PopulationLayout {
  std::vector<int> group;        ///< n
  std::vector<bool> is_of_body;  ///< n; the others are columns
  Eigen::VectorXd file;          ///< z_0
  int num_groups = 0;
};

/// Sums over members from which mean and scatter are computed; any member's contribution can be
/// subtracted.
struct Sums {
  Eigen::MatrixXd M;
  Eigen::VectorXd v;
  Eigen::VectorXd squares, counts;  ///< per group
};

/// Returns the initial estimate: the robot file's mean, with the scatter of an unknown quantity.
Belief starting_belief(const PopulationLayout& layout);

/// Runs one round; returns the new mean and scatter, and their sums.
Belief next_belief(const PopulationLayout& layout, const std::vector<Member>& members,
                   const Belief& before, int num_threads, Sums* sums);

/// Returns the estimate from the other members: the sums without the contribution of `member`,
/// evaluated at the estimate before the last round.
Belief belief_without(const PopulationLayout& layout, const Member& member,
                      const Belief& before_last, const Belief& last, const Sums& sums);

/// Contribution of a member relative to a mean: D, V, M and v = g - H V g.
struct MemberShare {
  Eigen::VectorXd D;
  Eigen::MatrixXd V, M;
  Eigen::VectorXd v;
};
MemberShare share_of(const PopulationLayout& layout, const Member& member, const Belief& belief);

}  // namespace heft::population
