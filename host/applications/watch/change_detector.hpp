// Finds the change of the robot that explains the residuals of its model, if any, and its onset.
//
// The detector samples the residuals in steps of about half a period of the low-pass and whitens
// them by an AR(1) model of each channel. It sums their products with the effect of every
// hypothesis over blocks of three steps (block_sums.hpp). Every five blocks it compares each
// hypothesis with "nothing changed" for a list of onsets (jump_ratios.hpp). It reports a change
// when its evidence reaches
//
//   log E >= log(blocks per day * hypotheses / false alarms per day)
//
// By Ville's inequality and the union over onsets and hypotheses, the expected number of false
// alarms per day is then at most the requested one, if the whitened residuals are normal and the
// errors of the parameters are within their prior. Real residuals rarely are. The detector
// therefore divides the evidence, window by window, by the ratio of observed to expected scatter of
// the sums of a hypothesis.
//
// Errors of the identified parameters are part of the model: the detector estimates them
// continuously, with a memory of track_s, and their uncertainty is no evidence for a change.
#pragma once

#include <vector>

#include "block_sums.hpp"
#include "evidence.hpp"
#include "hypotheses.hpp"
#include "jump_ratios.hpp"
#include "residual_noise.hpp"
#include "watch/watcher.hpp"

namespace heft::watch {

class ChangeDetector {
 public:
  /// Allocates all memory. `step_s`: time between steps; `step_samples`: samples between them,
  /// above 1.
  ChangeDetector(const WatchModel& model, const WatchOptions& options, std::vector<char> is_used,
                 double step_s, long long step_samples);

  /// Takes a step: rows of the state, predicted torques and residuals (measured minus predicted).
  /// `time` [s] is that of the state.
  void step(double time, const SampleRows& rows, const double* position, const double* velocity,
            const double* acceleration, const double* predicted, const double* residual);
  /// Does a part of the comparison, at every sample. Appends to `events` without allocating.
  void advance(double time, std::vector<WatchEvent>& events);

  /// Notes missing samples: the next step is not compared with the last.
  void interrupt() { has_before_ = false; }

  static constexpr std::size_t kMostEvents = 4;  ///< per step

  template <class Archive>
  void visit(Archive& archive) {
    noise_.visit(archive), sums_.visit(archive), ratios_.visit(archive);
    for (std::vector<double>* values :
         {&signatures_before_, &residual_before_, &error_before_, &prior_, &beta_, &announced_,
          &scatter_, &scatter_weight_, &recent_scatter_})
      archive(*values);
    archive(recent_windows_);
    archive(results_), archive(was_out_), archive(windows_);
    archive(has_before_), archive(phase_), archive(num_windows_), archive(window_),
        archive(num_blocks_), archive(num_evaluations_), archive(seek_again_at_),
        archive(num_closed_), archive(blocks_at_begin_), archive(onset_block_),
        archive(steps_in_block_), archive(blocks_since_), archive(pending_), archive(evaluated_at_),
        archive(best_log_e_), archive(burst_), archive(burst_limit_), archive(burst_since_),
        archive(calm_since_), archive(burst_peak_), archive(burst_is_on_), archive(burst_is_over_),
        archive(is_in_contact_), archive(chosen_);
  }

 private:
  enum Phase : int { kIdle, kFit, kCoarse, kFine, kAnnounce };

  /// Evidence of a window for a hypothesis.
  struct Judged {
    double score;     ///< log evidence plus log prior, compared with the threshold
    double rank;      ///< the same, including small changes: to compare hypotheses
    double explains;  ///< share of the excess of squares that it explains
    double scatter;   ///< g'J^-1 g per size: 1 on average if nothing changes
  };
  struct Candidate {
    int window = 0, hypothesis = 0;
  };

  double add_channel(int channel);
  void update_burst(double time, double squares);
  void close_block(double time);
  void begin_evaluation(double time);
  void finish_window(double time, std::vector<WatchEvent>& events);
  void begin_windows(Phase phase);
  void plan_coarse();
  void plan_fine(int num_blocks);
  void judge();
  void finish_coarse(double time, std::vector<WatchEvent>& events);
  void finish_fine(double time, std::vector<WatchEvent>& events);
  void remember_scatter(bool is_quiet);
  void learn_scatter(int window, int hypothesis, double scatter);
  void find_contact(double time, std::vector<WatchEvent>& events);
  void announce(double time, std::vector<WatchEvent>& events);
  void put_change(const Hypothesis& h, const Evidence& evidence, double time,
                  std::vector<WatchEvent>& events) const;

  Evidence evidence(int index, double radius, double inflation) const;
  double scatter_of(int index) const;
  double inflation_of(int index, int num_blocks) const;
  /// Returns the best by a member of Judged, over all windows and hypotheses.
  Candidate best_by(double Judged::*number) const;
  Candidate best_in(int window) const;  ///< by rank
  Candidate latest_onset() const;
  bool is_possible(int num_blocks) const;
  int blocks_between() const;  ///< evaluations
  double lead_of(const Candidate& best) const;
  double size_of(const Hypothesis& h, const double* size) const;
  const Judged& judged(const Candidate& candidate) const;
  const Hypothesis& hypothesis(int index) const {
    return hypotheses_.list()[static_cast<std::size_t>(index)];
  }
  int num_hypotheses() const { return static_cast<int>(hypotheses_.list().size()); }

  Hypotheses hypotheses_;
  std::vector<char> is_used_;
  int num_channels_, num_used_ = 0;
  double step_s_, threshold_ = 0;
  int every_ = 1;  ///< of the coarse windows, the blocks of fine ones
  int pieces_per_sample_ = 1;

  ResidualNoise noise_;
  BlockSums sums_;
  JumpRatios ratios_;

  std::vector<double> signatures_, signatures_before_, whitened_;  ///< signatures x channels
  std::vector<double> residual_, residual_before_;                 ///< channels, under the model
  std::vector<double> error_, error_before_;                       ///< channels, under beta
  std::vector<char> is_out_, was_out_;  ///< channels whose joint reverses
  bool has_before_ = false;

  std::vector<double> prior_, beta_;  ///< of every signature, in its unit
  std::vector<double> announced_;     ///< sizes that were announced

  int phase_ = kIdle;
  std::vector<int> windows_;  ///< length in blocks of each compared window; num_windows_
  int num_windows_ = 0, window_ = 0, num_blocks_ = 0;  ///< blocks at the evaluation's begin
  std::vector<Judged> results_;                        ///< window x hypothesis
  std::vector<double> scatter_, scatter_weight_;       ///< hypothesis x coarse window
  std::vector<double> recent_scatter_;                 ///< evaluation x window x hypothesis
  std::vector<int> recent_windows_;                    ///< of each evaluation; 0: not quiet

  long long num_evaluations_ = 0, seek_again_at_ = 0;
  long long num_closed_ = 0, blocks_at_begin_ = 0, onset_block_ = 0;  ///< blocks
  int steps_in_block_ = 0, blocks_since_ = 0, pending_ = 0, chosen_ = -1;
  double evaluated_at_ = 0, best_log_e_ = 0;

  double burst_limit_ = 0;  ///< mean square of z above which there is a contact
  double burst_ = 1, burst_since_ = 0, burst_peak_ = 0, calm_since_ = 0;
  bool burst_is_on_ = false, burst_is_over_ = false, is_in_contact_ = false;
};

}  // namespace heft::watch
