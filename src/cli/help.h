/* photofinish help: what there is, and more of each. */
#pragma once

/* The commands and topics, on standard output. */
void help_usage(void);

/* The command whose name is nearly this one; NULL: none is. */
const char *help_near_command(const char *name);
