// Stands in for hdf5_reader.cpp where the HDF5 library is missing.
#include "hdf5_reader.hpp"

namespace heft {

struct Hdf5Reader::State {};

Result<Hdf5Reader> Hdf5Reader::open(const std::string& path, const std::vector<std::string>&,
                                    const std::string&, bool) {
  return Error{path, "is an HDF5 file, and this program was built without the HDF5 library",
               "install libhdf5-dev and build again, or save the log as CSV or NPY"};
}

Hdf5Reader::Hdf5Reader(std::string path, std::unique_ptr<State> state)
    : TableReader(std::move(path)), state_(std::move(state)) {}
Hdf5Reader::Hdf5Reader(Hdf5Reader&&) noexcept = default;
Hdf5Reader::~Hdf5Reader() = default;

Result<Done> Hdf5Reader::select_columns(const std::vector<int>&) {
  return Done{};
}
Result<bool> Hdf5Reader::next_row(double*) {
  return false;
}
std::string Hdf5Reader::place_of(std::int64_t) const {
  return "";
}
double Hdf5Reader::fraction_read() const {
  return 1;
}
double Hdf5Reader::disk_seconds() const {
  return 0;
}
Result<std::string> Hdf5Reader::sha256() {
  return std::string();
}

}  // namespace heft
