// The file of a profile.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/device_on_host/block/profile.hpp"
#include "tests/device_on_host/block/symbols.hpp"

namespace heft::device_on_host {

namespace {

using nlohmann::json;

const char* name(Class opcode_class) {
  switch (opcode_class) {
    case Class::fp64:
      return "fp64";
    case Class::fp64_tensor:
      return "fp64_tensor";
    case Class::fp64_special:
      return "fp64_special";
    case Class::fp32:
      return "fp32";
    case Class::fp32_special:
      return "fp32_special";
    case Class::integer:
      return "integer";
    case Class::convert:
      return "convert";
    case Class::move:
      return "move";
    case Class::compare:
      return "compare";
    case Class::branch:
      return "branch";
    case Class::load_param:
      return "load_param";
    case Class::atomic:
      return "atomic";
    case Class::copy_async:
      return "copy_async";
    case Class::shuffle:
      return "shuffle";
    case Class::barrier:
      return "barrier";
    case Class::call:
      return "call";
    default:
      return nullptr;  // loads and stores: by where the pointers led
  }
}

json counts(const Count& count) {
  return {{"thread", count.thread}, {"warp", count.warp}};
}

const Traffic& traffic(const LaunchProfile& launch, Space space, AccessKind kind) {
  return launch.traffic[static_cast<std::size_t>(space)][static_cast<std::size_t>(kind)];
}

Traffic sum(Traffic a, const Traffic& b) {
  a.add(b);
  return a;
}

json in_sectors(const Traffic& traffic) {
  return {{"requests", traffic.requests}, {"bytes", traffic.bytes}, {"sectors", traffic.sectors}};
}
json in_wavefronts(const Traffic& traffic) {
  return {{"requests", traffic.requests},
          {"bytes", traffic.bytes},
          {"wavefronts", traffic.wavefronts},
          {"least_wavefronts", traffic.least_wavefronts}};
}

/// Adds numbers, wherever they are.
void add(json& to, const json& from) {
  if (from.is_object())
    for (const auto& [key, value] : from.items()) add(to[key], value);
  else
    to = (to.is_null() ? std::uint64_t{0} : to.get<std::uint64_t>()) + from.get<std::uint64_t>();
}

/// Accesses by places in the sources.
json places(const LaunchProfile& launch) {
  json result = json::object();
  for (int i = 0; i < launch.module->num_sites; ++i) {
    const auto of = [&](Space space) { return launch.sites[i][static_cast<std::size_t>(space)]; };
    const Traffic global = of(Space::global), shared = of(Space::shared), local = of(Space::local);
    if (global.requests + shared.requests + local.requests == 0) continue;
    json& place = result[launch.module->sites[i].source];
    add(place["global"], in_sectors(global));
    add(place["shared"], in_wavefronts(shared));
    add(place["local"], in_sectors(local));
  }
  return result;
}

/// What a launch and a sum of launches have in common.
json members(const LaunchProfile& launch) {
  std::map<std::string, Count> opcodes, classes;
  for (const OpcodeCount& of_block : launch.module->opcodes) {
    const Count& entered = launch.basic_blocks[static_cast<std::size_t>(of_block.block)];
    const auto add = [&](Count& count) {
      count.thread += entered.thread * static_cast<std::uint64_t>(of_block.times);
      count.warp += entered.warp * static_cast<std::uint64_t>(of_block.times);
    };
    if (entered.thread == 0) continue;
    add(opcodes[of_block.opcode]);
    if (const char* const opcode_class = name(of_block.opcode_class)) add(classes[opcode_class]);
  }
  constexpr std::pair<Space, const char*> kNames[] = {
      {Space::global, "global"}, {Space::shared, "shared"}, {Space::local, "local"}};
  for (const auto& [space, space_name] : kNames)
    for (const auto& [kind, verb] :
         {std::pair(AccessKind::load, "load_"), std::pair(AccessKind::store, "store_")}) {
      const Traffic& of_these = traffic(launch, space, kind);
      if (of_these.threads > 0)
        classes[std::string(verb) + space_name] = {of_these.threads, of_these.requests};
    }
  json result;
  result["blocks"] = launch.grid.count();
  result["threads"] = std::uint64_t{launch.grid.count()} * launch.block.count();
  for (const auto& [opcode, count] : opcodes) result["opcodes"][opcode] = counts(count);
  for (const auto& [opcode_class, count] : classes) result["classes"][opcode_class] = counts(count);
  const auto of = [&launch](Space space, AccessKind kind) { return traffic(launch, space, kind); };
  result["global"] = {{"load", in_sectors(sum(of(Space::global, AccessKind::load),
                                              of(Space::global, AccessKind::copy_async)))},
                      {"store", in_sectors(of(Space::global, AccessKind::store))},
                      {"atomic", in_sectors(of(Space::global, AccessKind::atomic))}};
  result["shared"] = {{"load", in_wavefronts(of(Space::shared, AccessKind::load))},
                      {"store", in_wavefronts(of(Space::shared, AccessKind::store))},
                      {"atomic", in_wavefronts(of(Space::shared, AccessKind::atomic))}};
  result["local"] = {{"load", in_sectors(of(Space::local, AccessKind::load))},
                     {"store", in_sectors(of(Space::local, AccessKind::store))}};
  result["distinct_sectors"] = {{"read", launch.sectors_read},
                                {"written", launch.sectors_written},
                                {"read_first", launch.sectors_read_first}};
  result["barriers"] = launch.barriers;
  result["places"] = places(launch);
  return result;
}

json extent(const Extent& e) {
  return {e.x, e.y, e.z};
}

}  // namespace

void Profile::write(const std::string& path) {
  if (!launches_.empty()) end_launch();
  json result = {{"format", 1},
                 {"warp", 32},
                 {"sector_bytes", 32},
                 {"launches", json::array()},
                 {"kernels", json::object()}};
  for (const LaunchProfile& launch : launches_) {
    json of_launch = members(launch);
    const std::string kernel = plain_name(launch.kernel->symbol);
    json& sum = result["kernels"][kernel];
    add(sum, of_launch);
    add(sum["launches"], 1);
    of_launch["kernel"] = kernel;
    of_launch["symbol"] = launch.kernel->symbol;
    of_launch["grid"] = extent(launch.grid);
    of_launch["block"] = extent(launch.block);
    of_launch["static_shared_bytes"] = launch.kernel->static_shared;
    of_launch["dynamic_shared_bytes"] = launch.dynamic_shared;
    result["launches"].push_back(std::move(of_launch));
  }
  std::ofstream file(path);
  file << result.dump(1) << '\n';
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace heft::device_on_host
