// A body on a force-torque sensor.
#include "heft/payload/files.hpp"
#include "heft/payload/shape.hpp"
#include "heft/payload/weigh_logs.hpp"

#include "arrays.hpp"
#include "errors.hpp"
#include "files/name_hint.hpp"
#include "heft/config/payload_options.hpp"
#include "log.hpp"
#include "long_call.hpp"

namespace heft::python {

namespace {

Result<std::vector<PayloadMethod>> methods_of(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  std::vector<PayloadMethod> all, methods;
  for (const auto& entry : EnumNames<PayloadMethod>::kList) {
    known.emplace_back(entry.name);
    all.push_back(entry.value);
  }
  known.emplace_back("all");
  for (const std::string& name : names) {
    if (name == "all") return all;
    const auto method = enum_value<PayloadMethod>(name);
    if (!method)
      return Error{"method", "there is no method '" + name + "'", name_hint(name, known, "there are ")};
    methods.push_back(*method);
  }
  return methods;
}

/// `config`: the text of a YAML or JSON mapping, which errors call `config_name`.
Result<PayloadResult> weigh(const std::vector<PyLog>& given, const std::string& config,
                            const std::string& config_name, const std::string& shape_file,
                            const std::vector<double>& pose, const std::vector<std::string>& names,
                            const Progress& progress) {
  HEFT_TRY(options, payload_options_from_yaml(config, config_name));
  if (!shape_file.empty()) options.prior.mesh = shape_file;
  if (!pose.empty()) {
    HEFT_TRY(placed, pose_of(pose, "pose"));
    options.prior.pose = placed;
  }
  HEFT_TRY(methods, methods_of(names));
  HEFT_TRY(shape, read_payload_shape(options.prior));
  PayloadRequest request{.options = options, .shape = shape, .methods = methods, .progress = progress};
  for (const PyLog& log : given) request.logs.push_back(log.log);
  return weigh_logs(request);
}

}  // namespace

void bind_payload(nb::module_& m) {
  nb::class_<PayloadResult>(m, "PayloadResult")
      .def_prop_ro("json", [](const PayloadResult& result) { return payload_json(result); })
      .def_prop_ro("summary", [](const PayloadResult& result) { return payload_summary(result); })
      .def_prop_ro("page", [](const PayloadResult& result) { return payload_page(result); })
      .def(
          "save",
          [](const PayloadResult& result, const std::string& directory) {
            return unwrap(write_payload(result, directory));
          },
          nb::arg("directory"));
  m.def(
      "payload",
      [](const std::vector<PyLog>& logs, const std::string& config, const std::string& config_name,
         const std::string& shape, const std::vector<double>& pose, const std::vector<std::string>& methods,
         nb::object listener) {
        return LongCall(std::move(listener)).run([&](const Progress& progress) {
          return weigh(logs, config, config_name, shape, pose, methods, progress);
        });
      },
      nb::arg("logs"), nb::arg("config"), nb::arg("config_name"), nb::arg("shape"), nb::arg("pose"),
      nb::arg("methods"), nb::arg("progress").none());
}

}  // namespace heft::python
