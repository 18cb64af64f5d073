#include <array>
#include <memory>

#include "net/mesh/handshake/authenticated_peers.h"
#include "net/mesh/handshake/inquiry.h"
#include "net/star/message.h"
#include "net/star/message_link.h"
#include "net/transport/tls/context.h"
#include "sotto/protocol/mesh/control.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/link.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/transport/stream.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {

using namespace net;

namespace {

constexpr std::size_t longest_message = 4096;

class FedStream final : public net::ByteStream {
 public:
  explicit FedStream(std::span<const std::byte> input) : input_(input) {}

  Transfer read_some(std::span<std::byte> into) override {
    if (closed_) return {0, State::lost};
    if (input_.empty()) return {0, State::closed};
    const std::size_t bytes = std::min(into.size(), input_.size());
    std::copy_n(input_.begin(), bytes, into.begin());
    input_ = input_.subspan(bytes);
    return {bytes, State::moved};
  }
  Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
    return {head.size() + body.size(), closed_ ? State::lost : State::moved};
  }
  [[nodiscard]] net::Waitable wait_for(bool /*reading*/, bool /*writing*/) const override {
    return {-1, false, false, net::Clock::now()};
  }
  void end_writing() noexcept override {}
  void close() noexcept override { closed_ = true; }
  [[nodiscard]] std::string failure() const override { return "it was closed"; }

 private:
  std::span<const std::byte> input_;
  bool closed_ = false;
};

void look_at(const Message& message) {
  if (const auto greeting = decode_greeting(message)) {
    require(is_printable(greeting->service), "a greeting is printable");
    require(greeting->version != service_version || encode(*greeting) == message,
            "a greeting that is accepted encodes to the same bytes");
    const auto why = difference(Greeting{service_version, "p2b shuffler"}, *greeting, "it");
    require(!why || is_printable(*why), "a disagreement is printable");
  }
  if (const auto word = decode_close_reason(message)) require(is_printable(word->text), "a close reason is printable");
}

void parse_messages(Input input, std::size_t at_once, bool greeted) {
  MessageParser parser;
  if (greeted) parser.allow(longest_message);
  const std::span<const std::byte> whole = input;
  std::size_t told = 0;
  while (!input.empty() && parser.fault().empty()) {
    std::span<const std::byte> piece = input.first(std::min(at_once, input.size()));
    input = input.subspan(piece.size());
    while (const auto message = parser.next(piece)) {
      const MessageHead head = head_of(*message);
      const auto came = whole.subspan(told, head.size() + message->payload.size());
      require(std::equal(head.begin(), head.end(), came.begin()) &&
                  std::equal(message->payload.begin(), message->payload.end(), came.begin() + head.size()),
              "a message encodes to the bytes that came");
      told += came.size();
      look_at(*message);
    }
    require(parser.storage() <= 2 * (whole.size() - input.size()), "storage follows what came");
  }
  require(is_printable(parser.fault()), "a fault is printable");
}

void hear_link(Input input, bool greeted) {
  MessageLink link(std::make_unique<FedStream>(input));
  if (greeted) link.allow(longest_message);
  while (const auto message = link.next()) look_at(*message);
  while (link.fault().empty() && !link.ended()) {
    if (const auto message = link.next()) look_at(*message);
  }
  require(is_printable(link.loss()), "a loss is printable");
}

void check_certificate(const Certificate& certificate) {
  require(is_fingerprint(certificate.fingerprint), "a certificate has a fingerprint");
  require(is_printable(certificate.name), "a name is printable");
  require(!date_text(certificate.valid_until).empty(), "a date has a text");
}

}  // namespace

void handshake(Input input) {
  if (const auto hello = decode_hello(input); hello && hello->version == wire_version) {
    require_same(encode(*hello), input, "a hello that is accepted encodes to the same bytes");
    Hello mine{.parties = 2, .parameters = "steps = 10\nepsilon = 0.1\n", .announcement = {}};
    if (const auto differs = difference(mine, *hello, "party 1")) {
      require(is_printable(*differs), "a disagreement is printable");
    }
  }
  if (const auto failure = decode_failure(input, 7)) {
    const RemoteFailure error(*failure, "party 1");
    require(is_printable(error.what()), "a peer's failure is printable");
  }
  const std::string_view text = text_of(input);
  const std::size_t half = text.size() / 2;
  if (const auto line = first_difference(text.substr(0, half), text.substr(half), "party 1")) {
    require(text.substr(0, half) != text.substr(half), "equal texts do not differ");
  }
}

void agreement(Input input) {
  if (const auto probe = decode_probe(input); probe && probe->version == wire_version) {
    require_same(encode(*probe), input, "a probe that is accepted encodes to the same bytes");
  }
  for (const bool separate : {false, true}) {
    const Topology topology = Topology(2, separate).with_owners(separate ? 2 : 0);
    for (const NodeId sender :
         {NodeId{0}, topology.owner(1), topology.outside_node(), topology.further_node(), dealer_id}) {
      const auto confirm = decode_confirm(input, topology, sender);
      if (!confirm) continue;
      require(input.size() <= longest_confirm(topology, sender), "none is longer");
      require_same(encode(*confirm), input, "a confirm that is accepted encodes to the same bytes");
      Confirm mine;
      mine.announcements.resize(topology.parties());
      mine.resume_point.emplace();
      if (const auto what = difference(mine, *confirm, "party 1", "party 0", Resume().describe)) {
        require(is_printable(*what), "a disagreement is printable");
      }
    }
  }
}

// The whole set-up of a role's links. Input: a byte (bit 0: this role is the actor, else party 0 of 2). For each peer
// in order, a length in two bytes follows, and then as many bytes from the peer.
void set_up(Input input) {
  Numbers numbers(input);
  const Topology topology(2);
  const NodeId self = (numbers.byte() & 1) != 0 ? topology.outside_node() : NodeId{0};
  MeshConfig config{topology, self, SessionId{}, "steps = 5\n", ""};
  if (topology.is_party(self)) config.announcement = "columns = 1";
  config.nonce = insecure_nonce(7, self);
  config.setup_deadline = std::chrono::milliseconds(20);
  for (const NodeId peer : peers_of(topology, self)) {
    const std::size_t length = numbers.byte() + 256 * numbers.byte();
    config.streams[peer] = std::make_unique<FedStream>(numbers.take(length));
  }
  or_refused_printably<Error>([&] { (void)set_up_mesh(std::move(config)); });
}

// Input from a peer on a link once a session runs. Input: a byte (bit 0: the link accepts messages), then the frames.
void link_frames(Input input) {
  Numbers numbers(input);
  const bool takes_messages = (numbers.byte() & 1) != 0;
  const std::span<const std::byte> said = numbers.rest();
  Link peer(0, Topology(2), std::make_unique<FedStream>(said));
  if (takes_messages) peer.take_messages(longest_message);
  std::size_t told = 0;
  or_refused_printably<Error>([&] {
    while (!peer.closed()) {
      const auto header = peer.next();
      while (const auto message = peer.take_message()) {
        require(takes_messages && message->size() <= longest_message, "no message is longer than allowed");
        told += FrameHeader::size + message->size();
      }
      if (!header) continue;
      if (!peer.receive(header->length)) continue;
      peer.consume(header->length);
    }
  });
  require(told <= said.size(), "messages are of bytes that came");
}

// A peer without a key at the other end of a TLS link. No bytes from this peer may reach the program as data. Input: a
// byte (bit 0: this end accepts), then the peer's bytes.
void tls(Input input) {
  static const Identity self = Identity::create("party 0");
  static const Identity peer = Identity::create("party 1");
  static const TlsContext context(self, {peer.fingerprint()});
  Numbers numbers(input);
  const bool accepts = (numbers.byte() & 1) != 0;
  auto fed = std::make_unique<FedStream>(numbers.rest());
  const std::unique_ptr<ByteStream> stream =
      accepts ? context.accept(std::move(fed)) : context.connect(std::move(fed), peer.fingerprint());
  std::array<std::byte, 4096> read{};
  const std::array<std::byte, 24> said{};
  for (int i = 0; i < 64; ++i) {
    const ByteStream::Transfer in = stream->read_some(read);
    require(in.state != ByteStream::State::moved, "a peer without a key says nothing");
    if (in.state == ByteStream::State::lost) {
      require(!stream->failure().empty(), "a loss is explained");
      break;
    }
    require(in.state != ByteStream::State::closed, "a peer without a key ends nothing in order");
    (void)stream->write_some(said, {});
    (void)stream->push();
  }
  require(stream->peer_fingerprint().empty(), "a peer without a key is nobody");
  stream->end_writing();
  stream->close();
}

// Input from a client to a service, or from a service to its client. The reader allocates no more bytes than it has
// received. The input is one byte of settings, then the bytes on the connection. Bits 0 to 6 of the settings are the
// number of bytes that arrive at a time, or 0 for all at once. Bit 7 means that the greeting is done.
void service(Input input) {
  if (input.empty()) return;
  const auto first = std::to_integer<unsigned>(input.front());
  input = input.subspan(1);
  const std::size_t pieces = first & 0x7f;
  const bool greeted = (first & 0x80) != 0;
  parse_messages(input, pieces == 0 ? SIZE_MAX : pieces, greeted);
  hear_link(input, greeted);
}

void keys(const std::filesystem::path& path) {
  or_refused([&] { check_certificate(read_certificate(path)); });
  or_refused([&] {
    const Identity identity = Identity::read(path);
    check_certificate(identity.certificate());
    std::array<std::byte, 32> secret{};
    identity.derive("fuzz", secret);
  });
}

}  // namespace sotto::fuzz
