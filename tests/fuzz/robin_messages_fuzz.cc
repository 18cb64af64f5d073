// What the aggregator and the clients of a ROBIN run decode: any bytes give a message that encodes to the same bytes,
// or nothing.
//
// Input: one byte that chooses the decoder, then the payload.
#include <algorithm>

#include "sotto/apps/robin/roles/gathering.h"
#include "sotto/apps/robin/roles/messages.h"
#include "sotto/apps/robin/roles/terms.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

namespace sotto::apps {
namespace {

using Payload = std::span<const std::byte>;

template <class Value>
void same(const std::optional<Value>& value, Payload payload) {
  if (!value) return;
  const std::vector<std::byte> again = encode(*value);
  fuzz::require(std::equal(again.begin(), again.end(), payload.begin(), payload.end()),
                "a message is encoded as it came");
}

// An aggregator that hears this from a client of its own.
void report(const std::optional<RobinEstimates>& estimates) {
  if (!estimates) return;
  Gathering gathering({2, 2, 2, 14, true, 1});
  fuzz::require(!gathering.join(0, "", RobinJoin{0, 1}), "a client joins");
  fuzz::require(!gathering.join(1, "", RobinJoin{1, 1}), "a client joins");
  gathering.begin(0);
  try {
    gathering.add(0, *estimates);
    fuzz::require(estimates->values.size() == 2, "estimates have the dimension of the run");
  } catch (const ProtocolError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
  fuzz::require(!gathering.complete(), "one client is no run");
}

void join(const std::optional<RobinJoin>& sent) {
  if (!sent) return;
  Gathering gathering({5, 2, 2, 14, sent->simulated(), 3});
  const auto refusal = gathering.join(0, "sha256:0", *sent);
  fuzz::require(refusal.has_value() != gathering.knows(0), "who is refused is not in");
  fuzz::require(!refusal || !refusal->text.empty(), "a refusal says why");
  (void)gathering.not_joined();
}

void decode(unsigned choice, Payload payload) {
  switch (choice % 6) {
    case 0:
      same(decode_join(payload), payload);
      join(decode_join(payload));
      return;
    case 1:
      same(decode_terms(payload), payload);
      return;
    case 2:
      same(decode_play(payload), payload);
      return;
    case 3:
      same(decode_estimates(payload), payload);
      report(decode_estimates(payload));
      return;
    case 4:
      same(decode_finished(payload), payload);
      return;
    default:
      if (const auto failed = decode_failed(payload)) {
        fuzz::require(failed->text.size() <= longest_robin_failure, "a line is short");
      }
  }
}

}  // namespace
}  // namespace sotto::apps

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::fuzz::Numbers numbers(sotto::fuzz::bytes(data, size));
  const unsigned choice = numbers.byte();
  sotto::apps::decode(choice, numbers.rest());
  return 0;
}
