// The state of a search for a model: which configuration stands, how well it does, and what was tried.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cross_validation.hpp"
#include "heft/select/select_model.hpp"
#include "menu.hpp"

namespace heft::select {

class Search {
 public:
  explicit Search(IdentifyRequest request) : request_(std::move(request)) {}

  /// A pass over the samples of the configured model, which is where the search starts from.
  Result<Done> start();

  /// Forward selection over columns, all from the moments of one pass.
  Result<Done> add_columns();

  /// Lower and higher cut-offs on the motion, on the same rows and torques, a pass each; goes on only in the
  /// direction that does better.
  Result<Done> move_cutoff();

  /// A delay to either side, then the least of the parabola through the errors: three passes.
  Result<Done> move_delay();

  /// Rows through the torque's filter, position through a higher one: a pass for each of a few cut-offs.
  Result<Done> filter_rows();

  /// Huber's weights and the covariance of the channels, judged after one round each: three passes.
  Result<Done> weigh_by_residuals();

  /// Other prior weights, from the moments of the standing model.
  Result<Done> move_prior_weight();

  int num_steps() const { return static_cast<int>(selection_.steps.size()) - 1; }

  /// Judges the steps on the held-out logs, if there are any, and hands over.
  Result<Selection> finish();

 private:
  /// A model with what it finds, fold by fold.
  struct Trial {
    std::string option;
    Configuration configuration;
    Moments moments;  ///< of all training data
    std::vector<Fold> folds;
    std::vector<Eigen::VectorXd> weights;  ///< of the channels, one set a fold
    FoldErrors errors;
    Gain gain;  ///< over the standing model
  };
  /// Moments of many columns, from which models with fewer are cut out.
  struct Pool {
    TrainingData data;  ///< what models learn from
    std::vector<Fold> folds;
  };

  const EstimationOptions& options() const { return request_.configuration.estimation; }
  bool has_room() const { return num_steps() < request_.configuration.selection.max_steps; }
  bool is_worth_it(const Gain& gain, double standard_errors = 1) const;
  void refuse(const std::string& option, const Gain& gain, double standard_errors = 1);
  void accept(Trial trial);

  Result<Pool> pass(const Configuration& configuration);
  Result<Trial> evaluate(std::string option, Configuration configuration, Moments moments,
                         std::vector<Fold> folds);
  Result<Trial> try_pass(std::string option, const Configuration& configuration);
  Configuration with_cutoff(double cutoff_hz) const;
  Configuration with_filtered_rows(double cutoff_hz) const;

  Result<Configuration> with_load(Configuration configuration) const;
  Result<PlanPtr> plan_of(const Pool& pool, const Configuration& configuration) const;
  Result<bool> add_best_column(const Pool& pool, const std::vector<MenuItem>& menu);

  IdentifyRequest request_;
  Selection selection_;
  std::map<std::string, SelectionRefusal> refused_;  ///< by option, as it did last
  double rate_hz_ = 0;                               ///< lowest of the training logs
  Trial standing_;
};

}  // namespace heft::select
