// Payloads that P2B's shuffler, server and agents take from each other: any bytes. What a decoder accepts encodes to
// the same bytes, and holds no more than came.
#include <algorithm>

#include "sotto/apps/p2b/roles/messages.h"
#include "tests/fuzz/target.h"

namespace sotto::apps {
namespace {

void same(const Payload& again, PayloadView input) {
  fuzz::require(std::equal(again.begin(), again.end(), input.begin(), input.end()),
                "a payload that is accepted encodes to the same bytes");
}

void check(PayloadView input) {
  if (const auto terms = decode_p2b_terms(input)) same(encode(*terms), input);
  if (const auto receipt = decode_receipt(input)) same(encode(*receipt), input);
  if (const auto name = decode_part_name(input)) same(encode(*name), input);
  if (const auto part = decode_part(input)) same(encode(*part), input);
  if (const auto tuples = decode_tuples(input)) same(encode_tuples(*tuples), input);
  std::vector<Report> reports;
  if (const auto number = decode_reports(input, reports)) {
    same(encode_reports(*number, reports), input);
  } else {
    fuzz::require(reports.empty(), "reports come from messages that are accepted");
  }
  if (const auto model = decode_model(input)) {
    same(encode_model(model->terms, model->model), input);
  }
}

}  // namespace
}  // namespace sotto::apps

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::apps::check(sotto::fuzz::bytes(data, size));
  return 0;
}
