#include "sotto/apps/kit/report/run_page.h"

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/report/run_folder.h"
#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/report/json_text.h"
#include "sotto/apps/kit/report/markup.h"
#include "sotto/apps/kit/report/page_style.h"

namespace sotto::apps {

std::string run_page(const std::string& title, const std::string& style, const std::string& body) {
  return R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>sotto: )" +
         escape_html(title) + "</title>\n" + element("style", "", page_style + style) +
         "</head>\n<body>\n" + element("main", "", body) + "</body>\n</html>\n";
}

std::string alert(const std::string& title, const std::string& text) {
  return R"(<div class="alert" role="alert"><strong>)" + title + "</strong>" +
         element("p", "", text) + "</div>\n";
}

std::string insecure_alerts(const std::vector<std::string>& flags) {
  std::string out;
  for (const std::string& flag : flags) {
    out += alert("Insecure run: " + escape_html(flag),
                 "A switch for tests was set. Nothing on this page about protection holds for this "
                 "run; never use it with real data.");
  }
  return out;
}

std::string parameter(std::string_view name, const std::string& value) {
  return element("div", "", element("dt", "", name) + element("dd", "", value));
}

std::string command_block(const std::string& command) {
  if (command.empty()) return {};
  return element("h3", "", "Command") +
         element("pre", "", element("code", "", escape_html(command)));
}

std::string run_footer(const std::string& version, const std::string& started) {
  std::string text = "sotto";
  if (!version.empty()) text += " " + escape_html(version);
  if (!started.empty()) text += " &middot; started " + escape_html(started);
  return element("footer", "", text + " &middot; all figures of this page are in run.json");
}

void write_run_files(const std::filesystem::path& folder, const std::string& html,
                     const nlohmann::ordered_json& json) {
  make_run_directory(folder);
  write_file(folder / "report.html", html);
  write_file(folder / "run.json", json_text(json, 2) + "\n");
}

}  // namespace sotto::apps
