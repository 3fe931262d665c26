/* How many tiles have a block each, for stream.cu: counted from the sizes that a launch is given, so that one binary
 * does for all of them. */

#define WHOLE (TILES_M(M) * TILES_N(N) / STREAMS * STREAMS)
