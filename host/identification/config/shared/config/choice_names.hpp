// Names of the enumerators that configurations choose from, in the order of the help.
#pragma once

#include "heft/base/enum_names.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft {

template <>
struct EnumNames<FilterKind> {
  static constexpr EnumName<FilterKind> kList[] = {{FilterKind::butterworth, "butterworth"},
                                                   {FilterKind::savitzky_golay, "savitzky_golay"},
                                                   {FilterKind::none, "none"}};
};

template <>
struct EnumNames<VelocitySource> {
  static constexpr EnumName<VelocitySource> kList[] = {
      {VelocitySource::from_position, "from_position"}, {VelocitySource::logged, "logged"}};
};

template <>
struct EnumNames<ColumnChoice> {
  static constexpr EnumName<ColumnChoice> kList[] = {{ColumnChoice::given, "given"},
                                                     {ColumnChoice::automatic, "auto"}};
};

template <>
struct EnumNames<MenuChoice> {
  static constexpr EnumName<MenuChoice> kList[] = {{MenuChoice::built_in, "built_in"},
                                                   {MenuChoice::none, "none"}};
};

template <>
struct EnumNames<FleetPrior> {
  static constexpr EnumName<FleetPrior> kList[] = {{FleetPrior::none, "none"},
                                                   {FleetPrior::population, "population"}};
  /// Names from earlier versions: accepted with a note, never written or listed.
  static constexpr EnumName<FleetPrior> kFormer[] = {{FleetPrior::population, "sisters"}};
};

template <>
struct EnumNames<SolverChoice> {
  static constexpr EnumName<SolverChoice> kList[] = {
      {SolverChoice::automatic, "auto"},
      {SolverChoice::ordinary_least_squares, "ols"},
      {SolverChoice::weighted_least_squares, "wls"},
      {SolverChoice::admm, "admm"},
      {SolverChoice::interior_point, "interior_point"},
      {SolverChoice::log_cholesky, "chart:log_cholesky"},
      {SolverChoice::exponential, "chart:exponential"},
      {SolverChoice::exponential_at_prior, "chart:exponential_at_prior"},
      {SolverChoice::manifold, "chart:manifold"}};
};

template <>
struct EnumNames<Consistency> {
  static constexpr EnumName<Consistency> kList[] = {
      {Consistency::full, "full"}, {Consistency::semi, "semi"}, {Consistency::none, "none"}};
};

template <>
struct EnumNames<Loss> {
  static constexpr EnumName<Loss> kList[] = {{Loss::squares, "squares"}, {Loss::huber, "huber"}};
};

template <>
struct EnumNames<ChannelCovariance> {
  static constexpr EnumName<ChannelCovariance> kList[] = {{ChannelCovariance::diagonal, "diagonal"},
                                                          {ChannelCovariance::full, "full"}};
};

template <>
struct EnumNames<LogWeights> {
  static constexpr EnumName<LogWeights> kList[] = {{LogWeights::automatic, "auto"},
                                                   {LogWeights::equal, "equal"},
                                                   {LogWeights::residuals, "residuals"}};
};

template <>
struct EnumNames<BackendKind> {
  static constexpr EnumName<BackendKind> kList[] = {
      {BackendKind::automatic, "auto"}, {BackendKind::cpu, "cpu"}, {BackendKind::cuda, "cuda"}};
};

}  // namespace heft
#pragma GCC visibility pop
