// The objective in scaled coordinates x = S z, f(S z) = 1/2 z'Qz + c'z + constant of FORMULAS 2:
// what data add, what the prior does.
#pragma once

#include "heft/solve/problem.hpp"

namespace heft::solver {

struct Quadratic {
  Eigen::MatrixXd Q;
  Eigen::VectorXd c;
  double constant = 0;
};

/// `factor` |tau - Y x|^2 of sums over data: Q = 2 factor S'GS, c = -2 factor S'b, constant =
/// factor tau2; what stood in `f` goes. Variables past the parameters, of lifted bodies, have no
/// data.
void write_data(const RowSparseMatrix& S, const ParameterLayout& layout,
                const NormalEquations& data, double factor, Quadratic& f);

/// Adds the costs of bodies, without barriers and beliefs; columns have none here.
void add_prior_of_bodies(const ParameterLayout& layout, const Prior& prior, Quadratic& f);

/// All of it: Q, c, constant and barrier_weight of a problem whose data and prior are there.
void write_objective(const RowSparseMatrix& S, Problem& problem);

/// Beliefs as rows of data: v (x - c)^2 of the objective is N v (x - c)^2 of the sums.
NormalEquations with_beliefs(const ParameterLayout& layout, NormalEquations equations,
                             const Prior& prior);

}  // namespace heft::solver
