#include "size_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace heft {

namespace {

constexpr double kWorthAStep = 0.02;  ///< expected gain required for another size [nats]

/// Minimum of the parabola through three sizes; empty if it is not convex.
std::optional<double> least_of(const Explained& a, const Explained& b, const Explained& c) {
  const double ab = (b.objective - a.objective) / (b.size - a.size),
               bc = (c.objective - b.objective) / (c.size - b.size);
  const double curvature = (bc - ab) / (c.size - a.size);
  if (!(curvature > 0)) return std::nullopt;
  return 0.5 * (a.size + b.size - ab / curvature);
}

}  // namespace

SizeSearch::SizeSearch(const Profile& profile, const Fault& fault)
    : profile_(&profile), fault_(&fault) {
  if (ChangedTorqueSums::suits(profile.input(), fault)) sums_.emplace(profile, fault);
}

Result<Explained> SizeSearch::explain(double size) {
  if (!sums_) return profile_->explain(*fault_, size);
  HEFT_TRY(sums, sums_->at(size));
  return profile_->explain(sums, size);
}

Result<Done> SizeSearch::attempt(double size) {
  HEFT_TRY(explained, explain(size));
  tried_.push_back(std::move(explained));
  std::sort(tried_.begin(), tried_.end(),
            [](const Explained& x, const Explained& y) { return x.size < y.size; });
  return Done{};
}

bool SizeSearch::is_new(double size) const {
  return std::none_of(tried_.begin(), tried_.end(), [&](const Explained& e) {
    return std::abs(e.size - size) < 1e-3 * fault_->range().step + 1e-3 * std::abs(size);
  });
}

Result<Done> SizeSearch::begin(const Explained& as_it_is) {
  if (fault_->loses_rows()) return attempt(0);
  tried_.push_back(as_it_is);
  return Done{};
}

Result<Done> SizeSearch::run_near(const Explained& as_it_is, double guess) {
  const SizeRange range = fault_->range();
  HEFT_CHECK(begin(as_it_is));
  for (const double size : {guess, guess - range.step, guess + range.step})
    if (is_new(range.clamped(size))) HEFT_CHECK(attempt(range.clamped(size)));
  return refine();
}

Result<Done> SizeSearch::run(const Explained& as_it_is, double first_guess) {
  const SizeRange range = fault_->range();
  HEFT_CHECK(begin(as_it_is));
  // a distant size is a poor start: it was extrapolated from the derivative at zero
  const double furthest = 10 * range.step;
  const double first = range.clamped(std::clamp(first_guess, -furthest, furthest));
  HEFT_CHECK(attempt(first));
  const bool falls = best().size != 0;
  const double second = range.clamped(falls ? 1.5 * first : 0.5 * first);
  if (is_new(second)) HEFT_CHECK(attempt(second));
  return refine();
}

Result<Done> SizeSearch::refine() {
  const SizeRange range = fault_->range();
  constexpr int kMaxRounds = 8;
  for (int round = 0; round < kMaxRounds && tried_.size() >= 3; ++round) {
    const auto [a, b, c] = around_least();
    const auto guess = least_of(tried_[a], tried_[b], tried_[c]);
    const double down = tried_[a].objective < tried_[c].objective ? -1 : 1;
    const double reach = 3 * std::max(std::abs(tried_[c].size - tried_[a].size), range.step);
    double size = guess.value_or(tried_[b].size + down * reach);
    size = range.clamped(std::clamp(size, tried_[b].size - reach, tried_[b].size + reach));
    if (!is_new(size)) break;
    // from the parabola's curvature: a step far below chance changes neither gain nor interval
    const bool is_between = tried_[a].size < size && size < tried_[c].size;
    const double off = size - best().size;
    if (guess && is_between && 0.5 * curvature() * off * off < kWorthAStep) break;
    HEFT_CHECK(attempt(size));
  }
  return Done{};
}

const Explained& SizeSearch::best() const {
  return *std::min_element(
      tried_.begin(), tried_.end(),
      [](const Explained& x, const Explained& y) { return x.objective < y.objective; });
}

const Explained& SizeSearch::nothing_undone() const {
  return *std::min_element(
      tried_.begin(), tried_.end(),
      [](const Explained& x, const Explained& y) { return std::abs(x.size) < std::abs(y.size); });
}

SizeSearch::Three SizeSearch::around_least() const {
  auto least = static_cast<std::size_t>(&best() - tried_.data());
  least = std::clamp<std::size_t>(least, 1, tried_.size() - 2);
  return {least - 1, least, least + 1};
}

double SizeSearch::curvature() const {
  if (tried_.size() < 3) return 0;
  const auto [a, b, c] = around_least();
  const double ab = (tried_[b].objective - tried_[a].objective) / (tried_[b].size - tried_[a].size);
  const double bc = (tried_[c].objective - tried_[b].objective) / (tried_[c].size - tried_[b].size);
  return 2 * (bc - ab) / (tried_[c].size - tried_[a].size);
}

bool SizeSearch::is_at_end() const {
  constexpr double kWithin = 0.98;
  const SizeRange range = fault_->range();
  const double size = best().size;
  return size > 0 ? size > kWithin * range.highest : size < 0 && size < kWithin * range.lowest;
}

}  // namespace heft
