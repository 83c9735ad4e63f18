#include "cook/trace/line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The supervisor's numbers; 0 to 2 stay. */
#define CHANNEL_FD  3
#define LOW_FD      4
#define HIGH_FD     5 /* until the listener is there */
#define LISTENER_FD 6
#define HIGHEST_FD  7

bool cook_trace_line_make(struct cook_trace_line *worker, struct cook_trace_line *supervisor)
{
    int channels[2] = { -1, -1 };
    int pipes[2][2] = { { -1, -1 }, { -1, -1 } };
    bool made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels) == 0 &&
                pipe2(pipes[0], O_CLOEXEC) == 0 && pipe2(pipes[1], O_CLOEXEC) == 0;
    *worker = (struct cook_trace_line){ channels[0], { pipes[0][0], pipes[1][0] } };
    *supervisor = (struct cook_trace_line){ channels[1], { pipes[0][1], pipes[1][1] } };
    if (!made) {
        cook_trace_line_close(worker);
        cook_trace_line_close(supervisor);
    }
    return made;
}

void cook_trace_line_close(struct cook_trace_line *line)
{
    int fds[] = { line->channel, line->pipes[0], line->pipes[1] };
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    *line = (struct cook_trace_line){ -1, { -1, -1 } };
}

bool cook_trace_line_send(const struct cook_trace_line *line, int listener)
{
    char byte = 0;
    struct iovec part = { &byte, 1 };
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = sizeof(control) };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(listener));
    memcpy(CMSG_DATA(header), &listener, sizeof(listener));
    if (sendmsg(line->channel, &message, MSG_NOSIGNAL) != 1)
        return false;
    ssize_t size;
    do {
        size = read(line->channel, &byte, 1); /* it has taken its place */
    } while (size < 0 && errno == EINTR);
    return size == 1;
}

bool cook_trace_line_holds(const struct cook_trace_line *line)
{
    struct pollfd fds[] = { { .fd = line->pipes[0] }, { .fd = line->pipes[1] } };
    int ready;
    do {
        ready = poll(fds, 2, 0);
    } while (ready < 0 && errno == EINTR);
    return ready == 0;
}

/* ---- the supervisor's side ---- */

static int receive(int channel)
{
    char byte;
    struct iovec part = { &byte, 1 };
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = sizeof(control) };
    int fd = -1;
    ssize_t size;
    do {
        size = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    const struct cmsghdr *header = size == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    return fd;
}

/* Only what it needs: the worker's connections must end with the worker. */
static void keep_line_alone(const struct cook_trace_line *line)
{
    /* Out of the way first: a number to move to may be one of those to move. */
    int channel = fcntl(line->channel, F_DUPFD_CLOEXEC, 64);
    int low = fcntl(line->pipes[0], F_DUPFD_CLOEXEC, 64);
    int high = fcntl(line->pipes[1], F_DUPFD_CLOEXEC, 64);
    (void)dup3(channel, CHANNEL_FD, O_CLOEXEC);
    (void)dup3(low, LOW_FD, O_CLOEXEC);
    (void)dup3(high, HIGH_FD, O_CLOEXEC);
    (void)syscall(SYS_close_range, LISTENER_FD, ~0u, 0);
}

int cook_trace_line_receive(const struct cook_trace_line *line)
{
    keep_line_alone(line);
    int listener = receive(CHANNEL_FD);
    if (listener < 0)
        return -1;
    if (listener != LISTENER_FD) {
        (void)dup3(listener, LISTENER_FD, O_CLOEXEC);
        close(listener);
    }
    (void)dup3(HIGH_FD, HIGHEST_FD, O_CLOEXEC);
    close(HIGH_FD);
    char byte = 0;
    if (write(CHANNEL_FD, &byte, 1) != 1)
        return -1;
    return LISTENER_FD;
}
