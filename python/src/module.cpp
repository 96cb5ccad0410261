// The module heft_robot._heft: bindings of the library's types. The Python layer in
// python/heft_robot adds paths, frames, dictionaries, progress and pages; users do not import this
// module.
#include "module.hpp"

#include "heft/version.hpp"

NB_MODULE(_heft, m) {
  using namespace heft::python;
  nanobind::set_leak_warnings(false);  // modules of others keep references to our types until the
                                       // process ends
  m.doc() = "Bindings of the C++ library; import heft_robot instead.";
  bind_errors(m);
  bind_configuration(m);
  bind_robot(m);
  bind_log(m);
  bind_training(m);
  bind_identification(m);
  bind_problem(m);
  bind_before_data(m);
  bind_payload(m);
  bind_charts(m);
  bind_excitation(m);
  bind_information(m);
  bind_watch(m);
  m.attr("version") = heft::kVersion;
}
