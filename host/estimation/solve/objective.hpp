// The objective in scaled coordinates x = S z, f(S z) = 1/2 z'Qz + c'z + constant of FORMULAS 2:
// the contributions of data and prior.
#pragma once

#include "heft/solve/problem.hpp"

namespace heft::solver {

struct Quadratic {
  Eigen::MatrixXd Q;
  Eigen::VectorXd c;
  double constant = 0;
};

/// Sets f to `factor` |tau - Y x|^2 from sums over data: Q = 2 factor S'GS, c = -2 factor S'b,
/// constant = factor tau2. Variables of lifted bodies, after the parameters, have no data.
void write_data(const RowSparseMatrix& S, const ParameterLayout& layout,
                const NormalEquations& data, double factor, Quadratic& f);

/// Adds the costs of bodies, without barriers and beliefs; does not include columns.
void add_prior_of_bodies(const ParameterLayout& layout, const Prior& prior, Quadratic& f);

/// Sets Q, c, constant and barrier_weight of a problem with data and prior.
void write_objective(const RowSparseMatrix& S, Problem& problem);

/// Adds beliefs as rows of data: v (x - c)^2 of the objective is N v (x - c)^2 of the sums.
NormalEquations with_beliefs(const ParameterLayout& layout, NormalEquations equations,
                             const Prior& prior);

}  // namespace heft::solver
