/* The same where variables are in memory: gcc reads the pointer each time, so that one access says nothing of the next. */
// levels: -O0
struct node {
    struct node *next;
    long value;
};

extern void unknown(void);

// expect add: reads 0, writes 1
void add(struct node *n)
{
    n->value++;
}

// expect across_a_call: reads 1, writes 1
void across_a_call(struct node *n)
{
    long value = n->value;
    unknown();
    n->value = value + 1;
}
