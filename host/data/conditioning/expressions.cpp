#include "conditioning/expressions.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <map>
#include <numbers>

#include "base/parallel_tasks.hpp"
#include "files/name_hint.hpp"

namespace heft {

namespace {

double sign(double x) {
  return x > 0 ? 1 : (x < 0 ? -1 : 0);
}
double smallest(const double* values, int count) {
  return *std::min_element(values, values + count);
}
double largest(const double* values, int count) {
  return *std::max_element(values, values + count);
}

using Unary = double (*)(double);
using Binary = double (*)(double, double);

// muParser's own set contains random numbers and changes with its version: replace it
void define_functions(mu::Parser& parser) {
  parser.ClearFun();
  parser.ClearConst();
  parser.DefineConst("pi", std::numbers::pi);
  const std::pair<const char*, Unary> unary[] = {
      {"sin", std::sin},   {"cos", std::cos},   {"tan", std::tan},   {"asin", std::asin},
      {"acos", std::acos}, {"atan", std::atan}, {"sinh", std::sinh}, {"cosh", std::cosh},
      {"tanh", std::tanh}, {"exp", std::exp},   {"log", std::log},   {"log10", std::log10},
      {"sqrt", std::sqrt}, {"abs", std::fabs},  {"sign", sign}};
  for (const auto& [name, function] : unary) parser.DefineFun(name, function);
  parser.DefineFun("pow", static_cast<Binary>(std::pow));
  parser.DefineFun("atan2", static_cast<Binary>(std::atan2));
  parser.DefineFun("min", smallest);
  parser.DefineFun("max", largest);
}

std::string function_names(const mu::Parser& parser) {
  std::string names;
  for (const auto& [name, unused] : parser.GetFunDef()) names += (names.empty() ? "" : " ") + name;
  return names + " " + memory_function_names();
}

std::string as_identifier(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

enum class Quantity { position, velocity, acceleration, load, logged, memory };

// The column of an array that a variable refers to.
struct Variable {
  Quantity quantity;
  int column;
};

/// The arrays that variables refer to, beside the states.
struct Inputs {
  const Eigen::ArrayXXd &load, &logged, &memory;
};

double value_of(const Variable& variable, const Samples& block, const Inputs& inputs,
                Eigen::Index row) {
  switch (variable.quantity) {
    case Quantity::position:
      return block.position(row, variable.column);
    case Quantity::velocity:
      return block.velocity(row, variable.column);
    case Quantity::acceleration:
      return block.acceleration(row, variable.column);
    case Quantity::load:
      return inputs.load(row, variable.column);
    case Quantity::memory:
      return inputs.memory(row, variable.column);
    case Quantity::logged:
      break;
  }
  return inputs.logged(row, variable.column);
}

std::map<std::string, Variable> state_variables(const Robot& robot,
                                                const std::vector<Channel>& channels,
                                                bool has_load) {
  std::map<std::string, Variable> variables;
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    const std::string joint = as_identifier(robot.coordinates[static_cast<std::size_t>(k)].name);
    const std::pair<const char*, Quantity> quantities[] = {
        {"q", Quantity::position}, {"qd", Quantity::velocity}, {"qdd", Quantity::acceleration}};
    for (const auto& [name, quantity] : quantities) {
      variables[fmt::format("{}{}", name, k + 1)] = {quantity, k};
      variables[fmt::format("{}_{}", name, joint)] = {quantity, k};
    }
  }
  for (std::size_t c = 0; has_load && c < channels.size(); ++c) {
    if (channels[c].coordinate < 0) continue;
    const Variable load{Quantity::load, static_cast<int>(c)};
    variables[fmt::format("load{}", channels[c].coordinate + 1)] = load;
    variables["load_" + as_identifier(channels[c].name)] = load;
  }
  return variables;
}

constexpr std::size_t kLongestExpression = 4096;

/// Shortens an expression for a message.
std::string quoted(const std::string& text) {
  constexpr std::size_t kShown = 120;
  return "'" + (text.size() > kShown ? text.substr(0, kShown) + ".." : text) + "'";
}

/// Finds a single '=', which the parser treats as an assignment that would overwrite the motion.
bool assigns(const std::string& text) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    const char before = at > 0 ? text[at - 1] : ' ';
    if (at + 1 < text.size() && text[at + 1] == '=') {
      ++at;
      continue;
    }
    if (before != '<' && before != '>' && before != '!') return true;
  }
  return false;
}

// A function and the places of its columns among the log columns in use.
struct PlacedFunction {
  BlockFunction function;
  std::vector<int> inputs;
};

// One formula with the numbers that its variables point at.
struct Formula {
  std::string text;
  std::string where;
  mu::Parser parser;
  std::vector<std::pair<Variable, double>> inputs;

  bool holds_load() const {
    return std::ranges::any_of(
        inputs, [](const auto& input) { return input.first.quantity == Quantity::load; });
  }
};

/// Evaluates a formula at every row.
template <class Output>
Result<Done> fill(Formula& formula, const Samples& block, const Inputs& arrays, Output&& output) {
  if (formula.text.empty()) {
    output.setZero();
    return Done{};
  }
  for (Eigen::Index row = 0; row < block.size(); ++row) {
    for (auto& [variable, value] : formula.inputs) value = value_of(variable, block, arrays, row);
    output[row] = formula.parser.Eval();
    if (!std::isfinite(output[row]))
      return Error{
          formula.where,
          fmt::format("'{}' is not finite at t = {:.9g} s", formula.text, block.time[row]),
          "keep denominators and the arguments of log, sqrt, asin and acos inside their domains"};
  }
  return Done{};
}

Error parser_error(const mu::Parser::exception_type& error) {
  return Error{"expression", error.GetMsg(), "fix the expression"};
}

}  // namespace

struct Expressions::State {
  int num_channels = 0, num_threads = 1;
  std::vector<int> log_columns;
  std::deque<Formula> known_torque;  // a deque: parsers point into their formulas, which must not
                                     // move
  std::vector<int> known_channels;
  std::deque<Formula> signals;
  std::function<Result<Eigen::ArrayXXd>(const Samples&)> load;  // empty if no formula holds a load
  TorqueFunction payload;                                       // empty if the log has none
  std::map<int, double> torque_gain;
  std::map<int, int> gain_signals;
  std::map<int, MemorySignal> memories;
  std::vector<PlacedFunction> functions;

  bool has_known_torque() const {
    return !known_torque.empty() ||
           std::any_of(functions.begin(), functions.end(), [](const PlacedFunction& placed) {
             return placed.function.adds_known_torque;
           });
  }

  Result<Done> place(const BlockFunction& function, const std::vector<std::string>& header);
  Result<Done> apply_functions(const Eigen::ArrayXXd& logged, const Eigen::ArrayXXd& orientation,
                               Samples& block) const;
  void add_known_torques_to_gains(Samples& block) const;
  Result<Done> subtract_payload(Samples& block) const;

  std::vector<MemoryCall> calls;
  std::deque<Formula> call_inputs;       // of every call
  std::vector<std::string> call_places;  // what contains them

  bool has_load() const {
    const auto any_load = [](const std::deque<Formula>& formulas) {
      return std::ranges::any_of(formulas, &Formula::holds_load);
    };
    return any_load(known_torque) || any_load(signals) || any_load(call_inputs);
  }

  // the call that a variable stands for, or -1
  int call_of(const std::string& name) const {
    for (std::size_t k = 0; k < calls.size(); ++k)
      if (name == memory_variable(k)) return static_cast<int>(k);
    return -1;
  }

  int use_log_column(int column) {
    const auto it = std::find(log_columns.begin(), log_columns.end(), column);
    if (it != log_columns.end()) return static_cast<int>(it - log_columns.begin());
    log_columns.push_back(column);
    return static_cast<int>(log_columns.size()) - 1;
  }

  Result<Done> add(std::deque<Formula>& formulas, const std::string& text, const std::string& where,
                   const std::map<std::string, Variable>& states,
                   const std::vector<std::string>& header);
  Result<std::string> add_calls(const std::string& text, const std::string& where,
                                const std::map<std::string, Variable>& states,
                                const std::vector<std::string>& header);
};

// Compiles the inputs of calls of functions with memory; returns the text with variables instead.
Result<std::string> Expressions::State::add_calls(const std::string& text, const std::string& where,
                                                  const std::map<std::string, Variable>& states,
                                                  const std::vector<std::string>& header) {
  HEFT_TRY(plain, without_memory_calls(text, where, calls));
  while (call_inputs.size() < calls.size()) {
    const std::size_t next = call_inputs.size();
    // its own calls come before it, and are variables by now
    HEFT_CHECK(add(call_inputs, calls[next].input, where, states, header));
    call_places.push_back(where);
  }
  return plain;
}

Result<Done> Expressions::State::add(std::deque<Formula>& formulas, const std::string& text,
                                     const std::string& where,
                                     const std::map<std::string, Variable>& states,
                                     const std::vector<std::string>& header) {
  Formula& formula = formulas.emplace_back();
  formula.text = text;
  formula.where = where;
  const auto header_column = [&](const std::string& name) {
    const auto it = std::find(header.begin(), header.end(), name);
    return it == header.end() || name.empty() ? -1 : static_cast<int>(it - header.begin());
  };

  // a bare column name needs no parser and may have any characters
  if (const int column = header_column(text); column >= 0 && states.count(text) == 0) {
    formula.inputs = {{{Quantity::logged, use_log_column(column)}, 0.0}};
    formula.parser.DefineVar("x", &formula.inputs.front().second);
    formula.parser.SetExpr("x");
    return Done{};
  }
  if (text.size() > kLongestExpression)
    return Error{where,
                 fmt::format("{} has {} characters, more than {}", quoted(text), text.size(),
                             kLongestExpression),
                 "shorten it, or log its value as a column"};
  if (assigns(text))
    return Error{where, quoted(text) + " contains '=', but expressions cannot assign values",
                 "write the value of the torque, without '='; to compare: == != < <= > >="};
  HEFT_TRY(plain, add_calls(text, where, states, header));
  try {
    define_functions(formula.parser);
    formula.parser.SetExpr(plain);
    std::vector<std::string> names;
    for (const auto& [name, unused] : formula.parser.GetUsedVar()) names.push_back(name);
    for (const std::string& name : names) {
      if (const int call = call_of(name); call >= 0) {
        formula.inputs.push_back({{Quantity::memory, call}, 0.0});
      } else if (const auto it = states.find(name); it != states.end()) {
        formula.inputs.push_back({it->second, 0.0});
      } else if (const int column = header_column(name); column >= 0) {
        formula.inputs.push_back({{Quantity::logged, use_log_column(column)}, 0.0});
      } else {
        std::vector<std::string> known;
        for (const auto& [state, unused] : states) known.push_back(state);
        known.insert(known.end(), header.begin(), header.end());
        return Error{where,
                     fmt::format("{} contains the unknown name {}", quoted(text), quoted(name)),
                     name_hint(name, known, "known names:")};
      }
    }
    for (std::size_t k = 0; k < names.size(); ++k)
      formula.parser.DefineVar(names[k], &formula.inputs[k].second);
    formula.parser.Eval();
    if (const int count = formula.parser.GetNumResults(); count > 1)
      return Error{where, fmt::format("{} has {} values", quoted(text), count),
                   "write one value; separate arguments only with ','"};
  } catch (const mu::Parser::exception_type& error) {
    return Error{
        where,
        fmt::format("{} is not a valid expression: {}", quoted(text),
                    error.GetMsg().substr(0, 300)),
        "fix it; the functions are " + function_names(formula.parser) + ", the constant is pi"};
  }
  return Done{};
}

Result<Done> Expressions::State::place(const BlockFunction& function,
                                       const std::vector<std::string>& header) {
  PlacedFunction placed{function, {}};
  for (const std::string& name : function.columns) {
    const auto it = std::find(header.begin(), header.end(), name);
    if (it == header.end())
      return Error{function.where, "the log has no column '" + name + "'",
                   name_hint(name, header, "the header has")};
    placed.inputs.push_back(use_log_column(static_cast<int>(it - header.begin())));
  }
  functions.push_back(std::move(placed));
  return Done{};
}

Result<Done> Expressions::State::apply_functions(const Eigen::ArrayXXd& logged,
                                                 const Eigen::ArrayXXd& orientation,
                                                 Samples& block) const {
  for (const PlacedFunction& placed : functions)
    HEFT_CHECK(placed.function.apply({logged(Eigen::all, placed.inputs), orientation}, block));
  return Done{};
}

void Expressions::State::add_known_torques_to_gains(Samples& block) const {
  if (block.known_torque.size() == 0) return;
  for (const auto& [signal, channel] : gain_signals)
    block.signal.col(signal) += block.known_torque.col(channel);
}

// After the gains, whose loads contain the payload.
Result<Done> Expressions::State::subtract_payload(Samples& block) const {
  if (!payload) return Done{};
  HEFT_TRY(torque, payload(block));
  if (block.known_torque.size() > 0) torque += block.known_torque;
  block.known_torque = std::move(torque);
  return Done{};
}

Expressions::Expressions(std::unique_ptr<State> state) : state_(std::move(state)) {}
Expressions::Expressions(Expressions&&) noexcept = default;
Expressions& Expressions::operator=(Expressions&&) noexcept = default;
Expressions::~Expressions() = default;

Result<Expressions> Expressions::compile(const DerivedSignals& derived, const Robot& robot,
                                         const std::vector<Channel>& channels,
                                         const std::vector<std::string>& header) {
  const int num_channels = static_cast<int>(channels.size());
  const auto states = state_variables(robot, channels, static_cast<bool>(derived.load));
  auto state = std::make_unique<State>();
  state->num_channels = num_channels;
  state->num_threads = derived.num_threads;
  for (const auto& [channel, text] : derived.known_torque) {
    if (channel < 0 || channel >= num_channels)
      return Error{"known_torque", fmt::format("channel {} does not exist", channel),
                   fmt::format("channels count from 0 to {}", num_channels - 1)};
    HEFT_CHECK(state->add(state->known_torque, text, "known_torque of " + channels[channel].name,
                          states, header));
    state->known_channels.push_back(channel);
  }
  const auto is_computed = [&](int signal) {
    return derived.memories.contains(signal) ||
           std::any_of(derived.functions.begin(), derived.functions.end(),
                       [&](const BlockFunction& function) {
                         return std::ranges::count(function.signals, signal) > 0;
                       });
  };
  for (std::size_t k = 0; k < derived.signals.size(); ++k) {
    const std::string where =
        k < derived.signal_names.size() ? derived.signal_names[k] : fmt::format("signal {}", k);
    if (is_computed(static_cast<int>(k))) {
      state->signals.emplace_back();  // its values come from elsewhere
      continue;
    }
    HEFT_CHECK(state->add(state->signals, derived.signals[k], where, states, header));
  }
  if (state->has_load()) state->load = derived.load;
  state->payload = derived.payload;
  state->torque_gain = derived.torque_gain;
  state->gain_signals = derived.gain_signals;
  state->memories = derived.memories;
  for (const BlockFunction& function : derived.functions)
    HEFT_CHECK(state->place(function, header));
  return Expressions(std::move(state));
}

const std::map<int, MemorySignal>& Expressions::memories() const {
  return state_->memories;
}

double Expressions::torque_gain(int channel) const {
  const auto found = state_->torque_gain.find(channel);
  return found == state_->torque_gain.end() ? 1 : found->second;
}

const std::vector<int>& Expressions::log_columns() const {
  return state_->log_columns;
}

std::vector<Expressions::MotionInput> Expressions::motion_inputs() const {
  std::vector<MotionInput> inputs;
  for (const std::deque<Formula>* formulas : {&state_->known_torque, &state_->signals})
    for (const Formula& formula : *formulas)
      for (const auto& [variable, unused] : formula.inputs)
        if (variable.quantity <= Quantity::acceleration)
          inputs.push_back({static_cast<int>(variable.quantity), variable.column});
  return inputs;
}

const std::vector<MemoryCall>& Expressions::calls() const {
  return state_->calls;
}

std::pair<double, std::string> Expressions::longest_lag() const {
  std::pair<double, std::string> longest;
  for (std::size_t k = 0; k < state_->calls.size(); ++k)
    if (state_->calls[k].function == "lag" && state_->calls[k].parameter > longest.first)
      longest = {state_->calls[k].parameter, state_->call_places[k]};
  return longest;
}

Result<Eigen::ArrayXXd> Expressions::load_of_calls(const Samples& block) const {
  if (!state_->load || std::ranges::none_of(state_->call_inputs, &Formula::holds_load))
    return Eigen::ArrayXXd();
  return state_->load(block);
}

Result<Eigen::ArrayXd> Expressions::input_of_call(int call, const Eigen::ArrayXXd& logged,
                                                  const Samples& block, const Eigen::ArrayXXd& load,
                                                  const Eigen::ArrayXXd& memory) {
  Eigen::ArrayXd values(block.size());
  try {
    HEFT_CHECK(fill(state_->call_inputs[static_cast<std::size_t>(call)], block,
                    {load, logged, memory}, values));
  } catch (const mu::Parser::exception_type& error) {
    return parser_error(error);
  }
  return values;
}

Result<Done> Expressions::evaluate(const Eigen::ArrayXXd& logged, Samples& block,
                                   const Eigen::ArrayXXd& memory,
                                   const Eigen::ArrayXXd& orientation) {
  Eigen::ArrayXXd load;
  if (state_->load) {
    HEFT_TRY(torque, state_->load(block));
    load = std::move(torque);
  }
  block.known_torque.resize(0, 0);
  if (state_->has_known_torque()) block.known_torque.setZero(block.size(), state_->num_channels);
  block.signal.resize(block.size(), static_cast<Eigen::Index>(state_->signals.size()));
  // row by row: muParser's evaluation in bulk would start threads of its own
  const Inputs arrays{load, logged, memory};
  const auto num_known = std::ssize(state_->known_torque),
             num_signals = std::ssize(state_->signals);
  const auto evaluate_one = [&](std::int64_t index, int) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index < num_known ? index : index - num_known);
    try {
      return index < num_known ? fill(state_->known_torque[at], block, arrays,
                                      block.known_torque.col(state_->known_channels[at]))
                               : fill(state_->signals[at], block, arrays,
                                      block.signal.col(static_cast<Eigen::Index>(at)));
    } catch (const mu::Parser::exception_type& error) {
      return parser_error(error);
    }
  };
  HEFT_CHECK(parallel_tasks(num_known + num_signals, state_->num_threads, {}, "", evaluate_one));
  HEFT_CHECK(state_->apply_functions(logged, orientation, block));
  state_->add_known_torques_to_gains(block);
  return state_->subtract_payload(block);
}

}  // namespace heft
