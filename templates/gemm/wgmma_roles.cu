/* Barriers and registers of the warpgroups, which load or multiply. */

TW_DEVICE void init_barriers(tw_u32 base)
{
    for (int stage = 0; stage < STAGES; stage++) {
        barrier_init(FULL(stage), 1);
        barrier_init(EMPTY(stage), SHARERS * (PINGPONG ? 1 : CONSUMERS));
    }
    for (int consumer = 0; consumer < CONSUMERS; consumer++)
        barrier_init(TURN(consumer), WARPGROUP);
    barriers_initialised();
}

/* With one consumer there are registers enough for both warpgroups. */
#if CONSUMERS > 1
#define MOVE_REGISTERS(how, count) asm volatile("setmaxnreg." how ".sync.aligned.u32 " TEXT(count) ";")
#else
#define MOVE_REGISTERS(how, count)
#endif
