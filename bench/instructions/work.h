// The pieces of work whose instructions are counted. The program must run under `valgrind --tool=callgrind
// --collect-atstart=no`; without valgrind, both functions throw std::runtime_error.
//
// The count begins after the free lists are filled, and ends before anything is destroyed.
#pragma once

namespace sotto::instructions {

// Makes callgrind write a dump for each piece of work, with the trigger "<repetitions> <name>, <role>".
void count_all();

// Counts the instructions of all compute parties for one secret. For every secret, a program must execute exactly the
// same number of instructions. Programs named "control: ..." branch on a secret, and their counts must differ. Each
// secret must be counted in its own process, so that every count starts with the same heap.
void count_with_secret(unsigned number);

}  // namespace sotto::instructions
