/* What the kernel says of a descriptor, and which pegs follow from it.
 *
 *   pipe, fifo, file, block device   its inode, however often it is open
 *   socketpair()                     a peg for each end, which the other one releases into
 *   TCP                              the two ports: a peg for each connection. Both ends may be here, or only
 * one: then what is sent is followed by what comes back UDP                              the port it goes to,
 * and the socket itself, for answers UNIX sockets with a name         the two names, one peg for each
 * direction, if both ends are in this process; otherwise the socket itself terminals one peg for all: either
 * end of a pseudo terminal has a number of its own /dev/null, /dev/zero, random     nothing other sockets,
 * other devices     one peg for each address family, each device
 *
 * Addresses of hosts are left out: the same one can be written in many ways (0.0.0.0, ::1, ::ffff:127.0.0.1),
 * and an address that is left out can only order too much. Order that goes through another process is not
 * seen, but for answers through the same socket; io_sync=2 orders all there is.
 */
#include "runtime/intercept/fd.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

/* --- names --- */

struct name {
    socklen_t size; /* 0: it has none, or could not be asked */
    union {
        struct sockaddr address;
        struct sockaddr_in inet;
        struct sockaddr_in6 inet6;
        struct sockaddr_un local;
        struct sockaddr_storage room;
    };
};

static struct name name_of(int fd, long call)
{
    struct name n = {.size = sizeof n.room};
    if (sys_call3(call, fd, (long)&n.room, (long)&n.size) != 0)
        n.size = 0;
    else if (n.size > sizeof n.room)
        n.size = sizeof n.room;
    return n;
}

/* The port of an IPv4 or IPv6 address, which have it at the same place; 0: none. */
static unsigned port_of(const struct sockaddr *address, size_t size)
{
    _Static_assert(offsetof(struct sockaddr_in, sin_port) == offsetof(struct sockaddr_in6, sin6_port), "");
    if (size < offsetof(struct sockaddr_in, sin_port) + sizeof(in_port_t))
        return 0;
    return ntohs(((const struct sockaddr_in *)address)->sin_port);
}

static bool is_inet(int family)
{
    return family == AF_INET || family == AF_INET6;
}

/* Of the name's last part: there are several ways to it. 0: it has no name. */
static uint32_t hash_of_local(const struct sockaddr *address, size_t size)
{
    const struct sockaddr_un *local = (const struct sockaddr_un *)address;
    size_t first = offsetof(struct sockaddr_un, sun_path), last = size;
    if (size <= first || size > sizeof *local)
        return 0;
    const char *path = local->sun_path;
    size_t length = last - first, from = 0, to = length;
    if (path[0] != '\0') { /* a file; otherwise all bytes count */
        for (to = 0; to < length && path[to] != '\0'; to++)
            if (path[to] == '/')
                from = to + 1;
    }
    uint32_t hash = 2166136261u;
    for (size_t i = from; i < to; i++)
        hash = (hash ^ (unsigned char)path[i]) * 16777619u;
    hash ^= hash >> 16;
    return hash != 0 ? hash : 1;
}

static uint32_t family_peg(int family)
{
    return peg(PEG_SINGLE, PEG_FAMILY + ((unsigned)family & 127));
}

uint32_t fd_towards(const struct sockaddr *address, size_t size)
{
    int family = size >= sizeof(sa_family_t) ? address->sa_family : AF_UNSPEC;
    if (is_inet(family))
        return peg(PEG_TO, port_of(address, size));
    return family == AF_UNIX ? peg(PEG_TO, hash_of_local(address, size)) : family_peg(family);
}

uint32_t fd_listener(const struct sockaddr *address, size_t size, enum peg_class direction)
{
    int family = size >= sizeof(sa_family_t) ? address->sa_family : AF_UNSPEC;
    if (is_inet(family))
        return peg(direction, port_of(address, size));
    if (family == AF_UNIX)
        return peg(PEG_SINGLE, direction == PEG_TO ? PEG_UNIX_TO : PEG_UNIX_FROM);
    return family_peg(family);
}

/* --- both ends of a socketpair(), by their inodes --- */

static struct pair {
    uint64_t inodes; /* the end's and the other's, 32 bits each; written by any thread, always whole */
} pairs[1 << PEG_BITS];

static uint64_t inode_of(int fd)
{
    struct stat s;
    return sys_call3(SYS_fstat, fd, (long)&s, 0) == 0 ? s.st_ino : 0;
}

static struct pair *pair_of(uint64_t inode)
{
    return &pairs[inode % array_length(pairs)];
}

void fd_pair_known(const int fd[2])
{
    uint64_t a = inode_of(fd[0]), b = inode_of(fd[1]);
    store_release(&pair_of(a)->inodes, a << 32 | (uint32_t)b);
    store_release(&pair_of(b)->inodes, b << 32 | (uint32_t)a);
}

/* The inode of the other end; 0: not one that we have seen made. */
static uint32_t other_end(uint64_t inode)
{
    uint64_t inodes = load_acquire(&pair_of(inode)->inodes);
    return inodes >> 32 == (uint32_t)inode ? (uint32_t)inodes : 0;
}

/* --- sockets --- */

static int option(int fd, int which)
{
    int value = 0;
    socklen_t size = sizeof value;
    sys_call6(SYS_getsockopt, fd, SOL_SOCKET, which, (long)&value, (long)&size, 0);
    return value;
}

static bool is_peer_here(int fd)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    sys_call6(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&size, 0);
    return peer.pid == (int)sys_call3(SYS_getpid, 0, 0, 0);
}

static struct fd_ends both(uint32_t which)
{
    return (struct fd_ends){.in = which, .out = which};
}

static struct fd_ends listening(const struct name *own)
{
    return (struct fd_ends){.in = fd_listener(&own->address, own->size, PEG_TO),
                            .out = fd_listener(&own->address, own->size, PEG_FROM)};
}

/* Messages. Until it has an address, whoever sends the first one may be given it. */
static struct fd_ends messages(const struct name *own, const struct name *peer, uint64_t inode, bool *changes)
{
    *changes = is_inet(own->address.sa_family) ? port_of(&own->address, own->size) == 0
                                               : hash_of_local(&own->address, own->size) == 0;
    return (struct fd_ends){.in = *changes ? 0 : fd_towards(&own->address, own->size),
                            .out = peer->size > 0 ? fd_towards(&peer->address, peer->size) : 0,
                            .self = peg(PEG_INODE, inode)};
}

static struct fd_ends local_stream(int fd, const struct name *own, const struct name *peer, uint64_t inode)
{
    uint32_t here = hash_of_local(&own->address, own->size),
             there = hash_of_local(&peer->address, peer->size);
    bool up = here < there;
    if (here == 0 && there == 0)
        return both(family_peg(AF_UNIX));
    if (here != 0 && !is_peer_here(fd))
        return both(peg(PEG_INODE, inode));
    return (struct fd_ends){.in = peg(up ? PEG_NAMED_DOWN : PEG_NAMED_UP, here ^ there),
                            .out = peg(up ? PEG_NAMED_UP : PEG_NAMED_DOWN, here ^ there),
                            .self = here == 0 ? peg(PEG_INODE, inode) : 0};
}

static struct fd_ends socket_ends(int fd, uint64_t inode, bool *changes)
{
    int family = option(fd, SO_DOMAIN), type = option(fd, SO_TYPE);
    uint32_t other = family == AF_UNIX ? other_end(inode) : 0;
    if (other != 0)
        return (struct fd_ends){.in = peg(PEG_INODE, inode), .out = peg(PEG_INODE, other)};
    if (family != AF_UNIX && (!is_inet(family) || (type != SOCK_STREAM && type != SOCK_DGRAM)))
        return both(family_peg(family));
    struct name own = name_of(fd, SYS_getsockname), peer = name_of(fd, SYS_getpeername);
    if (type == SOCK_DGRAM)
        return messages(&own, &peer, inode, changes);
    if (option(fd, SO_ACCEPTCONN))
        return listening(&own);
    if (peer.size == 0) {
        *changes = true; /* not connected, or not any more */
        return (struct fd_ends){0};
    }
    if (family == AF_UNIX)
        return local_stream(fd, &own, &peer, inode);
    return both(peg(PEG_STREAM, port_of(&own.address, own.size) ^ port_of(&peer.address, peer.size)));
}

/* --- devices --- */

static struct fd_ends device_ends(dev_t device)
{
    enum { MEMORY = 1, CONSOLE = 4, TERMINAL = 5, FIRST_UNIX98 = 128, LAST_UNIX98 = 143 };
    unsigned kind = major(device);
    if (kind == MEMORY)
        return (struct fd_ends){0};
    if (kind == CONSOLE || kind == TERMINAL || (kind >= FIRST_UNIX98 && kind <= LAST_UNIX98))
        return both(peg(PEG_SINGLE, PEG_TERMINALS));
    return both(peg(PEG_INODE, device));
}

struct fd_ends fd_ask(int fd, bool *changes, bool *anonymous)
{
    struct stat s;
    *changes = *anonymous = false;
    if (sys_call3(SYS_fstat, fd, (long)&s, 0) != 0) {
        *changes = true;
        return (struct fd_ends){0};
    }
    switch (s.st_mode & S_IFMT) {
    case S_IFSOCK:
        return socket_ends(fd, s.st_ino, changes);
    case S_IFCHR:
        return device_ends(s.st_rdev);
    case 0:
        *anonymous = true;
        return (struct fd_ends){0};
    default:
        return both(peg(PEG_INODE, s.st_ino));
    }
}
