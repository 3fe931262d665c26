/* Stream-K on Hopper's tensor cores: blocks have as many whole tiles as there are for each of them, and then so many
 * steps of K of the tiles that are left, wherever these begin and end (Osama et al., Stream-K, 2023). What a block
 * sums up of a tile that it shares goes to the workspace as it lies in the registers; a second launch adds such parts in
 * the order of K. */

struct piece {
    int tile, first, steps; /* of K */
    int slot;               /* in the workspace; -1: it is all of the tile */
};

struct stream {
    int block;
    int tile, divided; /* the next whole tile; the first of those that are divided */
    int all;           /* steps of a tile */
    int at, end;       /* of the steps of the divided ones */
};

/* How many blocks divide `tiles` tiles of `all` steps: so many that a tile has some `parts` parts and none is empty. */
TW_DEVICE int stream_count(int tiles, int all, int parts)
{
    return min(STREAMS, tiles * min(parts, all));
}

/* At which step of the divided tiles a block's share begins. */
TW_DEVICE int stream_at(int block, int tiles, int all, int parts)
{
    const int streams = stream_count(tiles, all, parts);
    return (int)((tw_index)tiles * all * min(block, streams) / streams);
}

/* Whose share a step of the divided tiles is in. Shares differ by a step at most. */
TW_DEVICE __attribute__((unused)) int block_at(int at, int tiles, int all, int parts)
{
    int block = (int)((tw_index)at * stream_count(tiles, all, parts) / ((tw_index)tiles * all));
    while (stream_at(block + 1, tiles, all, parts) <= at)
        block++;
    return block;
}

TW_DEVICE struct stream stream_of(int block, int rows, int columns, int K, int parts)
{
    const int tiles = tile_count(rows, columns);
    struct stream stream;
    stream.block = stream.tile = block;
    stream.divided = tiles / STREAMS * STREAMS;
    stream.all = K / STEP + (K % STEP != 0);
    stream.at = stream_at(block, tiles - stream.divided, stream.all, parts);
    stream.end = stream_at(block + 1, tiles - stream.divided, stream.all, parts);
    return stream;
}

/* What of a divided tile begins at `at`: a block has the end of one tile at most, and the beginning of one. */
TW_DEVICE struct piece piece_at(const struct stream *stream, int at)
{
    struct piece piece;
    piece.tile = at / stream->all;
    piece.first = at % stream->all;
    piece.steps = min(stream->all - piece.first, stream->end - at);
    piece.slot = piece.steps == stream->all ? -1 : 2 * stream->block + (piece.first == 0);
    return piece;
}

/* What a block multiplies next; false after the last. */
TW_DEVICE __attribute__((unused)) int next_piece(struct stream *stream, struct piece *piece)
{
    if (stream->tile < stream->divided) {
        piece->tile = stream->tile;
        piece->first = 0;
        piece->steps = stream->all;
        piece->slot = -1;
        stream->tile += STREAMS;
        return 1;
    }
    if (stream->at >= stream->end)
        return 0;
    *piece = piece_at(stream, stream->at);
    piece->tile += stream->divided;
    stream->at += piece->steps;
    return 1;
}

/* Where a thread has its sums of a slot, one after the other at this distance. */
#define SUMMING (WARPGROUP * CONSUMERS)
#define SLOT_AT(workspace, slot, thread) \
    ((workspace) + (tw_index)(slot) * (TALL * (BN / 2) * SUMMING) + (thread))
