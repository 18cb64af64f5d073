// What the results of runs of several parties have alike.
#pragma once

#include <cstddef>
#include <string>

namespace sotto::apps {

enum class RunStatus { complete, failed };

// A compute party's part of the context.
struct PartyInput {
  std::string name;
  std::string file;
  std::size_t features = 0;
  double max_norm = 0;
};

}  // namespace sotto::apps
