#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/ssl.h>
#include <openssl/tls1.h>

#include "net/transport/tls/tls_stream.h"
#include "sotto/protocol/mesh/mesh.h"
#include "tests/framework.h"
#include "tests/net/transport/tls/pairs.h"

namespace sotto::net::testing {
namespace {

using ::testing::TestWithParam;
using State = ByteStream::State;

TEST(TlsRefusals, ConnectingEndKnowsWhomItCalled) {
  Trust trust;
  trust.client_expects = identity_of(2).fingerprint();
  TlsPair pair({}, trust);
  const auto [client, server] = settle(pair);
  EXPECT_EQ(client.state, State::lost);
  EXPECT_TRUE(pair.client->refused());
  expect_in(pair.client->failure(), identity_of(1).fingerprint());  // the certificate that the server showed
  expect_in(pair.client->failure(), identity_of(2).fingerprint());  // the certificate that the client expected
  expect_in(pair.client->failure(), "sotto keys trust");
  EXPECT_EQ(pair.client->peer_fingerprint(), "");
  EXPECT_EQ(server.state, State::lost);
  EXPECT_TRUE(pair.server->refused());
  expect_in(pair.server->failure(), "does not trust this role's certificate " + identity_of(1).fingerprint());
}

TEST(TlsRefusals, AcceptingEndTakesRolesOfTheRunOnly) {
  Trust trust;
  trust.server_takes = {identity_of(2).fingerprint(), identity_of(3).fingerprint()};
  TlsPair pair({}, trust);
  const auto [client, server] = settle(pair);
  EXPECT_EQ(server.state, State::lost);
  EXPECT_TRUE(pair.server->refused());
  expect_in(pair.server->failure(), identity_of(0).fingerprint());
  expect_in(pair.server->failure(), "no role's in [trust]");
  EXPECT_EQ(client.state, State::lost);
  EXPECT_TRUE(pair.client->refused());
  expect_in(pair.client->failure(), identity_of(0).fingerprint());
}

TEST(TlsRefusals, NothingIsHeardFromWhoIsRefused) {
  Trust trust;
  trust.server_takes = {};
  TlsPair pair({}, trust);
  const Octets word = octets("hello");
  std::span<const std::byte> left(word);
  Heard server;
  for (int i = 0; i < 20; ++i) {
    say(*pair.client, left);
    receive(*pair.server, server);
  }
  EXPECT_TRUE(server.bytes.empty());
  EXPECT_EQ(server.state, State::lost);
}

class TlsDates : public TestWithParam<bool> {};

TEST_P(TlsDates, AreChecked) {
  using std::chrono::hours;
  const WallTime now = std::chrono::system_clock::now();
  const bool early = GetParam();
  const Identity other = Identity::create("party_1", early ? Identity::Validity{now + hours(10), now + hours(20)}
                                                           : Identity::Validity{now - hours(20), now - hours(10)});
  // A role does not start with an expired or future certificate, so a peer with such a certificate must be another
  // program.
  EXPECT_THROW(TlsContext(other, {}), InputError);
  Wires wires;
  const auto client = TlsContext(identity_of(0), {}).connect(wires.client_end(), other.fingerprint());
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_method()), SSL_CTX_free);
  SSL_CTX_use_certificate(context.get(), other.openssl_certificate());
  SSL_CTX_use_PrivateKey(context.get(), other.openssl_key());
  TlsStream server(wires.server_end(), context.get(), std::make_shared<TlsSettings>(TlsSettings{"", 1000}), true, {});
  const auto [at_client, at_server] = settle(*client, server);
  EXPECT_EQ(at_client.state, State::lost);
  EXPECT_TRUE(client->refused());
  expect_in(client->failure(), early ? "is valid from " : "expired on ");
  expect_in(client->failure(), date_text(early ? now + hours(10) : now - hours(10)));
  expect_in(client->failure(), "the clock here says ");
  EXPECT_TRUE(server.refused());
  expect_in(server.failure(), "compare the clocks");
}

INSTANTIATE_TEST_SUITE_P(EarlyAndLate, TlsDates, ::testing::Bool());

class Stranger {
 public:
  explicit Stranger(int most_version, const Identity* identity, bool accepts = false)
      : context_(SSL_CTX_new(TLS_method()), SSL_CTX_free) {
    SSL_CTX_set_max_proto_version(context_.get(), most_version);
    if (identity != nullptr) {
      SSL_CTX_use_certificate(context_.get(), identity->openssl_certificate());
      SSL_CTX_use_PrivateKey(context_.get(), identity->openssl_key());
    }
    session_.reset(SSL_new(context_.get()));
    SSL_set_bio(session_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    if (accepts) {
      SSL_set_accept_state(session_.get());
    } else {
      SSL_set_connect_state(session_.get());
    }
  }
  [[nodiscard]] SSL* session() { return session_.get(); }

  State meet(ByteStream& stream, const Wires& wires) {
    Heard received;
    for (int i = 0; i < 50; ++i) {
      SSL_do_handshake(session_.get());
      carry(wires);
      receive(stream, received);
      static_cast<void>(stream.push());
      take(wires);
    }
    return received.state;
  }
  void carry(const Wires& wires) {
    char buffer[4096];
    for (int n = 0; (n = BIO_read(SSL_get_wbio(session_.get()), buffer, sizeof buffer)) > 0;) {
      const auto bytes = std::as_bytes(std::span(buffer, static_cast<std::size_t>(n)));
      wires.to_server->bytes.insert(wires.to_server->bytes.end(), bytes.begin(), bytes.end());
    }
  }

 private:
  void take(const Wires& wires) {
    const Octets bytes(wires.to_client->bytes.begin(), wires.to_client->bytes.end());
    wires.to_client->bytes.clear();
    if (bytes.empty()) return;
    BIO_write(SSL_get_rbio(session_.get()), bytes.data(), static_cast<int>(bytes.size()));
  }

  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> session_{nullptr, SSL_free};
};

std::unique_ptr<ByteStream> server_on(const Wires& wires) {
  return TlsContext(identity_of(1), {identity_of(0).fingerprint()}).accept(wires.server_end());
}

TEST(TlsRefusals, TakesAStrangerWithATrustedKey) {
  Wires wires;
  const auto server = server_on(wires);
  Stranger stranger(TLS1_3_VERSION, &identity_of(0));
  EXPECT_EQ(stranger.meet(*server, wires), State::would_block);
  EXPECT_EQ(server->peer_fingerprint(), identity_of(0).fingerprint());
  EXPECT_STREQ(SSL_get_version(stranger.session()), "TLSv1.3");
  EXPECT_STREQ(SSL_get_cipher(stranger.session()), "TLS_AES_128_GCM_SHA256");
  EXPECT_EQ(SSL_SESSION_has_ticket(SSL_get_session(stranger.session())), 0);
}

TEST(TlsRefusals, WantsACertificate) {
  Wires wires;
  const auto server = server_on(wires);
  Stranger stranger(TLS1_3_VERSION, nullptr);
  EXPECT_EQ(stranger.meet(*server, wires), State::lost);
  EXPECT_TRUE(server->refused());
  EXPECT_EQ(server->failure(), "it shows no certificate");
}

TEST(TlsRefusals, SpeaksNothingOlderThanTls13) {
  Wires wires;
  const auto server = server_on(wires);
  Stranger stranger(TLS1_2_VERSION, &identity_of(0));
  EXPECT_EQ(stranger.meet(*server, wires), State::lost);
  EXPECT_FALSE(server->refused());
  expect_in(server->failure(), "TLS 1.3");

  Wires other;
  const auto client = TlsContext(identity_of(0), {}).connect(other.server_end(), identity_of(1).fingerprint());
  Stranger old_server(TLS1_2_VERSION, &identity_of(1), true);
  EXPECT_EQ(old_server.meet(*client, other), State::lost);
  expect_in(client->failure(), "TLS 1.3");
}

// A stranger signs with a key of its own, and claims that the key belongs to another peer's certificate.
TEST(TlsRefusals, WantsTheKeyToTheCertificate) {
  std::array<unsigned char, 32> secret{};
  std::array<unsigned char, 32> claimed{};
  std::size_t bytes = secret.size();
  ASSERT_EQ(EVP_PKEY_get_raw_private_key(identity_of(2).openssl_key(), secret.data(), &bytes), 1);
  ASSERT_EQ(EVP_PKEY_get_raw_public_key(identity_of(0).openssl_key(), claimed.data(), &bytes), 1);
  OSSL_PARAM parts[] = {OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, secret.data(), secret.size()),
                        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, claimed.data(), claimed.size()),
                        OSSL_PARAM_construct_end()};
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> maker(
      EVP_PKEY_CTX_new_from_name(nullptr, "ED25519", nullptr), EVP_PKEY_CTX_free);
  EVP_PKEY* made = nullptr;
  ASSERT_EQ(EVP_PKEY_fromdata_init(maker.get()), 1);
  ASSERT_EQ(EVP_PKEY_fromdata(maker.get(), &made, EVP_PKEY_KEYPAIR, parts), 1);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> forged(made, EVP_PKEY_free);

  Wires wires;
  const auto server = server_on(wires);
  Stranger stranger(TLS1_3_VERSION, nullptr);
  ASSERT_EQ(SSL_use_certificate(stranger.session(), identity_of(0).openssl_certificate()), 1);
  ASSERT_EQ(SSL_use_PrivateKey(stranger.session(), forged.get()), 1);
  EXPECT_EQ(stranger.meet(*server, wires), State::lost);
  EXPECT_EQ(server->peer_fingerprint(), "");
  expect_in(server->failure(), "the TLS handshake failed");
}

TEST(TlsRefusals, PlainTalkIsNamed) {
  Wires wires;
  const auto server = server_on(wires);
  const Octets hello = octets(std::string(4, 'a') + "plain frame of a run without TLS");
  const auto plain = wires.client_end();
  EXPECT_EQ(plain->write_some({}, hello).bytes, hello.size());
  Heard received = heard_of(*server);
  EXPECT_EQ(received.state, State::lost);
  expect_in(server->failure(), "does not speak TLS");

  Wires other;
  const auto client = TlsContext(identity_of(0), {}).connect(other.client_end(), identity_of(1).fingerprint());
  Heard at_client = heard_of(*client);
  other.to_client->ended = true;
  receive(*client, at_client);
  EXPECT_EQ(at_client.state, State::lost);
  expect_in(client->failure(), "in the middle of the TLS handshake");
  EXPECT_FALSE(client->refused());
}

TEST(TlsRefusals, JunkNeverPasses) {
  std::mt19937_64 draw(7);
  for (int i = 0; i < 300; ++i) {
    Wires wires;
    const auto server = server_on(wires);
    Octets junk(1 + draw() % 600);
    for (std::byte& b : junk) b = static_cast<std::byte>(draw());
    if (i % 3 == 0) {  // a plausible record of the handshake
      junk.insert(junk.begin(), {std::byte{22}, std::byte{3}, std::byte{1}, std::byte{0},
                                 static_cast<std::byte>(draw()), std::byte{1}, std::byte{0}});
    }
    const auto plain = wires.client_end();
    EXPECT_EQ(plain->write_some({}, junk).bytes, junk.size());
    plain->end_writing();
    Heard received = heard_of(*server);
    EXPECT_TRUE(received.bytes.empty());
    EXPECT_EQ(received.state, State::lost);
    EXPECT_FALSE(server->failure().empty());
    EXPECT_EQ(server->peer_fingerprint(), "");
  }
}

TEST(TlsRefusals, ChangedBitsAreFound) {
  const Octets first = octets("the first record");
  const Octets second = octets("the second record");
  std::size_t length = 1;
  for (std::size_t bit = 0; bit < 8 * length; bit += 3) {
    SettledPair pair;
    EXPECT_EQ(pair.client->write_some({}, first).bytes, first.size());
    const std::size_t begin = pair.wires.to_server->bytes.size();
    EXPECT_EQ(pair.client->write_some({}, second).bytes, second.size());
    length = pair.wires.to_server->bytes.size() - begin;
    pair.wires.to_server->bytes[begin + bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    Heard received = heard_of(*pair.server);
    EXPECT_EQ(received.bytes, first) << bit;
    pair.wires.to_server->ended = true;
    receive(*pair.server, received);
    EXPECT_EQ(received.bytes, first) << bit;
    EXPECT_EQ(received.state, State::lost) << bit;
    EXPECT_FALSE(pair.server->failure().empty());
    if (bit / 8 >= 5) expect_in(pair.server->failure(), "changed, dropped or repeated on the way");
    Heard at_client = heard_of(*pair.client);
    if (bit / 8 >= 5) {
      EXPECT_EQ(at_client.state, State::lost);
      expect_in(pair.client->failure(), "changed on the way");
    }
  }
}

enum class Mischief { repeated, dropped, reordered };

class TlsRecords : public TestWithParam<Mischief> {};

TEST_P(TlsRecords, ComeOnceAndInOrder) {
  SettledPair pair;
  std::deque<std::byte>& wire = pair.wires.to_server->bytes;
  std::vector<std::deque<std::byte>> records;
  for (const char* text : {"one", "two", "three"}) {
    EXPECT_GT(pair.client->write_some({}, octets(text)).bytes, 0);
    records.push_back(std::exchange(wire, {}));
  }
  std::vector<std::size_t> order{0, 1, 1, 2};
  if (GetParam() == Mischief::dropped) order = {0, 2};
  if (GetParam() == Mischief::reordered) order = {0, 2, 1};
  for (const std::size_t i : order) wire.insert(wire.end(), records[i].begin(), records[i].end());
  Heard received = heard_of(*pair.server);
  EXPECT_EQ(received.bytes, octets(GetParam() == Mischief::repeated ? "onetwo" : "one"));
  EXPECT_EQ(received.state, State::lost);
  expect_in(pair.server->failure(), "changed, dropped or repeated on the way");
}

INSTANTIATE_TEST_SUITE_P(Any, TlsRecords,
                         ::testing::Values(Mischief::repeated, Mischief::dropped, Mischief::reordered));

TEST(TlsRefusals, AReplayedConnectionIsRefused) {
  Octets recorded;
  {
    TlsPair pair;
    const Octets word = octets("word");
    std::span<const std::byte> left(word);
    Heard received;
    for (int i = 0; i < 10; ++i) {
      say(*pair.client, left);
      recorded.insert(recorded.end(), pair.wires.to_server->bytes.begin(), pair.wires.to_server->bytes.end());
      receive(*pair.server, received);
    }
    ASSERT_EQ(received.bytes, word);
  }
  Wires wires;
  const auto server = server_on(wires);
  const auto again = wires.client_end();
  EXPECT_EQ(again->write_some({}, recorded).bytes, recorded.size());
  Heard received = heard_of(*server);
  EXPECT_TRUE(received.bytes.empty());
  EXPECT_EQ(received.state, State::lost);
}

// A trusted peer may ask for new keys endlessly and read none of the answers. The stream must not store an answer to
// each request.
TEST(TlsRefusals, RequestsForKeysAreBounded) {
  Wires wires;
  const auto server = server_on(wires);
  Stranger stranger(TLS1_3_VERSION, &identity_of(0));
  ASSERT_EQ(stranger.meet(*server, wires), State::would_block);
  wires.to_client->capacity = 0;
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(SSL_key_update(stranger.session(), SSL_KEY_UPDATE_REQUESTED), 1);
    ASSERT_EQ(SSL_do_handshake(stranger.session()), 1);
  }
  stranger.carry(wires);
  wires.to_server->capacity = SIZE_MAX;
  Octets into(100);
  const std::size_t before = wires.to_server->bytes.size();
  EXPECT_EQ(server->read_some(into).state, State::would_block);
  EXPECT_GT(before, 400'000);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(server->read_some(into).state, State::would_block) << server->failure();
  }
  wires.to_client->capacity = SIZE_MAX;
  const std::size_t held = wires.to_client->bytes.size();
  EXPECT_TRUE(server->push());
  EXPECT_LT(wires.to_client->bytes.size() - held, 200'000);
}

TEST(EncryptLinks, WantsAKeyForEachRole) {
  const std::string a = identity_of(0).fingerprint();
  const std::string b = identity_of(1).fingerprint();
  EXPECT_THROW((void)encrypt_links(identity_of(0), {{0, a}, {1, a}}), InputError);
  EXPECT_THROW((void)encrypt_links(identity_of(0), {{0, a}, {1, "sha256:12"}}), InputError);
  const MeshConfig::Wrap wrap = encrypt_links(identity_of(0), {{0, a}, {1, b}});
  Wires wires;
  EXPECT_THROW(wrap(wires.client_end(), false, NodeId{2}), InputError);
  EXPECT_NE(wrap(wires.client_end(), false, NodeId{1}), nullptr);
  EXPECT_NE(wrap(wires.client_end(), true, std::nullopt), nullptr);
}

}  // namespace
}  // namespace sotto::net::testing

namespace sotto::net {

namespace {

TlsError of_alert(int alert, bool in_handshake) {
  return explain_tls_error(ERR_PACK(ERR_LIB_SSL, 0, SSL_AD_REASON_OFFSET + alert), in_handshake, "1234");
}

// A record that lost its first bytes may show any version of TLS. On a link that is set up, an unexpected version means
// a damaged record, and never that the peer uses another version.
TEST(TlsErrorTest, AnAlertAboutARecordIsDamageOnceTheLinkIsSetUp) {
  for (const int alert : {SSL_AD_PROTOCOL_VERSION, SSL_AD_UNEXPECTED_MESSAGE, SSL_AD_BAD_RECORD_MAC,
                          SSL_AD_DECODE_ERROR, SSL_AD_RECORD_OVERFLOW}) {
    const TlsError error = of_alert(alert, false);
    EXPECT_NE(error.text.find("bytes from here were changed"), std::string::npos) << alert << ": " << error.text;
    EXPECT_FALSE(error.refused);
  }
}

TEST(TlsErrorTest, AVersionIsNamedDuringTheHandshake) {
  EXPECT_EQ(of_alert(SSL_AD_PROTOCOL_VERSION, true).text, "it does not speak TLS 1.3 as this version of sotto does");
}

TEST(TlsErrorTest, ACertificateThatIsNotTrustedIsRefused) {
  const TlsError error = of_alert(SSL_AD_UNKNOWN_CA, true);
  EXPECT_TRUE(error.refused);
  EXPECT_NE(error.text.find("certificate 1234"), std::string::npos) << error.text;
}

}  // namespace

}  // namespace sotto::net
