// Which of several failures is the one to report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/core/error/errors.h"

namespace sotto::apps {

// How a role's process ended, in the order in which they ended.
struct RoleEnd {
  std::string role;
  std::optional<int> exit_code;
  std::optional<int> signal;  // that ended it, unless the launcher sent it
  std::string message;        // its own line; empty if it had nothing to say
  bool asked_to_end = false;  // the launcher had sent it a signal
};

// Nothing if all ended well. A role that somebody outside killed or interrupted is the cause whatever the others say
// about it; then comes a role that failed by itself; a role that lost a peer is believed last. The error has the exit
// code of the cause and names the role.
[[nodiscard]] std::optional<Error> root_cause(const std::vector<RoleEnd>& ends);

}  // namespace sotto::apps
