#include "tests/device_on_host/block/block.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>

#include "tests/device_on_host/block/findings.hpp"
#include "tests/device_on_host/block/profile.hpp"

namespace heft::device_on_host {

namespace {

constexpr std::uint32_t kWarp = 32;

/// Whether it orders some threads of a block and not others.
bool is_partial(const Site& site) {
  const std::string_view instruction = site.instruction;
  return instruction.starts_with("bar.warp") || instruction.find(".arrive") != instruction.npos ||
         (instruction.starts_with("bar") && instruction.find(',') != instruction.npos);
}

}  // namespace

std::uint32_t& last_stamp() {
  static std::uint32_t stamp = 0;
  return stamp;
}

Block::Block(const Launch& launch, const Circumstances& circumstances)
    : launch_(launch),
      circumstances_(circumstances),
      threads_(launch.block.count()),
      states_(launch.block.count()),
      shared_bytes_(launch.kernel->static_shared + launch.dynamic_shared),
      first_stamp_(++last_stamp()) {
  constexpr std::size_t kAlignment = 1024;
  shared_memory_.resize(shared_bytes_ + 2 * kAlignment);
  void* begin = shared_memory_.data();
  std::size_t space = shared_memory_.size();
  shared_ =
      static_cast<std::byte*>(std::align(kAlignment, shared_bytes_ + kAlignment, begin, space));
  for (const std::vector<std::byte>& value : launch.parameters)
    parameters_.push_back(const_cast<std::byte*>(value.data()));
  for (int k = 0; k < launch.module->num_sites; ++k) {
    const Site& site = launch.module->sites[k];
    follows_readers_ |=
        std::string_view(site.function) == launch.kernel->symbol && is_partial(site);
  }
  if (circumstances.profile)
    profile_ = std::make_unique<BlockProfile>(*circumstances.profile, launch);
}

Block::~Block() = default;

void Block::reset(Extent place) {
  std::memset(shared_, 0xFF, shared_bytes_);
  if constexpr (kIsChecked) shared_shadow_.assign((shared_bytes_ + 3) / 4, {});
  barriers_.fill({});
  operations_.clear();
  readers_.clear();
  const std::uint32_t num_threads = launch_.block.count();
  order_.begin(num_threads);
  num_alive_ = num_threads;
  for (std::uint32_t k = 0; k < num_threads; ++k) {
    Thread& t = threads_[k];
    const Extent& size = launch_.block;
    t.place = {k % size.x, k / size.x % size.y, k / (size.x * size.y)};
    t.block_size = size, t.block_place = place, t.grid_size = launch_.grid;
    t.rank = k, t.lane = k % kWarp, t.warp = k / kWarp;
    t.block = this, t.shared = shared_;
    t.removed = circumstances_.removed_mutant, t.steps_left = circumstances_.most_steps;
    t.block_counts = profile_ ? profile_->block_counts(k) : nullptr;
    t.local_memory.clear();
    states_[k] = {};
    states_[k].copies.resize(1);
  }
  ready_.resize(num_threads);
  std::iota(ready_.begin(), ready_.end(), 0);
  fibers_.start(num_threads, &Block::enter, this);
}

void Block::enter(void* argument) {
  Block& block = *static_cast<Block*>(argument);
  Thread& thread = block.threads_[block.current_];
  block.launch_.kernel->run(thread, block.parameters_.data());
  thread.wait_for_all_copies();
  block.states_[thread.rank].has_ended = true;
  --block.num_alive_;
  block.fibers_.pause();
}

bool Block::run(Extent place) {
  reset(place);
  std::vector<std::uint32_t> turns;
  while (num_alive_ > 0) {
    if (ready_.empty()) resolve_standstill();
    if (is_stopped_) return false;
    turns.swap(ready_);
    ready_.clear();
    arrange(turns);
    for (const std::uint32_t k : turns) {
      current_ = k;
      fibers_.resume(k);
      if (is_stopped_) return false;
    }
  }
  if (profile_) profile_->end_block();
  return true;
}

void Block::arrange(std::vector<std::uint32_t>& turns) {
  switch (circumstances_.order) {
    case ThreadOrder::ascending:
      return std::sort(turns.begin(), turns.end());
    case ThreadOrder::descending:
      return std::sort(turns.begin(), turns.end(), std::greater<>());
    case ThreadOrder::random:
      return std::shuffle(turns.begin(), turns.end(), *circumstances_.random);
  }
}

void Block::make_ready(std::uint32_t rank) {
  states_[rank].waits_at = nullptr;
  ready_.push_back(rank);
}

void Block::stop(const std::string& what, const Site& site, const Thread& thread,
                 const std::string& where) {
  findings().add(what, site, thread, where);
  is_stopped_ = true;
  for (;;) fibers_.pause();
}

/// No thread may run. A device lets those go on who wait for threads that ended; PTX does not say
/// so.
void Block::resolve_standstill() {
  for (Barrier& barrier : barriers_)
    if (barrier.is_of_block && barrier.waiting.size() == num_alive_) {
      const Thread& first = threads_[barrier.waiting.front()];
      findings().add("threads ended while others wait at a barrier", *states_[first.rank].waits_at,
                     first);
      return complete(barrier);
    }
  for (const Thread& thread : threads_)
    if (const Site* const site = states_[thread.rank].waits_at) {
      findings().add("a thread waits for others that never come", *site, thread);
      is_stopped_ = true;
      return;
    }
}

void Block::barrier(Thread& thread, const Site& site, std::uint32_t number,
                    std::uint32_t num_threads, bool waits) {
  if (number >= barriers_.size()) stop("no such barrier", site, thread);
  if (num_threads % kWarp != 0) stop("threads at a barrier are whole warps", site, thread);
  Barrier& barrier = barriers_[number];
  const std::uint32_t expected = num_threads == kWholeBlock ? launch_.block.count() : num_threads;
  if (barrier.expected == 0) {
    barrier.expected = expected;
    barrier.is_of_block = num_threads == kWholeBlock;
  } else if (barrier.expected != expected) {
    stop("threads disagree how many come to a barrier", site, thread);
  }
  // warps come to one instruction; all of a block do if its source says __syncthreads()
  const std::size_t group = barrier.is_of_block ? 0 : thread.warp;
  if (!barrier.sites[group]) barrier.sites[group] = &site;
  if (barrier.sites[group] != &site)
    findings().add(
        "threads wait at different barriers", site, thread,
        std::string("others at PTX line ") + std::to_string(barrier.sites[group]->ptx_line));
  if (profile_) profile_->barrier(thread);
  (waits ? barrier.waiting : barrier.arrived).push_back(thread.rank);
  if (kIsChecked && !barrier.is_of_block) order_.leave(thread.rank, barrier.brought);
  if (waits) states_[thread.rank].waits_at = &site;
  if (barrier.waiting.size() + barrier.arrived.size() == barrier.expected) complete(barrier);
  if (waits) fibers_.pause();
}

void Block::complete(Barrier& barrier) {
  if (barrier.waiting.size() == num_alive_ && barrier.arrived.empty()) {
    if (kIsChecked) order_.join_all();
    if (profile_) profile_->everyone_waits();
  } else {
    for (const std::uint32_t rank : barrier.waiting) order_.take(rank, barrier.brought);
  }
  for (const std::uint32_t rank : barrier.waiting) make_ready(rank);
  barrier = {};
}

const WarpOperation& Block::together(const Thread& thread, const Site& site, std::uint32_t mask,
                                     const std::array<std::uint32_t, 3>& words,
                                     const std::array<double, 4>& numbers, bool orders) {
  const std::uint32_t me = 1u << thread.lane;
  if (!(mask & me)) stop("a lane is not among those that it names", site, thread);
  auto found = std::find_if(operations_.begin(), operations_.end(), [&](const auto& operation) {
    return operation->site == &site && operation->warp == thread.warp && operation->mask == mask &&
           !(operation->arrived & me);
  });
  if (found == operations_.end()) {
    operations_.push_back(std::make_shared<WarpOperation>());
    found = operations_.end() - 1;
    **found = {&site, thread.warp, mask, 0, {}, {}, {}};
  }
  WarpOperation& operation = **found;
  operation.arrived |= me;
  operation.words[thread.lane] = words;
  operation.numbers[thread.lane] = numbers;
  orders &= kIsChecked;
  if (orders) order_.leave(thread.rank, operation.brought);
  states_[thread.rank].waits_at = &site;
  if (operation.arrived == mask) {
    const std::shared_ptr<const WarpOperation> complete = *found;
    operations_.erase(found);
    for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const std::uint32_t rank = thread.warp * kWarp + lane;
      states_[rank].taken = complete;
      make_ready(rank);
    }
  }
  fibers_.pause();
  const WarpOperation& taken = *states_[thread.rank].taken;
  if (orders) order_.take(thread.rank, taken.brought);
  return taken;
}

}  // namespace heft::device_on_host
