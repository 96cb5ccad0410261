#include "change_detector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace heft::watch {

namespace {

constexpr int kBlockSteps = 3;
constexpr int kBlocksBetween = 5;                                 // evaluations
constexpr int kWindows[] = {5, 10, 15, 20, 30, 40, 55, 75, 100};  // blocks of a window
constexpr int kNumCoarse = std::size(kWindows);
constexpr int kLongest = kWindows[kNumCoarse - 1];
constexpr int kFineReach = 5;  // blocks around the best coarse window
constexpr int kNumFine = 2 * kFineReach + 1;
constexpr int kLeastWindow = 2;       // blocks
constexpr int kSlack = 30;            // blocks that may be closed during an evaluation
constexpr int kManySignatures = 150;  // above which evaluations are coarser
constexpr int kCoarser = 3;           // stride of windows in these
constexpr int kMostWindows = std::max(kNumFine, kNumCoarse);
constexpr double kShareOfTime = 0.8;        // largest share of the time between evaluations
constexpr long long kFirstNoise = 8;        // evaluations before noise is measured
constexpr long long kQuietBursts = 16;      // before the largest burst is measured
constexpr long long kLearned = 32;          // before changes are sought
constexpr int kWait = 2, kLongestWait = 9;  // evaluations from the threshold to the report
constexpr double kLead = 5, kMostLead = 20, kLeadShare = 0.1;  // of the log evidence before the
                                                               // next hypothesis
constexpr double kSuspicious = 8;  // log evidence above which scatter is not learned
constexpr double kPriorScatter = 4, kMostScatter = 60;  // windows
constexpr double kScatterRidge = 1e-2;
constexpr int kScatterDelay = 24;          // evaluations until scatter is learned
constexpr double kPlateau = 5e-3;          // of the log evidence: onsets that are equally likely
constexpr double kExplained = 0.9;         // share of the squares in excess of noise
constexpr double kKept = 0.1;              // of the sums after a change
constexpr long long kHold = 8;             // evaluations after a change, before the next is sought
constexpr double kBurst = 9, kCalm = 0.4;  // mean square of z; share of the limit
constexpr double kOverLearned = 3;         // times the largest mean square of the first blocks
constexpr double kBurstMemory = 5;         // steps
constexpr double kLongContact = 2;         // s
constexpr double kCalmAfter = 1;           // s after a contact

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kNever = -1e300;

/// Returns the first coarse window that is at least as long.
int coarse_index(int num_blocks) {
  int at = 0;
  while (at + 1 < kNumCoarse && kWindows[at] < num_blocks) ++at;
  return at;
}

}  // namespace

ChangeDetector::ChangeDetector(const WatchModel& model, const WatchOptions& options,
                               std::vector<char> is_used, double step_s, long long step_samples)
    : hypotheses_(model, is_used),
      is_used_(std::move(is_used)),
      num_channels_(model.model.plan->num_channels()),
      step_s_(step_s),
      noise_(model.residual_rms, std::exp(-step_s / options.track_s)),
      sums_(hypotheses_.num_signatures(), kLongest + JumpRatios::kOnsetBlocks + kSlack,
            std::exp(-kBlockSteps * step_s / options.track_s)),
      ratios_(hypotheses_) {
  num_used_ = static_cast<int>(std::count(is_used_.begin(), is_used_.end(), char{1}));
  threshold_ =
      std::log(86400 / (kBlockSteps * step_s) * num_hypotheses() / options.false_alarms_per_day);
  const auto num_channels = static_cast<std::size_t>(num_channels_);
  const auto num_signatures = static_cast<std::size_t>(hypotheses_.num_signatures());
  for (auto* values : {&signatures_, &signatures_before_, &whitened_})
    values->assign(num_signatures * num_channels, 0.0);
  for (auto* values : {&residual_, &residual_before_, &error_, &error_before_})
    values->assign(num_channels, 0.0);
  is_out_.assign(num_channels, 0), was_out_ = is_out_;
  for (auto* values : {&prior_, &beta_, &announced_}) values->assign(num_signatures, 0.0);
  windows_.assign(kMostWindows, 0);
  results_.assign(static_cast<std::size_t>(kMostWindows * num_hypotheses()), Judged{});
  scatter_.assign(static_cast<std::size_t>(num_hypotheses() * kNumCoarse), 0.0);
  scatter_weight_ = scatter_;
  recent_scatter_.assign(static_cast<std::size_t>(kScatterDelay) * results_.size(), 0.0);
  recent_windows_.assign(kScatterDelay, 0);
  seek_again_at_ = kLearned;
  every_ = hypotheses_.num_signatures() > kManySignatures ? kCoarser : 1;
  const int num_windows = kNumCoarse / every_ + 2 * (kFineReach / every_ + 1) + 2;
  const int num_pieces = num_windows * ratios_.num_pieces(every_) + 3 * kLongest;
  const double num_samples =
      kShareOfTime * blocks_between() * kBlockSteps * static_cast<double>(step_samples - 1);
  pieces_per_sample_ = static_cast<int>(std::ceil(num_pieces / num_samples));
}

void ChangeDetector::step(double time, const SampleRows& rows, const double* position,
                          const double* velocity, const double* acceleration,
                          const double* predicted, const double* residual) {
  hypotheses_.evaluate(rows, position, velocity, acceleration, predicted, signatures_.data());
  std::copy(residual, residual + num_channels_, residual_.begin());
  std::copy(residual, residual + num_channels_, error_.begin());
  for (int c = 0; c < num_channels_; ++c) {
    const auto at = static_cast<std::size_t>(c);
    is_out_[at] = !is_used_[at] || hypotheses_.is_reversing(c, velocity, acceleration, step_s_);
  }
  for (std::size_t s = 0; s < beta_.size(); ++s)
    if (beta_[s] != 0)
      for (std::size_t c = 0; c < error_.size(); ++c)
        error_[c] -= beta_[s] * signatures_[s * error_.size() + c];
  if (std::exchange(has_before_, true)) {
    double squares = 0;
    for (int c = 0; c < num_channels_; ++c) squares += add_channel(c);
    update_burst(time, squares);
  }
  if (++steps_in_block_ >= kBlockSteps) close_block(time);
  signatures_.swap(signatures_before_);
  residual_.swap(residual_before_);
  error_.swap(error_before_);
  is_out_.swap(was_out_);
}

double ChangeDetector::add_channel(int channel) {
  const auto c = static_cast<std::size_t>(channel);
  if (is_out_[c] || was_out_[c]) return 0;
  const double correlation = noise_.correlation(channel), scale = noise_.scale(channel);
  const double z = (error_[c] - correlation * error_before_[c]) / scale;
  burst_peak_ = std::max(burst_peak_, std::abs(error_[c]));
  if (is_in_contact_) return z * z;
  noise_.add(channel, error_[c], error_before_[c]);
  for (std::size_t k = c; k < whitened_.size(); k += error_.size())
    whitened_[k] = (signatures_[k] - correlation * signatures_before_[k]) / scale;
  sums_.add((residual_[c] - correlation * residual_before_[c]) / scale, whitened_.data() + c,
            num_channels_);
  return z * z;
}

int ChangeDetector::blocks_between() const {
  return every_ > 1 ? 2 * kBlocksBetween : kBlocksBetween;
}

void ChangeDetector::close_block(double time) {
  steps_in_block_ = 0;
  if (is_in_contact_) return;
  ++blocks_since_, ++num_closed_;
  sums_.close(time);
  ratios_.note_closed_block();
  if (phase_ == kIdle && blocks_since_ >= blocks_between()) begin_evaluation(time);
}

void ChangeDetector::begin_evaluation(double time) {
  blocks_since_ = 0;
  evaluated_at_ = time;
  ++num_evaluations_;
  if (num_evaluations_ == kFirstNoise) noise_.restart();
  if (num_evaluations_ > kFirstNoise) noise_.update();
  num_blocks_ = sums_.num_closed();
  blocks_at_begin_ = num_closed_;
  ratios_.begin(sums_, prior_);
  ratios_.choose(0);
  phase_ = kFit;
}

void ChangeDetector::advance(double time, std::vector<WatchEvent>& events) {
  for (int k = 0; k < pieces_per_sample_ && phase_ != kIdle; ++k)
    if (ratios_.advance(sums_)) finish_window(time, events);
}

void ChangeDetector::finish_window(double time, std::vector<WatchEvent>& events) {
  switch (phase_) {
    case kFit:
      beta_ = ratios_.beta();
      return plan_coarse();
    case kAnnounce:
      return announce(time, events);
    default:
      break;
  }
  judge();
  if (++window_ < num_windows_) return ratios_.choose(windows_[static_cast<std::size_t>(window_)]);
  if (std::exchange(phase_, kIdle) == kCoarse)
    finish_coarse(time, events);
  else
    finish_fine(time, events);
}

void ChangeDetector::begin_windows(Phase phase) {
  window_ = 0;
  phase_ = num_windows_ > 0 ? phase : kIdle;
  if (num_windows_ > 0) ratios_.choose(windows_[0]);
}

bool ChangeDetector::is_possible(int num_blocks) const {
  return num_blocks >= kLeastWindow && num_blocks + JumpRatios::kOnsetBlocks <= num_blocks_;
}

void ChangeDetector::plan_coarse() {
  num_windows_ = 0;
  if (num_evaluations_ == seek_again_at_) sums_.forget_blocks();
  if (num_evaluations_ > seek_again_at_)
    for (int k = every_ - 1; k < kNumCoarse; k += every_)
      if (is_possible(kWindows[k]))
        windows_[static_cast<std::size_t>(num_windows_++)] = kWindows[k];
  begin_windows(kCoarse);
}

void ChangeDetector::plan_fine(int num_blocks) {
  num_windows_ = 0;
  const int reach = kFineReach / every_ * every_ + (every_ > 1 ? every_ : 0);
  for (int n = num_blocks - reach; n <= num_blocks + reach; n += every_)
    if (is_possible(n)) windows_[static_cast<std::size_t>(num_windows_++)] = n;
  begin_windows(kFine);
}

void ChangeDetector::update_burst(double time, double squares) {
  burst_ += (squares / std::max(1, num_used_) - burst_) / kBurstMemory;
  if (num_evaluations_ <= seek_again_at_) {
    if (num_evaluations_ > kLearned) return;
    const double largest = num_evaluations_ > kQuietBursts ? kOverLearned * burst_ : 0;
    burst_limit_ = std::max({burst_limit_, kBurst, largest});
    return;
  }
  const bool is_calm = burst_ < kCalm * burst_limit_;
  if (is_in_contact_) {
    if (!is_calm) return;
    is_in_contact_ = burst_is_on_ = false;
    sums_.clear_open(time);
    steps_in_block_ = blocks_since_ = 0;
  } else if (burst_is_on_) {
    if (is_calm && !std::exchange(burst_is_over_, true)) calm_since_ = time;
    if (burst_ >= burst_limit_) burst_is_over_ = false;
  } else if (burst_ < burst_limit_) {
    burst_peak_ = 0;
  } else {
    burst_is_on_ = true, burst_is_over_ = false;
    burst_since_ = time - kBurstMemory * step_s_;
  }
}

/// Evidence of a hypothesis in the window that is done.
Evidence ChangeDetector::evidence(int index, double radius, double inflation) const {
  const Hypothesis& h = hypothesis(index);
  return evidence_of(ratios_.sums_of(h), h.num_sizes, inflation, radius);
}

double ChangeDetector::scatter_of(int index) const {
  const Hypothesis& h = hypothesis(index);
  const double* const sums = ratios_.sums_of(h);
  const double* const g = sums + h.num_sizes * (h.num_sizes + 1) / 2;
  double step[kMostSizes] = {}, scatter = 0;
  newton_step(sums, h.num_sizes, kScatterRidge, step);
  for (int i = 0; i < h.num_sizes; ++i) scatter += g[i] * step[i] / h.num_sizes;
  return scatter;
}

/// Windows whose scatter is not known yet have that of shorter ones.
double ChangeDetector::inflation_of(int index, int num_blocks) const {
  double inflation = 1;
  for (int k = 0; k <= coarse_index(num_blocks); ++k) {
    const auto at = static_cast<std::size_t>(index * kNumCoarse + k);
    inflation = (kPriorScatter * inflation + scatter_[at]) / (kPriorScatter + scatter_weight_[at]);
    inflation = std::max(1.0, inflation);
  }
  return inflation;
}

double ChangeDetector::size_of(const Hypothesis& h, const double* size) const {
  const double unit = hypotheses_.unit(h.first);
  return h.kind == ChangeKind::gravity ? unit * std::hypot(size[0], size[1]) : unit * size[0];
}

void ChangeDetector::judge() {
  const double degrees = ratios_.count();
  const double excess = ratios_.squares() - degrees - 3 * std::sqrt(2 * degrees);
  for (int k = 0; k < num_hypotheses(); ++k) {
    const Hypothesis& h = hypothesis(k);
    // without the scatter, which differs among hypotheses that explain the same residual
    const Evidence all = evidence(k, 0, 1);
    const double radius = h.least / hypotheses_.unit(h.first);
    const Evidence large = evidence(k, radius, inflation_of(k, ratios_.num_blocks()));
    const bool is_large =
        std::abs(size_of(h, all.size)) >= h.least ||
        (h.kind == ChangeKind::friction && std::hypot(all.size[0], all.size[1]) >= radius);
    results_[static_cast<std::size_t>(window_ * num_hypotheses() + k)] = {
        .score = is_large ? large.log_e + h.log_prior : kNever,
        .rank = is_large ? all.log_e + h.log_prior : kNever,
        .explains = all.explained / std::max(1.0, excess),
        .scatter = scatter_of(k)};
  }
}

const ChangeDetector::Judged& ChangeDetector::judged(const Candidate& candidate) const {
  return results_[static_cast<std::size_t>(candidate.window * num_hypotheses() +
                                           candidate.hypothesis)];
}

ChangeDetector::Candidate ChangeDetector::best_by(double Judged::*number) const {
  Candidate best;
  for (int window = 0; window < num_windows_; ++window)
    for (int k = 0; k < num_hypotheses(); ++k)
      if (judged({window, k}).*number > judged(best).*number) best = {window, k};
  return best;
}

/// Returns the best of the shortest window that is nearly as good as the best: the joint may have
/// reversed around the onset.
ChangeDetector::Candidate ChangeDetector::latest_onset() const {
  const Candidate best = best_by(&Judged::rank);
  const double enough = (1 - kPlateau) * judged(best).rank;
  for (int window = 0; window < best.window; ++window)
    if (const Candidate candidate = best_in(window); judged(candidate).rank >= enough)
      return candidate;
  return best;
}

ChangeDetector::Candidate ChangeDetector::best_in(int window) const {
  Candidate best{window, 0};
  for (int k = 1; k < num_hypotheses(); ++k)
    if (judged({window, k}).rank > judged(best).rank) best.hypothesis = k;
  return best;
}

double ChangeDetector::lead_of(const Candidate& best) const {
  double second = kNever;
  for (int k = 0; k < num_hypotheses(); ++k)
    if (hypothesis(k).what != hypothesis(best.hypothesis).what)
      second = std::max(second, judged({best.window, k}).rank);
  return judged(best).rank - second;
}

void ChangeDetector::finish_coarse(double time, std::vector<WatchEvent>& events) {
  best_log_e_ = judged(best_by(&Judged::score)).score;
  remember_scatter(best_log_e_ < kSuspicious && !burst_is_on_);
  if (best_log_e_ >= threshold_)
    return plan_fine(pending_ > 0
                         ? static_cast<int>(blocks_at_begin_ - onset_block_)
                         : windows_[static_cast<std::size_t>(best_by(&Judged::rank).window)]);
  pending_ = 0;
  find_contact(time, events);
}

/// Learns the scatter of an earlier comparison and stores that of this one, which may contain a
/// change that is not found yet.
void ChangeDetector::remember_scatter(bool is_quiet) {
  const auto slot = static_cast<std::size_t>(num_evaluations_ % kScatterDelay);
  double* next = recent_scatter_.data() + slot * results_.size();
  for (int window = 0; window < recent_windows_[slot]; ++window)
    for (int k = 0; k < num_hypotheses(); ++k)
      learn_scatter(window, k, next[window * num_hypotheses() + k]);
  recent_windows_[slot] = is_quiet ? num_windows_ : 0;
  if (!is_quiet) return;
  for (int window = 0; window < num_windows_; ++window)
    for (int k = 0; k < num_hypotheses(); ++k) *next++ = judged({window, k}).scatter;
}

/// Overlapping windows count less than one. The first comparisons have shorter windows only.
void ChangeDetector::learn_scatter(int window, int hypothesis, double scatter) {
  const int num_blocks = kWindows[(window + 1) * every_ - 1];
  const auto at = static_cast<std::size_t>(hypothesis * kNumCoarse + coarse_index(num_blocks));
  const double weight = std::min(1.0, static_cast<double>(blocks_between()) / num_blocks);
  const double kept = scatter_weight_[at] + weight > kMostScatter ? 1 - weight / kMostScatter : 1;
  scatter_[at] = kept * scatter_[at] + weight * scatter;
  scatter_weight_[at] = kept * scatter_weight_[at] + weight;
}

void ChangeDetector::finish_fine(double time, std::vector<WatchEvent>& events) {
  const Candidate first = latest_onset();
  // one block less: the filter may not have settled in the first after the onset
  const Candidate best = best_in(std::max(0, first.window - 1));
  const Judged& of_best = judged(best);
  if (of_best.score < threshold_ && judged(first).score < threshold_) {
    pending_ = 0;
    return find_contact(time, events);
  }
  ++pending_;
  onset_block_ = blocks_at_begin_ - windows_[static_cast<std::size_t>(first.window)];
  // only the first block may show it
  const bool is_lasting = of_best.score >= threshold_;
  const bool explains = of_best.explains >= kExplained;
  if (burst_is_on_ && !(explains && is_lasting)) return find_contact(time, events);
  const double lead = std::clamp(kLeadShare * of_best.rank, kLead, kMostLead);
  const bool is_clear = pending_ > kLongestWait || (pending_ > kWait && lead_of(best) >= lead);
  if (!is_lasting || !is_clear || !(explains || pending_ > kLongestWait)) return;
  chosen_ = best.hypothesis;
  phase_ = kAnnounce;
  ratios_.choose(windows_[static_cast<std::size_t>(best.window)]);
}

void ChangeDetector::announce(double time, std::vector<WatchEvent>& events) {
  phase_ = kIdle;
  const Hypothesis& h = hypothesis(chosen_);
  const Evidence found = evidence(chosen_, h.least / hypotheses_.unit(h.first),
                                  inflation_of(chosen_, ratios_.num_blocks()));
  for (int i = 0; i < h.num_sizes; ++i)
    announced_[static_cast<std::size_t>(h.first + i)] += found.size[i];
  put_change(h, found, time, events);
  sums_.restart(ratios_.jump(h, found.size, kKept, prior_), prior_);
  beta_ = prior_;
  std::fill(recent_windows_.begin(), recent_windows_.end(), 0);
  seek_again_at_ = num_evaluations_ + kHold;
  pending_ = 0;
  burst_ = 1, burst_is_on_ = false, burst_peak_ = 0;
}

void ChangeDetector::put_change(const Hypothesis& found, const Evidence& evidence, double time,
                                std::vector<WatchEvent>& events) const {
  if (events.size() == events.capacity()) return;
  // only the viscous part of friction has changed
  const bool is_viscous =
      found.kind == ChangeKind::friction && std::abs(size_of(found, evidence.size)) < found.least;
  const Hypothesis& h = is_viscous ? hypothesis(found.viscous) : found;
  const int at = h.first - found.first;
  const double size =
      h.drifts() ? size_of(h, evidence.size + at) : size_of(h, announced_.data() + h.first);
  const double half = 1.96 * evidence.deviation[at] * hypotheses_.unit(h.first);
  const int age = ratios_.onset_age();
  events.push_back({WatchEvent::Type::change, time, h.what.c_str(), size, size - half, size + half,
                    0.5 * (sums_.begin(age) + sums_.begin(age - 1)), evidence.log_e});
}

void ChangeDetector::find_contact(double time, std::vector<WatchEvent>& events) {
  if (!burst_is_on_) return;
  // a change is often quiet while its joint reverses
  const bool is_due = burst_is_over_ ? evaluated_at_ - calm_since_ >= kCalmAfter
                                     : evaluated_at_ - burst_since_ >= kLongContact;
  if (!is_due) return;
  if (events.size() < events.capacity())
    events.push_back(
        {WatchEvent::Type::change, time, "contact", burst_peak_, kNan, kNan, burst_since_, kNan});
  sums_.remove_since(burst_since_ - kBlockSteps * step_s_);
  std::fill(recent_windows_.begin(), recent_windows_.end(), 0);
  is_in_contact_ = !burst_is_over_;
  burst_is_on_ = false, burst_peak_ = 0;
  pending_ = 0;
}

}  // namespace heft::watch
