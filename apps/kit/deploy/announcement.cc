#include "apps/kit/deploy/announcement.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "apps/kit/dp/samplers.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/program/option_values.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::size_t most_columns = std::size_t{1} << 20;

template <class Number>
std::optional<Number> take_line(std::string_view& text, std::string_view key) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(key)) return std::nullopt;
  const std::string_view rest = text.substr(key.size(), end - key.size());
  if (!rest.starts_with(" = ")) return std::nullopt;
  const auto value = number_of<Number>(rest.substr(3));
  if (value) text.remove_prefix(end + 1);
  return value;
}

template <class Fits>
std::optional<std::string> take_text(std::string_view& text, std::string_view key, Fits fits) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(key)) return std::nullopt;
  const std::string_view rest = text.substr(key.size(), end - key.size());
  if (!rest.starts_with(" = ") || !fits(rest.substr(3))) return std::nullopt;
  text.remove_prefix(end + 1);
  return std::string(rest.substr(3));
}

bool is_sound(std::size_t rows, std::size_t columns, double bound) {
  if (columns == 0) return rows == 0 && bound == 0;
  return rows > 0 && columns <= most_columns && bound > 0 && bound <= 1e6;
}

bool is_sound(const std::optional<double>& epsilon, const std::optional<std::uint64_t>& rows) {
  if (!epsilon || !rows) return !epsilon && !rows;
  return *epsilon >= least_count_epsilon && *epsilon <= largest_count_epsilon && *rows >= 1 &&
         *rows <= most_rows_of_subject;
}

bool is_sound_delta(const std::optional<double>& epsilon, const std::optional<double>& delta) {
  return epsilon.has_value() == delta.has_value() && (!delta || (*delta > 0 && *delta < 1));
}

bool is_model_text(std::string_view text) {
  constexpr std::size_t longest = 512;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '.' ||
           c == '-' || c == '+';
  };
  return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), fits);
}

void check_models(const std::vector<Announcement>& announcements, const Topology& topology) {
  for (std::size_t p = 1; p < topology.parties(); ++p) {
    if (announcements[p].model == announcements[0].model) continue;
    throw DisagreementError(
        fmt::format("{} and {} begin from other models, or one of them from none: give both the models of one run, "
                    "as it left them",
                    topology.name(0), topology.name(static_cast<NodeId>(p))));
  }
}

void check_best_bits(const std::vector<Announcement>& announcements, const Topology& topology) {
  const auto& first = announcements.front().best;
  for (NodeId p = 1; p < topology.parties(); ++p) {
    const auto& own = announcements[p].best;
    if (own == first) continue;
    if (own && first) {
      throw DisagreementError(
          fmt::format("the shares of best arms of {} and {} are of different bits: take the .best files of all parties "
                      "from the same export",
                      topology.name(0), topology.name(p)));
    }
    throw DisagreementError(fmt::format(
        "{} has shares of best arms and {} has none: put the .best file of the same export next to the rows "
        "of {}, or remove it at all parties",
        topology.name(first ? 0 : p), topology.name(first ? p : 0), topology.name(first ? p : 0)));
  }
  for (std::size_t node = topology.parties(); node < announcements.size(); ++node) {
    if (!announcements[node].best) continue;
    throw DisagreementError(fmt::format("{} has shares of best arms, which only parties have: remove its .best file",
                                        topology.name(static_cast<NodeId>(node))));
  }
}

void check_counting(const std::vector<Announcement>& announcements, const Topology& topology) {
  std::optional<std::size_t> first;
  for (std::size_t p = 0; p < announcements.size(); ++p) {
    const auto& step = announcements[p].first_step;
    if (!step) continue;
    if (!first) first = p;
    if (*step == *announcements[*first].first_step) continue;
    throw DisagreementError(
        fmt::format("{} counts its steps from {}, {} from {}: steps must be aligned, the same number for the same user",
                    topology.name(static_cast<NodeId>(*first)), *announcements[*first].first_step,
                    topology.name(static_cast<NodeId>(p)), *step));
  }
}

// Two roles with one account would charge the same subjects twice, or mix the subjects of both roles.
void check_accounts(const std::vector<SeenAccount>& accounts) {
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (accounts[i].position.account != accounts[j].position.account) continue;
      throw DisagreementError(
          fmt::format("{} and {} have the same account: each needs its own, by `sotto account begin`", accounts[j].role,
                      accounts[i].role));
    }
  }
}

}  // namespace

std::string to_text(const Announcement& announcement) {
  std::string text =
      fmt::format("rows = {}\ncolumns = {}\nbound = {}\n", announcement.rows, announcement.columns, announcement.bound);
  if (announcement.order) text += fmt::format("order = {}\n", *announcement.order);
  if (announcement.first_step) text += fmt::format("first_step = {}\n", *announcement.first_step);
  if (announcement.by_step) text += "by_step = 1\n";
  if (announcement.counts) {
    text +=
        fmt::format("epsilon = {}\nrows_per_subject = {}\n", announcement.counts->epsilon, announcement.counts->rows);
    if (announcement.counts->counted) text += "counted = 1\n";
    if (announcement.counts->learning_epsilon > 0) {
      text += fmt::format("learning_epsilon = {}\nlearning_delta = {}\nlearned_rows = {}\n",
                          announcement.counts->learning_epsilon, announcement.counts->learning_delta,
                          announcement.counts->learned_rows);
    }
    if (announcement.counts->uncovered_learning) text += "uncovered_learning = 1\n";
    if (announcement.account) text += fmt::format("account = {}\n", position_text(*announcement.account));
  }
  if (announcement.model) text += fmt::format("model = {}\n", *announcement.model);
  if (announcement.best) text += fmt::format("best = {}\n", *announcement.best);
  return text;
}

Announcement parse_announcement(const std::string& text, const std::string& party) {
  std::string_view left = text;
  const auto is_one = [](std::string_view one) { return one == "1"; };
  const auto rows = take_line<std::size_t>(left, "rows");
  const auto columns = take_line<std::size_t>(left, "columns");
  const auto bound = take_line<double>(left, "bound");
  const auto order = take_text(left, "order", is_order_digest);
  const auto first_step = take_line<std::uint64_t>(left, "first_step");
  const auto by_step = take_text(left, "by_step", is_one);
  const auto epsilon = take_line<double>(left, "epsilon");
  const auto rows_of_subject = take_line<std::uint64_t>(left, "rows_per_subject");
  const bool counted = epsilon && take_text(left, "counted", is_one).has_value();
  const auto learning_epsilon = take_line<double>(left, "learning_epsilon");
  const auto learning_delta = take_line<double>(left, "learning_delta");
  const auto learned_rows = take_line<std::uint64_t>(left, "learned_rows");
  const bool uncovered = take_text(left, "uncovered_learning", is_one).has_value();
  const auto account = counted ? take_text(left, "account", [](auto one) { return parse_position(one).has_value(); })
                               : std::optional<std::string>();
  const auto model = take_text(left, "model", is_model_text);
  const auto best = take_text(left, "best", is_order_digest);
  if (!rows || !columns || !bound || !left.empty() || !is_sound(*rows, *columns, *bound) ||
      !is_sound(epsilon, rows_of_subject) || !is_sound(learning_epsilon, learned_rows) ||
      !is_sound_delta(learning_epsilon, learning_delta) || ((learning_epsilon || uncovered) && !epsilon) ||
      first_step.value_or(0) > 1) {
    throw ProtocolError(
        ProtocolError::Kind::malformed, party, 0,
        fmt::format("{} announced what is no description of its data: it runs another program or another version",
                    party));
  }
  Announcement announced{*rows, *columns, *bound, first_step, order, by_step.has_value(), {}, {}, model, best};
  if (account) announced.account = parse_position(*account);
  if (epsilon) {
    announced.counts = CountPrivacy{*epsilon, *rows_of_subject, counted};
    announced.counts->learning_epsilon = learning_epsilon.value_or(0);
    announced.counts->learning_delta = learning_delta.value_or(0);
    announced.counts->learned_rows = learned_rows.value_or(0);
    announced.counts->uncovered_learning = uncovered;
  }
  return announced;
}

void check_rows(const std::vector<Announcement>& announcements, const Topology& topology) {
  const bool dealt = topology.has_dealer();
  std::optional<std::size_t> first;
  for (std::size_t p = 0; p < announcements.size(); ++p) {
    if (announcements[p].columns == 0) continue;
    if (!first) first = p;
    if (announcements[p].rows == announcements[*first].rows) continue;
    throw DisagreementError(
        fmt::format("{} has {}, {} has {}: {} must be aligned, one {}", topology.name(static_cast<NodeId>(*first)),
                    counted(announcements[*first].rows, dealt ? "row" : "step"), topology.name(static_cast<NodeId>(p)),
                    announcements[p].rows, dealt ? "rows" : "steps", dealt ? "context a row" : "user a step"));
  }
  check_counting(announcements, topology);
}

void check_orders(const std::vector<Announcement>& announcements, const Topology& topology) {
  std::optional<std::size_t> first;
  for (std::size_t p = 0; p < announcements.size(); ++p) {
    if (!announcements[p].order) continue;
    if (!first) first = p;
    if (announcements[p].order == announcements[*first].order) continue;
    throw DisagreementError(fmt::format(
        "the rows of {} and of {} are about other cases, or in another order: row t must be about the same case at all "
        "roles. Prepare both from tables of the same ids, with `sotto prepare party --id COLUMN --sort`",
        topology.name(static_cast<NodeId>(*first)), topology.name(static_cast<NodeId>(p))));
  }
}

std::string order_warning(const std::vector<std::size_t>& without_order, const Topology& topology) {
  if (without_order.empty()) return "";
  std::string names;
  for (const std::size_t p : without_order) {
    names += (names.empty() ? "" : ", ") + topology.name(static_cast<NodeId>(p));
  }
  return no_order_warning(names);
}

AnnouncedData announced_data(const net::Mesh& mesh, std::size_t computing_only) {
  return announced_data(
      mesh.topology(), [&](NodeId node) { return mesh.announcement(node); }, computing_only);
}

AnnouncedData announced_data(const Topology& topology, const std::function<std::string(NodeId)>& announcement_of,
                             std::size_t computing_only) {
  std::vector<Announcement> announcements;
  AnnouncedData data;
  for (NodeId node = 0; node < topology.parties_and_owners(); ++node) {
    const std::string name = topology.name(node);
    announcements.push_back(parse_announcement(announcement_of(node), name));
    const Announcement& announced = announcements.back();
    const bool brings = !topology.is_party(node) || node + computing_only < topology.parties();
    if ((announced.columns > 0) != brings) {
      throw DisagreementError(fmt::format("{} announced {}, and the run expects {}of it", name,
                                          counted(announced.columns, "column"), brings ? "features " : "none "));
    }
    if (!brings) continue;
    data.columns.push_back(announced.columns);
    data.bounds.push_back(announced.bound);
    if (!announced.order && !announced.by_step) data.without_order.push_back(node);
    if (!data.order) data.order = announced.order;
    data.rows = announced.rows;
    if (announced.counts) data.counts.push_back(*announced.counts);
    if (announced.account) data.accounts.push_back({name, *announced.account});
  }
  if (!data.counts.empty() && data.counts.size() != data.columns.size()) {
    throw DisagreementError("some who bring features add noise to counts and some do not: they run different versions");
  }
  check_rows(announcements, topology);
  check_orders(announcements, topology);
  check_models(announcements, topology);
  check_best_bits(announcements, topology);
  check_accounts(data.accounts);
  data.model = announcements.front().model;
  data.best = announcements.front().best;
  return data;
}

}  // namespace sotto::apps
