#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <type_traits>
#include <utility>

#include "apps/kit/settings/section.h"
#include "apps/kit/settings/setting.h"
#include "apps/kit/settings/toml_text.h"
#include "apps/live/config/live_config.h"
#include "apps/live/settings/live_settings.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

constexpr const char* span_form = "a time such as \"20ms\", \"1s\", \"10m\", \"12h\" or \"30d\"";

LiveSettings& live(Settings& settings) { return static_cast<LiveConfig&>(settings).live; }
const LiveSettings& live(const Settings& settings) { return static_cast<const LiveConfig&>(settings).live; }

std::vector<std::string> list_of(const Section& table, const std::string& key) {
  std::vector<std::string> given = table.texts(key);
  if (given.size() != 1 || given[0].find(',') == std::string::npos) return given;
  std::vector<std::string> parts;
  std::string_view left = given[0];
  while (true) {
    const std::size_t comma = left.find(',');
    std::string_view part = left.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.emplace_back(part);
    if (comma == std::string_view::npos) return parts;
    left.remove_prefix(comma + 1);
  }
}

std::string toml_list(const std::vector<std::string>& elements) {
  std::string text;
  for (const std::string& element : elements) text += (text.empty() ? "" : ", ") + element;
  return '[' + text + ']';
}

Setting arms() {
  Setting setting = make_setting("service.arms", ValueKind::text, "a list of 2 to 1024 names such as [\"a\", \"b\"]",
                                 "Names of the arms, in order");
  setting.required = true;
  setting.read = [](const Section& table, Settings& settings) { live(settings).arms = list_of(table, "arms"); };
  setting.write = [](const Settings& settings) -> std::optional<std::string> {
    std::vector<std::string> quoted;
    for (const std::string& arm : live(settings).arms) quoted.push_back(toml_quoted(arm));
    return toml_list(quoted);
  };
  return setting;
}

Setting baseline_arm() {
  Setting setting = make_setting("service.baseline_arm", ValueKind::text, "one of the arms, or \"none\"",
                                 "The arm that a caller gets on failure or at its deadline; \"none\": an error "
                                 "instead");
  setting.required = true;
  setting.read = [](const Section& table, Settings& settings) {
    LiveSettings& own = live(settings);
    const std::string name = table.text("baseline_arm").value_or("none");
    own.baseline_arm.reset();
    const auto found = std::find(own.arms.begin(), own.arms.end(), name);
    if (found != own.arms.end()) {
      own.baseline_arm = static_cast<std::uint16_t>(found - own.arms.begin());
    } else if (name != "none") {
      table.refuse("baseline_arm");
    }
  };
  setting.write = [](const Settings& settings) -> std::optional<std::string> {
    const LiveSettings& own = live(settings);
    return toml_quoted(own.baseline_arm ? own.arms.at(*own.baseline_arm) : "none");
  };
  return setting;
}

Setting batch_sizes() {
  Setting setting =
      make_setting("service.batch_sizes", ValueKind::text, "a list of 1 to 4 ascending sizes such as [1, 16, 64, 256]",
                   "Sizes of the batches that are decided and learned; few fill up to the next");
  setting.read = [](const Section& table, Settings& settings) {
    const std::vector<std::string> given = list_of(table, "batch_sizes");
    if (given.empty()) return;
    std::vector<std::uint32_t>& sizes = live(settings).batch_sizes;
    sizes.clear();
    for (const std::string& text : given) {
      std::uint32_t size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc() || end != text.data() + text.size()) table.refuse("batch_sizes");
      sizes.push_back(size);
    }
  };
  setting.write = [](const Settings& settings) -> std::optional<std::string> {
    std::vector<std::string> texts;
    for (const std::uint32_t size : live(settings).batch_sizes) texts.push_back(std::to_string(size));
    return toml_list(texts);
  };
  return setting;
}

std::optional<AddedFeature> added_feature(const std::string& text) {
  AddedFeature added;
  const char* const end = text.data() + text.size();
  const auto party = std::from_chars(text.data(), end, added.party);
  if (party.ec != std::errc() || party.ptr == end || *party.ptr != ':') return std::nullopt;
  const auto place = std::from_chars(party.ptr + 1, end, added.place);
  if (place.ec != std::errc() || place.ptr != end) return std::nullopt;
  return added;
}

Setting added_features() {
  Setting setting =
      make_setting("service.added_features", ValueKind::text, "a list of different \"PARTY:PLACE\" such as [\"0:3\"]",
                   "Columns that are new in a service that begins from an earlier model (--from)");
  setting.read = [](const Section& table, Settings& settings) {
    std::vector<AddedFeature>& features = live(settings).added_features;
    features.clear();
    for (const std::string& text : list_of(table, "added_features")) {
      const auto added = added_feature(text);
      if (!added) table.refuse("added_features");
      features.push_back(*added);
    }
    std::sort(features.begin(), features.end());
    if (std::adjacent_find(features.begin(), features.end()) != features.end()) table.refuse("added_features");
  };
  setting.write = [](const Settings& settings) -> std::optional<std::string> {
    const auto& features = live(settings).added_features;
    if (features.empty()) return std::nullopt;
    std::vector<std::string> texts;
    texts.reserve(features.size());
    for (const AddedFeature& added : features) {
      texts.push_back(toml_quoted(fmt::format("{}:{}", added.party, added.place)));
    }
    return toml_list(texts);
  };
  return setting;
}

template <class T>
Setting span(const char* path, T LiveSettings::*member, const char* help) {
  Setting setting = make_setting(path, ValueKind::text, span_form, help);
  setting.read = [member, key = setting.name](const Section& table, Settings& settings) {
    const auto given = table.text(key);
    if (!given) return;
    const auto ms = parse_live_span(*given);
    using Number = typename detail::Inner<T>::Type;
    if (!ms || *ms > std::numeric_limits<Number>::max()) table.refuse(key);
    live(settings).*member = static_cast<Number>(*ms);
  };
  setting.write = [member](const Settings& settings) -> std::optional<std::string> {
    const T& value = live(settings).*member;
    if constexpr (detail::Inner<T>::is_optional) {
      if (!value) return std::nullopt;
      return toml_quoted(live_span_text(*value));
    } else {
      return toml_quoted(live_span_text(value));
    }
  };
  return setting;
}

template <class Part>
auto& part_of(auto& config) {
  if constexpr (std::is_same_v<Part, LiveSettings>) {
    return config.live;
  } else {
    return config.subject_limits;
  }
}

template <class Part, class T>
Setting whole(const char* path, T Part::*member, Range range, const char* help) {
  Setting setting = make_setting(path, ValueKind::whole, detail::expected_number(ValueKind::whole, range), help);
  setting.range = range;
  setting.read = [member, range, key = setting.name](const Section& table, Settings& settings) {
    auto& part = part_of<Part>(static_cast<LiveConfig&>(settings));
    if (const auto value = detail::read_whole(table, key, range)) part.*member = static_cast<T>(*value);
  };
  setting.write = [member](const Settings& settings) -> std::optional<std::string> {
    const std::optional<std::uint64_t> value = part_of<Part>(static_cast<const LiveConfig&>(settings)).*member;
    return value ? std::optional(detail::toml_of(*value)) : std::nullopt;
  };
  return setting;
}

Setting real(const char* path, double LiveSettings::*member, Range range, const char* help) {
  Setting setting = make_setting(path, ValueKind::real, detail::expected_number(ValueKind::real, range), help);
  setting.range = range;
  setting.read = [member, range, key = setting.name](const Section& table, Settings& settings) {
    if (const auto value = detail::read_real(table, key, range)) live(settings).*member = *value;
  };
  setting.write = [member](const Settings& settings) -> std::optional<std::string> {
    return detail::toml_of(live(settings).*member);
  };
  return setting;
}

template <class T>
Setting one_of(const char* path, T LiveSettings::*member, std::vector<std::pair<std::string, T>> words,
               const char* help) {
  std::string expected;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) expected += i + 1 == words.size() ? " or " : ", ";
    expected += '"' + words[i].first + '"';
  }
  Setting setting = make_setting(path, ValueKind::text, expected, help);
  for (const auto& [text, value] : words) setting.words.push_back(text);
  setting.read = [member, words, key = setting.name](const Section& table, Settings& settings) {
    const auto given = table.text(key);
    if (!given) return;
    const auto found = std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.first == *given; });
    if (found == words.end()) table.refuse(key);
    live(settings).*member = found->second;
  };
  setting.write = [member, words](const Settings& settings) -> std::optional<std::string> {
    for (const auto& [text, value] : words) {
      if (value == live(settings).*member) return toml_quoted(text);
    }
    return std::nullopt;
  };
  return setting;
}

Setting default_reward() {
  Setting setting =
      make_setting("service.default_reward", ValueKind::text, "\"0\" or another number from -1 to 1, or \"skip\"",
                   "Reward of an event of which none was heard; \"skip\": it is not learned");
  setting.read = [](const Section& table, Settings& settings) {
    const auto given = table.text("default_reward");
    if (!given) return;
    std::optional<double>& reward = live(settings).default_reward;
    reward.reset();
    if (*given == "skip") return;
    const auto number = sotto::number_of<double>(*given);
    if (!number || !(*number >= -1 && *number <= 1)) table.refuse("default_reward");
    reward = *number;
  };
  setting.write = [](const Settings& settings) -> std::optional<std::string> {
    const auto& reward = live(settings).default_reward;
    return toml_quoted(reward ? fmt::format("{}", *reward) : "skip");
  };
  return setting;
}

std::vector<Setting> service_settings() {
  using S = LiveSettings;
  return {
      arms(),
      baseline_arm(),
      span("service.reward_wait", &S::reward_wait, "How long after its decision an event is learned").needed(),
      batch_sizes(),
      span("service.batch_wait", &S::batch_wait, "How long the first event of a batch waits for others"),
      span("service.cadence", &S::cadence,
           "Instead: a batch of the largest size so often, whatever has come, which hides the rate"),
      one_of<LivePadding>("service.padding", &S::padding,
                          {{"open", LivePadding::open}, {"hidden", LivePadding::hidden}},
                          "Whether empty places of a batch have random ids, which hides how many events there are"),
      span("service.cut_off", &S::cut_off, "How long a party waits for the features of a batch"),
      span("service.decision_deadline", &S::decision_deadline, "When a caller gets the baseline arm"),
      default_reward(),
      one_of<RewardAggregation>(
          "service.aggregation", &S::aggregation,
          {{"earliest", RewardAggregation::earliest}, {"sum", RewardAggregation::sum}, {"max", RewardAggregation::max}},
          "The reward of an event that gets several"),
      one_of<LiveMode>(
          "service.mode", &S::mode,
          {{"online", LiveMode::online}, {"apprentice", LiveMode::apprentice}, {"frozen", LiveMode::frozen}},
          "In force when the service begins: it decides and learns, learns what others decide, or only decides"),
      whole("service.agreement_window", &S::agreement_window, {1000, 1e9},
            "Events of mode apprentice of which the actor is shown, at once, how many agree with the model"),
      real("service.agreement_epsilon", &S::agreement_epsilon, {0.001, 10},
           "Differential privacy of that sum in one person whom a party knows, by noise of every party; above 2 the "
           "service says so"),
      whole("service.agreement_rows_per_subject", &S::agreement_rows_per_subject, {1, 1000},
            "Events of a person that a window takes at most; the noise grows with it"),
      one_of<bool>("service.lift", &S::lift, {{"off", false}, {"counted", true}},
                   "Whether learns count what the service earns over the baseline arm. The actor sees the counts of "
                   "agreement_window events at once, with noise of every party and of the rewarder"),
      span("service.remember", &S::remember, "How long ids of events are known, at least twice reward_wait"),
      span("service.archive", &S::archive,
           "How long a party keeps what `sotto archive` needs of a decision: its features, and its share of a bit that "
           "says whether the played arm was the best. At most remember"),
      whole("service.max_pending", &S::max_pending, {1, 1e9}, "The most events that are decided and not learned"),
      whole("service.max_queue", &S::max_queue, {1, 1e6}, "The most events that wait for a batch"),
      whole("service.deal_ahead", &S::deal_ahead, {1, 32}, "Programs that are dealt or prepared ahead"),
      one_of<bool>("service.openings", &S::check_openings, {{"checked", true}, {"unchecked", false}},
                   "Whether three parties and more make sure of every number that all have opened the same words"),
      span("service.feature_wait", &S::feature_wait, "How long features wait for their event"),
      whole("service.schema", &S::schema, {1, 1e9}, "Number of the lists of features"),
      added_features()};
}

using L = LiveConfig;

bool is_party(const L& config) { return config.role() == bandit::BanditRole::party; }

std::vector<Setting> live_settings_list() {
  std::vector<Setting> settings{
      number("run.parties", &L::parties, {2, max_parties}, "Compute parties").needed(),
      number("run.steps", &L::steps, {1},
             "The most events that the service learns; the numbers are as wide as that needs")
          .expecting("a whole number of events, at least 1")
          .needed()
          .initially("10000000"),
      number("run.epsilon", &L::epsilon, {0, 1}, "Probability of exploring"),
      number("run.bits", &L::bits, {12, 24}, "Fraction bits of features at most; the rest follows"),
      number("run.max_norm", &L::max_norm, {0, 8, true}, "Public bound on the norm of a joint context"),
      choice("run.joint_norm_holds", &L::joint_norm_holds,
             "Somebody has seen that the joint contexts keep to max_norm, which the parties' bounds alone do not "
             "make sure of"),
      word("run.rewards", &L::binary_rewards, {{"binary", true}, {"real", false}},
           "\"binary\", all 0 or 1, or \"real\", in [-1, 1]"),
      preprocessing_setting<L>()};
  for (Setting& setting : service_settings()) settings.push_back(std::move(setting));
  settings.push_back(file("role.state", &L::state, "Folder of the role's store")
                         .expecting("a folder name")
                         .with_flag("--state", "DIR"));
  settings.push_back(file("role.subjects", &L::subjects,
                          "The actor, with padding = \"hidden\": pseudonyms, a line each, of which dummies get one")
                         .as_input());
  settings.push_back(
      file("features.columns", &L::columns, "A party's columns, CSV: name, low, high, default").as_input());
  settings.push_back(number("features.norm", &L::norm, {0, 8, true},
                            "Bound on the norm of a party's part of a context; without it max_norm / sqrt(parties)"));
  settings.push_back(text("features.url", &L::features_url,
                          "https://host:port/path, http://127.0.0.1:port/path or http://unix:PATH:/path",
                          "A party's own service, which is asked for features that nobody pushed"));
  settings.push_back(text("features.fingerprint", &L::features_fingerprint, "\"sha256:\" and 64 hex digits",
                          "The SHA-256 of that service's certificate, which an https url needs"));
  settings.push_back(file("features.table", &L::features_table,
                          "Instead: a CSV with a column subject and the party's columns, a row a subject")
                         .as_input());
  settings.push_back(
      file("features.recipe", &L::recipe,
           "Instead of columns: the recipe.toml of `sotto prepare party`, which makes rows of the party's "
           "own table, and of `row` in what is pushed")
          .as_input());
  settings.push_back(whole("features.decisions_per_day", &SubjectLimits::per_day, {1, 1e9},
                           "Events of a person a day that are decided with the person's own row; beyond, with the "
                           "party's default row, which nobody else sees")
                         .only_if<L>(is_party));
  settings.push_back(whole("features.decisions_ever", &SubjectLimits::ever, {1, 1e9},
                           "The same for all time; without it there is no such limit")
                         .only_if<L>(is_party));
  settings.push_back(file("account.file", &L::account,
                          "The account of a party, which `sotto account begin` makes: windows of agreement are charged "
                          "to it; without one nothing counts them")
                         .as_input());
  settings.push_back(number("account.budget", &L::budget, {0, 1e6, true},
                            "Epsilon of a person, over all windows and evaluations that the account counts")
                         .only_if<L>(is_party));
  settings.push_back(number("account.forget_after", &L::forget_after, {0, 36500},
                            "Days after which an entry of the account no longer counts, and the budget holds for each "
                            "such time by itself; 0: never")
                         .only_if<L>(is_party));
  settings.push_back(text("http.listen", &L::http_listen, "\"unix:PATH\" or \"host:port\"",
                          "Where the role's own side reaches it; without it unix:/run/sotto/ROLE.sock"));
  settings.push_back(file("http.token_file", &L::http_token_file, "The token that calls over TCP must bring"));
  settings.push_back(file("http.reader_token_file", &L::http_reader_token_file,
                          "Another token, for those who only read figures, metrics and the page"));
  settings.push_back(file("http.backups", &L::http_backups,
                          "The folder that POST /v1/backups copies the store into; without it there are none"));
  settings.push_back(
      choice("http.tls", &L::http_tls, "TLS with the role's certificate, which TCP beyond loopback needs"));
  settings.push_back(number("http.max_connections", &L::http_max_connections, {1, 65536}, "Connections at once"));
  return settings;
}

Program described() {
  Program program;
  program.word = "live";
  program.name = "the decision service";
  // Never change this text. The text is one of the sealed parameters in every store (live_config.h), so a new text
  // would make all earlier stores unreadable. net::wire_version and live_store_version prevent roles of two versions
  // from working together.
  program.version = "decision service 2";
  program.command = {"serve"};
  program.roles = {{"party", "party", true, 0},
                   {"dealer", "dealer", true},
                   {"actor", "actor"},
                   {"rewarder", "rewarder"},
                   {"helper", "helper", true}};
  program.tables = {
      {"service", false, "The service: the same at every role, compared as [run] is."},
      {"features", true, "The columns of this party only; the other roles learn only how many there are."},
      {"account", true, "The privacy of a person that this party gives away in windows of agreement, and its account."},
      {"http", true, "Where this role's own side reaches it."},
      {Program::next_trust_table, true,
       "Second fingerprints, of roles that change their keys: `sotto keys trust --next` enters them, and SIGHUP has a "
       "role read them again."}};
  program.settings = live_settings_list();
  program.make = []() -> std::unique_ptr<RoleSettings> { return std::make_unique<L>(); };
  return Program::with_common_settings(std::move(program));
}

}  // namespace

const Program& live_program() {
  static const Program program = described();
  return program;
}

}  // namespace sotto::apps::live
