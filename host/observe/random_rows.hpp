// Rows of single channels for random motions, for what the recursion does not answer: what one channel alone
// reveals, and joints whose screws are not constant. A plain regressor, a few lines of spatial algebra, for
// clarity not speed:
//
//   tau_c = sum over j in subtree  s_cj' (I(pi_j) a_j + v_j x* I(pi_j) v_j)
//
// where a_j is the spatial acceleration with that of a base accelerating against gravity, and s_cj the
// channel's screw in the frame of body j.
#pragma once

#include "heft/observe/observe.hpp"
#include "spatial.hpp"

namespace heft::identifiability {

/// num_samples rows of length one (zero rows stay zero) per channel, in one matrix of ten columns per body;
/// the base moves as the options say. Equal arguments give equal rows.
std::vector<Eigen::MatrixXd> random_rows(const Robot& robot, const std::vector<Channel>& channels,
                                         const ObserveOptions& options, int num_samples);

/// Basis of the span of rows, rank x columns: QR with column pivoting after scaling columns to length one.
Eigen::MatrixXd row_space(const Eigen::MatrixXd& rows, double tolerance);

}  // namespace heft::identifiability
