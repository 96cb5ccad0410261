// What the benchmarks of the solvers share: files of problems as problems.py and leg.py write them,
// little-endian int32 and float64, matrices row by row, and the layout of a robot that such a file
// describes by its sizes.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/model/robot.hpp"
#include "heft/moments/normal_equations.hpp"

namespace heft::bench {

/// Reads a file from its beginning; every function throws std::runtime_error where it ends early.
class ProblemFile {
 public:
  explicit ProblemFile(const std::string& path) : file_(path, std::ios::binary) {}

  std::string word(std::size_t length) {
    std::string text(length, ' ');
    read(text.data(), length);
    return text;
  }

  int integer() {
    std::int32_t value = 0;
    read(&value, sizeof value);
    return value;
  }

  double number() {
    double value = 0;
    read(&value, sizeof value);
    return value;
  }

  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns) {
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> values(rows, columns);
    read(values.data(), sizeof(double) * static_cast<std::size_t>(values.size()));
    return values;
  }

  /// Ten parameters a body.
  std::vector<BodyParameters> bodies(int count) {
    const Eigen::MatrixXd rows = matrix(count, 10);
    std::vector<BodyParameters> bodies;
    for (int i = 0; i < count; ++i) bodies.push_back(rows.row(i).transpose());
    return bodies;
  }

  /// G and b of so many parameters into `equations`.
  void put_system(int num_parameters, NormalEquations& equations) {
    equations.G = matrix(num_parameters, num_parameters);
    equations.b = matrix(num_parameters, 1);
  }

 private:
  void read(void* into, std::size_t size) {
    if (!file_.read(static_cast<char*>(into), static_cast<std::streamsize>(size)))
      throw std::runtime_error("file ends early");
  }

  std::ifstream file_;
};

/// Bodies, then columns that are not negative, as friction is.
inline ParameterLayout layout_of(int bodies, int columns) {
  ParameterLayout layout;
  for (int i = 0; i < bodies; ++i) {
    layout.bodies.push_back("body_" + std::to_string(i));
    layout.body_index.push_back(i);
  }
  for (int k = 0; k < columns; ++k) {
    layout.columns.emplace_back();
    layout.columns.back().name = "column_" + std::to_string(k);
    layout.columns.back().nonnegative = true;
  }
  return layout;
}

/// A row of `ellipsoids` (16 numbers) as the matrix of BoundingVolume.
inline Eigen::Matrix4d ellipsoid_of(const Eigen::MatrixXd& ellipsoids, int row) {
  const Eigen::Matrix<double, 16, 1> E = ellipsoids.row(row).transpose();
  return Eigen::Map<const Eigen::Matrix4d>(E.data());
}

/// The value, or its error as an exception that main prints.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

}  // namespace heft::bench
