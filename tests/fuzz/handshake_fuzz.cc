// What a stranger may send before anything is agreed: a hello, the parameters in it, a failure. Decoders take any
// bytes; what they accept encodes to the same bytes, and what is shown of it is printable.
#include <algorithm>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/control.h"
#include "sotto/net/mesh/handshake/hello.h"
#include "sotto/net/mesh/handshake/parameters.h"
#include "tests/fuzz/target.h"

namespace sotto::net {
namespace {

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void decode_all(std::span<const std::byte> input) {
  if (const auto hello = decode_hello(input); hello && hello->version == wire_version) {
    const std::vector<std::byte> again = encode(*hello);
    fuzz::require(std::equal(again.begin(), again.end(), input.begin(), input.end()),
                  "a hello that is accepted encodes to the same bytes");
    Hello mine;
    mine.parties = 2;
    mine.parameters = "steps = 10\nepsilon = 0.1\n";
    if (const auto differs = difference(mine, *hello, "party 1")) {
      fuzz::require(is_printable(*differs), "a disagreement is printable");
    }
  }
  if (const auto failure = decode_failure(input, 7)) {
    const RemoteFailure error(*failure, "party 1");
    fuzz::require(is_printable(error.what()), "a peer's failure is printable");
  }
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const std::size_t half = text.size() / 2;
  if (const auto line = first_difference(text.substr(0, half), text.substr(half), "party 1")) {
    fuzz::require(text.substr(0, half) != text.substr(half), "equal texts do not differ");
  }
}

}  // namespace
}  // namespace sotto::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::net::decode_all(sotto::fuzz::bytes(data, size));
  return 0;
}
