// Relations of words of a view: is a sum of some of them always even, or always odd? As rank.h, but over runs that are
// recorded anyway: as many words at once as these allow, in the order of their messages and then by the messages'
// labels.
#pragma once

#include "tests/privacy/view.h"

namespace sotto::privacy {

// Of what is received from outside, with shares as they come and with openings as a whole, and of what the members'
// keys gave them: words but for outputs, each by its lowest bit and by another one.
void append_relations(const Layout& layout, const Runs& runs, Members members, const Outputs& outputs,
                      std::vector<std::string>& findings);

}  // namespace sotto::privacy
