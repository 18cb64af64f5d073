#include "apps/live/serve/served_role.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/program/about.h"
#include "apps/live/engine/actor_engine.h"
#include "apps/live/engine/party_engine.h"
#include "apps/live/engine/rewarder_engine.h"
#include "apps/live/engine/witness_engines.h"
#include "apps/live/import/foreign_model.h"
#include "apps/prepare/data/contexts.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::live {
namespace {

LiveRoleKind kind_of(bandit::BanditRole role) {
  switch (role) {
    case bandit::BanditRole::party:
      return LiveRoleKind::party;
    case bandit::BanditRole::dealer:
      return LiveRoleKind::dealer;
    case bandit::BanditRole::helper:
      return LiveRoleKind::helper;
    case bandit::BanditRole::actor:
      return LiveRoleKind::actor;
    case bandit::BanditRole::rewarder:
    case bandit::BanditRole::owner:
      break;
  }
  return LiveRoleKind::rewarder;
}

bandit::BatchPlan agreed_plan(const LiveConfig& config, const net::Mesh& mesh) {
  const AnnouncedData data = announced_data(mesh);
  if (!config.joint_norm_holds) {
    if (const auto excess = prepare::joint_norm_excess(data.bounds, config.max_norm)) {
      throw DisagreementError(
          fmt::format("{}: {}", *excess, prepare::joint_norm_advice(config.parties, config.max_norm)));
    }
  }
  return live_plan(config, data.columns);
}

// Hidden padding gets random ids, as the events of callers do, so that nobody can recognise padding by its ids.
ActorPeers peers_of(const LiveConfig& config) {
  ActorPeers peers;
  peers.parties = config.parties;
  const auto random = std::make_shared<Prg>(Seed::from_os());
  peers.padding_event = [random] {
    EventId id{};
    const std::array<std::uint64_t, 2> words{random->next(), random->next()};
    static_assert(sizeof words == sizeof id);
    std::memcpy(id.data(), words.data(), sizeof id);
    return id;
  };
  if (std::vector<std::string> subjects = config.read_subjects(); !subjects.empty()) {
    peers.padding_subject = [random, subjects = std::move(subjects)] {
      return subjects[random->below(subjects.size())];
    };
  }
  return peers;
}

FeatureValues defaults_of(const LiveConfig& config) {
  FeatureValues values;
  for (const FeatureColumn& column : config.read_columns()) values.push_back(column.missing);
  return values;
}

}  // namespace

// The lock is needed because the store is copied while the role uses it.
class ServedRole::TimedRows final : public LiveRows {
 public:
  TimedRows(LiveStore& store, std::function<void(double)> observe) : store_(store), observe_(std::move(observe)) {}

  [[nodiscard]] std::optional<LiveRow> get(const RowKey& key) const override {
    const std::lock_guard lock(mutex_);
    return store_.get(key);
  }
  void each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const override {
    const std::lock_guard lock(mutex_);
    store_.each(table, take);
  }
  void commit(const RowChanges& changes) override {
    const net::Clock::time_point begin = net::Clock::now();
    {
      const std::lock_guard lock(mutex_);
      store_.commit(changes);
    }
    const std::chrono::duration<double> passed = net::Clock::now() - begin;
    if (observe_) observe_(passed.count());
  }
  void at_rest() override {
    const std::lock_guard lock(mutex_);
    store_.at_rest();
  }

  void copy(const std::filesystem::path& into, const std::atomic<bool>& stop) {
    std::unique_ptr<LiveCopy> copy;
    try {
      bool left = true;
      with_store([&] { copy = store_.begin_copy(into); });
      while (left) {
        if (stop) throw Interrupted();
        with_store([&] { left = copy->step(); });
        // The pause gives a waiting thread the time to take the lock. Without the pause, this thread might take the
        // lock again each time.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    } catch (...) {
      with_store([&] { copy.reset(); });
      throw;
    }
    copy->finish();
  }

 private:
  template <class Body>
  void with_store(Body body) {
    const std::lock_guard lock(mutex_);
    body();
  }

  LiveStore& store_;
  std::function<void(double)> observe_;
  mutable std::recursive_mutex mutex_;
};

class ServedRole::Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  [[nodiscard]] virtual LiveService& service() = 0;
};

template <class Of>
class ServedRole::EngineOf final : public Engine {
 public:
  template <class... Arguments>
  explicit EngineOf(Arguments&&... arguments) : engine_(std::forward<Arguments>(arguments)...) {}
  void start() override { engine_.start(); }
  void stop() override { engine_.stop(); }
  [[nodiscard]] LiveService& service() override { return engine_; }

 private:
  Of engine_;
};

ServedRole::ServedRole(const LiveConfig& config, net::Io& io, ServeExtras extras) : config_(config) {
  const LiveIdentity identity = live_identity(config_);
  if (!LiveFile::exists(config_.state)) LiveFile::create(config_.state, identity, live_key(config_));
  store_ = std::make_unique<LiveStore>(config_.state, identity, live_key(config_));
  store_->prepare_to_serve();
  if (extras.from) import_model(*extras.from, extras.read_run);
  rows_ = std::make_unique<TimedRows>(*store_, extras.observer.sync);
  if (extras.listen_descriptor) {
    port_ = Descriptor(*extras.listen_descriptor);
  } else if (const auto address = listen_address(config_)) {
    port_ = Descriptor(net::TcpListener(*address).release());
  }
  EngineConfig engine;
  engine.settings = config_.live;
  engine.settings.most_learned = config_.steps;
  if (config_.live.lift) engine.settings.lift_levels = lift_levels(config_.binary_rewards);
  engine.recovery_request = extras.recovery_request;
  engine.topology = config_.topology();
  engine.self = role_id(config_);
  engine.kind = kind_of(config_.role());
  engine.role = config_.name();
  engine.version = version();
  engine.session = config_.session;
  engine.config = run_revision(config_);
  engine.options.round_deadline =
      std::chrono::milliseconds(static_cast<std::int64_t>(1000 * config_.round_deadline_seconds));
  // If this machine has fewer cores than roles, no role spins: a spinning role would occupy a core that another role
  // needs.
  if (std::thread::hardware_concurrency() < config_.roles_here()) engine.options.spin = std::chrono::microseconds(0);
  const bool parties_have_cores =
      std::thread::hardware_concurrency() >= std::min(config_.parties, config_.roles_here());
  if (config_.role() == bandit::BanditRole::party && parties_have_cores) {
    engine.spin_in_small_decides = net::spin_time(config_.parties);
  }
  engine.insecure_seed = config_.insecure_seed;
  engine.observer = std::move(extras.observer);
  engine.store_bytes = [folder = config_.state] { return LiveFile::bytes(folder); };
  engine.plan = [this](const net::Mesh& mesh) { return agreed_plan(config_, mesh); };
  engine.convert = [this](std::span<const std::byte> imported, const bandit::BatchPlan& plan) {
    const auto foreign = decode_foreign_model(imported);
    if (!foreign) refuse_damaged("imported model");
    return encode(converted(*foreign, plan, config_.live, role_id(config_)));
  };
  engine.connect = [this, announcement = config_.announcement(), report = std::move(extras.report)](
                       net::Resume resume, const std::atomic<bool>& interrupted) {
    std::optional<int> port;
    // The port stays open between two epochs, so that a peer can already connect and wait for the next epoch.
    if (port_.get() >= 0) port = dup(port_.get());
    const LiveConfig now = trusting_config();
    net::MeshConfig mesh = mesh_config(now);
    mesh.announcement = announcement;
    mesh.resume = std::move(resume);
    mesh.starts_over = true;
    return connect_mesh(now, std::move(mesh), port, interrupted, report);
  };
  if (!config_.insecure_plaintext) {
    engine.certificate_until = live_time(read_role_identity(config_).certificate().valid_until);
  }
  make_engine(io, std::move(engine), extras);
}

ServedRole::~ServedRole() = default;

void ServedRole::back_up(const std::filesystem::path& into, const std::atomic<bool>& stop) { rows_->copy(into, stop); }

LiveConfig ServedRole::trusting_config() const {
  const std::lock_guard lock(trust_mutex_);
  return config_;
}

void ServedRole::trust(const LiveConfig& config) {
  const std::lock_guard lock(trust_mutex_);
  config_.trust = config.trust;
  config_.next_trust = config.next_trust;
}

// The model is imported only once, even if the role is started with `from` again.
void ServedRole::import_model(const RoleSettings& from, const bandit::ReadRunModel& read_run) {
  if (!is_untouched(*store_)) return;
  RowDraft draft(*store_);
  draft.put(key_of(LiveTable::snapshots, OrderNumber{0}), encode(read_model(from, read_run, config_)));
  draft.commit();
}

void ServedRole::make_engine(net::Io& io, EngineConfig engine, const ServeExtras& extras) {
  switch (config_.role()) {
    case bandit::BanditRole::party:
      if (!config_.account.empty()) charges_ = std::make_unique<WindowCharges>(config_, extras.warn);
      engine_ = std::make_unique<EngineOf<PartyEngine>>(io, *rows_, std::move(engine), defaults_of(config_),
                                                        PartyGuards{config_.subject_limits, charges_.get()});
      return;
    case bandit::BanditRole::dealer:
      engine_ = std::make_unique<EngineOf<DealerEngine>>(io, *rows_, std::move(engine), extras.accept_rollback);
      return;
    case bandit::BanditRole::helper:
      engine_ = std::make_unique<EngineOf<HelperEngine>>(io, *rows_, std::move(engine), extras.accept_rollback);
      return;
    case bandit::BanditRole::actor:
      engine_ = std::make_unique<EngineOf<ActorEngine>>(io, *rows_, std::move(engine), peers_of(config_));
      return;
    case bandit::BanditRole::rewarder:
      engine_ = std::make_unique<EngineOf<RewarderEngine>>(io, *rows_, std::move(engine));
      return;
    case bandit::BanditRole::owner:
      throw std::logic_error("a decision service has no owners");
  }
}

void ServedRole::start() { engine_->start(); }

void ServedRole::stop() { engine_->stop(); }

LiveService& ServedRole::service() { return engine_->service(); }

std::vector<LiveConfig> local_service(LiveConfig common, const std::filesystem::path& folder) {
  common.trust = make_local_keys(common, folder);
  const std::vector<RunRole> roles = common.roles();
  std::vector<LiveConfig> configs(roles.size(), common);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    LiveConfig& config = configs[i];
    config.role_word = roles[i].word;
    config.id = roles[i].id;
    config.key = key_file(folder, roles[i].key);
    config.state = folder / (roles[i].key + "-state");
    config.http_listen = fmt::format("unix:{}", (folder / (roles[i].key + ".sock")).string());
  }
  return configs;
}

}  // namespace sotto::apps::live
