// What a command does with its result. A result has summary_text(), and to_json() or a description (described.h); that
// of a run has report_html() as well.
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

// run.json and report.html, each by rename; makes the folder if needed. ResourceError where that cannot be done.
template <class Result>
void write_run(const std::filesystem::path& folder, const Result& result) {
  write_run_files(folder, report_html(result), object_of(result));
}

// On stdout: one JSON object, or lines for people.
template <class Result>
void show(const Result& result, bool json) {
  const std::string text =
      json ? json_text(object_of(result), 2) + "\n" : summary_text(result, TextOptions{use_colour(STDOUT_FILENO)});
  std::fputs(text.c_str(), stdout);
}

// Writes the files of the run, where there is a folder, and shows it.
template <class Result>
void publish(const Result& result, const std::filesystem::path& folder, bool json) {
  if (!folder.empty()) write_run(folder, result);
  show(result, json);
  if (!json) std::fputs(files_of_run(folder).c_str(), stdout);
}

// A run that failed is written down as well, where there is a folder. `failed` says why.
template <class Result>
[[noreturn]] void publish_failure(const Error& error, Result failed, const std::filesystem::path& folder,
                                  const std::string& started) {
  failed.stamp(started);
  if (!folder.empty()) write_run(folder, failed);
  throw FailedRun(error.exit_code(), *failed.error, to_json(failed));
}

}  // namespace sotto::apps
