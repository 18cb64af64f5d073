#include "sotto/protocol/error/errors.h"

#include "tests/framework.h"

namespace sotto {
namespace {

int code_of(const Error& error) { return static_cast<int>(error.exit_code()); }

// The exit codes are part of the command's interface, because scripts test them.
TEST(Errors, HaveTheDocumentedExitCodes) {
  EXPECT_EQ(code_of(InputError("no such file")), 2);
  EXPECT_EQ(code_of(NetworkError("party 1", "closed its link")), 3);
  EXPECT_EQ(code_of(ProtocolError(ProtocolError::Kind::truncated, "party 1", 7, "short")), 4);
  EXPECT_EQ(code_of(DisagreementError("epsilon differs")), 5);
  EXPECT_EQ(code_of(ResourceError("no port")), 6);
  EXPECT_EQ(code_of(Interrupted()), 130);
  EXPECT_EQ(static_cast<int>(ExitCode::done), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::internal), 70);
}

TEST(Errors, SayWhatAndWhere) {
  EXPECT_STREQ(InputError("a.csv:3:2", "not a number").what(), "a.csv:3:2: not a number");
  EXPECT_EQ(NetworkError("party 1", "closed").peer(), "party 1");
  const ProtocolError error(ProtocolError::Kind::wrong_digest, "party 2", 9, "other slots");
  EXPECT_EQ(error.kind(), ProtocolError::Kind::wrong_digest);
  EXPECT_EQ(error.peer(), "party 2");
  EXPECT_EQ(error.round(), 9u);
}

}  // namespace
}  // namespace sotto
