// State of a model search: the current choice, its error, and the choices tested.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "divisions.hpp"
#include "heft/select/select_model.hpp"
#include "menu.hpp"

namespace heft::select {

/// Delay by which the torques of a trial move, and the range of the search [s].
inline constexpr double kDelayStep = 0.004, kMinDelay = -0.010, kMaxDelay = 0.020;
inline constexpr const char* kDelayName = "torque delay";  ///< of all joints, before its value

/// Returns whether the error is about logs that are too short for a fold.
bool is_about_folds(const Error& error);

/// Return the names of the steps that remove an addition, alone or for a better one.
std::string removal_name(const std::string& option);
std::string exchange_name(const std::string& option, const std::string& removed);
/// Returns whether a step has such a name: its option was tried as an addition, too.
bool is_revision(const std::string& option);

class Search {
 public:
  /// The request must have an executor.
  Search(IdentifyRequest request, ModelOptions model, SelectionOptions options)
      : request_(std::move(request)), model_(std::move(model)), options_(std::move(options)) {}

  /// Processes the samples of the configured model, from which the search starts, and chooses the
  /// weight of the prior.
  Result<Done> start();

  /// Whether the logs have long and short folds, so that more than the weight can be chosen.
  bool is_long_enough() const { return is_long_enough_; }

  /// Forward selection of columns, from the moments of one pass.
  Result<Done> add_columns();

  /// Tests lower and higher cutoffs of the motion on the same rows and torques, one pass each;
  /// continues only in the better direction.
  Result<Done> move_cutoff();

  /// Tests a delay in both directions, then the minimum of the parabola through the errors: three
  /// passes, and three more from a delay that is beyond those tested. A joint whose own parabola
  /// promises a gain takes up to three more.
  Result<Done> move_delay();

  /// Filters rows like the torque, with a higher cutoff for positions: one pass for each of a few
  /// cutoffs.
  Result<Done> filter_rows();

  /// Rows of momentum, compared below half the cutoff: two passes.
  Result<Done> choose_rows();

  /// Huber's weights and the covariance of the channels, tested after one round each: three passes.
  Result<Done> weigh_by_residuals();

  /// Other weights of the prior, from the moments of the current model.
  Result<Done> move_weight_of_prior();

  int num_steps() const { return static_cast<int>(selection_.steps.size()) - 1; }

  /// Tests the steps on the held-out logs, if any, and returns the result.
  Result<Selection> finish();

 private:
  /// A model with its results, fold by fold.
  struct Trial {
    std::string option;
    ModelChoice choice;
    Moments moments;  ///< of all training data
    std::vector<Fold> folds;
    std::vector<Eigen::VectorXd> weights;  ///< of the channels, one set per fold
    FoldErrors errors;
    StableGain gain;  ///< over the current model
  };
  /// Moments of many columns, from which models with fewer columns are extracted.
  struct Pool {
    std::vector<double> load_inertia;  ///< Model::load_inertia
    TrainingData data;                 ///< input of the models
    std::vector<Fold> folds;
  };

  /// A menu item that may be added, with the errors of the model that has it.
  struct Candidate {
    const MenuItem* item;
    FoldErrors errors;
  };

  const EstimationOptions& estimation() const { return request_.estimation; }
  StableGain over_standing(const FoldErrors& errors) const {
    return stable_gain(standing_.errors, errors, division_sizes(options_.folds));
  }
  Result<std::vector<FoldErrors>> cross_validated(
      const std::vector<FoldedModel>& models, const std::vector<Eigen::VectorXd>& weights) const;
  int num_threads() const { return request_.executor->num_threads(); }
  /// Whether the model may have one more addition.
  bool has_room() const;
  /// Whether another step of any kind may follow; bounds a search that adds and removes in turn.
  bool has_steps_left() const;
  double share_of_torque(const StableGain& gain) const;
  bool is_worth_it(const StableGain& gain, double standard_errors = 1) const;
  void refuse(const std::string& option, const StableGain& gain, double standard_errors = 1);
  void accept(Trial trial, const std::string& family = {});

  /// `torques`: folds of rows of torque at the same samples, if known.
  Result<Pool> pass(const ModelChoice& choice, const std::vector<Fold>* torques = nullptr);
  Result<std::vector<Fold>> torque_folds(const IdentifyRequest& tried, const Progress& progress);
  Result<Trial> evaluate(std::string option, ModelChoice choice, Moments moments,
                         std::vector<Fold> folds);
  Trial without_folds(std::string option, const ModelChoice& choice) const;
  Result<Trial> try_pass(std::string option, const ModelChoice& choice);
  /// Delays of single joints beside the common one; `earlier` and `later` are sums at kDelayStep
  /// before and after the current delay, `common` the errors of the best other delay of all joints,
  /// which the first delay of a joint must beat, too. Returns whether one was accepted.
  Result<bool> delay_joints(const Moments& earlier, const Moments& later,
                            const std::optional<FoldErrors>& common);
  ModelChoice with_cutoff(double cutoff_hz) const;
  Result<std::optional<Trial>> best_delay(std::vector<Moments>& sums);
  ModelChoice with_filtered_rows(double cutoff_hz) const;
  bool can_take_momentum() const;
  ModelChoice below_half_cutoff() const;

  Result<ModelOptions> with_load(ModelOptions model) const;
  Result<PlanPtr> plan_of(const Pool& pool, const ModelOptions& model) const;
  Result<Done> choose_weight_of_prior(const TrainingData& data);
  ModelChoice with_columns(const Pool& pool, const std::vector<MenuItem>& added) const;
  double needed_errors(const MenuItem& item) const;
  Result<Trial> from_pool(const Pool& pool, std::string option, const std::vector<MenuItem>& added);
  /// Candidates beside the additions, smallest error first, with the given weights of channels.
  Result<std::vector<Candidate>> ranked(const Pool& pool, const std::vector<MenuItem>& menu,
                                        const std::vector<MenuItem>& added,
                                        const std::vector<Eigen::VectorXd>& weights);
  Result<bool> add_best_column(const Pool& pool, const std::vector<MenuItem>& menu);
  /// Removes an addition that is no longer worth it beside the others, or exchanges it; not the
  /// last `num_new` ones.
  Result<bool> revise_columns(const Pool& pool, const std::vector<MenuItem>& menu,
                              std::size_t num_new);

  IdentifyRequest request_;
  ModelOptions model_;  ///< start of the search
  SelectionOptions options_;
  Selection selection_;
  std::vector<MenuItem> added_;  ///< of the current model, in the order of their additions
  std::map<std::string, SelectionRefusal> refused_;  ///< by option, most recent
  double rate_hz_ = 0;                               ///< lowest of the training logs
  bool is_long_enough_ = false;
  Trial standing_;
};

}  // namespace heft::select
