#include "sotto/apps/kit/deploy/announcement.h"

#include <fmt/format.h>

#include <string_view>

#include "sotto/apps/kit/program/number_options.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr std::size_t most_columns = std::size_t{1} << 20;

// The number of the line "key = number", which must come next; the text then starts after it.
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

}  // namespace

std::string to_text(const Announcement& announcement) {
  std::string text =
      fmt::format("rows = {}\ncolumns = {}\nbound = {}\n", announcement.rows, announcement.columns, announcement.bound);
  if (announcement.first_step) text += fmt::format("first_step = {}\n", *announcement.first_step);
  return text;
}

Announcement parse_announcement(const std::string& text, const std::string& party) {
  std::string_view left = text;
  const auto rows = take_line<std::size_t>(left, "rows");
  const auto columns = take_line<std::size_t>(left, "columns");
  const auto bound = take_line<double>(left, "bound");
  const auto first_step = take_line<std::uint64_t>(left, "first_step");
  if (!rows || !columns || !bound || !left.empty() || *rows == 0 || *columns == 0 || *columns > most_columns ||
      !(*bound > 0 && *bound <= 1e6) || first_step.value_or(0) > 1) {
    throw ProtocolError(
        ProtocolError::Kind::malformed, party, 0,
        fmt::format("{} announced what is no description of its data: it runs another program or another version",
                    party));
  }
  return Announcement{*rows, *columns, *bound, first_step};
}

void check_rows(const std::vector<Announcement>& announcements, const Topology& topology) {
  const bool dealt = topology.has_dealer();
  for (std::size_t p = 1; p < announcements.size(); ++p) {
    if (announcements[p].rows == announcements[0].rows) continue;
    throw DisagreementError(fmt::format("{} has {}, {} has {}: {} must be aligned, one {}", topology.name(0),
                                        counted(announcements[0].rows, dealt ? "row" : "step"),
                                        topology.name(static_cast<NodeId>(p)), announcements[p].rows,
                                        dealt ? "rows" : "steps", dealt ? "context a row" : "user a step"));
  }
  check_counting(announcements, topology);
}

AnnouncedData announced_data(const net::Mesh& mesh) {
  std::vector<Announcement> announcements;
  AnnouncedData data;
  for (NodeId party = 0; party < mesh.topology().parties(); ++party) {
    announcements.push_back(parse_announcement(mesh.announcement(party), mesh.topology().name(party)));
    data.columns.push_back(announcements.back().columns);
    data.bounds.push_back(announcements.back().bound);
  }
  check_rows(announcements, mesh.topology());
  data.rows = announcements.front().rows;
  return data;
}

}  // namespace sotto::apps
