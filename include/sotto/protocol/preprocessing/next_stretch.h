// next_stretch: where a long program may be cut, for backends that make correlated randomness ahead of use.
//
// Functionality   What the program asks for from here to the next mark, or to its end, is made here at once; what was
//                 left of the stretch before is dropped. So memory does not grow with the length of a run.
// Rounds, bytes   none with a dealer. Without one those of the stretch's material, in the phase "preprocessing".
// Who sees what   as the backend's headers say. Where marks stand follows from run parameters alone.
// Throws          std::logic_error where the stretch before asked for less than when it was recorded. The program may
//                 await nothing beside this: a task that waits elsewhere would be in two stretches.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::protocols {

[[nodiscard]] inline Task<void> next_stretch(Party& party) { return party.preprocessing().next_stretch(party); }

}  // namespace sotto::protocols
