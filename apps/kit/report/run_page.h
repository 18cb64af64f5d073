// What the pages of all runs share: the frame, alerts, parameters, the footer, and writing the files.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

// A whole page: `title` is text, `style` comes after the common one, `body` is markup.
[[nodiscard]] std::string run_page(const std::string& title, const std::string& style,
                                   const std::string& body);

// A box at the top; both are markup.
[[nodiscard]] std::string alert(const std::string& title, const std::string& text);
// One for each switch for tests that was set.
[[nodiscard]] std::string insecure_alerts(const std::vector<std::string>& flags);

// An item of a <dl class="parameters">; both are markup.
[[nodiscard]] std::string parameter(std::string_view name, const std::string& value);
// The command that made the run, as text; nothing where it is not known.
[[nodiscard]] std::string command_block(const std::string& command);
// Who made the run, and when: texts, empty where they are not known.
[[nodiscard]] std::string run_footer(const std::string& version, const std::string& started);

// Makes the folder if needed; writes report.html and run.json, each by rename. ResourceError where
// that fails.
void write_run_files(const std::filesystem::path& folder, const std::string& html,
                     const nlohmann::ordered_json& json);

}  // namespace sotto::apps
