#include "apps/bandit/run/role/agreed_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <utility>

#include "apps/bandit/model/program/plan_bandit.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/prepare/data/contexts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {

AgreedRun agree_on_run(const BanditRun& run, const net::Mesh& mesh) {
  AnnouncedData data = announced_data(mesh, run.computing_only);
  if (run.max_norm && !run.joint_norm_holds) {
    if (const auto excess = prepare::joint_norm_excess(data.bounds, *run.max_norm, holder_names(run))) {
      throw DisagreementError(
          fmt::format("{}: {}", *excess, prepare::joint_norm_advice(data.bounds.size(), *run.max_norm)));
    }
  }
  BanditParameters parameters = bandit_parameters(run, data.columns, data.bounds);
  if (data.model) {
    begin_from(parameters, run, parse_model_name(*data.model, mesh.topology().name(0)));
  } else if (run.events_before > 0) {
    throw DisagreementError("events_before in [run] says that the run begins from a model, and the parties have none");
  }
  if (run.task != BanditTask::play && run.steps > data.rows) {
    throw DisagreementError(
        fmt::format("steps = {} in [run], but the log is about {}", run.steps, counted(data.rows, "row")));
  }
  BanditPlan plan = plan_bandit(std::move(parameters));
  return AgreedRun{std::move(plan), std::move(data)};
}

std::string stocked_data(const AgreedRun& agreed) {
  const BanditParameters& p = agreed.plan.parameters;
  return fmt::format("columns = {}\nmax_norm = {}\nmodel = {}\n", fmt::join(p.columns, ", "), p.max_norm,
                     agreed.data.model.value_or("none"));
}

net::Resume role_resume(const Topology& topology, const ResumeState& mine, const StockStanding& stock) {
  net::Resume state = resume_from(topology, mine);
  return topology.has_dealer() ? state : with_stock(topology, stock, std::move(state));
}

Opening opening_of(const net::Mesh& mesh) {
  std::span<const std::byte> bytes = mesh.resume_point();
  const auto stock = mesh.topology().has_dealer() ? std::optional(StockPoint{}) : take_stock_point(bytes);
  const auto from = decode_resume_point(bytes);
  if (stock && from) return Opening{*from, *stock};
  throw ProtocolError(ProtocolError::Kind::malformed, "", 0, "the peers agreed on what is no point to go on from");
}

}  // namespace sotto::apps::bandit::run
