#include "apps/bandit/run/settings/options.h"

#include <fmt/format.h>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/report/described.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

using nlohmann::json;

constexpr int format = 2;
constexpr std::size_t most_bytes = std::size_t{1} << 20;

json input(const std::filesystem::path& file) {
  return {{"file", std::filesystem::absolute(file).string()}, {"digest", file_digest(file)}};
}

std::filesystem::path checked_input(const json& object) {
  std::filesystem::path file = object.at("file").get<std::string>();
  const auto digest = object.at("digest").get<std::string>();
  if (file_digest(file) != digest) {
    throw InputError(file.string(),
                     "has changed since the run began: bring the old file back, as a run continues with the data that "
                     "it began with");
  }
  return file;
}

}  // namespace

void save_run(const std::filesystem::path& file, const BanditOptions& options) {
  json object;
  object["format"] = format;
  object["parties"] = json::array();
  for (const auto& party : options.parties) object["parties"].push_back(input(party));
  object["owners"] = json::array();
  for (const auto& owner : options.owners) object["owners"].push_back(input(owner));
  if (options.log.empty()) {
    object["environment"] = input(options.environment);
  } else {
    object["log"] = input(options.log);
  }
  if (!options.from.empty()) object["from"] = std::filesystem::absolute(options.from).string();
  object["compare_plaintext"] = options.compare_plaintext;
  object["compare_parts"] = options.compare_parts;
  const FieldWriter field(object);
  field.unless_empty("baseline", options.baseline);
  field("money", options.money);
  write_file(file, json_text(object, 2) + "\n");
}

BanditOptions read_saved_run(const std::filesystem::path& file) {
  BanditOptions options;
  try {
    const json object = read_json(file, "what sotto kept of a run", most_bytes);
    if (object.at("format") != json(format)) {
      throw InputError(file.string(), "was written by another version of sotto: resume the run with that version");
    }
    for (const json& party : object.at("parties")) options.parties.push_back(checked_input(party));
    if (object.contains("owners")) {
      for (const json& owner : object.at("owners")) options.owners.push_back(checked_input(owner));
    }
    if (object.contains("log")) {
      options.log = checked_input(object.at("log"));
    } else {
      options.environment = checked_input(object.at("environment"));
    }
    options.from = object.value("from", std::string());
    options.compare_parts = object.at("compare_parts").get<bool>();
    if (object.contains("baseline")) options.baseline = object.at("baseline").get<std::size_t>();
    const json& money = object.at("money");
    options.money = {money.at("unit").get<std::string>(), money.at("events_per_month").get<double>()};
    options.compare_plaintext = object.at("compare_plaintext").get<bool>();
  } catch (const json::exception& error) {
    throw InputError(file.string(), fmt::format("is not what sotto kept of a run: {}", error.what()));
  }
  return options;
}

}  // namespace sotto::apps::bandit::run
