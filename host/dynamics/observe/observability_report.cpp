// The terminal report of an Observability.
#include <fmt/format.h>

#include <algorithm>

#include "heft/observe/observe.hpp"

namespace heft {

namespace {

const char* symbol(Visibility visibility) {
  switch (visibility) {
    case Visibility::alone:
      return "●";
    case Visibility::in_combination:
      return "◐";
    case Visibility::unidentifiable:
      break;
  }
  return "○";
}

std::size_t longest_name(const Observability& observability) {
  std::size_t width = 4;
  for (const std::string& name : observability.bodies) width = std::max(width, name.size());
  return width;
}

/// Rows: bodies; columns: the parameters of one kind of body, all ten or a symmetric one's four.
std::string table(const Observability& observability, std::size_t num_columns, std::size_t width) {
  std::string text;
  const std::vector<ObservedParameter>& all = observability.parameters;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    while (end < all.size() && all[end].body == all[first].body) ++end;
    if (end - first == num_columns) {
      if (text.empty()) {
        text += fmt::format("  {:{}}", "", width);
        for (std::size_t j = first; j < end; ++j) text += fmt::format("  {}", all[j].name);
        text += "\n";
      }
      text += fmt::format("  {:{}}", observability.bodies[all[first].body], width);
      // symbols take one column of the terminal, names as many as they have letters
      for (std::size_t j = first; j < end; ++j)
        text += fmt::format("  {:>{}}{}", "", all[j].name.size() - 1, symbol(all[j].visibility));
      text += "\n";
    }
    first = end;
  }
  return text;
}

std::string dimensions(const Observability& observability, std::size_t width) {
  if (observability.joints.empty())
    return "  with sensors: found by random motions, no dimensions\n";
  std::string text = fmt::format("  {:{}}  dim V  dim K  dim T  base parameters\n", "", width);
  for (const JointDimensions& joint : observability.joints)
    text += fmt::format("  {:{}}  {:5}  {:5}  {:5}  {:15}\n",
                        observability.bodies[joint.bodies.front()], width, joint.dim_V, joint.dim_K,
                        joint.dim_T, joint.num_base);
  return text +
         "  V: velocities that the body can have, gravity counted as one\n"
         "  K: combinations of its parameters that would show if all other bodies were known\n"
         "  T: combinations that could move to its parent without changing any torque\n";
}

}  // namespace

std::string format_observability(const Observability& observability) {
  const std::size_t width = longest_name(observability);
  std::string text =
      fmt::format("{}: {} identifiable combinations of {} parameters", observability.robot,
                  observability.num_base, observability.num_parameters());
  if (observability.num_base_without_rotors != observability.num_base)
    text += fmt::format(" ({} without rotors)", observability.num_base_without_rotors);
  text += "\n";
  if (observability.num_base_exact != observability.num_base)
    text += fmt::format(
        "  {} exactly: axes are nearly parallel, and the effect of {} of these is below the "
        "tolerance; no log identifies them\n",
        observability.num_base_exact, observability.num_base_exact - observability.num_base);
  for (const NearlyParallel& axes : observability.nearly_parallel)
    text += fmt::format(
        "  the axis of {} is {:.2g} rad from {}{}: {} if they are parallel, {} if that angle is "
        "intended\n",
        axes.joint, axes.angle, axes.other == "gravity" ? "" : "that of ", axes.other,
        axes.num_base_if_parallel, axes.num_base_if_not_parallel);
  text += "\n" + dimensions(observability, width);
  if (observability.identifiable.empty() && observability.null_basis.empty()) return text;

  text +=
      fmt::format("\n  {} alone   {} in combination   {} not at all\n\n", symbol(Visibility::alone),
                  symbol(Visibility::in_combination), symbol(Visibility::unidentifiable));
  text += table(observability, core::kNumParameters, width);
  if (const std::string rotors = table(observability, 4, width); !rotors.empty())
    text += "\n" + rotors;

  text += "\nidentifiable combinations\n";
  for (const Combination& combination : observability.identifiable)
    text += "  " + observability.text(combination) + "\n";

  if (observability.channels.empty()) return text;
  text += "\nidentifiable from one channel alone\n";
  for (const ChannelObservability& channel : observability.channels) {
    const auto alone =
        std::count(channel.visibility.begin(), channel.visibility.end(), Visibility::alone);
    text += fmt::format("  {}: {} combinations, {} parameters by themselves\n", channel.channel,
                        channel.identifiable.size(), alone);
  }
  return text;
}

}  // namespace heft
