/* A shared library that writes where it is told. */
__attribute__((noinline)) static void inside(int *where)
{
    *where = 2;
    __asm__ volatile("" ::: "memory");
}

void library_write(int *where);
void library_write(int *where)
{
    inside(where);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}
