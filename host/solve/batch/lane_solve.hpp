// Problems of one shape from load to answer: the semismooth Newton method, whose lanes take one problem after the
// other; then, pack by pack, ADMM or the interior point method for those without an answer.
#pragma once

#include <optional>

#include "lane_admm.hpp"
#include "lane_interior_point.hpp"
#include "lane_semismooth.hpp"
#include "lane_solver.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

class LanePacksOf final : public LanePacks {
 public:
  explicit LanePacksOf(const PlainShape& shape) : shape_(shape), objective_(shape) {}

  void solve(const PlainProblem* problems, int count, const PlainOptions& options,
             PlainAnswer* answers) override {
    if (options.max_semismooth_steps > 0) {
      if (!semismooth_) semismooth_.emplace(shape_, objective_);
      semismooth_->run(problems, count, options, answers);
    }
    if (options.max_admm_iterations == 0 && options.max_newton_steps == 0) return;
    int members[kPack], used = 0;
    for (int k = 0; k < count; ++k) {
      if (!answers[k].converged) members[used++] = k;
      if (used == kPack || (used > 0 && k == count - 1)) {
        solve_pack(problems, members, used, options, answers);
        used = 0;
      }
    }
  }

 private:
  void solve_pack(const PlainProblem* problems, const int* members, int used, const PlainOptions& options,
                  PlainAnswer* answers) {
    const PlainProblem* lane[kPack];
    PlainAnswer* answer[kPack];
    for (int l = 0; l < kPack; ++l) {  // empty lanes repeat the first problem
      lane[l] = &problems[members[l < used ? l : 0]];
      answer[l] = &answers[members[l < used ? l : 0]];
    }
    objective_.load(lane, ~Mask{});
    objective_.factorize();
    if (options.max_admm_iterations > 0) {
      if (!admm_) admm_.emplace(shape_, objective_);
      admm_->load(lane);
      admm_->run(options, used, answer);
    }
    if (options.max_newton_steps > 0) {
      if (!interior_point_) interior_point_.emplace(shape_, objective_);
      interior_point_->run(lane, options, used, answer);
    }
  }

  PlainShape shape_;
  LaneObjective objective_;
  // made when they are needed first: each takes as much memory as a processor's cache
  std::optional<LaneSemismooth> semismooth_;
  std::optional<LaneAdmm> admm_;
  std::optional<LaneInteriorPoint> interior_point_;
};

inline std::unique_ptr<LanePacks> make_packs(const PlainShape& shape) {
  return std::make_unique<LanePacksOf>(shape);
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
