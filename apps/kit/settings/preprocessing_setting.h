// run.preprocessing, as every program asks for it that can do without a dealer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/kit/settings/setting.h"
#include "sotto/protocol/preprocessing/randomness_by.h"

namespace sotto::apps {

template <class S>
[[nodiscard]] Setting preprocessing_setting() {
  std::vector<std::pair<std::string, RandomnessBy>> words;
  for (const auto& [by, name] : names_of(RandomnessBy{})) words.emplace_back(name, by);
  return word<S>(
      "run.preprocessing", &S::preprocessing, std::move(words),
      "Who makes the randomness: a dealer; three compute parties by themselves, of which one may be corrupt "
      "(\"replicated\"); two by oblivious transfers (\"ot\"), or with a helper in the dealer's place, who knows no "
      "mask and no coin (\"helper\")");
}

// Why a run whose randomness is made so has no role of that word; empty where it may have one.
[[nodiscard]] inline std::string stranger_to(RandomnessBy by, const std::string& role_word) {
  const bool dealer = role_word == "dealer" && !cast_of(by).has_dealer;
  const bool helper = role_word == "helper" && !cast_of(by).has_helper;
  return dealer || helper ? "preprocessing = \"" + std::string(name_of(by)) + "\" in [run] has no " + role_word : "";
}

}  // namespace sotto::apps
