/* One block a tile of a group's rows of C, over all of K: whole.cu for groups. */

#define MOST_SHARES 1
#define SHARE_ARGUMENTS
#define SHARE_WORKSPACE C /* none, and nothing is written there */
#define ONLY_SHARE whole_share(group.tile, K)

struct share {
    int tile;
    int first_k, k_count;
    int whole;
    tw_index place;
};

TW_DEVICE struct share whole_share(int tile, int K)
{
    struct share share;
    share.tile = tile;
    share.first_k = 0;
    share.k_count = K;
    share.whole = 1;
    share.place = 0;
    return share;
}
