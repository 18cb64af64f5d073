// What a command does with its result. A result has summary_text(), and to_json() or a description (described.h); that
// of a run has write_run() as well.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "sotto/apps/kit/report/described.h"
#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/json_text.h"
#include "sotto/apps/kit/report/run_folder.h"

namespace sotto::apps {

// On stdout: one JSON object, or lines for people.
template <class Result>
void show(const Result& result, bool json) {
  const auto object = [&] {
    if constexpr (requires { to_json(result); }) {
      return to_json(result);
    } else {
      return json_of(result);
    }
  };
  const std::string text =
      json ? json_text(object(), 2) + "\n" : summary_text(result, TextOptions{use_colour(STDOUT_FILENO)});
  std::fputs(text.c_str(), stdout);
}

// Writes the files of the run, where there is a folder, and shows it.
template <class Result>
void publish(const Result& result, const std::filesystem::path& folder, bool json) {
  if (!folder.empty()) write_run(folder, result);
  show(result, json);
  if (!json) std::fputs(files_of_run(folder).c_str(), stdout);
}

}  // namespace sotto::apps
