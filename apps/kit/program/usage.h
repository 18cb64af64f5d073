// What is wrong with a command line, in the user's words.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sotto::apps {

// Names the first word that no command knows, and what was probably meant by it; where all are known,
// what CLI11 says. `app` is the program, which has parsed the command line and thrown the error.
[[nodiscard]] std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sotto::apps
