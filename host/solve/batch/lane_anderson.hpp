// Anderson acceleration (host/solve/anderson.hpp) with one fixed point per lane. Lanes forget on their own: a
// difference that a lane has dropped counts with weight zero there.
#pragma once

#include "lane_algebra.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

class LaneAnderson {
 public:
  static constexpr int kMemory = 10;

  explicit LaneAnderson(int size)
      : size_(size), df_(kMemory * size), dg_(kMemory * size), f_previous_(size), plain_previous_(size) {
    reset();
  }

  /// Forgets everything in all lanes.
  void reset() {
    for (Packs* packs : {&df_, &dg_, &f_previous_, &plain_previous_}) {
      for (auto& entry : *packs) entry.v = Pack{};
    }
    for (int k = 0; k < kMemory; ++k) {
      valid_[k] = Pack{};
      for (int l = 0; l < kMemory; ++l) gram_[k][l] = Pack{};
    }
    has_previous_ = accelerated_ = previous_norm2_ = Pack{};
    next_ = 0;
  }

  /// v <- next point of every lane, given f.
  void advance(Packs& v, const Packs& f) {
    Pack norm2{};
    for (int i = 0; i < size_; ++i) norm2 += f[i].v * f[i].v;

    // lanes whose accelerated point was worse go back to the plain one and forget
    const Mask rejected = (accelerated_ > 0) & ~(norm2 <= kGrowthAllowed * kGrowthAllowed * previous_norm2_);
    const Pack keep = rejected ? Pack{} : broadcast(1);
    for (int k = 0; k < kMemory; ++k) valid_[k] *= keep;

    // the newest difference; invalid where there is no previous point
    const Pack fresh = has_previous_ * keep;
    AlignedPack* df = df_.data() + next_ * size_;
    AlignedPack* dg = dg_.data() + next_ * size_;
    for (int i = 0; i < size_; ++i) {
      df[i].v = fresh * (f[i].v - f_previous_[i].v);
      dg[i].v = fresh * (v[i].v + f[i].v - plain_previous_[i].v);
    }
    valid_[next_] = fresh;
    for (int k = 0; k < kMemory; ++k) {
      Pack dot{};
      for (int i = 0; i < size_; ++i) dot += df[i].v * df_[k * size_ + i].v;
      gram_[next_][k] = gram_[k][next_] = dot;
    }
    next_ = (next_ + 1) % kMemory;

    Pack weights[kMemory];
    for (int k = 0; k < kMemory; ++k) {
      Pack dot{};
      for (int i = 0; i < size_; ++i) dot += df_[k * size_ + i].v * f[i].v;
      weights[k] = dot * valid_[k];
    }
    solve_small(weights);

    Pack used{};
    for (int k = 0; k < kMemory; ++k) used += valid_[k];
    for (int i = 0; i < size_; ++i) {
      const Pack plain = v[i].v + f[i].v;
      Pack next = plain;
      for (int k = 0; k < kMemory; ++k) next -= weights[k] * dg_[k * size_ + i].v;
      v[i].v = rejected ? plain_previous_[i].v : next;
      f_previous_[i].v = f[i].v;
      plain_previous_[i].v = plain;
    }
    // a rejected lane starts anew at the plain point, which has no f yet
    has_previous_ = keep;
    accelerated_ = (used > 0) & ~rejected ? broadcast(1) : Pack{};
    previous_norm2_ = norm2;
  }

 private:
  static constexpr double kRegularization = 1e-10;
  static constexpr double kGrowthAllowed = 2;

  // (Gram + regularisation) w = b by Cholesky; differences that a lane has dropped get the identity
  void solve_small(Pack* w) const {
    Pack A[kMemory][kMemory], trace{};
    for (int k = 0; k < kMemory; ++k) trace += valid_[k] * gram_[k][k];
    for (int k = 0; k < kMemory; ++k) {
      for (int l = 0; l <= k; ++l) A[k][l] = gram_[k][l] * valid_[k] * valid_[l];
      A[k][k] = valid_[k] > 0 ? A[k][k] + kRegularization * trace + 1e-300 : broadcast(1);
    }
    for (int j = 0; j < kMemory; ++j) {
      for (int k = 0; k < j; ++k) A[j][j] -= A[j][k] * A[j][k];
      // a pivot lost to rounding takes its difference out of play
      const Pack inverse = A[j][j] > 0 ? 1.0 / square_root(A[j][j] > 0 ? A[j][j] : broadcast(1)) : Pack{};
      A[j][j] = inverse;
      for (int i = j + 1; i < kMemory; ++i) {
        for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k];
        A[i][j] *= inverse;
      }
    }
    for (int i = 0; i < kMemory; ++i) {
      for (int k = 0; k < i; ++k) w[i] -= A[i][k] * w[k];
      w[i] *= A[i][i];
    }
    for (int i = kMemory - 1; i >= 0; --i) {
      for (int k = i + 1; k < kMemory; ++k) w[i] -= A[k][i] * w[k];
      w[i] *= A[i][i];
    }
  }

  int size_;
  int next_ = 0;
  Packs df_, dg_, f_previous_, plain_previous_;
  Pack gram_[kMemory][kMemory];
  Pack valid_[kMemory];  // 1 or 0 per lane, like the two below
  Pack has_previous_, accelerated_;
  Pack previous_norm2_;
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
