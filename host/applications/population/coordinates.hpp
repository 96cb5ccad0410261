// The population's coordinates: bodies in congruence with a reference, columns in units of what is
// typical, x = x0 + S z.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "population/population.hpp"

namespace heft::population {

struct Coordinates {
  Eigen::VectorXd fixed;               ///< P: parameters of held bodies, else 0
  Eigen::MatrixXd S;                   ///< P x n
  std::vector<int> first;              ///< nb: place of a body's ten in z; -1: held
  std::vector<BodyParameters> metric;  ///< nb: the bodies whose L measures
  std::vector<int> column;             ///< place of a column in z; -1: without rows
  std::vector<int> group;              ///< n
  std::vector<std::string> groups;     ///< names: bodies, then kinds of columns
  Eigen::VectorXd unit;                ///< of every column

  int size() const { return static_cast<int>(group.size()); }
};

/// What a robot's logs say in these coordinates, rows counted by what they are worth.
struct LogInformation {
  Eigen::MatrixXd H;
  Eigen::VectorXd g;
};

/// About the references of the model's prior. One group a body and one a kind of columns.
Coordinates make_coordinates(const PopulationModel& model,
                             const std::vector<PopulationRobot>& robots);

LogInformation information_of(const PopulationRobot& robot, const Coordinates& coordinates,
                              double rows_worth_one);

/// The body whose coordinates begin at `first`, and parameters at `x`.
BodyParameters body_at(const Coordinates& coordinates, int first, int x, const Eigen::VectorXd& z);

}  // namespace heft::population
