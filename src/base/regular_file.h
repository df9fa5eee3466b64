/* Opening a file that is read as a program, a library or debugging information. */
#pragma once

/* For reading; -1: it cannot be, or is something else, such as a pipe, which opening would wait for. */
int regular_file_open(const char *path);
