// What was built: written anew by the build system whenever the commit changes (cmake/GitCommit.cmake).
#pragma once

namespace sotto::apps {

// "5f9ded7a21", "5f9ded7a21-dirty", or "unknown" where the sources are in no git repository.
[[nodiscard]] const char* git_commit();
// The build type and what else sets the speed: "Release".
[[nodiscard]] const char* build_type();

}  // namespace sotto::apps
