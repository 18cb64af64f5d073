// The pieces of work whose instructions are counted: a step of the bandit, a batch of events, and each primitive. The
// program must run under `valgrind --tool=callgrind --collect-atstart=no`; without valgrind, both functions below throw
// std::runtime_error.
//
// A piece of work is repeated in one simulation with fixed seeds. Only the instructions in the middle of a simulation
// are counted: after the free lists are filled and before anything is destroyed.
#pragma once

namespace sotto::instructions {

// For each piece of work, makes callgrind write a dump whose trigger has the name "<repetitions> <name>, <role>".
// Prints the name of each piece of work on stdout before counting the piece.
void count_all();

// Counts the instructions for one secret; check_secrets.cmake checks that different secrets cause equal work. The same
// programs run with secret `number` and with fixed seeds. The features, rewards and inputs are zero (0), ordinary (1),
// or at the ends of their range (2). The instructions of all compute parties together are counted from the first round
// to the last. The dealer, the actor and the rewarder know their own secrets, so their instructions are not counted.
// For all secrets, a program must execute exactly the same number of instructions. Programs named "control: ..." branch
// on a secret, and their counts must differ. Each secret must be counted in its own process, so that every count starts
// with the same heap.
void count_with_secret(unsigned number);

}  // namespace sotto::instructions
