#include "sotto/net/mesh/driver/watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "sotto/core/wire/frame.h"

namespace sotto::net {
namespace {

// A peer whose `ready` frame has just come in. Counts how often somebody wants to sleep on it.
class ArrivedStream final : public ByteStream {
 public:
  explicit ArrivedStream(int& sleeps) : sleeps_(sleeps) {
    write_header(FrameHeader{0, FrameType::ready, 0, 0}, frame_);
  }
  Transfer read_some(std::span<std::byte> into) override {
    if (taken_) return {0, State::would_block};
    taken_ = true;
    std::copy(frame_.begin(), frame_.end(), into.begin());
    return {frame_.size(), State::moved};
  }
  Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
    return {head.size() + body.size(), State::moved};
  }
  [[nodiscard]] Waitable wait_for(bool, bool) const override {
    ++sleeps_;
    return {};
  }
  void end_writing() noexcept override {}
  void close() noexcept override {}
  [[nodiscard]] std::string failure() const override { return {}; }

 private:
  int& sleeps_;
  std::array<std::byte, FrameHeader::size> frame_{};
  bool taken_ = false;
};

// A watch looks at all links before it sleeps. What that look reads is out of poll's sight, so it must not sleep then.
TEST(Watch, DoesNotSleepOnWhatItHasRead) {
  const Topology topology(2);
  int sleeps = 0;
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<Link>(NodeId{1}, topology, std::make_unique<ArrivedStream>(sleeps)));
  const Mesh mesh(topology, NodeId{0}, SessionId{}, std::move(links), {});
  const DriverOptions options;
  Watch watch(mesh, options);
  const Link& link = mesh.link(1);
  watch.until(0, [&](bool) -> LinkSet { return link.ready() ? 0 : 1; });
  EXPECT_EQ(sleeps, 0);
}

}  // namespace
}  // namespace sotto::net
