#include "sotto/apps/kit/report/page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace sotto::apps {

std::string to_text(const Page& page) {
  std::string text = to_text(page.provenance);
  for (const FigureTable& table : page.tables) text += "\n" + table.to_text();
  return text;
}

std::string to_markdown(const Page& page) {
  std::string text = fmt::format("# {}\n\n{}\n\n{}", page.title, page.about, to_markdown(page.provenance));
  for (const FigureTable& table : page.tables) text += "\n" + table.to_markdown();
  return text;
}

nlohmann::ordered_json to_json(const Page& page) {
  nlohmann::ordered_json json{{"bench", page.name}, {"provenance", to_json(page.provenance)}};
  json["tables"] = nlohmann::ordered_json::object();
  for (const FigureTable& table : page.tables) json["tables"][table.key()] = table.to_json();
  return json;
}

}  // namespace sotto::apps
