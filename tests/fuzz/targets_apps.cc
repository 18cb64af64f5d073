#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "apps/bandit/run/settings/options.h"
#include "apps/bandit/run/state/resume_state.h"
#include "apps/bandit/run/state/rows.h"
#include "apps/bandit/run/state/store.h"
#include "apps/bandit/run/stock/stock_state.h"
#include "apps/commands.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/settings/document.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/kit/store/database.h"
#include "apps/live/import/foreign_model.h"
#include "apps/live/import/model_share.h"
#include "apps/live/order/frames.h"
#include "apps/live/order/opening.h"
#include "apps/live/roles/archive.h"
#include "apps/live/roles/call_figures.h"
#include "apps/live/roles/decisions.h"
#include "apps/live/roles/features.h"
#include "apps/live/roles/order_book.h"
#include "apps/live/roles/rewards.h"
#include "apps/p2b/encoder.h"
#include "apps/p2b/model.h"
#include "apps/p2b/roles/messages.h"
#include "apps/robin/roles/gathering.h"
#include "apps/robin/roles/messages.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {

using namespace sotto::apps::bandit::run;
using namespace sotto::apps::live;
using namespace sotto::apps::p2b;
using namespace sotto::apps::robin;

using namespace apps;

namespace {

template <class Value>
void require_kept(const std::optional<Value>& value, Input input) {
  if (value) require_same(encode(*value), input, "what is accepted encodes to the same bytes");
}

// Roles agree on a resume point. One node or the dealer reports `said` about earlier epochs. All other roles report
// that they have played some steps.
void agree_with(const ResumeState& said) {
  const Topology topology(2);
  std::map<NodeId, ResumeState> states{{net::dealer_id, ResumeState{false, true, 3, {}, 219, 305}}};
  const ResumeState usual{true, false, 3, {{100, net::sha256("100")}, {200, net::sha256("200")}}, 217, 301};
  for (NodeId node = 0; node < topology.nodes(); ++node) states[node] = usual;
  states[said.stateful ? topology.outside_node() : net::dealer_id] = said;
  or_refused_printably<DisagreementError>([&] {
    const ResumePoint point = agree_on(topology, states);
    require(point.epoch > said.epoch, "no epoch is opened twice");
    require(point.from_step + point.repeated <= point.taken, "what is begun was taken");
  });
}

constexpr const char* sound_config =
    "[run]\nsession = \"0123456789abcdef0123456789abcdef\"\nparties = 2\nsteps = 9\narms = 2\n"
    "insecure_plaintext = true\n[role]\nname = \"dealer\"\n[peers]\nparty_0 = \"127.0.0.1:7100\"\n"
    "party_1 = \"127.0.0.1:7101\"\ndealer = \"127.0.0.1:7102\"\n";

constexpr std::array<const char*, 4> stored_tables{"epochs", "checkpoints", "arms", "ending"};
constexpr std::size_t most_rows = 16;

StoreIdentity stored_identity() {
  return StoreIdentity{.role = "party 0",
                       .session = "00112233445566778899aabbccddeeff",
                       .parameters = "steps = 100\n",
                       .inputs = {},
                       .steps = 100,
                       .most_begun = 10,
                       .has_checkpoints = true};
}

SealingKey stored_key() { return store_key(std::vector<std::byte>(32, std::byte{7}), stored_identity()); }

const std::filesystem::path& stored_folder() {
  static const std::filesystem::path made = [] {
    std::filesystem::path path = temporary_folder() / "store";
    RoleStore::create(path, stored_identity(), stored_key());
    return path;
  }();
  return made;
}

void put_rows(Input input) {
  Numbers numbers(input);
  Database database(stored_folder() / "store.db");
  database.execute("PRAGMA synchronous = OFF");
  Transaction transaction(database);
  for (const char* table : stored_tables) database.execute((std::string("DELETE FROM ") + table).c_str());
  for (std::size_t row = 0; row < most_rows && !numbers.rest().empty(); ++row) {
    const std::string table = stored_tables[numbers.byte() % stored_tables.size()];
    const std::uint64_t number = numbers.byte() + 256 * numbers.byte();
    const std::size_t length = numbers.byte() + 256 * numbers.byte();
    const std::string place =
        table + " " + std::to_string(number) + " of party 0 in session " + stored_identity().session;
    const std::vector<std::byte> sealed = stored_key().seal(numbers.take(length), place);
    Statement(database, "INSERT OR REPLACE INTO " + table + " VALUES (?, ?)")
        .bind(static_cast<std::int64_t>(number))
        .bind(Input(sealed))
        .run();
  }
  transaction.commit();
}

void open_store() {
  RoleStore store(stored_folder(), stored_identity(), stored_key());
  const ResumeState state = store.resume_state();
  require(state.begun <= stored_identity().steps, "no more steps began than the run has");
  for (const CheckpointName& checkpoint : state.checkpoints) {
    require(checkpoint.step <= stored_identity().steps, "a checkpoint is of a step of the run");
  }
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

constexpr std::size_t arms_of_model = 3;

const Encoder& encoder_of_model() {
  static const Encoder made({2, 1, 4, EncoderKind::kmeans, 1}, {0.0, 1.0, 0.3, 0.7, 0.6, 0.4, 1.0, 0.0});
  return made;
}

void report_estimates(const std::optional<RobinEstimates>& estimates) {
  if (!estimates) return;
  Gathering gathering({2, 2, 2, 14, true, 1});
  require(!gathering.join(0, "", RobinJoin{0, 1}), "a client joins");
  require(!gathering.join(1, "", RobinJoin{1, 1}), "a client joins");
  gathering.begin(0);
  or_refused<ProtocolError>([&] {
    gathering.add(0, *estimates);
    require(estimates->values.size() == 2, "estimates have the dimension of the run");
  });
  require(!gathering.complete(), "one client is no run");
}

void join_run(const std::optional<RobinJoin>& sent) {
  if (!sent) return;
  Gathering gathering({5, 2, 2, 14, sent->simulated(), 3});
  const auto refusal = gathering.join(0, "sha256:0", *sent);
  require(refusal.has_value() != gathering.knows(0), "who is refused is not in");
  require(!refusal || !refusal->text.empty(), "a refusal says why");
  (void)gathering.not_joined();
}

// Roles of the decision service open an epoch. One role reports `said` about its past. All other roles report that they
// have done some steps.
void open_with(const LiveHistory& said) {
  const Topology topology(2, true);
  const OrderMark before{6, net::sha256("6"), 2, net::sha256("entry 6")};
  const OrderMark last{7, net::sha256("7"), 3, net::sha256("entry 7")};
  std::map<NodeId, LiveHistory> standings;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    standings[node].epoch = 3;
    standings[node].marks = {before, last};
  }
  standings[net::dealer_id].keeps_order = false;
  standings[net::dealer_id].epoch = 3;
  standings[net::dealer_id].settled = 6;
  for (const NodeId node : {NodeId{0}, topology.outside_node(), topology.further_node(), net::dealer_id}) {
    if (said.keeps_order != (node != net::dealer_id)) continue;
    auto changed = standings;
    changed[node] = said;
    or_refused_printably<DisagreementError>([&] {
      const LiveOpening opening = agree_on_opening(topology, changed);
      require(opening.epoch > said.epoch && opening.epoch > 3, "no epoch is opened twice");
      require(opening.number <= 7 || opening.recovery, "nothing is settled that a party has not done");
    });
  }
}

}  // namespace

void config(const std::filesystem::path& path) {
  or_refused([&] {
    const auto config = read_effective_config(all_keys(), path, {}).config;
    const MemoryFile written(to_toml(*config));
    const auto again = read_effective_config(all_keys(), written.path(), {}).config;
    require(agreed_text(*again) == agreed_text(*config), "a config that is written reads back as the same run");
    require(again->name() == config->name(), "and as the same role");
  });
}

// Variables of the environment and --set flags, over a valid config. Input: lines; "!table.key=value" is a --set flag,
// "NAME=value" a variable.
void overlay(Input input) {
  or_refused([&] {
    std::istringstream lines{std::string(text_of(input))};
    std::string line;
    std::map<std::string, std::string> variables;
    ConfigOverlay over;
    while (std::getline(lines, line)) {
      if (!line.empty() && line[0] == '!') {
        over.flags.push_back(setting_of_assignment(all_keys(), line.substr(1)));
      } else if (const std::size_t at = line.find('='); at != std::string::npos) {
        variables[line.substr(0, at)] = line.substr(at + 1);
      }
    }
    over.variables = settings_of_variables(all_keys(), variables);
    ConfigDocument document = parse_document(all_keys(), sound_config, "role.toml");
    lay_over(document, over);
    const EffectiveConfig effective = config_of(document);
    require(!annotated_toml(effective).empty(), "a config can be printed");
  });
}

void store(Input input) {
  require_kept(decode_checkpoint(input), input);
  require_kept(decode_opened_epoch(input), input);
  require_kept(decode_pulled_arms(input), input);
  require_kept(decode_resume_point(input), input);
  std::span<const std::byte> behind = input;
  if (const auto state = take_stock_state(behind)) {
    const auto bytes = encode(*state);
    require(std::equal(bytes.begin(), bytes.end(), input.begin()), "a standing that is accepted encodes to the same");
    or_refused_printably<DisagreementError>([&] {
      (void)agree_on_stock(Topology::without_dealer(2, false), {{0, *state}, {1, {}}, {2, {}}}, false);
    });
  }
  const auto state = decode_resume_state(input);
  require_kept(state, input);
  if (state) agree_with(*state);
}

// The rows of a role's store as a whole, sealed with the right key. Input: for each row one byte for its table, two for
// its number, two for its length, then the contents to seal.
void stored_rows(Input input) {
  put_rows(input);
  or_refused([] { open_store(); });
}

void live_order(Input input) {
  if (const auto frame = decode_order_frame(input)) {
    require_kept(frame, input);
    const auto* const propose = std::get_if<ProposeFrame>(&*frame);
    require(propose == nullptr || is_valid(propose->entry), "an entry that is accepted is one that a role may say");
  }
  require_kept(decode_live_opening(input), input);
  const auto state = decode_live_history(input);
  require_kept(state, input);
  if (state) open_with(*state);
}

void live_rows(Input input) {
  require_kept(decode_chain_row(input), input);
  require_kept(decode_batch_row(input), input);
  require_kept(decode_epoch_row(input), input);
  require_kept(decode_snapshot_row(input), input);
  require_kept(decode_foreign_model(input), input);
  require_kept(decode_model_share(input), input);
  require_kept(decode_decision_row(input), input);
  require_kept(decode_asked_row(input, EventId{}), input);
  require_kept(decode_used_row(input), input);
  require_kept(decode_archive_row(input), input);
  require_kept(decode_call_figures(input), input);
  require_kept(decode_history(input), input);
  require_kept(decode_column_ranges(input), input);
  require_kept(decode_pushed_features(input), input);
  require_kept(decode_batch_features(input), input);
  require_kept(decode_reward_row(input), input);
  require_kept(decode_row_changes(input), input);
}

void announcement(Input input) {
  or_refused_printably<ProtocolError>([&] {
    const std::string said = to_text(parse_announcement(std::string(text_of(input)), "party 1"));
    require(to_text(parse_announcement(said, "party 1")) == said, "an announcement is understood as it is said");
  });
}

void saved_run(Input input) {
  // The files that options.json names are read too, so inputs must not name files on which a read blocks.
  const std::string_view text = text_of(input);
  if (count_of(text, "/dev/") != count_of(text, "/dev/null") || count_of(text, "/proc/") > 0) return;
  const MemoryFile file(input);
  or_refused([&] {
    const BanditOptions options = read_saved_run(file.path());
    const std::filesystem::path copy = temporary_folder() / "options.json";
    save_run(copy, options);
    const BanditOptions again = read_saved_run(copy);
    require(again.parties == options.parties && again.environment == options.environment &&
                again.compare_plaintext == options.compare_plaintext,
            "options that are written read back");
  });
}

// A model that an agent of P2B gets from the server. Input: a byte (bit 0: the agent has an encoder of 4 codes, else
// none), then the model's bytes.
void p2b_model(Input input) {
  if (input.empty()) return;
  const bool with_encoder = (std::to_integer<unsigned>(input.front()) & 1) != 0;
  // Without an encoder, an input of a few bytes can ask for a million codes. Such inputs are skipped, because they only
  // cost the fuzzer time.
  const auto asks = [&] { return std::to_integer<unsigned>(input[18]) > 16 || input[19] != std::byte{0}; };
  if (!with_encoder && input.size() > 20 && asks()) return;
  input = input.subspan(1);
  or_refused_printably([&] {
    Model model = Model::from_bytes(input, with_encoder ? &encoder_of_model() : nullptr, arms_of_model);
    require(model.arms() == arms_of_model, "a model has the arms that were asked for");
    require(!with_encoder || model.codes() == encoder_of_model().codes(), "a model has the codes of its encoder");
    const std::vector<std::byte> again = model.to_bytes();
    require(again.size() == input.size(), "a model encodes to as many bytes");
    require(std::equal(again.begin(), again.begin() + 40, input.begin()) &&
                std::equal(again.begin() + 48, again.end(), input.begin() + 48),
            "a model encodes to the same bytes");
    model.solve();
    for (std::uint32_t code = 0; code < std::min<std::size_t>(model.codes(), 8); ++code) {
      for (const double score : model.scores(code)) require(!std::isnan(score), "a score is a number");
    }
  });
}

// Messages that the aggregator and the clients of a ROBIN run decode. Input: one byte that chooses the decoder, then
// the payload.
void robin_messages(Input input) {
  Numbers numbers(input);
  const unsigned choice = numbers.byte() % 6;
  const Input payload = numbers.rest();
  if (choice == 0) {
    require_kept(decode_join(payload), payload);
    join_run(decode_join(payload));
  }
  if (choice == 1) require_kept(decode_terms(payload), payload);
  if (choice == 2) require_kept(decode_play(payload), payload);
  if (choice == 3) {
    require_kept(decode_estimates(payload), payload);
    report_estimates(decode_estimates(payload));
  }
  if (choice == 4) require_kept(decode_finished(payload), payload);
  if (choice != 5) return;
  if (const auto failed = decode_failed(payload)) {
    require(failed->text.size() <= longest_robin_failure, "a line is short");
  }
}

void p2b_messages(Input input) {
  require_kept(decode_p2b_terms(input), input);
  require_kept(decode_receipt(input), input);
  require_kept(decode_part_name(input), input);
  require_kept(decode_part(input), input);
  constexpr const char* same = "a payload that is accepted encodes to the same bytes";
  if (const auto tuples = decode_tuples(input)) require_same(encode_tuples(*tuples), input, same);
  std::vector<Report> reports;
  if (const auto number = decode_reports(input, reports)) {
    require_same(encode_reports(*number, reports), input, same);
  } else {
    require(reports.empty(), "reports come from messages that are accepted");
  }
  if (const auto model = decode_model(input)) require_same(encode_model(model->terms, model->model), input, same);
}

}  // namespace sotto::fuzz
