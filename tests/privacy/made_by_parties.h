// A program whose parties make its randomness themselves, among three by replicated keys, between two by transfers or
// with a helper by such keys, on keys and a set-up of transfers that follow from the number of the run: what roles tell
// each other to agree on them is looked at by the tests of protocols/preprocessing/.
#pragma once

#include "tests/privacy/transcript.h"

namespace sotto::privacy {

// What must not be. Where something begins again, the program runs twice.
enum class Flaw {
  none,
  no_zeros,        // of three: no message and no share carries a sharing of zero
  same_keys,       // counters of requests begin again under the same keys
  same_transfers,  // of two: rows and tweaks begin again
};

// `recorded` is played ahead of `program` (protocols/preprocessing/recorded/run_recorded.h). At each of three the first
// word of each key that it draws from, request by request.
[[nodiscard]] Task<Numbers> made_by_parties(Party& party, std::uint64_t run, Flaw flaw, Program program,
                                            Program recorded);

}  // namespace sotto::privacy
