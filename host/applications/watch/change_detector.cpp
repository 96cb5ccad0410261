#include "change_detector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace heft::watch {

namespace {

constexpr int kBlocks = 40;  // from which a change may have begun
constexpr long long kBlockSteps = 15;
constexpr long long kCalibration = 150;  // steps
constexpr double kMostCorrelation = 0.95;
constexpr double kScaleRange = 2;     // of a channel's deviation around the model's
constexpr double kMargin = 1.1;       // of deviations: tails are heavier than normal ones
constexpr double kJudgedBlocks = 40;  // of which inflation is the mean
constexpr double kPriorBlocks = 10;   // that count as inflation 1
constexpr long long kLearned = 32;    // blocks before changes are sought
constexpr double kFirstWeight = 120;  // blocks, of a fit that begins
constexpr double kNever = -1e300;
constexpr double kWait = 1, kLongestWait = 3;  // s, from the threshold to the word
constexpr double kLead = 3;                    // of the log evidence before the next hypothesis
constexpr double kSuspicious = 8;              // log evidence that stops the following of drift
constexpr double kExplained = 0.75;            // of the squares above what noise has
constexpr double kBurst = 9, kCalm = 0.4;      // mean square of z; share of the limit
constexpr double kOverLearned = 3;             // times the largest mean square of the first blocks
constexpr double kBurstMemory = 5;             // steps
constexpr double kLongContact = 1.5;           // s
constexpr int kAges[] = {1, 2, 3, 4, 6, 8, 11, 15, 20, 28, 40};  // blocks of a window

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ChangeDetector::ChangeDetector(const WatchModel& model, const WatchOptions& options,
                               std::vector<char> is_used, double step_s)
    : hypotheses_(model, is_used),
      is_used_(std::move(is_used)),
      num_channels_(model.model.plan->num_channels()),
      step_s_(step_s),
      expected_rms_(model.residual_rms) {
  num_used_ = static_cast<int>(std::count(is_used_.begin(), is_used_.end(), char{1}));
  const double block_s = kBlockSteps * step_s;
  track_blocks_ = std::max(1.0, options.track_s / block_s);
  threshold_ = std::log(86400 / block_s * static_cast<double>(hypotheses_.list().size()) /
                        options.false_alarms_per_day);
  const auto num_channels = static_cast<std::size_t>(num_channels_);
  const auto num_signatures = static_cast<std::size_t>(hypotheses_.num_signatures());
  for (auto* values : {&signatures_, &signatures_before_, &whitened_})
    values->assign(num_signatures * num_channels, 0.0);
  for (auto* values :
       {&residual_, &residual_before_, &z_, &power_, &lagged_, &calibrated_, &correlation_})
    values->assign(num_channels, 0.0);
  scale_.assign(num_channels, 1.0);
  is_out_.assign(num_channels, 0), was_out_ = is_out_;
  sums_.assign(static_cast<std::size_t>(kBlocks * hypotheses_.num_sums()), 0.0);
  mean_sums_.assign(static_cast<std::size_t>(hypotheses_.num_sums()), 0.0);
  squares_.assign(kBlocks, 0.0), begins_.assign(kBlocks, 0.0), counts_.assign(kBlocks, 0);
  corrections_.assign(num_signatures, 0.0);
  inflation_.assign(hypotheses_.list().size(), 0.0);
  weight_.assign(hypotheses_.list().size(), std::min(kFirstWeight, track_blocks_));
  forget_blocks();
}

long long ChangeDetector::block_before(int age) const {
  return (newest_ - age + kBlocks) % kBlocks;
}

void ChangeDetector::forget_blocks() {
  newest_ = 0, num_blocks_ = 1;
  std::fill(block(0), block(0) + hypotheses_.num_sums(), 0.0);
  squares_[0] = 0, begins_[0] = kNever, counts_[0] = 0;
  pending_since_ = kNever;
  best_log_e_ = 0;
  has_before_ = false;
}

void ChangeDetector::step(double time, const SampleRows& rows, const double* position,
                          const double* velocity, const double* acceleration,
                          const double* predicted, const double* residual,
                          std::vector<WatchEvent>& events) {
  hypotheses_.evaluate(rows, position, velocity, acceleration, predicted, signatures_.data());
  std::copy(residual, residual + num_channels_, residual_.begin());
  for (int c = 0; c < num_channels_; ++c) {
    const auto at = static_cast<std::size_t>(c);
    is_out_[at] = !is_used_[at] || hypotheses_.is_reversing(c, velocity, acceleration, step_s_);
  }
  for (std::size_t s = 0; s < corrections_.size(); ++s)
    if (corrections_[s] != 0)
      for (int c = 0; c < num_channels_; ++c)
        residual_[static_cast<std::size_t>(c)] -=
            corrections_[s] *
            signatures_[s * static_cast<std::size_t>(num_channels_) + static_cast<std::size_t>(c)];
  const bool has_before = std::exchange(has_before_, true);
  if (num_steps_ < kCalibration) {
    calibrate(residual_.data(), has_before);
  } else if (has_before) {
    whiten_and_sum(time);
    if (num_learned_ < kLearned) {
      burst_limit_ = std::max({burst_limit_, kBurst, kOverLearned * burst_});
    } else {
      find_changes(time, events);
      find_contact(time, events);
    }
    if (counts_[static_cast<std::size_t>(newest_)] >= kBlockSteps) end_block();
  }
  signatures_.swap(signatures_before_);
  residual_.swap(residual_before_);
  is_out_.swap(was_out_);
}

void ChangeDetector::calibrate(const double* residual, bool has_before) {
  for (std::size_t c = 0; c < power_.size(); ++c) {
    if (is_out_[c]) continue;
    ++calibrated_[c];
    power_[c] += residual[c] * residual[c];
    if (has_before && !was_out_[c]) lagged_[c] += residual[c] * residual_before_[c];
  }
  if (++num_steps_ < kCalibration) return;
  for (std::size_t c = 0; c < power_.size(); ++c) {
    const double expected = expected_rms_[static_cast<Eigen::Index>(c)];
    double deviation = std::sqrt(power_[c] / std::max(1.0, calibrated_[c]));
    if (expected > 0)
      deviation = std::clamp(deviation, expected / kScaleRange, expected * kScaleRange);
    if (!(deviation > 0)) deviation = 1;
    correlation_[c] = power_[c] > 0 ? std::clamp(lagged_[c] / power_[c], 0.0, kMostCorrelation) : 0;
    scale_[c] = kMargin * deviation * std::sqrt(1 - correlation_[c] * correlation_[c]);
  }
}

void ChangeDetector::whiten_and_sum(double time) {
  const auto num_channels = static_cast<std::size_t>(num_channels_);
  const auto is_heard = [this](std::size_t c) { return !is_out_[c] && !was_out_[c]; };
  double squares = 0;
  for (std::size_t c = 0; c < num_channels; ++c) {
    z_[c] = is_heard(c) ? (residual_[c] - correlation_[c] * residual_before_[c]) / scale_[c] : 0;
    squares += z_[c] * z_[c];
    burst_peak_ = std::max(burst_peak_, is_heard(c) ? std::abs(residual_[c]) : 0);
  }
  for (std::size_t s = 0; s < corrections_.size(); ++s)
    for (std::size_t c = 0; c < num_channels; ++c) {
      const std::size_t k = s * num_channels + c;
      whitened_[k] =
          is_heard(c) ? (signatures_[k] - correlation_[c] * signatures_before_[k]) / scale_[c] : 0;
    }
  double* const target = block(newest_);
  for (const Hypothesis& h : hypotheses_.list()) {
    double* sum = target + h.first_sum;
    const double* const first = whitened_.data() + h.first * num_channels_;
    const auto add_product = [&](const double* a, const double* b) {
      double product = 0;
      for (int c = 0; c < num_channels_; ++c) product += a[c] * b[c];
      *sum++ += product;
    };
    for (int i = 0; i < h.num_sizes; ++i)
      for (int j = 0; j <= i; ++j)
        add_product(first + i * num_channels_, first + j * num_channels_);
    for (int i = 0; i < h.num_sizes; ++i) add_product(first + i * num_channels_, z_.data());
  }
  const auto at = static_cast<std::size_t>(newest_);
  if (counts_[at] == 0) begins_[at] = time;
  squares_[at] += squares;
  ++counts_[at];
  burst_ += (squares / std::max(1, num_used_) - burst_) / kBurstMemory;
}

void ChangeDetector::end_block() {
  const double* const sums = block(newest_);
  const bool is_calm = best_log_e_ < kSuspicious && !burst_is_on_ && !is_in_contact_;
  if (num_learned_ < kLearned) {
    track(sums);
    if (++num_learned_ == kLearned) burst_ = 1, burst_peak_ = 0;
    return forget_blocks();
  }
  if (is_calm) {
    if (static_cast<double>(num_judged_) < kJudgedBlocks) {
      ++num_judged_;
      for (std::size_t k = 0; k < inflation_.size(); ++k) {
        const Hypothesis& h = hypotheses_.list()[k];
        // g' A^-1 g: chi-square of num_sizes degrees of freedom, if z are independent
        double step[kMostSizes] = {};
        const double* const of_h = sums + h.first_sum;
        newton_step(of_h, h.num_sizes, 1, step);
        const double* const g = of_h + h.num_sizes * (h.num_sizes + 1) / 2;
        for (int i = 0; i < h.num_sizes; ++i) inflation_[k] += g[i] * step[i] / h.num_sizes;
      }
    }
    track(sums);
  }
  newest_ = (newest_ + 1) % kBlocks;
  num_blocks_ = std::min<long long>(num_blocks_ + 1, kBlocks);
  std::fill(block(newest_), block(newest_) + hypotheses_.num_sums(), 0.0);
  const auto at = static_cast<std::size_t>(newest_);
  squares_[at] = 0, counts_[at] = 0, begins_[at] = kNever;
}

void ChangeDetector::track(const double* sums) {
  for (std::size_t k = 0; k < weight_.size(); ++k) {
    const Hypothesis& h = hypotheses_.list()[k];
    const int num_products = h.num_sizes * (h.num_sizes + 1) / 2;
    double* const mean = mean_sums_.data() + h.first_sum;
    for (int i = 0; i < num_products; ++i)
      mean[i] += (sums[h.first_sum + i] - mean[i]) / weight_[k];
    double of_h[num_sums(kMostSizes)] = {}, step[kMostSizes] = {};
    std::copy(mean, mean + num_products, of_h);
    for (int i = num_products; i < num_sums(h.num_sizes); ++i) of_h[i] = sums[h.first_sum + i];
    newton_step(of_h, h.num_sizes, 1, step);
    for (int i = 0; i < h.num_sizes; ++i)
      corrections_[static_cast<std::size_t>(h.first + i)] += step[i] / weight_[k];
    weight_[k] = std::min(weight_[k] + 1, track_blocks_);
  }
}

void ChangeDetector::gather(const Hypothesis& h, int num_blocks, double* sums) const {
  const int size = num_sums(h.num_sizes);
  std::fill(sums, sums + size, 0.0);
  for (int age = 0; age < num_blocks; ++age) {
    const double* const from = block(block_before(age)) + h.first_sum;
    for (int i = 0; i < size; ++i) sums[i] += from[i];
  }
}

double ChangeDetector::inflation_of(int hypothesis) const {
  return std::max(1.0, (kPriorBlocks + inflation_[static_cast<std::size_t>(hypothesis)]) /
                           (kPriorBlocks + static_cast<double>(num_judged_)));
}

ChangeDetector::Best ChangeDetector::best_of(int hypothesis) const {
  const Hypothesis& h = hypotheses_.list()[static_cast<std::size_t>(hypothesis)];
  const int size = num_sums(h.num_sizes);
  const double radius = h.least / hypotheses_.unit(h.first);
  Best best{.hypothesis = hypothesis,
            .score = kNever,
            .rank = kNever,
            .inflation = inflation_of(hypothesis)};
  double sums[num_sums(kMostSizes)] = {}, of_best[num_sums(kMostSizes)] = {};
  int age = 0;
  for (const int num_blocks : kAges) {
    if (num_blocks > num_blocks_) break;
    for (; age < num_blocks; ++age) {
      const double* const from = block(block_before(age)) + h.first_sum;
      for (int i = 0; i < size; ++i) sums[i] += from[i];
    }
    const Evidence evidence = evidence_of(sums, h.num_sizes, best.inflation, radius);
    const double score = evidence.log_e + h.log_prior;
    if (score <= best.score) continue;
    best.score = score, best.num_blocks = num_blocks, best.evidence = evidence;
    std::copy(sums, sums + size, of_best);
  }
  best.rank = evidence_of(of_best, h.num_sizes, 1, 0).log_e + h.log_prior;
  return best;
}

ChangeDetector::Best ChangeDetector::likeliest(double* lead) const {
  Best first{.score = kNever, .rank = kNever};
  double second = kNever;
  for (int k = 0; k < static_cast<int>(hypotheses_.list().size()); ++k) {
    const Best best = best_of(k);
    if (best.rank > first.rank) {
      second = first.rank;
      first = best;
    } else {
      second = std::max(second, best.rank);
    }
  }
  if (lead) *lead = first.rank - second;
  return first;
}

bool ChangeDetector::is_worth_a_word(const Hypothesis& h, const Evidence& evidence) const {
  double size = std::abs(evidence.size[0]);
  if (h.kind == ChangeKind::gravity) size = std::hypot(evidence.size[0], evidence.size[1]);
  return size * hypotheses_.unit(h.first) >= h.least;
}

bool ChangeDetector::explains(const Best& best) const {
  double squares = 0;
  long long steps = 0;
  for (int age = 0; age < best.num_blocks; ++age) {
    const auto at = static_cast<std::size_t>(block_before(age));
    squares += squares_[at], steps += counts_[at];
  }
  const double degrees = static_cast<double>(steps) * num_used_;
  const double excess = squares - degrees - 3 * std::sqrt(2 * degrees);
  return best.inflation * best.evidence.explained >= kExplained * excess;
}

void ChangeDetector::find_changes(double time, std::vector<WatchEvent>& events) {
  if (is_in_contact_) return;
  double lead = 0;
  const Best first = likeliest(&lead);
  best_log_e_ = first.score;
  if (first.score < threshold_ ||
      !is_worth_a_word(hypotheses_.list()[static_cast<std::size_t>(first.hypothesis)],
                       first.evidence)) {
    pending_since_ = kNever;
    return;
  }
  if (pending_since_ == kNever) pending_since_ = time;
  const double waited = time - pending_since_;
  if (waited < kWait || (lead < kLead && waited < kLongestWait)) return;
  if (explains(first) || waited > 2 * kLongestWait) announce(first, time, events);
}

void ChangeDetector::announce(const Best& found, double time, std::vector<WatchEvent>& events) {
  const auto k = static_cast<std::size_t>(found.hypothesis);
  const Hypothesis& h = hypotheses_.list()[k];
  // the onset among all blocks
  Best best = found;
  const double inflation = found.inflation;
  double sums[num_sums(kMostSizes)];
  for (int num_blocks = 1; num_blocks <= num_blocks_; ++num_blocks) {
    gather(h, num_blocks, sums);
    const Evidence evidence =
        evidence_of(sums, h.num_sizes, inflation, h.least / hypotheses_.unit(h.first));
    if (const double score = evidence.log_e + h.log_prior; score > best.score)
      best.score = score, best.num_blocks = num_blocks, best.evidence = evidence;
  }
  const double unit = hypotheses_.unit(h.first);
  const auto begin = static_cast<std::size_t>(block_before(best.num_blocks - 1));
  for (int i = 0; i < h.num_sizes; ++i)
    corrections_[static_cast<std::size_t>(h.first + i)] += best.evidence.size[i];
  double size = corrections_[static_cast<std::size_t>(h.first)] * unit;
  double half = 1.96 * best.evidence.deviation * unit;
  if (h.drifts()) size = best.evidence.size[0] * unit;
  if (h.kind == ChangeKind::gravity)
    size = std::hypot(best.evidence.size[0], best.evidence.size[1]) * unit;
  if (events.size() < events.capacity())
    events.push_back({WatchEvent::Type::change, time, h.what.c_str(), size, size - half,
                      size + half, begins_[begin] == kNever ? time : begins_[begin],
                      best.evidence.log_e});
  weight_[k] = std::max(1.0, static_cast<double>(best.num_blocks));
  const int num_products = h.num_sizes * (h.num_sizes + 1) / 2;
  gather(h, best.num_blocks, sums);
  for (int i = 0; i < num_products; ++i)
    mean_sums_[static_cast<std::size_t>(h.first_sum + i)] = sums[i] / best.num_blocks;
  forget_blocks();
  burst_ = 1, burst_is_on_ = false, burst_peak_ = 0;
}

void ChangeDetector::find_contact(double time, std::vector<WatchEvent>& events) {
  if (!burst_is_on_) {
    if (burst_ < burst_limit_) {
      burst_peak_ = 0;
      return;
    }
    burst_is_on_ = true;
    burst_since_ = time - kBurstMemory * step_s_;
  }
  if (is_in_contact_) {
    const bool is_over = burst_ < kCalm * burst_limit_;
    forget_blocks();
    if (is_over) is_in_contact_ = burst_is_on_ = false;
    return;
  }
  const bool is_over = burst_ < kCalm * burst_limit_;
  if (!is_over && time - burst_since_ < kLongContact) return;
  const Best first = likeliest(nullptr);
  if (first.score >= threshold_ && explains(first)) {
    if (is_over) burst_is_on_ = false;
    return;
  }
  if (events.size() < events.capacity())
    events.push_back(
        {WatchEvent::Type::change, time, "contact", burst_peak_, kNan, kNan, burst_since_, kNan});
  is_in_contact_ = !is_over;
  burst_is_on_ = !is_over;
  forget_blocks();
}

}  // namespace heft::watch
