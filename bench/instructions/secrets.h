// Equal work for different secrets: the instructions of the compute parties must not depend on their inputs.
//
// The same programs run with secret number `number` (0, 1 or 2: features, rewards and inputs are nothing, ordinary, or
// at the end of their range), with fixed seeds, and the instructions of all compute parties together are counted from
// the first round to the last. The dealer, the actor and the rewarder know their own secrets and are left out. Counts
// of different secrets are compared by check_secrets.cmake: they must be equal to the instruction. Programs named
// "control: ..." branch on a secret, and their counts must differ.
#pragma once

namespace sotto::instructions {

inline constexpr unsigned numbers_of_secrets = 3;

// Under valgrind (count.h). One process a secret, so that each begins with the same heap.
void count_with_secret(unsigned number);

}  // namespace sotto::instructions
