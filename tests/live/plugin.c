/* A library that is loaded and unloaded. */
int plugin_counter[64];

void plugin_touch(int *variable);
void plugin_count(void);

void plugin_touch(int *variable)
{
    *variable = 1;
}

void plugin_count(void)
{
    for (int i = 0; i < 64; i++)
        plugin_counter[i]++;
}
