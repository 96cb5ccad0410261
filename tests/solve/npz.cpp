#include "npz.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace heft::test {

namespace {

template <class T>
T read_at(const std::string& bytes, std::size_t position) {
  if (position + sizeof(T) > bytes.size()) throw std::runtime_error("npz: file ends early");
  T value;
  std::memcpy(&value, bytes.data() + position, sizeof value);
  return value;
}

template <class T>
void append(const std::string& bytes, std::size_t position, std::size_t count,
            std::vector<double>& values) {
  for (std::size_t k = 0; k < count; ++k) {
    values.push_back(static_cast<double>(read_at<T>(bytes, position + k * sizeof(T))));
  }
}

// magic, version, header length, Python dict literal, data
NpyArray read_npy(const std::string& bytes, std::size_t position) {
  if (bytes.compare(position, 6, "\x93NUMPY") != 0)
    throw std::runtime_error("npz: entry is not an npy array");
  const std::size_t header_length = read_at<std::uint16_t>(bytes, position + 8);
  const std::string header = bytes.substr(position + 10, header_length);
  if (header.find("'fortran_order': False") == std::string::npos)
    throw std::runtime_error("npz: Fortran order");

  NpyArray array;
  std::smatch match;
  if (!std::regex_search(header, match, std::regex("'shape': \\(([^)]*)\\)")))
    throw std::runtime_error("npz: no shape");
  const std::string shape = match[1];
  std::size_t count = 1;
  const std::regex number("[0-9]+");
  for (auto it = std::sregex_iterator(shape.begin(), shape.end(), number);
       it != std::sregex_iterator(); ++it) {
    array.shape.push_back(std::stoull(it->str()));
    count *= array.shape.back();
  }
  const std::size_t data = position + 10 + header_length;
  if (header.find("'<f8'") != std::string::npos) {
    append<double>(bytes, data, count, array.values);
  } else if (header.find("'<f4'") != std::string::npos) {
    append<float>(bytes, data, count, array.values);
  } else {
    throw std::runtime_error("npz: dtype other than <f4 and <f8: " + header);
  }
  return array;
}

}  // namespace

std::map<std::string, NpyArray> read_npz(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("npz: cannot open " + path);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};

  // walk the central directory, which has sizes and offsets even where local headers leave them
  // open
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (end == std::string::npos) throw std::runtime_error("npz: no end of central directory");
  const std::size_t num_entries = read_at<std::uint16_t>(bytes, end + 10);
  std::size_t entry = read_at<std::uint32_t>(bytes, end + 16);

  std::map<std::string, NpyArray> arrays;
  for (std::size_t k = 0; k < num_entries; ++k) {
    if (read_at<std::uint16_t>(bytes, entry + 10) != 0)
      throw std::runtime_error("npz: compressed entry");
    const std::size_t name_length = read_at<std::uint16_t>(bytes, entry + 28);
    const std::size_t local = read_at<std::uint32_t>(bytes, entry + 42);
    std::string name = bytes.substr(entry + 46, name_length);
    if (name.size() > 4 && name.ends_with(".npy")) name.resize(name.size() - 4);
    const std::size_t data = local + 30 + read_at<std::uint16_t>(bytes, local + 26) +
                             read_at<std::uint16_t>(bytes, local + 28);
    arrays.emplace(name, read_npy(bytes, data));
    entry += 46 + name_length + read_at<std::uint16_t>(bytes, entry + 30) +
             read_at<std::uint16_t>(bytes, entry + 32);
  }
  return arrays;
}

}  // namespace heft::test
