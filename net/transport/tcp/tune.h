// How a connected TCP socket is set for frames.
#pragma once

namespace sotto::net {

// A frame leaves at once (TCP_NODELAY). Between two ends on one machine nothing can be congested, and a congestion
// control that paces what it sends only costs time: there, Reno, which every system has and which never waits for a
// timer. A refusal is ignored: it changes no result.
//
// A link that is idle, because nothing is due on it for a while, is kept alive by probes every 30 s: firewalls and NATs
// on the way forget connections that say nothing. After ten minutes without an answer it is lost. That is long on
// purpose: a peer that was cut off is found by the round deadline, which knows for whom this role waits, and no TCP
// time-out may end a run before it.
void tune_for_frames(int descriptor) noexcept;

}  // namespace sotto::net
