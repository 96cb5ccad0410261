// Semismooth Newton method on a pack of plain problems, whose slacks are variables. It solves
//
//   Q y + c = lambda,   lambda = rho (projection(v) - v),   v = y - lambda / rho
//
// for y and lambda by Newton steps with the generalised derivative of the projection on K [Sun & Sun 2002]:
//
//   s = projection(v),   lambda+ = rho (s - v)
//   (Q + W) dy = T,   y <- y + dy,   lambda <- lambda + T - W dy
//
// In the eigenbasis of a block of v, D = (p_i + p_j) / (|e_i| + |e_j|) with the positive parts p of the
// eigenvalues e, but no less than kMinSlope; T = (lambda+ - lambda) / D and W = rho (1 / D - 1). A block inside
// the cone has D = 1 and W = 0. The start, W = 0 and lambda = 0, is the unconstrained minimiser of the objective: often
// the answer already, else a handful of steps away. s and lambda+ are in the cone and its dual, so their gap is a
// bound wherever the steps lead; nothing forces them to converge, and what they do not finish goes to another method.
//
// The same on a device: Semismooth, kernels/solve/semismooth.hpp; tests hold the answers of both together.
#pragma once

#include "lane_block.hpp"
#include "lane_objective.hpp"
#include "lane_prefetch.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

class LaneSemismooth {
 public:
  /// Takes all memory.
  LaneSemismooth(const PlainShape& shape, LaneObjective& objective)
      : shape_(shape),
        objective_(objective),
        factor_(shape.num_variables),
        bodies_(shape.num_psd4, Body{}),
        rows_(shape.num_conic - 10 * shape.num_psd4, Row{}) {
    for (Packs* packs : {&y_, &dy_, &point_, &inverse_}) packs->assign(factor_.padded(), AlignedPack{Pack{}});
    for (Packs* packs : {&lambda_, &lambda_next_, &pull_})
      packs->assign(shape.num_conic, AlignedPack{Pack{}});
  }

  /// Iterates from the unconstrained minimiser of the objective. Lanes that are done, failed or out of steps take
  /// the next problem, several at a time.
  void run(const PlainProblem* problems, int count, const PlainOptions& options, PlainAnswer* answers) {
    int next = 0, member[kPack], active = 0;
    prefetch_ = {};
    for (int& k : member) k = -1;  // no problem
    while (next < count || active > 0) {
      Mask fresh{};
      if (next < count && active <= kMin) {
        fresh = take(problems, count, next, member);
        active = 0;
        for (const int k : member) active += k >= 0;
      }
      advance(fresh, [&] { prefetch_.ask(problems, next, count, shape_.num_variables); });
      split();
      objective_.evaluate(point_, lambda_next_, options.gap_tolerance);
      for (int l = 0; l < kPack; ++l) {
        if (member[l] < 0) continue;
        PlainAnswer& answer = answers[member[l]];
        ++answer.semismooth_steps;
        const double gap = objective_.relative_gap()[l];
        answer.converged = gap <= options.gap_tolerance;
        const bool failed = !std::isfinite(gap) || answer.semismooth_steps >= options.max_semismooth_steps;
        if (!answer.converged && !failed) continue;
        if (answer.converged) write(l, answer);
        member[l] = -1;
        --active;
      }
    }
  }

 private:
  static constexpr double kMinSlope = 1e-6;
  // lanes at work that a refill waits for: it costs about as much for one lane as for all
  static constexpr int kMin = 5 * kPack / 8;

  // what the split of a block leaves for the step
  struct Body {
    Block V;             // rows: eigenvectors of v
    Pack curvature[10];  // W in the eigenbasis, by kPlace
    Pack saved[55];      // lower triangle of the block of Q
  };
  struct Row {
    Pack curvature, saved;
  };

  int first_row() const { return 10 * shape_.num_psd4; }

  // fills free lanes; in the first pack, lanes without a problem of their own repeat the first one
  Mask take(const PlainProblem* problems, int count, int& next, int (&member)[kPack]) {
    const bool first = next == 0;
    const PlainProblem* lane[kPack] = {};
    Mask fresh{};
    for (int l = 0; l < kPack; ++l) {
      if (member[l] >= 0 || (next == count && !first)) continue;
      lane[l] = &problems[0];
      if (next < count) {
        member[l] = next;
        lane[l] = &problems[next++];
      }
      fresh[l] = -1;
      penalty_[l] = lane[l]->penalty;
    }
    objective_.load(lane, fresh);
    return fresh;
  }

  void write(int l, PlainAnswer& answer) const {
    answer.objective = objective_.objective()[l];
    answer.gap = objective_.relative_gap()[l];
    for (int i = 0; i < shape_.num_variables; ++i) answer.y[i] = point_[i].v[l];
    for (int i = 0; i < shape_.num_conic; ++i) answer.lambda[i] = lambda_next_[i].v[l];
  }

  // s, lambda+, T and W
  void split() {
    for (std::size_t i = 0; i < y_.size(); ++i) point_[i].v = y_[i].v;
    for (int block = 0; block < shape_.num_psd4; ++block) split_block(block);
    for (int i = first_row(); i < shape_.num_conic; ++i) {
      const Pack v = y_[i].v - lambda_[i].v / penalty_;
      point_[i].v = maximum(v, Pack{});
      lambda_next_[i].v = penalty_ * (point_[i].v - v);
      const Pack inverse = v > 0 ? broadcast(1) : broadcast(1 / kMinSlope);
      pull_[i].v = inverse * (lambda_next_[i].v - lambda_[i].v);
      rows_[i - first_row()].curvature = penalty_ * (inverse - 1.0);
    }
  }

  void split_block(int block) {
    const int begin = 10 * block;
    AlignedPack *s = &point_[begin], *next = &lambda_next_[begin], *pull = &pull_[begin];
    const AlignedPack* lambda = &lambda_[begin];
    Body& body = bodies_[block];
    AlignedPack v[10];
    for (int k = 0; k < 10; ++k) v[k].v = y_[begin + k].v - lambda[k].v / penalty_;
    const Block M = smat(v);
    const Mask inside = is_positive_definite(M);
    if (!any(~inside)) {
      for (int k = 0; k < 10; ++k) {
        s[k].v = v[k].v;
        next[k].v = Pack{};
        pull[k].v = -lambda[k].v;
        body.curvature[k] = Pack{};
      }
      body.V = Block{};
      return;
    }
    const Eigen4 eigen(M);
    Pack positive[4], multiplier[4], size[4];
    for (int i = 0; i < 4; ++i) {
      positive[i] = maximum(eigen.e[i], Pack{});
      multiplier[i] = penalty_ * (positive[i] - eigen.e[i]);
      size[i] = magnitude(eigen.e[i]);
    }
    eigen.compose(positive, s);
    eigen.compose(multiplier, next);
    body.V = eigen.V;
    // T in the eigenbasis, where lambda+ is diagonal
    Block T = product(product(eigen.V, smat(lambda)), transposed(eigen.V));
    for (int j = 0; j < 4; ++j) {
      for (int i = j; i < 4; ++i) {
        const Pack slope = (positive[i] + positive[j]) / (size[i] + size[j] + 1e-300);
        const Pack inverse = 1.0 / maximum(slope, broadcast(kMinSlope));
        T.at[i][j] = inverse * ((i == j ? multiplier[i] : Pack{}) - T.at[i][j]);
        T.at[j][i] = T.at[i][j];
        body.curvature[kPlace[i][j]] = inside ? Pack{} : penalty_ * (inverse - 1.0);
      }
    }
    svec(product(product(transposed(eigen.V), T), eigen.V), pull);
    for (int k = 0; k < 10; ++k) {
      s[k].v = inside ? v[k].v : s[k].v;
      next[k].v = inside ? Pack{} : next[k].v;
      pull[k].v = inside ? -lambda[k].v : pull[k].v;
    }
  }

  // the step; to the unconstrained minimiser in lanes that are fresh, whose W is zero
  template <class Meanwhile>
  void advance(Mask fresh, Meanwhile&& meanwhile) {
    // what the problem before has left in a lane may be NaN, which no factor of zero would hide
    for (Body& body : bodies_) {
      for (auto& curvature : body.curvature) curvature = fresh ? Pack{} : curvature;
      for (auto& row : body.V.at) {
        for (auto& entry : row) entry = fresh ? Pack{} : entry;
      }
    }
    for (Row& row : rows_) row.curvature = fresh ? Pack{} : row.curvature;
    factorize(meanwhile);
    for (std::size_t i = 0; i < dy_.size(); ++i) dy_[i].v = fresh ? -objective_.c()[i].v : Pack{};
    for (int i = 0; i < shape_.num_conic; ++i) {
      pull_[i].v = fresh ? Pack{} : pull_[i].v;
      lambda_[i].v = fresh ? Pack{} : lambda_[i].v;
      dy_[i].v += pull_[i].v;
    }
    if (any(fresh)) objective_.set_factor(factor_, inverse_, fresh);
    solve_forward(factor_, inverse_, dy_);
    solve_backward(factor_, inverse_, dy_);
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i].v = (fresh ? Pack{} : y_[i].v) + dy_[i].v;
    for (int block = 0; block < shape_.num_psd4; ++block) {
      const Body& body = bodies_[block];
      const int begin = 10 * block;
      Block step = product(product(body.V, smat(&dy_[begin])), transposed(body.V));
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) step.at[i][j] *= body.curvature[kPlace[i][j]];
      }
      AlignedPack back[10];
      svec(product(product(transposed(body.V), step), body.V), back);
      for (int k = 0; k < 10; ++k) lambda_[begin + k].v += pull_[begin + k].v - back[k].v;
    }
    for (int i = first_row(); i < shape_.num_conic; ++i)
      lambda_[i].v += pull_[i].v - rows_[i - first_row()].curvature * dy_[i].v;
  }

  // Q + W, whose curvature stands in Q for the moment, so that there is one matrix less to keep in cache
  template <class Meanwhile>
  void factorize(Meanwhile&& meanwhile) {
    LowerTiles& Q = objective_.Q();
    for (int block = 0; block < shape_.num_psd4; ++block) add_curvature(bodies_[block], 10 * block);
    for (int i = first_row(); i < shape_.num_conic; ++i) {
      Row& row = rows_[i - first_row()];
      row.saved = Q.at(i, i);
      Q.at(i, i) += row.curvature;
    }
    cholesky(Q, factor_, inverse_, meanwhile);
    for (int block = 0; block < shape_.num_psd4; ++block) {
      for (int a = 0, t = 0; a < 10; ++a) {
        for (int b = 0; b <= a; ++b, ++t) Q.at(10 * block + a, 10 * block + b) = bodies_[block].saved[t];
      }
    }
    for (int i = first_row(); i < shape_.num_conic; ++i) Q.at(i, i) = rows_[i - first_row()].saved;
  }

  // sum over pairs of eigenvectors of curvature u u', u = svec of their symmetric product
  void add_curvature(Body& body, int begin) {
    Pack sum[55] = {};
    for (int q = 0; q < 4; ++q) {
      for (int p = q; p < 4; ++p) {
        Pack u[10], weighted[10];
        for (int j = 0; j < 4; ++j) {
          for (int i = j; i < 4; ++i) {
            const double scale = (p == q ? 1 : 1 / kSqrt2) * (i == j ? 1 : kSqrt2);
            u[kPlace[i][j]] =
                p == q ? scale * body.V.at[p][i] * body.V.at[p][j]
                       : scale * (body.V.at[p][i] * body.V.at[q][j] + body.V.at[p][j] * body.V.at[q][i]);
          }
        }
        for (int k = 0; k < 10; ++k) weighted[k] = body.curvature[kPlace[p][q]] * u[k];
        for (int a = 0, t = 0; a < 10; ++a) {
          for (int b = 0; b <= a; ++b, ++t) sum[t] += weighted[a] * u[b];
        }
      }
    }
    for (int a = 0, t = 0; a < 10; ++a) {
      for (int b = 0; b <= a; ++b, ++t) {
        Pack& entry = objective_.Q().at(begin + a, begin + b);
        body.saved[t] = entry;
        entry += sum[t];
      }
    }
  }

  PlainShape shape_;
  LaneObjective& objective_;
  LowerTiles factor_;
  std::vector<Body> bodies_;
  std::vector<Row> rows_;
  Packs inverse_;
  Packs y_, dy_, point_;
  Packs lambda_, lambda_next_, pull_;
  Pack penalty_{};
  LanePrefetch prefetch_;
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
