// Writes and prints the result of a command. The type of a result has summary_text(), and either to_json() or a
// description (described.h). The type of a run's result also has report_html().
#pragma once

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/described.h"
#include "apps/kit/report/human.h"
#include "apps/kit/report/run_page.h"

namespace sotto::apps {

template <class Result>
[[nodiscard]] auto object_of(const Result& result) {
  if constexpr (requires { to_json(result); }) {
    return to_json(result);
  } else {
    return json_of(result);
  }
}

// Writes run.json and report.html, each by rename. Throws ResourceError if the folder or a file cannot be written.
template <class Result>
void write_run(const std::filesystem::path& folder, const Result& result) {
  write_run_files(folder, report_html(result), object_of(result));
}

template <class Result>
void show(const Result& result, bool json) {
  const std::string text =
      json ? json_text(object_of(result), 2) + "\n" : summary_text(result, TextOptions{use_colour(STDOUT_FILENO)});
  std::fputs(text.c_str(), stdout);
}

template <class Result>
void publish(const Result& result, const std::filesystem::path& folder, bool json) {
  if (!folder.empty()) write_run(folder, result);
  show(result, json);
  if (!json) std::fputs(files_of_run(folder).c_str(), stdout);
}

template <class Result>
[[noreturn]] void publish_failure(const Error& error, Result failed, const std::filesystem::path& folder,
                                  const std::string& started) {
  failed.stamp(started);
  if (!folder.empty()) write_run(folder, failed);
  throw FailedRun(error.exit_code(), *failed.error, to_json(failed));
}

}  // namespace sotto::apps
