// Counts the instructions of all work, under `valgrind --tool=callgrind --collect-atstart=no`:
// for each piece a dump whose trigger is named "<repetitions> <name>, <role>".
#pragma once

namespace sotto::instructions {

// Writes the names on stdout as it goes. Outside valgrind std::runtime_error.
void count_all();

}  // namespace sotto::instructions
