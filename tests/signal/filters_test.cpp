// Filters compared with scipy.signal 1.17 (sosfiltfilt, savgol_filter; numbers below) and with
// closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/widest.hpp"
#include "heft/signal/smoother.hpp"
#include "host/dynamics/signal/kernels.hpp"
#include "signal/savitzky_golay.hpp"

namespace heft {
namespace {

Eigen::ArrayXd test_signal(int n) {
  Eigen::ArrayXd x(n);
  for (int k = 0; k < n; ++k) x[k] = std::sin(0.05 * k) + 0.3 * std::cos(0.7 * k + 0.2) + 0.01 * k;
  return x;
}

struct Reference {
  int n, order;
  double parameter;  // cutoff as a share of the rate, or window
  double values[6];  // at 0, near 0, n/3, n/2, n-2, n-1
};

TEST(Butterworth, ForwardBackwardEqualsScipy) {
  const Reference references[] = {{200,
                                   4,
                                   0.02,
                                   {0.27183359369845306, 0.30288748935854604, 0.5010921984519302,
                                    0.04350982509768138, 1.7804083397323638, 1.773190425346371}},
                                  {64,
                                   3,
                                   0.1,
                                   {0.2927862840600739, 0.17343876998341973, 1.0089383995857137,
                                    1.2378565225156097, 0.8057544480882219, 0.9051771348050607}},
                                  {40,
                                   1,
                                   0.2,
                                   {0.2940213347320212, 0.21820360416430856, 0.49679731119920734,
                                    1.0254345921820576, 1.2954377078978287, 1.1044917236724276}},
                                  {300,
                                   2,
                                   0.004,
                                   {0.2769002994763867, 0.2853489829646329, 0.947681888697855,
                                    1.565635790964211, 2.615109154088869, 2.6156370191938785}},
                                  {16,
                                   4,
                                   0.05,
                                   {0.2932083037996865, 0.2914794863241384, 0.3277185950714816,
                                    0.4288377974878382, 0.7205263946146185, 0.7654451456858028}}};
  for (const Reference& reference : references) {
    const int n = reference.n;
    Eigen::ArrayXd x = test_signal(n), scratch;
    filter_forward_backward(butterworth_lowpass(reference.order, reference.parameter),
                            padding_samples(reference.order), x, scratch);
    const int places[] = {0, 1, n / 3, n / 2, n - 2, n - 1};
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(x[places[k]], reference.values[k], 1e-12) << "n " << n << " place " << places[k];
  }
}

TEST(Butterworth, GainIsTheSquareOfTheDesign) {
  // far from the ends a sine keeps its phase and is scaled by |H|^2 = 1 / (1 + (tan(pi f) / tan(pi
  // fc))^2n)
  const double f = 0.031, cutoff = 0.04;
  for (const int order : {1, 2, 3, 4, 7, 8, 11}) {  // up to two passes of four sections
    const double gain =
        1 / (1 + std::pow(std::tan(std::numbers::pi * f) / std::tan(std::numbers::pi * cutoff),
                          2 * order));
    const int half = decay_samples(order, cutoff);
    Eigen::ArrayXd x(2 * half + 1), scratch;
    for (int k = 0; k < x.size(); ++k) x[k] = std::sin(2 * std::numbers::pi * f * k + 1);
    const double input = x[half];
    filter_forward_backward(butterworth_lowpass(order, cutoff), padding_samples(order), x, scratch);
    EXPECT_NEAR(x[half], gain * input, 1e-13) << "order " << order;
  }
}

TEST(Butterworth, ForgetsBeyondItsDecay) {
  for (const int order : {1, 2, 4, 5}) {
    for (const double cutoff : {0.004, 0.05, 0.3}) {
      const int decay = decay_samples(order, cutoff);
      const int n = 2 * decay + 50;
      Eigen::ArrayXd x = Eigen::ArrayXd::Zero(n), scratch;
      x[n / 2] = 1;
      filter_forward_backward(butterworth_lowpass(order, cutoff), padding_samples(order), x,
                              scratch);
      // the pole's residue relative to the peak stays below 10 up to order 5
      EXPECT_LE(x.tail(n / 2 - decay).abs().maxCoeff<Eigen::PropagateNaN>(),
                10 * std::exp(-36.0) * x.abs().maxCoeff());
      // and is not far longer than needed: three quarters of the way something is left
      EXPECT_GE(x.tail(n / 2 - decay * 3 / 4).abs().maxCoeff(), 1e-14 * x.abs().maxCoeff());
    }
  }
}

TEST(Butterworth, GuardIsThatOfTheFormulas) {
  // FORMULAS 7: 36 / (w_c sin(pi/8)) seconds at order 4, 1.5 s at 10 Hz
  const double seconds = 36 / (2 * std::numbers::pi * 10 * std::sin(std::numbers::pi / 8));
  EXPECT_NEAR(decay_samples(4, 10.0 / 5000) / 5000.0, seconds, 1e-3 * seconds);
}

/// Kernels of every instruction set of this machine against the recursion in long double, forwards
/// and backwards.
TEST(Butterworth, EveryInstructionSetRunsAnyNumberOfSections) {
  std::vector<const signal::Kernels*> all = {&signal::kBaselineKernels};
  if (processor_has_avx2()) all.push_back(&signal::kAvx2Kernels);
  if (processor_has_avx512()) all.push_back(&signal::kAvx512Kernels);
  constexpr int kSamples = 60;
  for (const signal::Kernels* kernels : all)
    for (int order = 1; order <= 18; ++order)
      for (const int step : {1, -1}) {
        const std::vector<Biquad> sections = butterworth_lowpass(order, 0.07);
        Eigen::ArrayXXd x(kSignalLanes, kSamples);
        for (int lane = 0; lane < kSignalLanes; ++lane)
          x.row(lane) = test_signal(kSamples + lane).tail(kSamples).transpose();
        Eigen::Array<long double, Eigen::Dynamic, Eigen::Dynamic> expected = x.cast<long double>();
        if (step < 0) expected = expected.rowwise().reverse().eval();
        for (const Biquad& s : sections)
          for (int lane = 0; lane < kSignalLanes; ++lane) {
            // before the first sample all inputs and outputs were as the first input
            long double in[2] = {expected(lane, 0), expected(lane, 0)}, out[2] = {in[0], in[0]};
            for (int k = 0; k < kSamples; ++k) {
              const long double now = expected(lane, k);
              const long double y =
                  s.b0 * now + s.b1 * in[0] + s.b2 * in[1] - s.a1 * out[0] - s.a2 * out[1];
              in[1] = in[0], in[0] = now, out[1] = out[0], out[0] = y;
              expected(lane, k) = y;
            }
          }
        if (step < 0) expected = expected.rowwise().reverse().eval();
        double* const first = step > 0 ? x.data() : x.data() + (kSamples - 1) * kSignalLanes;
        kernels->run(sections.data(), static_cast<int>(sections.size()), first, kSamples, step);
        EXPECT_LE(static_cast<double>(
                      (x.cast<long double>() - expected).abs().maxCoeff<Eigen::PropagateNaN>()),
                  1e-13)
            << "order " << order;
      }
}

/// Signals side by side, of every kind of smoother: of columns, of rows and alone they are the same
/// to the last bit.
TEST(Smoother, SignalsSideBySideAreAsIfAlone) {
  constexpr Eigen::Index kSamples = 150, kFirst = 7, kStep = 3, kKept = 40;
  for (const FilterKind kind :
       {FilterKind::butterworth, FilterKind::savitzky_golay, FilterKind::none}) {
    const auto smoother = Smoother::make({.kind = kind, .butterworth_order = 5}, 8, 100, "cutoff");
    ASSERT_TRUE(smoother);
    for (const Eigen::Index count : {1, 3, 8, 19}) {
      Eigen::ArrayXXd columns(kSamples, count);
      for (Eigen::Index c = 0; c < count; ++c)
        columns.col(c) = test_signal(kSamples + 10 * static_cast<int>(c)).tail(kSamples);
      Eigen::ArrayXXd smoothed = Eigen::ArrayXXd::Constant(kSamples, count, std::nan("")), lanes;
      smoother->apply_to_columns(columns, smoothed, lanes);
      Smoother::RowMajorArray rows = columns, kept(kKept, count + 2);
      kept.setConstant(std::nan(""));
      for (Eigen::Index c = 0; c < count; c += kSignalLanes) {
        const Eigen::Index some = std::min<Eigen::Index>(kSignalLanes, count - c);
        smoother->apply_to_rows(rows.middleCols(c, some), kFirst, kStep,
                                kept.middleCols(c + 1, some), lanes);
      }
      for (Eigen::Index c = 0; c < count; ++c) {
        Eigen::ArrayXd alone = columns.col(c), scratch;
        smoother->apply(alone, scratch);
        EXPECT_TRUE((smoothed.col(c) == alone).all());
        EXPECT_TRUE((kept.col(c + 1) == alone(Eigen::seqN(kFirst, kKept, kStep))).all());
      }
      EXPECT_TRUE(kept.leftCols(1).isNaN().all() && kept.rightCols(1).isNaN().all());
      smoother->apply_to_columns(columns, columns, lanes);
      EXPECT_TRUE((columns == smoothed).all()) << "in place";
    }
  }
}

TEST(SavitzkyGolay, EqualsScipy) {
  const Reference references[] = {{40,
                                   3,
                                   11,
                                   {0.4007292114105354, -0.026316444226923474, 0.5637994738035523,
                                    1.0306099601145893, 1.3899299868983348, 1.032321916612979}},
                                  {30,
                                   3,
                                   21,
                                   {0.15224077297503102, 0.1810955677627149, 0.536402093607022,
                                    0.8519999268885374, 1.374587072332812, 1.395975587077775}},
                                  {21,
                                   2,
                                   21,
                                   {0.09336747510809645, 0.20133971930994174, 0.37855356670951473,
                                    0.5364020936070223, 1.1382009726598632, 1.2169428201805756}}};
  for (const Reference& reference : references) {
    const int n = reference.n;
    Eigen::ArrayXd x = test_signal(n), scratch;
    smooth_savitzky_golay(
        savitzky_golay_projection(static_cast<int>(reference.parameter), reference.order), x,
        scratch);
    const int places[] = {0, 3, n / 3, n / 2, n - 2, n - 1};
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(x[places[k]], reference.values[k], 1e-13) << "n " << n << " place " << places[k];
  }
}

TEST(SavitzkyGolay, LeavesPolynomialsOfItsOrderAlone) {
  const int n = 60;
  Eigen::ArrayXd x(n), scratch;
  for (int k = 0; k < n; ++k) x[k] = 1 + 0.1 * k - 0.02 * k * k + 3e-4 * k * k * k;
  const Eigen::ArrayXd cubic = x;
  smooth_savitzky_golay(savitzky_golay_projection(15, 3), x, scratch);
  EXPECT_LE((x - cubic).abs().maxCoeff<Eigen::PropagateNaN>(), 1e-13 * cubic.abs().maxCoeff());
  smooth_savitzky_golay(savitzky_golay_projection(15, 2), x, scratch);
  EXPECT_GE((x - cubic).abs().maxCoeff(), 1e-3);
}

TEST(Derivative, IsCentralInsideAndOneSidedAtTheEnds) {
  const double h = 0.5;
  Eigen::ArrayXd x(5), derivative;
  x << 1, 4, 9, 16, 25;
  differentiate(x, h, derivative);
  const double expected[] = {6, 8, 12, 16, 18};
  ASSERT_EQ(derivative.size(), 5);
  for (int k = 0; k < 5; ++k) EXPECT_DOUBLE_EQ(derivative[k], expected[k]);
}

}  // namespace
}  // namespace heft
