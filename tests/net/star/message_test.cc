#include "net/star/message.h"

#include "core/text/terminal_safe.h"
#include "net/star/message_link.h"
#include "tests/net/star/rooms.h"
#include "tests/net/transport/tls/pairs.h"
#include "tests/properties.h"

namespace sotto::net::testing {
namespace {

constexpr std::size_t longest_payload = 100'000;

Octets head(std::uint32_t length, std::uint16_t type, std::uint16_t zero = 0) {
  Octets bytes(message_head_bytes);
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + 4, &type, sizeof type);
  std::memcpy(bytes.data() + 6, &zero, sizeof zero);
  return bytes;
}

std::vector<Message> arbitrary_messages(std::size_t longest = longest_payload) {
  return draw_vector(draw_length(), [longest] {
    Message message{static_cast<std::uint16_t>(draw<std::uint16_t>() % first_own_type), {}};
    const auto octets = draw<std::vector<std::uint8_t>>();
    const auto piece = std::as_bytes(std::span(octets));
    const auto repeats = draw_one_of<std::size_t>({0, 1, 3, 200, 2000});
    for (std::size_t i = 0; i < repeats; ++i) message.payload.insert(message.payload.end(), piece.begin(), piece.end());
    if (message.payload.size() > longest) message.payload.resize(longest);
    return message;
  });
}

// Returns a limit on the length of messages that are cut into pieces of `at_once` bytes. A message of this length has
// about 200 pieces.
std::size_t longest_in_pieces_of(std::size_t at_once) {
  return at_once > longest_payload / 200 ? longest_payload : 200 * at_once;
}

Octets all_bytes_of(const std::vector<Message>& messages) {
  Octets bytes;
  for (const Message& message : messages) {
    const Octets one = bytes_of(message);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

std::vector<Message> parse(MessageParser& parser, std::span<const std::byte> bytes, std::size_t at_once) {
  std::vector<Message> messages;
  while (!bytes.empty() && parser.fault().empty()) {
    std::span<const std::byte> piece = bytes.first(std::min(at_once, bytes.size()));
    bytes = bytes.subspan(piece.size());
    while (auto message = parser.next(piece)) messages.push_back(std::move(*message));
    EXPECT_TRUE(piece.empty() || !parser.fault().empty());
  }
  return messages;
}

TEST(MessageHead, IsTheDocumentedBytes) {
  const Message message{0x0102, octets("abc")};
  const Octets expected{std::byte{3}, std::byte{0}, std::byte{0},   std::byte{0},   std::byte{2},  std::byte{1},
                        std::byte{0}, std::byte{0}, std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  EXPECT_EQ(bytes_of(message), expected);
}

PROPERTY(MessageParserProperty, PiecesOfAnySizeGiveTheSameMessages) {
  const auto at_once = draw_one_of<std::size_t>({1, 2, 7, 8, 9, 1000, 65536, SIZE_MAX});
  const std::vector<Message> messages = arbitrary_messages(longest_in_pieces_of(at_once));
  Octets bytes = all_bytes_of(messages);
  MessageParser parser;
  parser.allow(longest_payload);
  HOLDS(parse(parser, bytes, at_once) == messages);
  HOLDS(parser.fault().empty());
  HOLDS(!parser.in_message());
}

// Wherever the bytes are cut off, earlier messages stay complete, and the parser invents no part of the last message.
PROPERTY(MessageParserProperty, PrefixGivesPrefix) {
  const std::vector<Message> messages = arbitrary_messages();
  assume(!messages.empty());
  Octets bytes = all_bytes_of(messages);
  bytes.resize(draw_in_range<std::size_t>(0, bytes.size()));
  MessageParser parser;
  parser.allow(longest_payload);
  const std::vector<Message> found = parse(parser, bytes, 100);
  HOLDS(found.size() < messages.size());
  HOLDS(std::equal(found.begin(), found.end(), messages.begin()));
}

// The parser allocates at most twice as many bytes as it has received, whatever the bytes are.
PROPERTY(MessageParserProperty, StorageFollowsWhatCame) {
  const auto in = draw<std::vector<std::uint8_t>>();
  MessageParser parser;
  parser.allow(std::size_t{1} << 32);
  std::size_t came = 0;
  for (const std::uint8_t octet : in) {
    const std::byte one{octet};
    std::span<const std::byte> piece(&one, 1);
    ++came;
    static_cast<void>(parser.next(piece));
    HOLDS(parser.storage() <= 2 * came);
  }
}

TEST(MessageParser, ClaimAllocatesNothing) {
  MessageParser parser;
  parser.allow(std::size_t{1} << 32);
  Octets bytes = head(UINT32_MAX, 1);
  bytes.resize(bytes.size() + 100);
  EXPECT_TRUE(parse(parser, bytes, SIZE_MAX).empty());
  EXPECT_EQ(parser.fault(), "");
  EXPECT_TRUE(parser.in_message());
  EXPECT_LE(parser.storage(), 200U);
}

TEST(MessageParser, BoundsAreExact) {
  MessageParser parser;
  parser.allow(longest_payload);
  const Message most{1, Octets(longest_payload)};
  EXPECT_EQ(parse(parser, bytes_of(most), 5000), std::vector<Message>{most});
  EXPECT_TRUE(parse(parser, head(longest_payload + 1, 1), SIZE_MAX).empty());
  EXPECT_EQ(parser.fault(), "a message of 100001 bytes, where 100000 are the most");
  EXPECT_TRUE(parse(parser, bytes_of(most), SIZE_MAX).empty());
}

TEST(MessageParser, OwnMessagesAreShort) {
  MessageParser parser;
  parser.allow(longest_payload);
  const Message most{first_own_type, Octets(longest_own_payload)};
  EXPECT_EQ(parse(parser, bytes_of(most), SIZE_MAX).size(), 1U);
  EXPECT_TRUE(parse(parser, head(longest_own_payload + 1, first_own_type), SIZE_MAX).empty());
  EXPECT_NE(parser.fault(), "");
}

TEST(MessageParser, ProgramsMessagesComeAfterTheGreeting) {
  MessageParser parser;
  EXPECT_EQ(parse(parser, head(0, first_own_type), SIZE_MAX).size(), 1U);
  EXPECT_TRUE(parse(parser, head(0, first_own_type - 1), SIZE_MAX).empty());
  EXPECT_EQ(parser.fault(), "bytes that are no greeting");
}

TEST(MessageParser, RefusesWhatIsNoMessage) {
  for (const Octets& bytes :
       {head(0, 1, 1), octets("GET / HTTP/1.1\r\n"), octets("SSH-2.0-\r\n"), Octets(8, std::byte{0xff})}) {
    MessageParser parser;
    parser.allow(longest_payload);
    EXPECT_TRUE(parse(parser, bytes, 3).empty());
    EXPECT_NE(parser.fault(), "");
  }
}

PROPERTY(OutboxProperty, EverythingLeavesInOrder) {
  const auto most = draw_one_of<std::size_t>({1, 13, 4096, SIZE_MAX});
  const auto capacity = draw_one_of<std::size_t>({5, 100'000});
  const std::vector<Message> messages = arbitrary_messages(longest_in_pieces_of(std::min(most, capacity)));
  Wires wires;
  wires.most = [most] { return most; };
  const auto near = wires.client_end();
  Outbox outbox;
  MessageParser parser;
  parser.allow(longest_payload);
  std::vector<Message> found;
  const auto drain = [&] {
    Octets bytes(wires.to_server->bytes.begin(), wires.to_server->bytes.end());
    wires.to_server->bytes.clear();
    for (Message& message : parse(parser, bytes, SIZE_MAX)) found.push_back(std::move(message));
  };
  wires.to_server->capacity = capacity;
  std::size_t bytes = 0;
  for (const Message& message : messages) {
    outbox.add(std::make_shared<const Message>(message), message.type % 2 == 1);
    bytes += message_head_bytes + message.payload.size();
    if (message.type % 2 == 0) outbox.flush(*near);
    HOLDS(outbox.bytes() + wires.to_server->moved == bytes);
    if (message.type % 3 == 0) drain();
  }
  while (outbox.bytes() > 0) {
    outbox.flush(*near);
    drain();
  }
  drain();
  HOLDS(found == messages);
  HOLDS(outbox.own_bytes() == 0U);
  HOLDS(!outbox.lost());
}

Octets raw(const std::vector<std::uint8_t>& in) {
  Octets out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = std::byte{in[i]};
  return out;
}

TEST(Greeting, SaysVersionAndService) {
  const Message message = encode(Greeting{service_version, "p2b shuffler"});
  EXPECT_EQ(message.type, greeting_type);
  EXPECT_LE(message.payload.size(), longest_own_payload);
  const auto back = decode_greeting(message);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->version, service_version);
  EXPECT_EQ(back->service, "p2b shuffler");
}

TEST(Greeting, OfAnotherVersionIsReadForItsVersion) {
  Message message = encode(Greeting{service_version + 1, "p2b shuffler"});
  message.payload.resize(message.payload.size() + 7);
  const auto back = decode_greeting(message);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->version, service_version + 1);
  const auto why = difference(Greeting{service_version, "p2b shuffler"}, *back, "127.0.0.1:4000");
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("version 1 of the service here, 2 at 127.0.0.1:4000"), std::string::npos);
}

TEST(Greeting, TellsServicesApart) {
  const Greeting shuffler{service_version, "p2b shuffler"};
  const Greeting server{service_version, "p2b server"};
  EXPECT_FALSE(difference(shuffler, shuffler, "it"));
  const auto why = difference(server, shuffler, "127.0.0.1:4000");
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("p2b shuffler"), std::string::npos);
  EXPECT_NE(why->find("p2b server"), std::string::npos);
}

TEST(Greeting, RefusesEveryPrefixAndEveryTail) {
  const Message whole = encode(Greeting{service_version, "p2b shuffler"});
  for (std::size_t length = 0; length < whole.payload.size(); ++length) {
    Message cut = whole;
    cut.payload.resize(length);
    EXPECT_FALSE(decode_greeting(cut)) << length;
  }
  Message longer = whole;
  longer.payload.push_back(std::byte{0});
  EXPECT_FALSE(decode_greeting(longer));
  Message other = whole;
  other.type = close_reason_type;
  EXPECT_FALSE(decode_greeting(other));
  Message unprintable = whole;
  unprintable.payload.back() = std::byte{27};
  EXPECT_FALSE(decode_greeting(unprintable));
}

TEST(CloseReason, CarriesCodeAndText) {
  for (const ExitCode code :
       {ExitCode::peer_lost, ExitCode::protocol_violation, ExitCode::disagreement, ExitCode::not_trusted}) {
    const auto back = decode_close_reason(encode(CloseReason{code, "because"}));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->code, code);
    EXPECT_EQ(back->text, "because");
  }
  // A client learns only that it has lost the service. The client does not learn, for example, that the service's disk
  // is full.
  EXPECT_EQ(decode_close_reason(encode(CloseReason{ExitCode::local_resource, ""}))->code, ExitCode::peer_lost);
}

TEST(CloseReason, BecomesTheErrorOfItsCode) {
  EXPECT_THROW(throw_closed({ExitCode::peer_lost, "w"}, "p"), NetworkError);
  EXPECT_THROW(throw_closed({ExitCode::not_trusted, "w"}, "p"), TrustError);
  EXPECT_THROW(throw_closed({ExitCode::disagreement, "w"}, "p"), DisagreementError);
  EXPECT_THROW(throw_closed({ExitCode::protocol_violation, "w"}, "p"), ProtocolError);
}

PROPERTY(CloseReasonProperty, TextIsPrintableAndFits) {
  const auto text = draw<std::string>();
  const std::string longer = text + std::string(2000, '\x1b') + text;
  const Message message = encode(CloseReason{ExitCode::peer_lost, longer});
  HOLDS(message.payload.size() <= longest_own_payload);
  const auto back = decode_close_reason(message);
  HOLDS(back);
  HOLDS(back->text == printable(longer));
}

PROPERTY(GreetingProperty, AcceptedBytesEncodeToThemselves) {
  const auto in = draw<std::vector<std::uint8_t>>();
  const auto with_magic = draw<bool>();
  Message message{greeting_type, with_magic ? octets("sotto/sv") : Octets()};
  const Octets rest = raw(in);
  message.payload.insert(message.payload.end(), rest.begin(), rest.end());
  const auto greeting = decode_greeting(message);
  if (greeting && greeting->version == service_version) HOLDS(encode(*greeting) == message);
  message.type = close_reason_type;
  if (const auto word = decode_close_reason(message)) {
    HOLDS(word->text == printable(word->text));
  }
}

}  // namespace
}  // namespace sotto::net::testing
