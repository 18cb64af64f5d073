// A column of a party's features: the party's own, of which others learn only how many there are.
#pragma once

#include <string>

namespace sotto::apps::live {

struct FeatureColumn {
  std::string name;
  double low = 0;
  double high = 1;
  double missing = 0;  // what stands where features are missing

  friend bool operator==(const FeatureColumn&, const FeatureColumn&) = default;
};

}  // namespace sotto::apps::live
