#include "protocols/preprocessing/agree_on_pieces.h"

#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/replicated/pair_seeds.h"
#include "protocols/preprocessing/transfers/transfer_pieces.h"

namespace sotto::protocols {

Task<MakePieces> agree_on_pieces(Party& party, RandomnessBy by, Seed secret, std::string label) {
  switch (by) {
    case RandomnessBy::replicated:
    case RandomnessBy::helper:
      return agree_on_pair_pieces(party, std::move(secret));
    case RandomnessBy::ot:
      return agree_on_all_transfer_pieces(party, std::move(secret), std::move(label));
    case RandomnessBy::dealer:
      break;
  }
  throw std::invalid_argument("a dealer makes all");
}

}  // namespace sotto::protocols
