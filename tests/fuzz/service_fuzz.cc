// What a client may send to a service, or a service to its client: any bytes, in pieces of any size, before and after
// the greeting. Messages come out that encode to the bytes that came; no more is set aside than what came; what is
// shown of it is printable.
//
// Input: a byte (bits 0 to 6: bytes in a piece, 0 for all at once; bit 7: the greeting is behind), then the bytes.
#include <algorithm>
#include <memory>

#include "sotto/net/star/greeting.h"
#include "sotto/net/star/message_link.h"
#include "tests/fuzz/fed_stream.h"
#include "tests/fuzz/target.h"

namespace sotto::net {
namespace {

constexpr std::size_t longest = 4096;

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void look_at(const Message& message) {
  if (const auto greeting = decode_greeting(message)) {
    fuzz::require(is_printable(greeting->service), "a greeting is printable");
    fuzz::require(greeting->version != service_version || encode(*greeting) == message,
                  "a greeting that is accepted encodes to the same bytes");
    const auto why = difference(Greeting{service_version, "p2b shuffler"}, *greeting, "it");
    fuzz::require(!why || is_printable(*why), "a disagreement is printable");
  }
  if (const auto word = decode_close_reason(message)) {
    fuzz::require(is_printable(word->text), "a close reason is printable");
  }
}

void parse(std::span<const std::byte> input, std::size_t at_once, bool greeted) {
  MessageParser parser;
  if (greeted) parser.allow(longest);
  const std::span<const std::byte> whole = input;
  std::size_t told = 0;  // of the messages that came out
  while (!input.empty() && parser.fault().empty()) {
    std::span<const std::byte> piece = input.first(std::min(at_once, input.size()));
    input = input.subspan(piece.size());
    while (const auto message = parser.next(piece)) {
      const MessageHead head = head_of(*message);
      const auto came = whole.subspan(told, head.size() + message->payload.size());
      fuzz::require(std::equal(head.begin(), head.end(), came.begin()) &&
                        std::equal(message->payload.begin(), message->payload.end(), came.begin() + head.size()),
                    "a message encodes to the bytes that came");
      told += came.size();
      look_at(*message);
    }
    fuzz::require(parser.storage() <= 2 * (whole.size() - input.size()), "storage follows what came");
  }
  fuzz::require(is_printable(parser.fault()), "a fault is printable");
}

void hear_link(std::span<const std::byte> input, bool greeted) {
  MessageLink link(std::make_unique<fuzz::FedStream>(input));
  if (greeted) link.allow(longest);
  while (const auto message = link.next()) look_at(*message);
  while (link.fault().empty() && !link.ended()) {
    if (const auto message = link.next()) look_at(*message);
  }
  fuzz::require(is_printable(link.loss()), "a loss is printable");
}

}  // namespace
}  // namespace sotto::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  if (size == 0) return 0;
  const auto input = fuzz::bytes(data, size).subspan(1);
  const std::size_t pieces = data[0] & 0x7f;
  const bool greeted = (data[0] & 0x80) != 0;
  net::parse(input, pieces == 0 ? SIZE_MAX : pieces, greeted);
  net::hear_link(input, greeted);
  return 0;
}
