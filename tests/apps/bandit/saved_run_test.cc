#include "sotto/apps/bandit/saved_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

using testing::StartsWith;

TEST(SavedRun, RefusesWhatIsNoOptions) {
  const TestFolder folder;
  for (const char* text :
       {"", "[]", "{}", "{\"format\": 1}", "{\"format\": \"x\"}", "{\"format\": 2, \"parties\": [1]}"}) {
    const auto path = folder.put("options.json", text);
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_saved_run(path); }), StartsWith("options.json:"))
        << text;
  }
  const std::string empty_file = R"({"file": "/dev/null", "digest": )"
                                 R"("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})";
  for (const char* compared : {"-1", "0.5", "\"true\"", "[]"}) {
    const auto path = folder.put("options.json", R"({"format": 2, "parties": [], "environment": )" + empty_file +
                                                     ", \"compare_plaintext\": " + compared + "}");
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_saved_run(path); }),
                StartsWith("options.json: is not what sotto kept of a run: "));
  }
  EXPECT_THAT(message_of<InputError>(folder, [] { (void)read_saved_run("/dev/zero"); }),
              StartsWith("/dev/zero: the file is larger than 1048576 bytes"));
}

}  // namespace
}  // namespace sotto::apps
