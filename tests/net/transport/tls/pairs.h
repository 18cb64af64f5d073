#pragma once

#include "net/transport/tls/context.h"
#include "sotto/protocol/mesh/mesh.h"
#include "tests/framework.h"
#include "tests/net/roles.h"
#include "tests/net/transport/emulate/fake_stream.h"

namespace sotto::net::testing {

using Octets = std::vector<std::byte>;

inline void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

// The tests do not depend on the keys, so all tests of a program share the keys.
inline const Identity& identity_of(std::size_t number) {
  static std::vector<Identity> identities = [] {
    std::vector<Identity> made;
    made.reserve(8);
    for (int i = 0; i < 8; ++i) made.push_back(Identity::create("role " + std::to_string(i)));
    return made;
  }();
  return identities.at(number);
}

struct Wires {
  std::shared_ptr<FakeWire> to_client = std::make_shared<FakeWire>();
  std::shared_ptr<FakeWire> to_server = std::make_shared<FakeWire>();
  std::function<std::size_t()> most = [] { return SIZE_MAX; };

  [[nodiscard]] std::unique_ptr<ByteStream> client_end() const {
    return std::make_unique<FakeStream>(to_client, to_server, most);
  }
  [[nodiscard]] std::unique_ptr<ByteStream> server_end() const {
    return std::make_unique<FakeStream>(to_server, to_client, most);
  }
};

struct Trust {
  const Identity& client = identity_of(0);
  const Identity& server = identity_of(1);
  std::string client_expects = identity_of(1).fingerprint();
  std::vector<std::string> server_takes{identity_of(0).fingerprint()};
  std::uint64_t records_per_key = TlsContext::default_records_per_key;
};

struct TlsPair {
  explicit TlsPair(Wires on = {}, const Trust& trust = {})
      : wires(std::move(on)),
        client(TlsContext(trust.client, {}, trust.records_per_key).connect(wires.client_end(), trust.client_expects)),
        server(TlsContext(trust.server, trust.server_takes, trust.records_per_key).accept(wires.server_end())) {}

  Wires wires;
  std::unique_ptr<ByteStream> client;
  std::unique_ptr<ByteStream> server;
};

struct Heard {
  Octets bytes;
  ByteStream::State state = ByteStream::State::would_block;
};

inline void receive(ByteStream& stream, Heard& received, std::size_t at_once = 5000) {
  Octets into(at_once);
  for (;;) {
    const ByteStream::Transfer in = stream.read_some(into);
    received.state = in.state;
    if (in.state != ByteStream::State::moved) return;
    received.bytes.insert(received.bytes.end(), into.begin(), into.begin() + static_cast<std::ptrdiff_t>(in.bytes));
  }
}

inline Heard heard_of(ByteStream& stream) {
  Heard received;
  receive(stream, received);
  return received;
}

inline ByteStream::State say(ByteStream& stream, std::span<const std::byte>& left) {
  ByteStream::State state = ByteStream::State::would_block;
  while (!left.empty()) {
    const ByteStream::Transfer out = stream.write_some({}, left);
    state = out.state;
    if (out.state != ByteStream::State::moved) break;
    left = left.subspan(out.bytes);
  }
  static_cast<void>(stream.push());
  return state;
}

inline std::pair<Heard, Heard> settle(ByteStream& client, ByteStream& server) {
  std::pair<Heard, Heard> received;
  for (int i = 0; i < 2000; ++i) {
    receive(client, received.first);
    static_cast<void>(client.push());
    receive(server, received.second);
    static_cast<void>(server.push());
  }
  return received;
}

inline std::pair<Heard, Heard> settle(TlsPair& pair) { return settle(*pair.client, *pair.server); }

struct SettledPair : TlsPair {
  explicit SettledPair(Wires on = {}) : TlsPair(std::move(on)) { settle(*this); }
};

inline Octets octets(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline std::map<NodeId, MeshConfig> encrypted_configs(const Topology& topology) {
  std::map<NodeId, MeshConfig> configs = tcp_configs(topology);
  std::map<NodeId, std::size_t> keys;
  std::map<NodeId, std::string> certificates;
  for (const auto& [role, config] : configs) {
    keys[role] = keys.size();
    certificates[role] = identity_of(keys[role]).fingerprint();
  }
  for (auto& [role, config] : configs) {
    config.wrap = encrypt_links(identity_of(keys[role]), certificates);
    config.certificates = certificates;
  }
  return configs;
}

}  // namespace sotto::net::testing
