#include "config/contact_support.hpp"

#include "heft/config/module_options.hpp"

namespace heft::config {

bool projects_contacts(const Configuration& configuration) {
  return !projected_contacts(model_options(configuration)).empty();
}

Result<Done> check_contact_support(const Configuration& configuration) {
  if (!projects_contacts(configuration)) return Done{};
  const ConditioningOptions& conditioning = configuration.conditioning;
  const EstimationSection& estimation = configuration.estimation;
  if (!conditioning.filter_rows)
    return Error{"contacts", "unknown contact forces can only be removed from filtered rows",
                 "set conditioning.filter_rows: true, with lowpass_hz: 40 or more and "
                 "torque_lowpass_hz: 10 to 20"};
  if (conditioning.rows != "torque")
    return Error{"conditioning.rows", "contacts need rows of torque", "set it to torque"};
  if (!conditioning.dead_band.empty())
    return Error{"conditioning.dead_band",
                 "drops single joints, but unknown contact forces involve all of them",
                 "remove it"};
  if (!conditioning.torque_delay_s.is_one())
    return Error{"conditioning.torque_delay_s", "contacts need one delay for all joints",
                 "give one number"};
  if (conditioning.chooses_lowpass)
    return Error{"conditioning.lowpass_hz", "auto is not supported with contacts",
                 "give a number, such as 60"};
  if (estimation.loss != Loss::squares)
    return Error{"estimation.loss", "only squares are supported with contacts",
                 "set it to squares"};
  if (estimation.channel_covariance != ChannelCovariance::diagonal)
    return Error{"estimation.channel_covariance", "only diagonal is supported with contacts",
                 "set it to diagonal"};
  if (configuration.selection.columns != ColumnChoice::given)
    return Error{"selection.columns", "auto is not supported with contacts",
                 "set it to given, and list the columns"};
  if (has_gain(model_options(configuration)))
    return Error{"columns: gain", "gains are not supported with contacts",
                 "measure the forces (wrenches), or remove the column"};
  if (configuration.backend.kind == BackendKind::cuda)
    return Error{"backend.backend", "contacts are projected on the CPU only",
                 "set it to cpu or auto"};
  return Done{};
}

}  // namespace heft::config
