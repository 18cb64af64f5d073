#include "apps/bandit/run/role/run_role.h"

#include <algorithm>
#include <memory>
#include <string>

#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/run/role/role_site.h"
#include "apps/bandit/run/stock/stock.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/process/progress.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/preprocessing/program_role.h"

namespace sotto::apps::bandit::run {
namespace {

class CountedSteps final : public StepObserver {
 public:
  CountedSteps(Stock& stock, ProgressLine& line, std::uint64_t most) : stock_(stock), line_(line), most_(most) {}

  void step_done(std::uint64_t step) override {
    steps_ = std::max(steps_, step + 1);
    stock_.will_cover(steps_);
    if (line_.due()) line_.update({steps_, most_});
  }
  [[nodiscard]] bool enough() const { return steps_ >= most_; }

 private:
  Stock& stock_;
  ProgressLine& line_;
  std::uint64_t most_;
  std::uint64_t steps_ = 0;
};

}  // namespace

PreparedStock prepare_role(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                           const RoleFolders& folders, std::uint64_t steps, const RoleExtras& extras,
                           const std::atomic<bool>& interrupted) {
  const RoleSite role_site(role, run, inputs);
  const std::unique_ptr<Stock> stock = open_stock(role, folders.stock, role_site.data_digest());
  StockState state = stock->state();
  state.prepares = true;
  state.wanted = std::min(steps, run.steps);
  net::Mesh mesh = connect_role(role, role_site.announcement(), role_resume(role.topology(), ResumeState{}, state),
                                extras.listen_descriptor, interrupted);
  Opening opening;
  std::optional<AgreedRun> agreed;
  try {
    opening = opening_of(mesh);
    agreed = agree_on_run(run, mesh);
    stock->open(opening.stock, stocked_data(*agreed), mesh.session());
  } catch (...) {
    net::fail_run(std::current_exception(), mesh);
  }
  ProgressLine line = progress_on_terminal();
  CountedSteps counted_steps(*stock, line, opening.stock.wanted);
  BanditSite site(counted_steps);
  // The label uses epoch 0, because the epochs of a run start at 1.
  const std::string label = protocols::expansion_label(net::text_of(mesh.session()), 0);
  const auto program = [&](Party& party) {
    return prepare_bandit(party, agreed->plan, site, protocols::draw_own_randomness(party, label, role.insecure_seed),
                          *stock, [&counted_steps] { return counted_steps.enough(); });
  };
  static_cast<void>(net::run_program(mesh, program, driver_options(role, interrupted), role.insecure_seed));
  return PreparedStock{stock->stretches(), stock->steps(), stock->bytes(), stock->is_whole()};
}

}  // namespace sotto::apps::bandit::run
