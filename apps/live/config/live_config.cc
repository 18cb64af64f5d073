#include "apps/live/config/live_config.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "apps/bandit/model/privacy.h"
#include "apps/kit/account/account.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/deploy/checks.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/table.h"
#include "apps/kit/http/client.h"
#include "apps/kit/program/say.h"
#include "apps/kit/settings/section.h"
#include "apps/kit/settings/setting.h"
#include "apps/live/api/call_bodies.h"
#include "apps/live/api/feature_pull.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/tables/recipe.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::live {
namespace {

using L = LiveConfig;

void check_features(const L& config, const ConfigDocument& document) {
  const Section features(document, "features");
  const bool is_party = config.role() == bandit::BanditRole::party;
  if (is_party && config.columns.empty() && config.recipe.empty()) features.refuse_missing("columns");
  if (is_party && !config.columns.empty() && !config.recipe.empty()) {
    throw InputError(features.where("recipe"), "excludes columns in [features]: what the recipe makes are the columns");
  }
  const bool has_any = !config.columns.empty() || !config.recipe.empty() || config.norm ||
                       !config.features_url.empty() || !config.features_fingerprint.empty() ||
                       !config.features_table.empty();
  if (!is_party && config.subject_limits != SubjectLimits{}) {
    throw InputError(features.where("decisions_per_day"),
                     config.display_name() + " has no features: leave decisions_per_day and decisions_ever out");
  }
  if (!is_party && !config.account.empty()) {
    throw InputError(Section(document, "account").where("file"),
                     config.display_name() + " gives away no features: leave [account] out");
  }
  if (!is_party && has_any) {
    throw InputError(features.where("columns"), config.display_name() + " has no features: leave [features] out");
  }
  if (!config.features_url.empty() && !config.features_table.empty()) {
    throw InputError(features.where("table"), "excludes url in [features]");
  }
  const UrlSettings where{features.where("url"), features.where("fingerprint")};
  if (!config.features_url.empty()) {
    require_private(parse_http_url(config.features_url, where.url), config.features_fingerprint, where);
  } else if (!config.features_fingerprint.empty()) {
    throw InputError(where.fingerprint, "is of the service at url in [features], which is missing");
  }
}

void check_preprocessing(const L& config, const Section& role, const Section& run) {
  bandit::require_randomness(config.preprocessing, {config.parties}, config.live.arms.size(),
                             run.where("preprocessing"));
  if (const std::string wrong = stranger_to(config.preprocessing, config.role_word); !wrong.empty()) {
    throw InputError(role.where("name"), wrong);
  }
}

void check_subjects(const L& config, const Section& role) {
  if (config.subjects.empty()) return;
  if (config.role() != bandit::BanditRole::actor || config.live.padding == LivePadding::open) {
    throw InputError(role.where("subjects"), "is of an actor with padding = \"hidden\" in [service]: leave it out");
  }
}

void check_http(const L& config, const ConfigDocument& document) {
  const Section http(document, "http");
  if (!config.http_reader_token_file.empty() && config.http_token_file.empty()) {
    throw InputError(http.where("reader_token_file"),
                     "needs token_file in [http] as well: without it, a caller without a token may call everything");
  }
  if (config.http_listen.empty()) return;
  const ListenAt at = parse_listen(config.http_listen, http.where("listen"));
  if (std::holds_alternative<net::Address>(at) && config.http_token_file.empty()) {
    throw InputError(http.where("token_file"), "is missing: calls over TCP must bring a token");
  }
}

std::string share_flags(const L& config) {
  constexpr double parts = 1e6;
  const double norm = config.own_norm();
  const double cut = std::floor(norm * parts) / parts;
  return fmt::format("--max-norm {} --share {}", config.max_norm, cut > 0 ? cut : norm);
}

SealingKey key_from(const LiveConfig& config, const net::Identity& identity) {
  std::array<std::byte, SealingKey::size> secret{};
  identity.derive("sotto live store", secret);
  SealingKey key = live_store_key(secret, live_identity(config));
  OPENSSL_cleanse(secret.data(), secret.size());
  return key;
}

}  // namespace

std::vector<RunRole> L::roles() const {
  std::vector<RunRole> roles;
  roles.reserve(parties + 3);
  for (std::size_t number = 0; number < parties; ++number) roles.push_back(run_role("party", number, number));
  add_makers(roles);
  roles.push_back(run_role("actor", 0, bandit::actor_of(topology())));
  roles.push_back(run_role("rewarder", 0, bandit::rewarder_of(topology())));
  return roles;
}

void L::check(const ConfigDocument& document) const {
  const Section role_table(document, "role");
  sotto::apps::live::check(live, max_norm);
  check_preprocessing(*this, role_table, Section(document, "run"));
  check_features(*this, document);
  check_subjects(*this, role_table);
  check_http(*this, document);
  if (state.empty()) role_table.refuse_missing("state");
  if (key.empty()) {
    throw InputError(
        role_table.where("state"),
        "the store is encrypted with the role's key: name it with key in [role] or --key, `sotto keys new` makes one");
  }
  const double missing = live.default_reward.value_or(0);
  if (binary_rewards && missing != 0 && missing != 1) {
    throw InputError(Section(document, "service").where("default_reward"),
                     fmt::format("is {:g}, and rewards = \"binary\" in [run] are 0 or 1: set it to one of them, or to "
                                 "\"skip\", or have rewards = \"real\"",
                                 missing));
  }
  const double longest = 1000 * round_deadline_seconds;
  if (live.cut_off >= longest) {
    throw InputError(Section(document, "service").where("cut_off"),
                     fmt::format("is no shorter than round_deadline_seconds, {:g} ms, after which a party that waits "
                                 "for features counts as lost",
                                 longest));
  }
}

void L::check_plan() const {
  sotto::apps::live::check(live, max_norm);
  (void)live_plan(*this, std::vector<std::size_t>(parties, 1));
}

void L::name_files() {
  state = "state";
  round_deadline_seconds = 5;
  report.clear();
  if (role() == bandit::BanditRole::party) columns = "columns.csv";
}

std::string L::in_short() const {
  const std::string made =
      preprocessing == RandomnessBy::dealer ? "" : fmt::format(", {}, no dealer", name_of(preprocessing));
  return fmt::format("{}, {}, epsilon {}, batches of up to {}{}", counted(parties, "party"),
                     counted(live.arms.size(), "arm"), epsilon, live.largest_batch(), made);
}

std::vector<ReadmeStep> L::readme_steps() const {
  if (role() != bandit::BanditRole::party) return {};
  if (columns.empty()) {
    return {{ReadmeStep::When::with_data,
             fmt::format("Put the recipe of your table into {}: `sotto prepare party` has made it.", recipe.string())}};
  }
  return {
      {ReadmeStep::When::with_data,
       fmt::format("Say what your columns are, in one of two ways. The norm of your part of a context is at most\n"
                   "   {0:.6g}.\n"
                   "   - By hand, in {1}: a CSV with the header name,low,high,default and a row a column.\n"
                   "     The default stands where features are missing.\n"
                   "   - From a table that you have, as below. Then take the line of columns out of [features] in the\n"
                   "     config, and add: recipe = \"prepared/recipe.toml\"",
                   own_norm(), columns.string()),
       {fmt::format("sotto prepare party TABLE.csv --id COLUMN {} --out prepared", share_flags(*this))}}};
}

Findings L::check_files() const {
  Findings findings;
  if (role() == bandit::BanditRole::party) {
    try {
      findings.push_back(good("features", fmt::format("{}: {}", (recipe.empty() ? columns : recipe).string(),
                                                      counted(read_columns().size(), "column"))));
    } catch (const Error& error) {
      findings.push_back(problem("features", error.exit_code(), error.what()));
    }
  }
  if (!features_table.empty()) findings.push_back(check_table());
  if (const std::string weak = weak_agreement_text(live.agreement_epsilon); !weak.empty()) {
    findings.push_back(warning("agreement", weak, ""));
  }
  findings.push_back(sotto::apps::check_state(state));
  if (!account.empty()) findings.push_back(check_account());
  return findings;
}

Finding L::check_table() const {
  try {
    const AlignedTable table(features_table, {live.schema, read_columns(), own_norm(), read_maker()});
    const std::string file = table.file_of_subjects().string();
    return good("table", fmt::format("{}: {}, counted by {}", features_table.string(), counted(table.size(), "subject"),
                                     table.has_own_subjects() ? file : "the pseudonyms of calls"));
  } catch (const Error& error) {
    return problem("table", error.exit_code(), error.what());
  }
}

Finding L::check_account() const {
  try {
    Account own(account);
    return good("account", fmt::format("{}: most spent {:g} of {:g}", account.string(), own.most_spent(), budget));
  } catch (const Error& error) {
    return problem("account", error.exit_code(), error.what());
  }
}

std::string L::announcement() const {
  if (role() != bandit::BanditRole::party) return {};
  return to_text(Announcement{1, read_columns().size(), own_norm()});
}

Findings L::check_announcements(const std::map<NodeId, std::string>& announcements) const {
  constexpr const char* subject = "joint norm";
  std::vector<double> bounds;
  for (NodeId party = 0; party < parties; ++party) {
    const auto announced = announcements.find(party);
    if (announced == announcements.end() || announced->second.empty()) {
      return {note(subject, fmt::format("not known: party {} has told no bound", party),
                   "run it again where party and peers are all there")};
    }
    bounds.push_back(parse_announcement(announced->second, topology().name(party)).bound);
  }
  const auto excess = prepare::joint_norm_excess(bounds, max_norm);
  if (!excess) return {good(subject, fmt::format("the parties' bounds keep to max_norm = {:.6g}", max_norm))};
  if (joint_norm_holds) return {note(subject, *excess, "joint_norm_holds says that joint contexts keep to it")};
  return {problem(subject, ExitCode::disagreement, *excess, prepare::joint_norm_advice(parties, max_norm))};
}

std::shared_ptr<const prepare::RowMaker> L::read_maker() const {
  if (recipe.empty()) return nullptr;
  auto maker = std::make_shared<const prepare::RowMaker>(prepare::read_recipe(recipe));
  constexpr double rounding = 1 + 1e-9;
  if (maker->recipe().norm > own_norm() * rounding) {
    throw InputError(
        recipe.string(),
        fmt::format("it makes rows of norm {:.6g}, and norm in [features] is {:.6g}: make the recipe again by `sotto "
                    "prepare party TABLE {}`, or raise norm",
                    maker->recipe().norm, own_norm(), share_flags(*this)));
  }
  return maker;
}

std::vector<FeatureColumn> L::read_columns() const {
  if (const auto maker = read_maker()) return columns_of(*maker);
  const Table table = read_csv(columns, Header::required, [](std::string_view name) { return name == "name"; });
  constexpr const char* advice = "the header is name,low,high,default";
  const std::size_t name = table.column("name", advice);
  const std::size_t low = table.column("low", advice);
  const std::size_t high = table.column("high", advice);
  const std::size_t missing = table.column("default", advice);
  if (table.texts.at(name).size() != table.rows) throw InputError(columns.string(), "two columns have one name");
  std::vector<FeatureColumn> result;
  result.reserve(table.rows);
  for (std::size_t r = 0; r < table.rows; ++r) {
    const auto row = table.row(r);
    const auto text = static_cast<std::size_t>(row[name]);
    const FeatureColumn column{table.texts[name].at(text), row[low], row[high], row[missing]};
    if (!(column.low < column.high) || column.missing < column.low || column.missing > column.high) {
      throw InputError(table.where(r), "low must be below high, and the default from low to high");
    }
    result.push_back(column);
  }
  double square = 0;
  for (const FeatureColumn& column : result) square += column.missing * column.missing;
  if (std::sqrt(square) > own_norm()) {
    throw InputError(columns.string(),
                     fmt::format("the row of defaults is longer than norm in [features], {:.6g}", own_norm()));
  }
  return result;
}

std::vector<std::string> L::read_subjects() const {
  std::vector<std::string> found;
  if (subjects.empty()) return found;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
  TextLines lines(subjects, "a list of pseudonyms", 1024, most_bytes);
  while (lines.next()) {
    if (!is_subject(lines.text())) {
      throw InputError(line_place(lines.file(), lines.number()),
                       fmt::format("a pseudonym has 1 to {} printable characters and no blanks", longest_subject));
    }
    found.emplace_back(lines.text());
  }
  if (found.empty()) lines.refuse_empty();
  return found;
}

double L::own_norm() const { return norm.value_or(max_norm / std::sqrt(static_cast<double>(parties))); }

std::size_t L::roles_here() const {
  const auto own = peers.find(role_key());
  std::size_t here = 0;
  for (const auto& [role, text] : peers) {
    const std::string host = net::parse_address(text, role).host;
    const bool is_own_host = own != peers.end() && host == net::parse_address(own->second, own->first).host;
    here += is_own_host || net::is_loopback(host) ? 1 : 0;
  }
  const bool all_are_here = here == peers.size();
  return all_are_here ? roles().size() : std::max<std::size_t>(here, 1);
}

std::string L::interface_address() const {
  return http_listen.empty() ? fmt::format("unix:/run/sotto/{}.sock", role_key()) : http_listen;
}

bandit::BanditParameters live_parameters(const LiveConfig& config, std::vector<std::size_t> columns) {
  bandit::BanditParameters parameters;
  parameters.columns = std::move(columns);
  parameters.arms = config.live.arms.size();
  parameters.steps = config.steps;
  parameters.max_norm = config.max_norm;
  parameters.binary_rewards = config.binary_rewards;
  parameters.fraction_bits = config.bits;
  parameters.exploration = bandit::exploration_of(config.epsilon);
  parameters.separate_rewarder = true;
  parameters.preprocessing = config.preprocessing;
  parameters.batch = config.live.largest_batch();
  return parameters;
}

bandit::BatchPlan live_plan(const LiveConfig& config, std::vector<std::size_t> columns) {
  try {
    bandit::BatchPlan plan = plan_batches(live_parameters(config, std::move(columns)), config.live.largest_batch(),
                                          !config.live.default_reward);
    plan.notes_best = config.live.keeps_best();
    plan.lift_levels = config.live.lift ? lift_levels(config.binary_rewards).size() : 0;
    return plan;
  } catch (const InputError& error) {
    throw InputError(respell_flags(error.what(), [](const std::string& flag) {
      if (flag == "--batch") return std::string("batch_sizes");
      std::string setting = flag.substr(2);
      std::replace(setting.begin(), setting.end(), '-', '_');
      return setting;
    }));
  }
}

LiveIdentity live_identity(const LiveConfig& config) {
  LiveIdentity identity{config.name(), config.session, {}};
  identity.parameters = fmt::format(
      "program = {}\nparties = {}\nsteps = {}\nbits = {}\nmax_norm = {}\nrewards = {}\nlargest_batch = {}\nskip = {}\n",
      config.program().version, config.parties, config.steps, config.bits, config.max_norm,
      config.binary_rewards ? "binary" : "real", config.live.largest_batch(), !config.live.default_reward);
  for (const std::string& arm : config.live.arms) identity.parameters += fmt::format("arm = {}\n", arm);
  if (config.role() != bandit::BanditRole::party) return identity;
  for (const FeatureColumn& column : config.read_columns()) {
    identity.parameters += fmt::format("column = {}\n", column.name);
  }
  return identity;
}

SealingKey live_key(const LiveConfig& config) { return key_from(config, read_role_identity(config)); }

void back_up_store(const LiveConfig& config, const std::filesystem::path& into) {
  LiveStore(config.state, live_identity(config), live_key(config)).back_up(into);
}

bool change_store_key(const LiveConfig& config, const std::filesystem::path& old_key) {
  const LiveIdentity identity = live_identity(config);
  try {
    LiveStore(config.state, identity, key_from(config, net::Identity::read(old_key))).change_key(live_key(config));
    return true;
  } catch (const InputError&) {
    // An earlier call may have changed the key already.
    const LiveStore store(config.state, identity, live_key(config));
    return false;
  }
}

}  // namespace sotto::apps::live
