// The module heft_robot._heft: the library's nouns as they are. What Python wants around them
// (paths, frames, dictionaries, progress, pages) is Python, in python/heft_robot; nothing here is
// for users.
#include "module.hpp"

#include "heft/version.hpp"

NB_MODULE(_heft, m) {
  using namespace heft::python;
  nanobind::set_leak_warnings(false);  // modules of others keep references to our types until the
                                       // process ends
  m.doc() = "The nouns of the C++ library; heft_robot is what to import.";
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
