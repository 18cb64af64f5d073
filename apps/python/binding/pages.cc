#include "apps/python/binding/pages.h"

#include <pybind11/pybind11.h>

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/report/markup.h"

namespace sotto::python {
namespace {

std::string page_beside(const apps::bandit::run::BanditResult& result, const std::string& figures) {
  constexpr std::string_view of_command = "all figures of this page are in run.json";
  std::string html = apps::bandit::run::report_html(result);
  const std::size_t at = html.rfind(of_command);
  if (at == std::string::npos) throw std::logic_error("the page names no file of its figures");
  return html.replace(at, of_command.size(), "all figures of this page are in " + apps::escape_html(figures));
}

}  // namespace

void write_report(const apps::bandit::run::BanditResult& result, const std::string& page, const std::string& figures) {
  const pybind11::gil_scoped_release unlocked;
  apps::write_file(page, page_beside(result, std::filesystem::path(figures).filename().string()));
  apps::write_file(figures, apps::json_text(apps::bandit::run::to_json(result), 2) + "\n");
}

}  // namespace sotto::python
