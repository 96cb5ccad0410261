#include "tests/device_on_host/block/findings.hpp"

#include <cstdio>
#include <utility>

#include "tests/device_on_host/block/symbols.hpp"

namespace heft::device_on_host {

namespace {

std::string text(const Extent& extent) {
  return "(" + std::to_string(extent.x) + ", " + std::to_string(extent.y) + ", " +
         std::to_string(extent.z) + ")";
}

}  // namespace

void Findings::add(const std::string& what, const Site& site, const Thread& thread,
                   const std::string& where) {
  if (times_[what + site.function + std::to_string(site.ptx_line)]++ > 0) return;
  std::string source = site.source;
  if (!source.empty()) source = ", " + source;
  keep(what + " in " + plain_name(site.function) + ": " + site.instruction + " (PTX line " +
       std::to_string(site.ptx_line) + source + "), block " + text(thread.block_place) +
       ", thread " + text(thread.place) + (where.empty() ? "" : ", " + where));
}

void Findings::add(const std::string& what) {
  if (times_[what]++ == 0) keep(what);
}

void Findings::keep(const std::string& text) {
  texts_.push_back(text);
  if (prints_) std::fprintf(stderr, "device_on_host: %s\n", text.c_str());
  if (react_ && texts_.size() == 1) react_();
}

std::vector<std::string> Findings::take() {
  times_.clear();
  return std::exchange(texts_, {});
}

Findings& findings() {
  static auto* const all = new Findings;  // outlives what reports at the end of the program
  return *all;
}

}  // namespace heft::device_on_host
