/* Packets between a program's runtime and us (report/wire.h). */
#pragma once

#include "report/wire.h"

struct packet {
    _Alignas(8) unsigned char bytes[WIRE_MOST_BYTES];
    size_t length;
    int passed; /* a descriptor that came with it, or -1; the receiver's to close */
};

enum packet_result { PACKET_END, PACKET_NONE, PACKET_GOOD };

/* END: the other end is gone. NONE: nothing to receive now, where it does not wait. */
enum packet_result packet_receive(int socket, bool wait, struct packet *packet);

/* With a descriptor, unless it is -1. */
void packet_answer(int socket, const struct wire_verdict *verdict, int passed);
