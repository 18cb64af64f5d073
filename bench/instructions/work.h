// The pieces of work whose instructions are counted, under `valgrind --tool=callgrind --collect-atstart=no`: a step of
// the bandit, a batch of it, and each primitive. Outside valgrind counting is std::runtime_error.
//
// A piece of work is repeated in one simulation with fixed seeds, so that its instructions can be taken from the middle
// of it: after the free lists are filled and before anything is taken down.
#pragma once

namespace sotto::instructions {

// For each piece a dump whose trigger is named "<repetitions> <name>, <role>"; writes the names on stdout as it goes.
void count_all();

// Equal work for different secrets: the same programs run with secret `number` (0, 1 or 2: features, rewards and inputs
// are nothing, ordinary, or at the end of their range), with fixed seeds, and the instructions of all compute parties
// together are counted from the first round to the last. The dealer, the actor and the rewarder know their own secrets
// and are left out. Counts must be equal to the instruction (check_secrets.cmake); programs named "control: ..." branch
// on a secret, and their counts must differ. One process a secret, so that each begins with the same heap.
void count_with_secret(unsigned number);

}  // namespace sotto::instructions
