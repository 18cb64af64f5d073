#include "protocols/preprocessing/transfers/transfer_pair.h"

#include <utility>
#include <vector>

#include "core/transfer/extension_set_up.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {
namespace {

using Bytes = std::vector<std::byte>;

Task<TransferPair> agree_one_way(Party& party, unsigned k, TransferLabel label) {
  const NodeId sender = label.sender;
  const auto receiver = static_cast<NodeId>(1 - sender);
  std::optional<SenderSetUp> sends;
  std::optional<ReceiverSetUp> receives;
  Bytes choices;
  Bytes keys;
  if (party.is(sender)) {
    sends.emplace(label, party.topology().name(receiver), k);
    choices = sends->message();
  }
  if (party.is(receiver)) {
    receives.emplace(label, party.topology().name(sender), k);
    keys = receives->message();
  }
  auto [of_sender, of_receiver] =
      co_await when_all(deliver_bytes(party, sender, receiver, std::move(choices), base_transfers * base_receiver_bytes,
                                      "base transfers, choices"),
                        deliver_bytes(party, receiver, sender, std::move(keys), base_transfers * base_sender_bytes,
                                      "base transfers, keys"));
  TransferPair pair{k, std::nullopt, std::nullopt};
  Bytes sums;
  if (receives) {
    auto [end, masked_sums] = receives->finish(of_sender);
    pair.receiver.emplace(std::move(end));
    sums = std::move(masked_sums);
  }
  sums = co_await deliver_bytes(party, receiver, sender, std::move(sums), tree_sums_bytes, "sums of trees");
  if (sends) pair.sender.emplace(sends->finish(of_receiver, sums));
  co_return pair;
}

}  // namespace

Task<TransferPair> agree_on_transfers(Party& party, unsigned k, std::array<std::byte, 16> session,
                                      std::uint64_t number) {
  require_argument(party.topology().parties() == 2, "oblivious transfers of two compute parties");
  require_argument(is_extension_parameter(k), "k of 2, 4 or 8");
  const TransferLabel from_0{session, 0, number};
  const TransferLabel from_1{session, 1, number};
  auto [of_0, of_1] = co_await when_all(agree_one_way(party, k, from_0), agree_one_way(party, k, from_1));
  if (of_1.receiver) of_0.receiver.emplace(std::move(*of_1.receiver));
  if (of_1.sender) of_0.sender.emplace(std::move(*of_1.sender));
  co_return std::move(of_0);
}

Task<std::vector<std::byte>> exchange_bytes(Party& party, std::vector<std::byte> mine, std::size_t size, Label label) {
  std::vector<std::byte> of_0;
  std::vector<std::byte> of_1;
  (party.is(0) ? of_0 : of_1) = std::move(mine);
  auto [at_1, at_0] = co_await when_all(deliver_bytes(party, 0, 1, std::move(of_0), size, label),
                                        deliver_bytes(party, 1, 0, std::move(of_1), size, label));
  if (party.is(0)) co_return std::move(at_0);
  co_return std::move(at_1);
}

Task<Words> exchange_words(Party& party, Words mine, std::size_t lanes, Label label) {
  Words of_0;
  Words of_1;
  (party.is(0) ? of_0 : of_1) = std::move(mine);
  auto [at_1, at_0] = co_await when_all(deliver(party, 0, 1, std::move(of_0), lanes, label),
                                        deliver(party, 1, 0, std::move(of_1), lanes, label));
  if (party.is(0)) co_return std::move(at_0);
  co_return std::move(at_1);
}

}  // namespace sotto::protocols
