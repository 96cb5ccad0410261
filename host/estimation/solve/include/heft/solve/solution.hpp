// The answer of a solver, with how it was reached. Every status but `optimal` comes with a reason.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class SolveStatus {
  optimal,        ///< certified gap and violation within tolerance
  inaccurate,     ///< progress ended before the tolerance; close to optimal, see gap
  not_converged,  ///< iteration limit
  infeasible,     ///< the constraints contradict each other; see conflicts
  failed,         ///< numbers broke down
};

enum class SolveMethod {
  automatic,
  admm,
  interior_point,
  semismooth_newton,  ///< of plain problems, chosen by itself: in answers, not in options
};

struct IterationRecord {
  int iteration = 0;
  double objective = 0;  ///< primal objective, pure numbers
  double gap = 0;        ///< relative to the residual cost, FORMULAS 2
  double violation = 0;  ///< largest violation of a cone, scaled coordinates
  double parameter = 0;  ///< penalty of the ADMM, barrier parameter of the interior point method
};

struct Solution {
  SolveStatus status = SolveStatus::failed;
  SolveMethod method = SolveMethod::automatic;  ///< the one that produced the answer
  bool by_device = false;                       ///< in a batch; else the CPU
  std::string reason;                           ///< in plain words

  /// Physical parameters, the first ParameterLayout::num_parameters() numbers; then the lifted
  /// part.
  Eigen::VectorXd x;
  Eigen::VectorXd multipliers;           ///< physical dual of A x + a in K, svec blocks
  Eigen::VectorXd equality_multipliers;  ///< physical dual of E x = e

  Eigen::VectorXd y;       ///< solver coordinates, for warm starts
  Eigen::VectorXd lambda;  ///< multipliers in solver coordinates

  double objective = 0;  ///< primal objective at x, pure numbers
  double gap = 0;        ///< the solver's own; Certificate recomputes it from physical data
  int iterations = 0;
  int factorizations = 0;
  std::vector<IterationRecord> history;
  /// Names of the constraints that contradict each other, if infeasible.
  std::vector<std::string> conflicts;
};

// in the words of result.json and its readers
template <>
struct EnumNames<SolveStatus> {
  static constexpr EnumName<SolveStatus> kList[] = {{SolveStatus::optimal, "optimal"},
                                                    {SolveStatus::inaccurate, "inaccurate"},
                                                    {SolveStatus::not_converged, "not converged"},
                                                    {SolveStatus::infeasible, "infeasible"},
                                                    {SolveStatus::failed, "failed"}};
};

template <>
struct EnumNames<SolveMethod> {
  static constexpr EnumName<SolveMethod> kList[] = {
      {SolveMethod::automatic, "auto"},
      {SolveMethod::admm, "admm"},
      {SolveMethod::interior_point, "interior point"},
      {SolveMethod::semismooth_newton, "semismooth Newton"}};
};

}  // namespace heft
#pragma GCC visibility pop
