#include "apps/live/api/dashboard.h"

#include <fmt/format.h>

namespace sotto::apps::live {
namespace {

constexpr const char* page_type = "text/html; charset=utf-8";
// Nothing from elsewhere, and nobody's frame.
constexpr const char* page_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string whole_page() {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>sotto</title>\n<style>{}</style>\n</head>\n<body>\n{}\n<script>\n\"use strict\";\n{}{}</script>\n"
      "</body>\n</html>\n",
      dashboard_style, dashboard_body, dashboard_reading, dashboard_drawing);
}

}  // namespace

const std::string& dashboard_page() {
  static const std::string page = whole_page();
  return page;
}

Route dashboard_route() {
  Route route;
  route.method = "GET";
  route.pattern = "/";
  route.answers = "text/html";
  route.open = true;
  route.handler = [](Request&&, const Responder& responder) {
    Answer answer = Answer::text(dashboard_page(), page_type);
    answer.headers.emplace_back("Content-Security-Policy", page_policy);
    answer.headers.emplace_back("Referrer-Policy", "no-referrer");
    responder.answer(std::move(answer));
  };
  return route;
}

}  // namespace sotto::apps::live
