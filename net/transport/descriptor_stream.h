// A byte stream over a connected socket that it owns: TCP, or one end of a socket pair.
#pragma once

#include "sotto/net/transport/stream.h"

namespace sotto::net {

class DescriptorStream final : public ByteStream {
 public:
  // Takes `descriptor` over, makes it non-blocking and closed on exec. Throws std::system_error.
  explicit DescriptorStream(int descriptor);
  ~DescriptorStream() override;

  [[nodiscard]] Transfer read_some(std::span<std::byte> into) override;
  [[nodiscard]] Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override;
  [[nodiscard]] Waitable wait_for(bool reading, bool writing) const override;
  void end_writing() noexcept override;
  void close() noexcept override;
  [[nodiscard]] std::string failure() const override;

 private:
  Transfer stopped(int error) noexcept;
  Transfer sent(ssize_t bytes) noexcept;

  int descriptor_;
  int error_ = 0;
};

}  // namespace sotto::net
