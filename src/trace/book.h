/* What the sites and variables of a recorded program (trace/tape.h) are called. */
#pragma once

#include "trace/names.h"
#include "trace/tape.h"

struct book;

struct book *book_new(void);
void book_free(struct book *book);

/* A record of the stream of places. */
void book_record(struct book *book, const struct tape_slot *slot);
/* The payload of a block of names (trace/tape_file.h); false: it is none. */
bool book_modules(struct book *book, const uint8_t *bytes, size_t size);
bool book_texts(struct book *book, const uint8_t *bytes, size_t size);
bool book_variables(struct book *book, const uint8_t *bytes, size_t size);
/* All variables are known. */
void book_close(struct book *book);

/* Kind and size of accesses at the site, as TAPE_SITE has them; 0 where it is not known. */
unsigned book_how(const struct book *book, uint32_t site);

/* The text of a location: "file:line function < file:line caller < ...", or addresses in modules. */
uint32_t book_location(struct book *book, struct names *names, uint32_t site);

/* The variable's name in the source, or as much of it as there is room for, "+offset" behind it where it is a
 * part of it; or the address. Some room is left. */
void book_variable(const struct book *book, uint64_t address, char *text, size_t size);
