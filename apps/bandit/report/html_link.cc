#include <fmt/format.h>

#include "sotto/apps/bandit/report/html_sections.h"
#include "sotto/apps/bandit/report/text.h"
#include "sotto/apps/kit/report/markup.h"

namespace sotto::apps {
namespace {

constexpr const char* emulated_note =
    R"(Every link of this run was emulated on one machine ({}): delays and rates are those of the
emulation, <strong>not of a network that was measured</strong>.)";

constexpr const char* model_note =
    R"(The model adds up, along the path that decides, the delay of every round, the bytes of its
largest frame over the rate, the mean jitter, and what the roles themselves were busy.)";

std::string row(const std::string& name, double seconds) {
  return element(
      "tr", "",
      R"(<th scope="row">)" + name + "</th>" + element("td", "number", human_seconds(seconds)));
}

}  // namespace

std::string link_section(const BanditResult& result) {
  if (!result.link) return {};
  std::string content =
      element("p", "", fmt::format(emulated_note, escape_html(net::describe(*result.link))));
  if (result.link_model) {
    const LinkModel& model = *result.link_model;
    const std::string rows = row("rounds &times; delay", model.delay) +
                             row("bytes / rate", model.transfer) + row("jitter", model.jitter) +
                             row("arithmetic", model.arithmetic);
    const std::string foot =
        row("model", model.total()) + row("measured", model.measured) +
        element("tr", "",
                R"(<th scope="row">error of the model</th>)" +
                    element("td", "number", fmt::format("{:+.1f}%", model.error_percent())));
    content += element("p", "note", model_note) +
               element("table", "", element("tbody", "", rows) + element("tfoot", "", foot));
  }
  return titled_section("A step on emulated links", content);
}

}  // namespace sotto::apps
