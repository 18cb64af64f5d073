// How a connected TCP socket is set for frames.
#pragma once

namespace sotto::net {

// A frame leaves at once (TCP_NODELAY). Between two ends on one machine nothing can be congested,
// and a congestion control that paces what it sends only costs time: there, Reno, which every
// system has and which never waits for a timer. A refusal is ignored: it changes no result.
void tune_for_frames(int descriptor) noexcept;

}  // namespace sotto::net
