#include "cook/trace/remote.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE_BYTES 4096u

bool cook_trace_remote_bytes(void *out, size_t size, int pid, uint64_t address)
{
    struct iovec local = { out, size };
    struct iovec remote = { (void *)(uintptr_t)address, size };
    return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Page by page: the text may end just before one that is not mapped. */
bool cook_trace_remote_text(char *out, size_t size, int pid, uint64_t address)
{
    size_t done = 0;
    out[0] = '\0';
    while (address && done < size - 1) {
        size_t room = PAGE_BYTES - (size_t)((address + done) % PAGE_BYTES);
        if (room > size - 1 - done)
            room = size - 1 - done;
        if (!cook_trace_remote_bytes(out + done, room, pid, address + done))
            break;
        if (memchr(out + done, '\0', room))
            return true;
        done += room;
    }
    out[done] = '\0';
    return done != 0;
}

static bool read_link(char *out, size_t size, const char *link)
{
    ssize_t length = readlink(link, out, size - 1);
    out[length > 0 ? length : 0] = '\0';
    return length > 0;
}

void cook_trace_remote_resolve(char *path, size_t size, int pid, int folder_fd, bool moved)
{
    char link[64];
    char folder[4096];
    if (path[0] == '/' || (folder_fd == AT_FDCWD && !moved))
        return;
    if (folder_fd == AT_FDCWD)
        (void)snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
    else
        (void)snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, folder_fd);
    if (!read_link(folder, sizeof(folder), link))
        return;
    size_t length = strlen(folder);
    size_t rest = strlen(path);
    if (length + 1 + rest + 1 > size)
        return;
    memmove(path + length + 1, path, rest + 1);
    memcpy(path, folder, length);
    path[length] = rest ? '/' : '\0';
}

void cook_trace_remote_program(char *out, size_t size, int pid)
{
    char link[64];
    (void)snprintf(link, sizeof(link), "/proc/%d/exe", pid);
    (void)read_link(out, size, link);
}

/* The beginning of a file of /proc/PID; false when the process is gone. */
static bool read_proc(char *text, size_t size, int pid, const char *name)
{
    char file[64];
    (void)snprintf(file, sizeof(file), "/proc/%d/%s", pid, name);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

#define PROCESSOR_FIELD 39 /* of /proc/PID/stat, counted from 1 */

int cook_trace_remote_processor(int tid)
{
    char text[2048];
    if (!read_proc(text, sizeof(text), tid, "stat"))
        return -1;
    const char *at = strrchr(text, ')'); /* the end of field 2, which may hold anything */
    for (int field = 2; at && field < PROCESSOR_FIELD; field++)
        at = strchr(at + 1, ' ');
    return at ? (int)strtol(at, NULL, 10) : -1;
}

/* A number of /proc/PID/status, such as "PPid:". */
static uint64_t status_number(int pid, const char *name, int base)
{
    char text[2048];
    if (!read_proc(text, sizeof(text), pid, "status"))
        return 0;
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, base) : 0;
}

int cook_trace_remote_parent(int pid)
{
    return (int)status_number(pid, "\nPPid:", 10);
}

int cook_trace_remote_group(int tid)
{
    return (int)status_number(tid, "\nTgid:", 10);
}

bool cook_trace_remote_blocks(int tid, int signal_number)
{
    return status_number(tid, "\nSigBlk:", 16) >> (signal_number - 1) & 1;
}
