// A device that forwards to the host's, for tests that examine its calls.
#pragma once

#include <memory>
#include <string>

#include "tests/conformance/host_device.hpp"

namespace heft::testing {

class ForwardingDevice : public cuda::Device {
 public:
  explicit ForwardingDevice(const cuda::HostDeviceOptions& options = {})
      : host_(cuda::make_host_device(options)) {}

  std::string name() const override { return host_->name(); }
  int num_blocks(cuda::Kernel kernel) const override { return host_->num_blocks(kernel); }
  Result<Memory> allocate(std::size_t num_bytes) override { return host_->allocate(num_bytes); }
  Result<Memory> allocate_pinned(std::size_t num_bytes) override {
    return host_->allocate_pinned(num_bytes);
  }
  Result<Done> upload(std::byte* device, const std::byte* pinned, std::size_t num_bytes) override {
    return host_->upload(device, pinned, num_bytes);
  }
  Result<Done> launch(const cuda::Launch& launch) override { return host_->launch(launch); }
  Result<Done> add_parts(const cuda::PartSumLaunch& launch) override {
    return host_->add_parts(launch);
  }
  Result<Done> download(std::byte* pinned, const std::byte* device,
                        std::size_t num_bytes) override {
    return host_->download(pinned, device, num_bytes);
  }
  Result<Done> mark(int mark) override { return host_->mark(mark); }
  Result<Done> wait(int mark) override { return host_->wait(mark); }
  Result<Done> wait_for_all() override { return host_->wait_for_all(); }

 private:
  std::unique_ptr<cuda::Device> host_;
};

}  // namespace heft::testing
