// Sums for the evidence of a jump of each hypothesis at one onset, against constant parameters.
//
// Residuals are z = s'beta + noise of variance 1 with beta ~ N(prior, 1), in the units of the
// hypotheses: all hypotheses together span the errors of the identified parameters. M = 1 + A and b
// are sums over everything except the blocks in which the change would begin, A_w and b_w those of
// the window after them:
//
//   beta = M^-1 (b + prior)     J_h = A_w,hh - A_w,h M^-1 A_w,h'     g_h = b_w,h - A_w,h beta
//
// With J_h and g_h, evidence_of() gives the ratio of likelihoods with and without a jump
// theta_h ~ N(0, 1) in the window, with beta integrated out of both [Willsky and Jones 1976].
// Motion for which the past does not determine beta is no evidence. The work is divided into
// pieces, because push() must be short.
#pragma once

#include <vector>

#include "block_sums.hpp"
#include "hypotheses.hpp"

namespace heft::watch {

class JumpRatios {
 public:
  static constexpr int kOnsetBlocks = 3;

  /// Allocates all memory. `hypotheses` must outlive this object and stay in place.
  explicit JumpRatios(const Hypotheses& hypotheses);

  /// Copies the sums over everything and `prior`.
  void begin(const BlockSums& sums, const std::vector<double>& prior);
  /// Notes that a block was closed since begin(), so that the ages of the others grew by one.
  void note_closed_block() { ++shift_; }
  /// Starts a window of the blocks that were newest at begin(); 0: beta of everything, no window.
  void choose(int num_blocks);
  /// Does a piece of work. Returns true when the window is done.
  bool advance(const BlockSums& sums);
  /// Returns the largest number of pieces for a window that is `more` blocks longer than the last.
  int num_pieces(int more) const { return more + 2 * size_ + 3; }

  // of the window that is done
  int num_blocks() const { return num_blocks_; }
  const std::vector<double>& beta() const { return beta_; }
  /// J packed and g, as evidence_of() takes them.
  const double* sums_of(const Hypothesis& h) const { return jumps_.data() + h.first_sum; }
  double squares() const { return squares_; }  ///< sum of squares of z - s'beta in the window
  double count() const { return count_; }      ///< of z
  /// Age of the newest of the blocks in which the change would begin.
  int onset_age() const { return num_blocks_ + 1 + shift_; }

  /// Continues after a jump `size` of h: sets `estimates` to those since the onset and returns
  /// their information, A packed, without the former information about h.
  const std::vector<double>& jump(const Hypothesis& h, const double* size, double kept,
                                  std::vector<double>& estimates);

  template <class Archive>
  void visit(Archive& archive) {
    for (std::vector<double>* values :
         {&all_, &prior_, &products_, &right_, &factor_, &window_, &beta_, &columns_, &jumps_})
      archive(*values);
    archive(stage_), archive(at_), archive(hypothesis_), archive(shift_), archive(num_blocks_),
        archive(num_summed_), archive(sum_of_squares_), archive(squares_), archive(count_);
  }

 private:
  enum Stage : int { kWindow, kCopy, kFactor, kSolve, kColumns, kDone };

  void add_block(const BlockSums& sums);
  void copy(const BlockSums& sums);
  void factor_row(int i);
  void solve();
  void subtract_beta();
  void put_column(int signature, double* column) const;
  void finish_hypothesis(const Hypothesis& h);
  void forward(double* x) const;
  void backward(double* x) const;
  double window_entry(int i, int j) const;
  void forget(const Hypothesis& h);
  double past_entry(int i, int j) const;

  const Hypotheses& hypotheses_;
  int size_;
  std::vector<double> all_, prior_;       ///< at begin(): A packed, then b
  std::vector<double> products_, right_;  ///< without the blocks of the onset
  std::vector<double> factor_;            ///< lower, packed, of 1 + products_
  std::vector<double> window_;            ///< A_w packed, then b_w
  std::vector<double> beta_, columns_, jumps_;
  int stage_ = kDone, at_ = 0, hypothesis_ = 0;
  int shift_ = 0, num_blocks_ = 0, num_summed_ = 0;
  double sum_of_squares_ = 0, squares_ = 0, count_ = 0;
};

}  // namespace heft::watch
