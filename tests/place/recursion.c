/* [speculation]: a recursion does not become a loop if what comes after it may not come. In C++ an endless loop that does
 * nothing does not count. */
int shared;

// expect may_be_endless: may_be_endless 1, in_loop 0
unsigned may_be_endless(unsigned n)
{
    if (n == 0)
        return 0;
    if (n == 77)
        for (;;)
            ;
    return may_be_endless(n - 1) + (unsigned)shared;
}

/* What no other thread knows, or comes before, is no reason to keep it. */
// expect becomes_loop: becomes_loop 0, in_loop 1
unsigned becomes_loop(unsigned n, unsigned sum)
{
    if (n == 0)
        return sum;
    if (n == 77)
        for (;;)
            ;
    return becomes_loop(n - 1, sum + (unsigned)shared);
}
