#include "sotto/protocol/mesh/link.h"

#include <gtest/gtest.h>

#include "sotto/protocol/transport/stream.h"

namespace sotto::net::testing {
namespace {

constexpr std::chrono::seconds long_enough{5};

class CountedStream final : public ByteStream {
 public:
  CountedStream(std::unique_ptr<ByteStream> under, int& reads) : under_(std::move(under)), reads_(reads) {}
  Transfer read_some(std::span<std::byte> into) override {
    ++reads_;
    return under_->read_some(into);
  }
  Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
    return under_->write_some(head, body);
  }
  [[nodiscard]] Waitable wait_for(bool reading, bool writing) const override {
    return under_->wait_for(reading, writing);
  }
  void end_writing() noexcept override { under_->end_writing(); }
  void close() noexcept override { under_->close(); }
  [[nodiscard]] std::string failure() const override { return under_->failure(); }

 private:
  std::unique_ptr<ByteStream> under_;
  int& reads_;
};

class LinkTest : public ::testing::Test {
 protected:
  LinkTest() {
    auto [here, there] = make_stream_pair();
    here_ = std::make_unique<Link>(1, Topology(2), std::make_unique<CountedStream>(std::move(here), reads_));
    there_ = std::make_unique<Link>(0, Topology(2), std::move(there));
    here_->begin_run();
    here_->take_messages(100);
  }

  void tell(FrameType type, std::size_t bytes) {
    there_->post(type, 0, std::vector<std::byte>(bytes, std::byte{1}));
    ASSERT_TRUE(there_->flush());
  }
  [[nodiscard]] std::size_t messages_here() {
    std::size_t messages = 0;
    while (here_->take_message()) ++messages;
    return messages;
  }
  [[nodiscard]] bool can_continue(std::chrono::nanoseconds within) const {
    const std::array wanted{here_->wait_for(true)};
    return wait_any(wanted, within) == 1;
  }

  int reads_ = 0;
  std::unique_ptr<Link> here_;
  std::unique_ptr<Link> there_;
};

// A link that has read all available bytes must not read again at once, because the second read costs as much time as
// the message.
TEST_F(LinkTest, ReadsMessagesByOneCall) {
  tell(FrameType::message, 40);
  tell(FrameType::message, 40);
  ASSERT_TRUE(can_continue(long_enough));
  EXPECT_FALSE(here_->next());
  EXPECT_EQ(messages_here(), 2u);
  EXPECT_EQ(reads_, 1);
  EXPECT_FALSE(can_continue({}));
  EXPECT_FALSE(here_->next());
  EXPECT_EQ(reads_, 2);
  tell(FrameType::message, 40);
  EXPECT_FALSE(here_->next());
  EXPECT_EQ(messages_here(), 1u);
}

// The link has already read the message behind the frame. poll cannot see bytes that were already read, so the link
// must report that it can continue.
TEST_F(LinkTest, CanGoOnWhereAMessageCameWithAFrame) {
  std::vector<std::byte> frame(FrameHeader::size + 8);
  write_header(FrameHeader{8, FrameType::round, 3, 0}, std::span(frame).first<FrameHeader::size>());
  there_->send({}, frame);
  ASSERT_TRUE(there_->flush());
  tell(FrameType::message, 40);
  const auto header = here_->next();
  ASSERT_TRUE(header);
  ASSERT_TRUE(here_->receive(header->length));
  EXPECT_FALSE(can_continue({})) << "the frame is not taken";
  here_->consume(header->length);
  EXPECT_TRUE(can_continue({}));
  EXPECT_FALSE(here_->next());
  EXPECT_EQ(messages_here(), 1u);
  EXPECT_FALSE(can_continue({}));
}

TEST_F(LinkTest, CanGoOnWhereItStoppedAmongMany) {
  constexpr std::size_t frames = 1000;
  for (std::size_t i = 0; i < frames; ++i) there_->post(FrameType::waiting, i + 1, {});
  ASSERT_TRUE(there_->flush());
  std::size_t calls = 0;
  for (; can_continue({}); ++calls) EXPECT_FALSE(here_->next());
  EXPECT_EQ(here_->announced_round(), frames);
  EXPECT_GT(calls, 2u);
}

TEST_F(LinkTest, HearsOfTheEndBehindAMessage) {
  tell(FrameType::message, 40);
  there_->close();
  std::size_t messages = 0;
  while (!here_->closed()) {
    ASSERT_TRUE(can_continue(long_enough));
    EXPECT_FALSE(here_->next());
    messages += messages_here();
  }
  EXPECT_EQ(messages, 1u);
}

TEST(WaitAny, SaysWhichCanGoOn) {
  auto [a, b] = make_stream_pair();
  auto [c, d] = make_stream_pair();
  const std::byte byte{1};
  ASSERT_EQ(b->write_some({}, std::span(&byte, 1)).bytes, 1u);
  Waitable now;
  now.ready_at = Clock::time_point{};
  const Waitable never;
  EXPECT_EQ(wait_any(std::array{never, now, a->wait_for(true, false), c->wait_for(true, false)}, long_enough), 0b0110u);
  EXPECT_EQ(wait_any(std::array{c->wait_for(true, true), a->wait_for(true, false)}, long_enough), 0b11u);
  EXPECT_EQ(wait_any(std::array{c->wait_for(true, false), a->wait_for(false, false)}, {}), 0u);
}

}  // namespace
}  // namespace sotto::net::testing
