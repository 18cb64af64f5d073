#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "sotto/apps/bandit/saved_run.h"
#include "sotto/apps/kit/files/json_file.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/apps/kit/files/rounded.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

TEST(Rounded, UpToFourDigits) {
  EXPECT_EQ(advised(std::sqrt(2.0)), "1.415");
  EXPECT_EQ(advised(11.31370849898476), "11.32");
  EXPECT_EQ(advised(1), "1");
  EXPECT_EQ(advised(1.5), "1.5");
  EXPECT_EQ(advised(8 * (1 + 1e-12)), "8");
  EXPECT_EQ(advised(7.99951), "8");
  EXPECT_EQ(advised(0.00012345678), "0.0001235");
  EXPECT_EQ(advised(0), "0");
  EXPECT_EQ(advised(-0.125), "-0.125");
  EXPECT_EQ(advised(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(rounded_up(0.1234, 2), 0.13);
}

RC_GTEST_PROP(Rounded, WhatIsAdvisedIsNeverTooLittle, ()) {
  const double value = std::ldexp(1 + *rc::gen::inRange(0, 1 << 30) / std::ldexp(1.0, 30),
                                  *rc::gen::inRange(-100, 100));
  const double read = std::strtod(advised(value).c_str(), nullptr);
  RC_ASSERT(read >= value * (1 - 1e-9));
  RC_ASSERT(read <= value * 1.001 * (1 + 1e-9));
}

namespace fs = std::filesystem;

unsigned mode(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(PrivatePath, IsForTheOwnerAloneWhateverTheUmask) {
  const TestFolder folder;
  const mode_t before = ::umask(0);
  EXPECT_TRUE(make_private_folder(folder.path() / "folder"));
  EXPECT_TRUE(make_private_file(folder.path() / "file"));
  ::umask(before);
  EXPECT_EQ(mode(folder.path() / "folder"), 0700u);
  EXPECT_EQ(mode(folder.path() / "file"), 0600u);
}

TEST(PrivatePath, KeepsWhatIsThere) {
  const TestFolder folder;
  const fs::path file = folder.put("file", "kept");
  EXPECT_FALSE(make_private_file(file));
  EXPECT_EQ(slurp(file), "kept");
  EXPECT_FALSE(make_private_folder(folder.path()));
}

TEST(PrivatePath, SaysWhatCannotBeMade) {
  const TestFolder folder;
  const auto inside = [&] { (void)make_private_folder(folder.path() / "missing" / "folder"); };
  EXPECT_EQ(message_of<ResourceError>(folder, inside),
            "missing/folder: the folder cannot be made here: No such file or directory");
  const auto file = [&] { (void)make_private_file(folder.path() / "missing" / "file"); };
  EXPECT_EQ(message_of<ResourceError>(folder, file),
            "missing/file: the file cannot be made here: No such file or directory");
}

TEST(PrivatePath, RefusesWhatOthersMayRead) {
  const TestFolder folder;
  const fs::path file = folder.put("file", "");
  ::chmod(file.c_str(), 0640);
  EXPECT_EQ(message_of<InputError>(folder, [&] { require_private(file, "run `chmod 600` on it"); }),
            "file: others than its owner have access to it (mode 0640): run `chmod 600` on it");
  ::chmod(file.c_str(), 0600);
  EXPECT_NO_THROW(require_private(file, ""));
  EXPECT_NO_THROW(require_private(folder.path() / "missing", ""));
}

using testing::StartsWith;

std::string refusal(std::string_view text, std::size_t most = 1000) {
  const TestFolder folder;
  const auto path = folder.put("j.json", text);
  return message_of<InputError>(folder,
                                [&] { (void)read_json(path, "the report of a role", most); });
}

std::string levels(std::size_t count) { return std::string(count, '[') + std::string(count, ']'); }

TEST(JsonFile, ReadsWhatSottoWrites) {
  const TestFolder folder;
  const auto json = read_json(folder.put("j.json", R"({"a": [1, [0.5, null]], "b": {"c": "x"}})"),
                              "the report of a role", 100);
  EXPECT_EQ(json.at("a").at(1).at(0).get<double>(), 0.5);
  EXPECT_EQ(json.at("b").at("c").get<std::string>(), "x");
}

TEST(JsonFile, NamesThePlaceAndNothingOfWhatStandsThere) {
  EXPECT_EQ(refusal("{\n \"a\": 31337secret}"),
            "j.json:2:12: is not the report of a role: this is no JSON");
  EXPECT_THAT(refusal(""), StartsWith("j.json:1:1: is not the report of a role"));
  EXPECT_THAT(refusal(std::string_view("{\0}", 3)), StartsWith("j.json:1:2: "));
  EXPECT_EQ(refusal("[1] \x1b[31m").find('\x1b'), std::string::npos);
  EXPECT_EQ(refusal("[1e400]"),
            "j.json: is not the report of a role: a number in it fits no double");
}

TEST(JsonFile, IsBounded) {
  EXPECT_EQ(refusal(std::string(1001, ' ')), "j.json: the file is larger than 1000 bytes");
  EXPECT_EQ(refusal(levels(18)), "j.json: is not the report of a role: it has more than 16 levels");
  EXPECT_EQ(refusal(std::string(100'000, '['), 100'000),
            "j.json: is not the report of a role: it has more than 16 levels");
  const TestFolder folder;
  EXPECT_NO_THROW((void)read_json(folder.put("j.json", levels(16)), "it", 100));
  EXPECT_THAT(message_of<InputError>(folder, [] { (void)read_json("/dev/zero", "it", 1000); }),
              StartsWith("/dev/zero: the file is larger than 1000 bytes"));
}

TEST(SavedRun, RefusesWhatIsNoOptions) {
  const TestFolder folder;
  for (const char* text : {"", "[]", "{}", "{\"format\": 1}", "{\"format\": \"x\"}",
                           "{\"format\": 1, \"parties\": [1]}"}) {
    const auto path = folder.put("options.json", text);
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_saved_run(path); }),
                StartsWith("options.json:"))
        << text;
  }
  const std::string empty_file =
      R"({"file": "/dev/null", "digest": )"
      R"("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})";
  for (const char* steps : {"-1", "0.5", "1e300", "\"9\"", "[]"}) {
    const auto path = folder.put("options.json",
                                 R"({"format": 1, "parties": [], "epsilon": 0.1, "environment": )" +
                                     empty_file + ", \"steps\": " + steps + "}");
    EXPECT_EQ(
        message_of<InputError>(folder, [&] { (void)read_saved_run(path); }),
        "options.json: is not what sotto kept of a run: steps is no whole number of its range");
  }
  EXPECT_THAT(message_of<InputError>(folder, [] { (void)read_saved_run("/dev/zero"); }),
              StartsWith("/dev/zero: the file is larger than 1048576 bytes"));
}

}  // namespace
}  // namespace sotto::apps
