// A byte stream over a connected socket that it owns: TCP, or one end of a socket pair.
#pragma once

#include <memory>
#include <utility>

#include "sotto/protocol/transport/stream.h"

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

// Two ends of a byte stream within one machine that no port and no address belong to: what tests and examples join
// roles with that are threads of one process, or a process and its child. It is a socket pair of the system, so that it
// behaves as TCP does: bounded, with partial reads and writes. Throws ResourceError if the system has no descriptors
// left.
[[nodiscard]] std::pair<std::unique_ptr<ByteStream>, std::unique_ptr<ByteStream>> make_stream_pair();

// Sets a connected TCP socket for frames.
//
// A frame leaves at once (TCP_NODELAY). Between two ends on one machine nothing can be congested, and a congestion
// control that paces what it sends only costs time: there, Reno, which every system has and which never waits for a
// timer. A refusal is ignored: it changes no result.
//
// A link that is idle, because nothing is due on it for a while, is kept alive by probes every 30 s: firewalls and NATs
// on the way forget connections that say nothing. After ten minutes without an answer it is lost. That is long on
// purpose: a peer that was cut off is found by the round deadline, which knows for whom this role waits, and no TCP
// time-out may end a run before it.
void tune_for_frames(int descriptor) noexcept;

}  // namespace sotto::net
