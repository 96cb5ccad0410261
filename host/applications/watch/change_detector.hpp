// Which change of the robot explains what its model leaves over, if any, and since when.
//
// Residuals are taken at steps of about half a period of the low-pass, whitened by an AR(1) model
// of each channel, and multiplied with what every hypothesis would add to them. Sums are kept by
// blocks, so that each block is a candidate for the onset. A hypothesis is announced when the
// evidence (evidence.hpp) from some block on reaches
//
//   log E >= log(starts per day * hypotheses / false alarms per day)
//
// By Ville's inequality and the union over starts and hypotheses the expected number of false
// alarms per day is then at most the one asked for, if whitened residuals are standard normal while
// nothing changes. They hardly are: so every channel's variance is measured at the start, and
// evidence is divided by how much more the sums of a hypothesis scatter than independent ones.
//
// No model is right: in the first blocks all hypotheses are fitted to what it leaves over, and from
// then on followed slowly, as friction that drifts. Residuals are without that.
#pragma once

#include <vector>

#include "evidence.hpp"
#include "hypotheses.hpp"
#include "watch/watcher.hpp"

namespace heft::watch {

class ChangeDetector {
 public:
  /// Takes all memory. `step_s`: time between steps.
  ChangeDetector(const WatchModel& model, const WatchOptions& options, std::vector<char> is_used,
                 double step_s);

  /// A sample: rows of the state, predicted torques and what they leave of the measured ones.
  /// `time` [s] is the state's. Appends to `events`, which has room.
  void step(double time, const SampleRows& rows, const double* position, const double* velocity,
            const double* acceleration, const double* predicted, const double* residual,
            std::vector<WatchEvent>& events);

  /// Samples are missing: the next is not compared with the last.
  void interrupt() { has_before_ = false; }

  static constexpr std::size_t kMostEvents = 4;  ///< of a step

  template <class Archive>
  void visit(Archive& archive) {
    for (std::vector<double>* values :
         {&signatures_before_, &residual_before_, &power_, &lagged_, &calibrated_, &correlation_,
          &scale_, &sums_, &squares_, &begins_, &corrections_, &mean_sums_, &weight_, &inflation_})
      archive(*values);
    archive(counts_), archive(was_out_);
    archive(has_before_), archive(num_steps_), archive(num_judged_), archive(num_learned_),
        archive(newest_), archive(num_blocks_), archive(pending_since_), archive(burst_),
        archive(burst_limit_), archive(burst_since_), archive(burst_peak_), archive(burst_is_on_),
        archive(is_in_contact_), archive(best_log_e_);
  }

 private:
  /// A hypothesis with its best window.
  struct Best {
    int hypothesis = -1, num_blocks = 0;
    double score = 0;  ///< log evidence and prior, which must reach the threshold
    double rank = 0;   ///< the same if small changes count and sums are of independent z: fair
                       ///< between hypotheses
    Evidence evidence;
    double inflation = 1;
  };

  void calibrate(const double* residual, bool has_before);
  void whiten_and_sum(double time);
  void end_block();
  void track(const double* block);
  void forget_blocks();
  void find_changes(double time, std::vector<WatchEvent>& events);
  void find_contact(double time, std::vector<WatchEvent>& events);
  /// Sums of a hypothesis over the newest blocks, `num_blocks` of them.
  void gather(const Hypothesis& h, int num_blocks, double* sums) const;
  Best best_of(int hypothesis) const;
  /// The first by rank; `lead`: before the next.
  Best likeliest(double* lead) const;
  bool is_worth_a_word(const Hypothesis& h, const Evidence& evidence) const;
  bool explains(const Best& best) const;
  void announce(const Best& best, double time, std::vector<WatchEvent>& events);

  double* block(long long index) { return sums_.data() + index * hypotheses_.num_sums(); }
  const double* block(long long index) const {
    return sums_.data() + index * hypotheses_.num_sums();
  }
  double inflation_of(int hypothesis) const;
  /// Index in the ring of the block so many before the newest.
  long long block_before(int age) const;

  Hypotheses hypotheses_;
  std::vector<char> is_used_;
  int num_channels_, num_used_ = 0;
  double step_s_, threshold_ = 0, track_blocks_ = 0;
  Eigen::VectorXd expected_rms_;

  std::vector<double> signatures_, signatures_before_, whitened_;  ///< signatures x channels
  std::vector<double> residual_, residual_before_, z_;             ///< channels
  bool has_before_ = false;

  long long num_steps_ = 0;                          ///< of the calibration
  std::vector<double> power_, lagged_, calibrated_;  ///< of residuals, channels; steps
  std::vector<char> is_out_, was_out_;               ///< channels whose joint turns round
  std::vector<double> correlation_, scale_;          ///< AR(1), deviation of what is new; channels

  std::vector<double> sums_, squares_, begins_;  ///< blocks in a ring; squares: of z
  std::vector<long long> counts_;                ///< steps of each block
  long long newest_ = 0, num_blocks_ = 0;        ///< the open one; how many there are, it included

  std::vector<double> corrections_;         ///< of every signature, in its unit
  std::vector<double> mean_sums_, weight_;  ///< A of a block; blocks that count
  std::vector<double> inflation_;           ///< sums over blocks
  long long num_judged_ = 0, num_learned_ = 0;

  double pending_since_ = 0, best_log_e_ = 0;
  double burst_limit_ = 0;  ///< mean square of z above which something pushes
  double burst_ = 1, burst_since_ = 0, burst_peak_ = 0;
  bool burst_is_on_ = false, is_in_contact_ = false;
};

}  // namespace heft::watch
