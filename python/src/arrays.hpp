// Arrays between Python and the library. Inputs are float64 and read in place, with any strides
// (the Python layer converts other arrays, with a note); outputs are either views that keep their
// owner alive or new memory that belongs to the array.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "heft/log/arrays.hpp"
#include "module.hpp"

namespace heft::python {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
using NumpyArray = nb::ndarray<nb::numpy, double>;
using NumpyView = nb::ndarray<nb::numpy, const double>;

inline ArrayView view_of(const Vector& array) {
  return {array.data(), static_cast<std::int64_t>(array.shape(0)), 1, array.stride(0), 0};
}

inline ArrayView view_of(const Matrix& array) {
  return {array.data(), static_cast<std::int64_t>(array.shape(0)),
          static_cast<std::int64_t>(array.shape(1)), array.stride(0), array.stride(1)};
}

/// New memory for a Python array in C order; `first` is its start.
inline NumpyArray new_array(std::initializer_list<std::size_t> shape, double*& first) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  first = new double[size];
  nb::capsule owner(first, [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
  return NumpyArray(first, shape.size(), shape.begin(), owner);
}

/// A matrix as rows, or a vector.
template <class Derived>
NumpyArray copy_of(const Eigen::MatrixBase<Derived>& numbers) {
  const auto rows = static_cast<std::size_t>(numbers.rows()),
             columns = static_cast<std::size_t>(numbers.cols());
  double* first = nullptr;
  NumpyArray array = Derived::ColsAtCompileTime == 1 ? new_array({rows}, first)
                                                     : new_array({rows, columns}, first);
  for (Eigen::Index i = 0; i < numbers.rows(); ++i)
    for (Eigen::Index k = 0; k < numbers.cols(); ++k) first[i * numbers.cols() + k] = numbers(i, k);
  return array;
}

/// A read-only view of a vector of the library in Python; `owner` is the Python object that owns
/// it.
inline NumpyView view_in(const Eigen::VectorXd& vector, nb::handle owner) {
  return NumpyView(vector.data(), {static_cast<std::size_t>(vector.size())}, owner);
}

inline Eigen::VectorXd vector_of(const Vector& array) {
  Eigen::VectorXd vector(static_cast<Eigen::Index>(array.shape(0)));
  for (Eigen::Index i = 0; i < vector.size(); ++i) vector[i] = array.data()[i * array.stride(0)];
  return vector;
}

inline Eigen::MatrixXd matrix_of(const Matrix& array) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(array.shape(0)),
                         static_cast<Eigen::Index>(array.shape(1)));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index k = 0; k < matrix.cols(); ++k)
      matrix(i, k) = array.data()[i * array.stride(0) + k * array.stride(1)];
  return matrix;
}

/// A Python object that a C++ log keeps alive; any thread may release it.
inline std::shared_ptr<const void> kept_alive(nb::object object) {
  return std::shared_ptr<const void>(new nb::object(std::move(object)), [](const void* kept) {
    if (!Py_IsInitialized()) return;  // at the end of the program it goes with everything else
    const nb::gil_scoped_acquire acquired;
    delete static_cast<const nb::object*>(kept);
  });
}

}  // namespace heft::python
