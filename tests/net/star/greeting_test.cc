// The greeting and the close reason: what they say, and what is neither.
#include "sotto/net/star/greeting.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sotto/core/text/printable.h"
#include "tests/net/transport/tls/pairs.h"

namespace sotto::net::testing {
namespace {

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
  message.payload.resize(message.payload.size() + 7);  // whatever a later version has
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
  // A client is told that it lost the service, not that the service's disk is full.
  EXPECT_EQ(decode_close_reason(encode(CloseReason{ExitCode::local_resource, ""}))->code, ExitCode::peer_lost);
}

TEST(CloseReason, BecomesTheErrorOfItsCode) {
  EXPECT_THROW(throw_closed({ExitCode::peer_lost, "w"}, "p"), NetworkError);
  EXPECT_THROW(throw_closed({ExitCode::not_trusted, "w"}, "p"), TrustError);
  EXPECT_THROW(throw_closed({ExitCode::disagreement, "w"}, "p"), DisagreementError);
  EXPECT_THROW(throw_closed({ExitCode::protocol_violation, "w"}, "p"), ProtocolError);
}

RC_GTEST_PROP(CloseReasonProperty, TextIsPrintableAndFits, (const std::string& text)) {
  const std::string longer = text + std::string(2000, '\x1b') + text;
  const Message message = encode(CloseReason{ExitCode::peer_lost, longer});
  RC_ASSERT(message.payload.size() <= longest_own_payload);
  const auto back = decode_close_reason(message);
  RC_ASSERT(back);
  RC_ASSERT(back->text == printable(longer));
}

RC_GTEST_PROP(GreetingProperty, AcceptedBytesEncodeToThemselves,
              (const std::vector<std::uint8_t>& in, bool with_magic)) {
  Message message{greeting_type, with_magic ? octets("sotto/sv") : Octets()};
  const Octets rest = raw(in);
  message.payload.insert(message.payload.end(), rest.begin(), rest.end());
  const auto greeting = decode_greeting(message);
  if (greeting && greeting->version == service_version) RC_ASSERT(encode(*greeting) == message);
  message.type = close_reason_type;
  if (const auto word = decode_close_reason(message)) {
    RC_ASSERT(word->text == printable(word->text));
  }
}

}  // namespace
}  // namespace sotto::net::testing
