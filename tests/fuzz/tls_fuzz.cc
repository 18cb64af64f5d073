// The other end of a TLS link: any bytes, while the link is set up, at the end that accepts and at the end that
// connects. Nothing that it says gets through, since it has no key.
//
// Input: a byte (bit 0: this end accepts), then what the peer says.
#include <array>
#include <memory>

#include "sotto/net/transport/tls/context.h"
#include "tests/fuzz/fed_stream.h"
#include "tests/fuzz/target.h"

namespace sotto::net {
namespace {

void hear(std::span<const std::byte> input) {
  static const Identity self = Identity::create("party 0");
  static const Identity peer = Identity::create("party 1");
  static const TlsContext context(self, {peer.fingerprint()});
  fuzz::Numbers numbers(input);
  const bool accepts = (numbers.byte() & 1) != 0;
  auto fed = std::make_unique<fuzz::FedStream>(numbers.rest());
  const std::unique_ptr<ByteStream> stream =
      accepts ? context.accept(std::move(fed)) : context.connect(std::move(fed), peer.fingerprint());
  std::array<std::byte, 4096> read{};
  const std::array<std::byte, 24> said{};
  for (int i = 0; i < 64; ++i) {
    const ByteStream::Transfer in = stream->read_some(read);
    fuzz::require(in.state != ByteStream::State::moved, "a peer without a key says nothing");
    if (in.state == ByteStream::State::lost) {
      fuzz::require(!stream->failure().empty(), "a loss is explained");
      break;
    }
    fuzz::require(in.state != ByteStream::State::closed, "a peer without a key ends nothing in order");
    (void)stream->write_some(said, {});
    (void)stream->push();
  }
  fuzz::require(stream->peer_fingerprint().empty(), "a peer without a key is nobody");
  stream->end_writing();
  stream->close();
}

}  // namespace
}  // namespace sotto::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::net::hear(sotto::fuzz::bytes(data, size));
  return 0;
}
