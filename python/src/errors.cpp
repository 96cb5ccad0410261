#include "errors.hpp"

#include "module.hpp"

namespace heft::python {

nb::object readable(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      const Error& error = failure.error;
      const nb::module_ errors = nb::module_::import_("heft_robot._errors");
      const nb::object type = errors.attr(error.is_stop ? "Stopped" : "HeftError");
      const nb::object exception =
          type(readable(error.where), readable(error.what), readable(error.remedy));
      PyErr_SetObject(type.ptr(), exception.ptr());
    }
  });
}

}  // namespace heft::python
