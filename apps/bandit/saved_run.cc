#include "apps/bandit/saved_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/data/atomic_file.h"
#include "apps/data/read_file.h"
#include "apps/roles/role_state.h"
#include "core/error/errors.h"

namespace sotto::apps {
namespace {

using nlohmann::json;

constexpr int format = 1;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

template <class T>
void take(const json& object, const char* name, std::optional<T>& value) {
  if (const json& found = object.at(name); !found.is_null()) value = found.get<T>();
}

json input(const std::filesystem::path& file) {
  return {{"file", std::filesystem::absolute(file).string()}, {"digest", file_digest(file)}};
}

std::filesystem::path checked_input(const json& object) {
  std::filesystem::path file = object.at("file").get<std::string>();
  const auto digest = object.at("digest").get<std::string>();
  if (file_digest(file) != digest) {
    throw InputError(file.string(),
                     "is not what it was when the run was begun: bring that file "
                     "back, a run goes on with the data that it began with");
  }
  return file;
}

}  // namespace

void save_run(const std::filesystem::path& file, const BanditOptions& options) {
  json object;
  object["format"] = format;
  object["parties"] = json::array();
  for (const auto& party : options.parties) object["parties"].push_back(input(party));
  object["environment"] = input(options.environment);
  object["epsilon"] = options.epsilon;
  object["steps"] = or_null(options.steps);
  object["arms"] = or_null(options.arms);
  object["bits"] = options.bits;
  object["max_norm"] = or_null(options.max_norm);
  object["deal_ahead"] = options.deal_ahead;
  object["separate_rewarder"] = options.separate_rewarder;
  object["compare_plaintext"] = options.compare_plaintext;
  object["reveal_model"] = options.reveal_model;
  object["checkpoint_every"] = options.checkpoint_every;
  object["pull_delay"] = options.pull_delay;
  object["reward_delay"] = options.reward_delay;
  object["insecure_seed"] = or_null(options.insecure_seed);
  object["insecure_plaintext"] = options.insecure_plaintext;
  write_file(file, object.dump(2) + "\n");
}

BanditOptions read_saved_run(const std::filesystem::path& file) {
  BanditOptions options;
  try {
    const json object = json::parse(read_file(file));
    if (object.at("format").get<int>() != format) {
      throw InputError(file.string(),
                       "was written by another version of sotto: resume the run with "
                       "that version");
    }
    for (const json& party : object.at("parties")) options.parties.push_back(checked_input(party));
    options.environment = checked_input(object.at("environment"));
    object.at("epsilon").get_to(options.epsilon);
    take(object, "steps", options.steps);
    take(object, "arms", options.arms);
    object.at("bits").get_to(options.bits);
    take(object, "max_norm", options.max_norm);
    object.at("deal_ahead").get_to(options.deal_ahead);
    object.at("separate_rewarder").get_to(options.separate_rewarder);
    object.at("compare_plaintext").get_to(options.compare_plaintext);
    object.at("reveal_model").get_to(options.reveal_model);
    object.at("checkpoint_every").get_to(options.checkpoint_every);
    object.at("pull_delay").get_to(options.pull_delay);
    object.at("reward_delay").get_to(options.reward_delay);
    take(object, "insecure_seed", options.insecure_seed);
    object.at("insecure_plaintext").get_to(options.insecure_plaintext);
  } catch (const json::exception& error) {
    throw InputError(file.string(),
                     fmt::format("is not what sotto kept of a run: {}", error.what()));
  }
  return options;
}

}  // namespace sotto::apps
