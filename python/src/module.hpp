// Shared by all bindings: nanobind, its casters, and the list of bound types, one file each.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace heft::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_configuration(nb::module_& m);
void bind_robot(nb::module_& m);
void bind_log(nb::module_& m);
void bind_training(nb::module_& m);
void bind_identification(nb::module_& m);
void bind_problem(nb::module_& m);
void bind_before_data(nb::module_& m);
void bind_payload(nb::module_& m);
void bind_charts(nb::module_& m);
void bind_excitation(nb::module_& m);
void bind_information(nb::module_& m);
void bind_watch(nb::module_& m);

}  // namespace heft::python
