// The pieces of work whose instructions are counted: a step of the bandit, a batch of it, and each primitive. They run
// under `valgrind --tool=callgrind --collect-atstart=no`; without valgrind, counting throws std::runtime_error.
//
// A piece of work is repeated in one simulation with fixed seeds. The counted instructions come from its middle: after
// the free lists are filled and before anything is destroyed.
#pragma once

namespace sotto::instructions {

// Writes a dump for each piece, with a trigger named "<repetitions> <name>, <role>". Prints each name on stdout before
// its piece is counted.
void count_all();

// Checks that different secrets cause equal work. The same programs run with secret `number` (0, 1 or 2: features,
// rewards and inputs are zero, ordinary, or at the ends of their range) and with fixed seeds. The instructions of all
// compute parties together are counted from the first round to the last. The dealer, the actor and the rewarder know
// their own secrets and are not counted. Counts must be equal to the instruction (check_secrets.cmake). Programs named
// "control: ..." branch on a secret, and their counts must differ. Each secret needs its own process, so that each
// starts with the same heap.
void count_with_secret(unsigned number);

}  // namespace sotto::instructions
