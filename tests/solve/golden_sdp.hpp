// The reference optima of golden/sdp as problems of Heft. Other code computed them in 256-bit
// arithmetic; see their README.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/model/parameter_layout.hpp"
#include "heft/moments/normal_equations.hpp"
#include "heft/solve/prior.hpp"
#include "heft/solve/problem.hpp"

namespace heft::test {

struct GoldenProblem {
  std::string name;  ///< "franka_panda/metric_1e-4", "p07", "i01"
  ParameterLayout layout;
  NormalEquations equations;
  std::vector<BodyParameters> references;
  PriorOptions prior;  ///< ridge 0, as in the reference
  Constraints constraints;
  bool has_extra_constraints = false;

  bool infeasible = false;
  std::vector<std::string> conflicts;  ///< of infeasible ones: names of the constraints that
                                       ///< contradict each other
  double objective = 0;
  double prior_term = 0;
  bool attained = true;  ///< false: the infimum is approached at infinity
  bool x_unique = false;
  Eigen::VectorXd x;
  int rank = 0;  ///< of the data
};

/// Directory of the golden answers: HEFT_GOLDEN, else the default beside the checkout; empty if
/// there is none.
std::string golden_directory();

std::vector<GoldenProblem> real_problems(const std::string& directory);
std::vector<GoldenProblem> synthetic_problems(const std::string& directory);

/// Problem of Heft. Throws on an Error.
Problem make(const GoldenProblem& golden);

}  // namespace heft::test
