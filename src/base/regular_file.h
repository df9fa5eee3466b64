/* Opens files that are read as programs, libraries or debugging information. */
#pragma once

/* Opens it for reading. -1: it cannot be opened, or is no regular file. Does not wait for the other end of a pipe. */
int regular_file_open(const char *path);
