#include <unistd.h>

#include <csignal>

#include "apps/kit/files/json.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/main.h"
#include "apps/kit/program/say.h"
#include "apps/kit/program/service_options.h"
#include "tests/apps/support.h"
#include "tests/properties.h"
#include "tests/regex.h"

namespace sotto::apps {
namespace {

TEST(Failure, IsOneObjectWithStatusErrorAndCode) {
  const auto json = nlohmann::json::parse(failure_json(ExitCode::peer_lost, "party 1 was lost"));
  EXPECT_EQ(json, (nlohmann::json{{"status", "failed"}, {"error", "party 1 was lost"}, {"exit_code", 3}}));
}

TEST(Failure, KeepsWhatTheCommandHasToShow) {
  EXPECT_EQ(nlohmann::json::parse(failure_json(ExitCode::usage, "too few", {{"status", "refused"}, {"steps", 5}})),
            (nlohmann::json{{"status", "refused"}, {"steps", 5}, {"error", "too few"}, {"exit_code", 2}}));
}

TEST(Failure, IsJsonWhateverTheMessageHolds) {
  const auto json = nlohmann::json::parse(failure_json(ExitCode::usage, "'\xff\"\n\x01' is no number"));
  EXPECT_THAT(json["error"].get<std::string>(), HasSubstr("is no number"));
}

// This function runs in a separate process, because signal handlers and the interrupt flag belong to a whole process.
[[noreturn]] void after(std::initializer_list<int> signals, void (*hang_up_before)(int)) {
  std::signal(SIGHUP, hang_up_before);
  catch_interrupts();
  for (const int number : signals) ::raise(number);
  ::_exit(interrupted() ? 130 : 0);
}

TEST(Interrupt, EachOfThemRaisesTheFlag) {
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
    EXPECT_EXIT(after({number}, SIG_DFL), ::testing::ExitedWithCode(130), "") << number;
  }
}

TEST(Interrupt, ASecondOneEndsTheProcessAtOnce) {
  for (const int number : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(after({number, number}, SIG_DFL), ::testing::KilledBySignal(number), "") << number;
  }
}

// Both the system and the shell report a closed terminal, so the process gets the signal twice.
TEST(Interrupt, ATerminalMayHangUpTwice) {
  EXPECT_EXIT(after({SIGHUP, SIGHUP}, SIG_DFL), ::testing::ExitedWithCode(130), "");
}

TEST(Interrupt, AHangUpThatIsIgnoredStaysIgnored) {
  EXPECT_EXIT(after({SIGHUP}, SIG_IGN), ::testing::ExitedWithCode(0), "");
}

TEST(NearName, IsWhatWasProbablyMeant) {
  const std::vector<std::string> names{"steps", "arms", "epsilon", "separate_rewarder", "id"};
  const std::pair<std::string, const char*> cases[] = {{"step", "steps"},
                                                       {"setps", "steps"},
                                                       {"epsilom", "epsilon"},
                                                       {"seperate_rewarder", "separate_rewarder"},
                                                       {"arms", "arms"},
                                                       {"colour", ""},
                                                       {"x", ""},
                                                       {"", ""},
                                                       {std::string(100'000, 's'), ""}};
  for (const auto& [typed, meant] : cases) EXPECT_EQ(near_name(typed, names), meant);
  EXPECT_EQ(did_you_mean("step", names), "; did you mean steps?");
  EXPECT_EQ(did_you_mean("colour", names), "");
}

TEST(NameDistance, CountsSlips) {
  EXPECT_EQ(name_distance("", "abc"), 3u);
  EXPECT_EQ(name_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(name_distance("form", "from"), 1u);
}

PROPERTY(NameDistance, IsSymmetricAndOneForOneSlip) {
  const auto name = draw_text("abcde");
  const auto other = draw_text("abcde");
  HOLDS(name_distance(name, other) == name_distance(other, name));
  HOLDS((name_distance(name, other) == 0) == (name == other));
  HOLDS(name_distance(name, other) <= std::max(name.size(), other.size()));
  std::string longer = name;
  longer.insert(draw_in_range<std::size_t>(0, name.size() + 1), 1, 'x');
  HOLDS(name_distance(name, longer) == 1u);
}

struct Flags {
  Flags() {
    connect.connect_flag = "--server";
    connect.trust_flag = "--server-trust";
    add_key_options(app, key);
    add_listen_options(app, listen);
    add_connect_options(app, connect, "the server");
  }
  void parse(const std::string& line) {
    app.callback([] {});
    parse_and_run(app, {}, split(line, ' '));
  }
  [[nodiscard]] net::ServiceConfig service() const { return service_config(listen, key, "p2b shuffler"); }
  [[nodiscard]] net::ClientConfig client() const { return client_config(connect, key, "p2b server"); }

  Command app{"test", ""};
  KeyArguments key;
  ListenArguments listen;
  ConnectArguments connect;
};

const std::string one = "sha256:" + std::string(64, 'a');
const std::string two = "sha256:" + std::string(64, 'b');

template <class Action>
void expect_refusal(const std::string& says, Action action) {
  EXPECT_THAT(error_of<InputError>(action), HasSubstr(says));
}

TEST(ServiceOptions, SayWhereAndWhom) {
  Flags flags;
  flags.parse("--listen 0.0.0.0:4000 --trust " + one + " --trust " + two + " --server [::1]:5000 --server-trust " +
              two);
  const net::ServiceConfig service = flags.service();
  EXPECT_EQ(service.listen, (net::Address{"0.0.0.0", 4000}));
  EXPECT_FALSE(service.descriptor);
  EXPECT_EQ(service.name, "p2b shuffler");
  EXPECT_EQ(service.trust.trusted, (std::set<std::string>{one, two}));
  EXPECT_FALSE(service.trust.anyone);
  EXPECT_FALSE(service.trust.plaintext);
  const net::ClientConfig client = flags.client();
  EXPECT_EQ(client.service, (net::Address{"::1", 5000}));
  EXPECT_EQ(client.name, "p2b server");
  EXPECT_EQ(client.trust.trusted, std::set<std::string>{two});
}

TEST(ServiceOptions, PortZeroIsAnyFreeOne) {
  Flags flags;
  flags.parse("--listen [::1]:0 --trust anyone");
  EXPECT_EQ(flags.service().listen, (net::Address{"::1", 0}));
  Flags wrong;
  wrong.parse("--listen ::0 --trust anyone");
  expect_refusal("--listen", [&] { return wrong.service(); });
}

TEST(ServiceOptions, AnyoneIsAWordOfTheServiceOnly) {
  Flags flags;
  flags.parse("--listen 127.0.0.1:0 --trust anyone --server localhost:1 --server-trust anyone");
  EXPECT_TRUE(flags.service().trust.anyone);
  EXPECT_TRUE(flags.service().trust.trusted.empty());
  expect_refusal("--server-trust: 'anyone' is no fingerprint", [&] { return flags.client(); });
}

TEST(ServiceOptions, PlaintextNeedsNoKeysAndTakesNoTrust) {
  Flags flags;
  flags.parse("--listen 127.0.0.1:0 --server localhost:1 --insecure-plaintext --key missing.pem");
  EXPECT_TRUE(flags.service().trust.plaintext);
  EXPECT_EQ(flags.service().trust.identity, nullptr);
  EXPECT_TRUE(flags.client().trust.plaintext);
  Flags both;
  both.parse("--listen 127.0.0.1:0 --server localhost:1 --insecure-plaintext --trust anyone --server-trust " + one);
  expect_refusal("--trust: --insecure-plaintext proves", [&] { return both.service(); });
  expect_refusal("--server-trust: --insecure-plaintext proves", [&] { return both.client(); });
}

TEST(ServiceOptions, KeyIsRead) {
  const TestFolder folder;
  const fs::path file = folder.path() / "service.pem";
  const net::Identity identity = net::Identity::create("shuffler");
  identity.write(file);
  Flags flags;
  flags.parse("--listen 127.0.0.1:0 --trust anyone --key " + file.string());
  EXPECT_EQ(flags.service().trust.identity->fingerprint(), identity.fingerprint());
  fs::remove(file);
  expect_refusal("service.pem", [&] { return flags.service(); });
}

TEST(ServiceOptions, SayWhatIsMissingOrWrong) {
  Flags none;
  none.parse("--trust anyone");
  expect_refusal("--listen: say where clients connect", [&] { return none.service(); });
  expect_refusal("--server: say where the p2b server is", [&] { return none.client(); });
  Flags wrong;
  wrong.parse("--listen nowhere --trust 12 --server nowhere --server-trust 12");
  expect_refusal("--listen", [&] { return wrong.service(); });
  expect_refusal("--server", [&] { return wrong.client(); });
  Flags print;
  print.parse("--listen 127.0.0.1:0 --trust 12 --server localhost:1");
  expect_refusal("--trust: '12' is no fingerprint", [&] { return print.service(); });
  expect_refusal("--server-trust: give the fingerprint", [&] { return print.client(); });
}

TEST(ServiceOptions, InheritedSocketTakesThePlaceOfAnAddress) {
  Flags flags;
  flags.parse("--listen-descriptor 5 --trust anyone");
  EXPECT_EQ(flags.service().descriptor, 5);
}

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

std::string written(LogLevel most) {
  CaptureStderr();
  const Log log(most);
  log.error("one");
  log.warning("two");
  log.info("three");
  log.debug("four");
  return GetCapturedStderr();
}

TEST(Log, LinesHaveTimeAndLevel) {
  const std::string time = R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z )";
  EXPECT_TRUE(matches(written(LogLevel::debug),
                      time + "error one\n" + time + "warning two\n" + time + "info three\n" + time + "debug four\n"));
}

TEST(Log, LessGraveLinesAreLeftOut) {
  const std::array<std::size_t, 4> expected{1, 2, 3, 4};
  for (std::size_t i = 0; i < all_log_levels.size(); ++i) {
    const std::string text = written(all_log_levels.at(i));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<std::ptrdiff_t>(expected.at(i)));
    for (const LogLevel level : all_log_levels) {
      EXPECT_EQ(Log(all_log_levels.at(i)).shows(level), level <= all_log_levels.at(i));
      EXPECT_EQ(text.find(std::string("Z ") + name_of(level) + ' ') != std::string::npos,
                level <= all_log_levels.at(i));
    }
  }
}

TEST(Log, ALineIsOneLine) {
  CaptureStderr();
  Log().info("a\nb\x1b[2J");
  const std::string text = GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Log, TimesAreOfUtc) {
  EXPECT_EQ(log_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(log_time(1'795'421'571'402), "2026-11-23T08:12:51.402Z");
  EXPECT_EQ(log_time(951'782'400'007), "2000-02-29T00:00:00.007Z");
}

TEST(Log, LevelsHaveNames) {
  for (const LogLevel level : all_log_levels) EXPECT_EQ(log_level_of(name_of(level)), level);
  EXPECT_FALSE(log_level_of("").has_value());
  EXPECT_FALSE(log_level_of("trace").has_value());
}

}  // namespace
}  // namespace sotto::apps
