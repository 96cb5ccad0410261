// Coordinates of the population: bodies in congruence with a reference, columns in units of their
// typical size, x = x0 + S z.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "population/population.hpp"

namespace heft::population {

struct Coordinates {
  Eigen::VectorXd fixed;               ///< P: parameters of held bodies, else 0
  Eigen::MatrixXd S;                   ///< P x n
  std::vector<int> first;              ///< nb: index of a body's ten coordinates in z; -1: held
  std::vector<BodyParameters> metric;  ///< nb: the bodies whose L defines the metric
  std::vector<int> column;             ///< index of a column in z; -1: without rows
  std::vector<int> group;              ///< n
  std::vector<std::string> groups;     ///< names: bodies, then kinds of columns
  Eigen::VectorXd unit;                ///< unit of every column

  int size() const { return static_cast<int>(group.size()); }
};

/// Information from a robot's logs in these coordinates, with rows weighted by their worth.
struct LogInformation {
  Eigen::MatrixXd H;
  Eigen::VectorXd g;
};

/// Uses the references of the model's prior. One group per body and one per kind of columns.
Coordinates make_coordinates(const PopulationModel& model,
                             const std::vector<PopulationRobot>& robots);

LogInformation information_of(const PopulationRobot& robot, const Coordinates& coordinates,
                              double rows_worth_one);

/// Returns the body whose coordinates begin at `first`, for parameters `x`.
BodyParameters body_at(const Coordinates& coordinates, int first, int x, const Eigen::VectorXd& z);

}  // namespace heft::population
