#include "net/transport/tls/tls_stream.h"

#include "sotto/protocol/transport/stream.h"
#include "tests/net/transport/tls/pairs.h"
#include "tests/properties.h"

namespace sotto::net::testing {
namespace {

using State = ByteStream::State;

Octets random_octets(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  Octets bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(draw());
  return bytes;
}

std::vector<std::size_t> record_lengths(const FakeWire& wire) {
  std::vector<std::size_t> lengths;
  for (std::size_t at = 0; at + 5 <= wire.bytes.size();) {
    const auto length =
        std::to_integer<std::size_t>(wire.bytes[at + 3]) << 8 | std::to_integer<std::size_t>(wire.bytes[at + 4]);
    lengths.push_back(length);
    at += 5 + length;
  }
  return lengths;
}

constexpr std::size_t overhead = 17;  // bytes per record for its inner type and its tag

TEST(TlsStream, ProvesBothEnds) {
  TlsPair pair;
  EXPECT_EQ(pair.client->peer_fingerprint(), "");
  settle(pair);
  EXPECT_EQ(pair.client->peer_fingerprint(), identity_of(1).fingerprint());
  EXPECT_EQ(pair.server->peer_fingerprint(), identity_of(0).fingerprint());
  EXPECT_FALSE(pair.client->refused());
}

// The wire accepts and delivers any number of bytes at a time.
PROPERTY(TlsStream, MovesBytesAsTheyAre) {
  const auto seed = draw<std::uint64_t>();
  std::mt19937_64 draw(seed);
  const std::size_t longest = std::size_t{1} << (draw() % 16);
  auto most = std::make_shared<std::mt19937_64>(seed + 1);
  Wires wires;
  wires.most = [most, longest] { return (*most)() % (longest + 1); };
  wires.to_client->capacity = wires.to_server->capacity = 1 + draw() % 40000;
  Trust trust;
  trust.records_per_key = 1 + draw() % 5;
  TlsPair pair(wires, trust);
  const Octets up = random_octets(draw() % (8 * longest), seed + 2);
  const Octets down = random_octets(draw() % (8 * longest), seed + 3);
  std::span<const std::byte> up_left(up);
  std::span<const std::byte> down_left(down);
  const auto step = [&](ByteStream& stream, std::span<const std::byte>& left) {
    if (!left.empty()) {
      const std::size_t piece = std::min<std::size_t>(left.size(), 1 + draw() % (2 * longest));
      const std::size_t head = draw() % (piece + 1);
      const auto out = stream.write_some(left.first(head), left.subspan(head, piece - head));
      HOLDS(out.state != State::lost);
      left = left.subspan(out.bytes);
    }
    static_cast<void>(stream.push());
  };
  Heard at_client;
  Heard at_server;
  for (int i = 0; i < 2'000'000; ++i) {
    step(*pair.client, up_left);
    step(*pair.server, down_left);
    receive(*pair.client, at_client, 1 + draw() % 20000);
    receive(*pair.server, at_server, 1 + draw() % 20000);
    HOLDS(at_client.state == State::would_block);
    HOLDS(at_server.state == State::would_block);
    if (at_client.bytes.size() == down.size() && at_server.bytes.size() == up.size()) break;
  }
  HOLDS(at_client.bytes == down);
  HOLDS(at_server.bytes == up);
}

TEST(TlsStream, MovesMuchThroughASocketPair) {
  auto [a, b] = make_stream_pair();
  const auto client = TlsContext(identity_of(0), {}, 100).connect(std::move(a), identity_of(1).fingerprint());
  const auto server = TlsContext(identity_of(1), {identity_of(0).fingerprint()}, 100).accept(std::move(b));
  const Octets sent = random_octets(20'000'000, 5);
  std::span<const std::byte> left(sent);
  Heard received;
  for (;;) {
    ASSERT_NE(say(*client, left), State::lost) << client->failure();
    receive(*server, received, 1 << 16);
    ASSERT_EQ(received.state, State::would_block) << server->failure();
    if (received.bytes.size() == sent.size()) break;
    const Waitable in[] = {server->wait_for(true, false),
                           client->wait_for(true, client->holds_output() || !left.empty())};
    wait_any(in, std::chrono::seconds(10));
  }
  EXPECT_EQ(received.bytes, sent);
}

TEST(TlsStream, PutsASmallHeadAndBodyIntoOneRecord) {
  SettledPair pair;
  const Octets head = random_octets(24, 1);
  const Octets body = random_octets(1000, 2);
  const auto out = pair.client->write_some(head, body);
  EXPECT_EQ(out.bytes, 1024);
  EXPECT_EQ(record_lengths(*pair.wires.to_server), (std::vector<std::size_t>{1024 + overhead}));
  EXPECT_FALSE(pair.client->holds_output());
}

TEST(TlsStream, HoldsAFewRecordsAndTakesNoMore) {
  SettledPair pair;
  pair.wires.to_server->capacity = 100;
  const Octets much = random_octets(1'000'000, 1);
  const auto out = pair.client->write_some({}, much);
  ASSERT_EQ(out.state, State::moved);
  EXPECT_EQ(out.bytes, TlsStream::most_records * TlsStream::record_bytes);
  EXPECT_TRUE(pair.client->holds_output());
  EXPECT_FALSE(pair.client->push());
  EXPECT_EQ(pair.client->write_some({}, much).state, State::would_block);
  EXPECT_TRUE(pair.client->wait_for(false, false).writing) << "what is held must go out";
  pair.wires.to_server->capacity = 1 << 20;
  EXPECT_TRUE(pair.client->push());
  EXPECT_FALSE(pair.client->holds_output());
  EXPECT_EQ(record_lengths(*pair.wires.to_server),
            std::vector<std::size_t>(TlsStream::most_records, TlsStream::record_bytes + overhead));
}

TEST(TlsStream, SendsRecordsTogether) {
  int writes = 0;
  Wires counted;
  counted.most = [&] {
    ++writes;
    return SIZE_MAX;
  };
  SettledPair other(counted);
  writes = 0;
  const Octets frame = random_octets(30'000, 1);
  EXPECT_EQ(other.client->write_some({}, frame).bytes, frame.size());
  EXPECT_EQ(writes, 1);
}

TEST(TlsStream, WaitsForWhatTheHandshakeNeeds) {
  TlsPair pair;
  // The handshake has not begun, so the client can make progress at once.
  EXPECT_EQ(pair.client->wait_for(false, true).ready_at, Clock::time_point{});
  Heard received = heard_of(*pair.server);
  const Waitable server = pair.server->wait_for(true, false);
  EXPECT_TRUE(server.reading);
  EXPECT_EQ(server.ready_at, Clock::time_point::max());
  // During the handshake, an end that wants to write waits for the peer's answer, and not until the wire accepts more
  // bytes.
  const Octets word = octets("word");
  EXPECT_EQ(pair.client->write_some({}, word).state, State::would_block);
  const Waitable client = pair.client->wait_for(false, true);
  EXPECT_TRUE(client.reading);
  EXPECT_FALSE(client.writing);
  EXPECT_EQ(client.ready_at, Clock::time_point::max());
}

TEST(TlsStream, SaysAtOnceThatItHoldsPlaintext) {
  SettledPair pair;
  const Octets sent = random_octets(20'000, 1);
  EXPECT_EQ(pair.client->write_some({}, sent).bytes, sent.size());
  Octets into(10);
  EXPECT_EQ(pair.server->read_some(into).bytes, 10);
  EXPECT_TRUE(pair.wires.to_server->bytes.empty()) << "no poll would see the rest";
  EXPECT_EQ(pair.server->wait_for(true, false).ready_at, Clock::time_point{});
  EXPECT_EQ(pair.server->wait_for(false, true).ready_at, Clock::time_point::max());
  Heard received = heard_of(*pair.server);
  EXPECT_EQ(received.bytes.size(), sent.size() - 10);
  EXPECT_EQ(pair.server->wait_for(true, false).ready_at, Clock::time_point::max());
}

TEST(TlsStream, DoesNotSpinOnAPartOfARecord) {
  SettledPair pair;
  const Octets sent = random_octets(1000, 1);
  EXPECT_EQ(pair.client->write_some({}, sent).bytes, sent.size());
  std::deque<std::byte> rest = pair.wires.to_server->bytes;
  pair.wires.to_server->bytes.resize(500);
  rest.erase(rest.begin(), rest.begin() + 500);
  Heard received = heard_of(*pair.server);
  EXPECT_TRUE(received.bytes.empty());
  EXPECT_EQ(pair.server->wait_for(true, false).ready_at, Clock::time_point::max());
  pair.wires.to_server->bytes = rest;
  receive(*pair.server, received);
  EXPECT_EQ(received.bytes, sent);
}

TEST(TlsStream, HandsOnWhatCameWithTheHandshake) {
  TlsPair pair;
  const Octets word = octets("the first words");
  std::span<const std::byte> left(word);
  Heard at_server;
  for (int i = 0; i < 20 && at_server.bytes.empty(); ++i) {
    say(*pair.client, left);
    static_cast<void>(pair.server->write_some({}, octets("x")));
    if (!pair.server->peer_fingerprint().empty() && left.empty()) {
      EXPECT_EQ(pair.server->wait_for(true, false).ready_at, Clock::time_point{});
      receive(*pair.server, at_server);
    }
  }
  EXPECT_EQ(at_server.bytes, word);
}

TEST(TlsStream, EndsOneDirectionAfterAllThatWasTaken) {
  SettledPair pair;
  pair.wires.to_server->capacity = 10;
  const Octets sent = random_octets(50'000, 1);
  EXPECT_EQ(pair.client->write_some({}, sent).bytes, sent.size());
  pair.client->end_writing();
  EXPECT_FALSE(pair.wires.to_server->ended) << "records are still to go out";
  EXPECT_EQ(pair.client->write_some({}, sent).state, State::lost);
  pair.wires.to_server->capacity = 1 << 20;
  EXPECT_TRUE(pair.client->push());
  EXPECT_TRUE(pair.wires.to_server->ended);
  Heard received = heard_of(*pair.server);
  EXPECT_EQ(received.bytes, sent);
  EXPECT_EQ(received.state, State::closed);
  const Octets answer = octets("answer");
  EXPECT_EQ(pair.server->write_some({}, answer).bytes, answer.size());
  Heard at_client = heard_of(*pair.client);
  EXPECT_EQ(at_client.bytes, answer);
  pair.server->end_writing();
  receive(*pair.client, at_client);
  EXPECT_EQ(at_client.state, State::closed);
}

TEST(TlsStream, EndOfStreamWithoutALastWordIsALoss) {
  SettledPair pair;
  pair.wires.to_server->ended = true;
  Heard received = heard_of(*pair.server);
  EXPECT_EQ(received.state, State::lost);
  EXPECT_EQ(pair.server->failure(), "it closed the link without a word");
  EXPECT_FALSE(pair.server->refused());
}

TEST(TlsStream, TellsThatARecordWasCutOff) {
  SettledPair pair;
  const Octets sent = random_octets(1000, 1);
  EXPECT_EQ(pair.client->write_some({}, sent).bytes, sent.size());
  pair.wires.to_server->bytes.resize(700);
  pair.wires.to_server->ended = true;
  Heard received = heard_of(*pair.server);
  EXPECT_TRUE(received.bytes.empty());
  EXPECT_EQ(received.state, State::lost);
  EXPECT_EQ(pair.server->failure(), "the link was cut in the middle of a record");
}

TEST(TlsStream, LosesWhatTheStreamBelowLoses) {
  class Broken final : public ByteStream {
   public:
    Transfer read_some(std::span<std::byte>) override { return {0, State::lost}; }
    Transfer write_some(std::span<const std::byte>, std::span<const std::byte>) override { return {0, State::lost}; }
    [[nodiscard]] Waitable wait_for(bool, bool) const override { return {}; }
    void end_writing() noexcept override {}
    void close() noexcept override {}
    [[nodiscard]] std::string failure() const override { return "no route to host"; }
  };
  const auto stream = TlsContext(identity_of(0), {}).connect(std::make_unique<Broken>(), identity_of(1).fingerprint());
  const Octets word = octets("word");
  Octets into(10);
  EXPECT_EQ(stream->write_some({}, word).state, State::lost);
  EXPECT_EQ(stream->read_some(into).state, State::lost);
  EXPECT_EQ(stream->failure(), "no route to host");
}

TEST(TlsStream, PassesOnWhatTheStreamBelowThrows) {
  class Throwing final : public ByteStream {
   public:
    Transfer read_some(std::span<std::byte>) override { throw std::bad_alloc(); }
    Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
      return {head.size() + body.size(), State::moved};
    }
    [[nodiscard]] Waitable wait_for(bool, bool) const override { return {}; }
    void end_writing() noexcept override {}
    void close() noexcept override {}
    [[nodiscard]] std::string failure() const override { return ""; }
  };
  const auto stream =
      TlsContext(identity_of(0), {}).connect(std::make_unique<Throwing>(), identity_of(1).fingerprint());
  Octets into(10);
  EXPECT_THROW(static_cast<void>(stream->read_some(into)), std::bad_alloc);
}

}  // namespace
}  // namespace sotto::net::testing
