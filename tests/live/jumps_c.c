/* C between functions that throw: the compiler knows of no exceptions here, and leaves no clean-up. */
__attribute__((noinline)) void in_c(int depth, void (*then)(void));

static volatile int steps;

void in_c(int depth, void (*then)(void))
{
    steps++;
    if (depth > 0)
        in_c(depth - 1, then);
    else
        then();
    steps++;
}
