/* Neighbouring parts of words, 8 bytes in all at most, are checked by one call where the first of them is. */
#include "place.h"

struct packet {
    unsigned char type, flags, length, check;
    unsigned short port, checksum;
    unsigned char rest[16];
};

// expect pixel: __pf_read_bytes 1, reads 0
int pixel(const unsigned char *p)
{
    return p[0] * 77 + p[1] * 150 + p[2] * 29;
}

// expect fill: __pf_write_bytes 1, writes 0
void fill(unsigned char *p, int red, int green, int blue)
{
    p[0] = (unsigned char)red;
    p[1] = (unsigned char)green;
    p[2] = (unsigned char)blue;
}

/* Bytes and halves of words. */
// expect port: __pf_read_bytes 1, reads 0
int port(const volatile struct packet *p)
{
    return p->length + p->check + p->port;
}

/* In a loop, too, where the object is the next step. */
// expect pixels: __pf_read_bytes 1, reads 0
int pixels(const volatile unsigned char *p, int stop)
{
    int sum = 0;
    for (;; p += 3) {
        sum += p[0] + p[1] + p[2];
        if (sum > stop)
            return sum;
    }
}

/* Ten are eight and two. */
// expect ten: __pf_read_bytes 2, reads 0
int ten(const volatile struct packet *p)
{
    const volatile unsigned char *r = p->rest;
    return r[0] + r[1] + r[2] + r[3] + r[4] + r[5] + r[6] + r[7] + r[8] + r[9];
}

/* Not those that have a gap, or are one read and the other written, or with a call in between. */
// expect gap: __pf_read_bytes 0, reads 2
int gap(const volatile struct packet *p)
{
    return p->type + p->length;
}

// expect both: __pf_read_bytes 0, __pf_write_bytes 0, reads 1, writes 1
void both(volatile struct packet *p)
{
    p->flags = p->type;
}

void other(void);

// expect apart: __pf_read_bytes 0, reads 2
int apart(const volatile struct packet *p)
{
    int type = p->type;
    other();
    return type + p->flags;
}
