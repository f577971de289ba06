/* Preloaded into a server: every change of a file in the folder RECORDED is written down in the file RECORD, in order,
   with its bytes, and so is every fsync. One lock is held over a call and its record, so that the order is the true
   one. A record: what (1 byte), length of the path (4), place (8), length of the bytes (8), path, bytes; host order. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static const char *folder = NULL;

#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

static void ready(void) {
    if (record >= 0 || getenv("RECORD") == NULL) return;
    folder = getenv("RECORDED");
    record = REAL(int, open, const char *, int, ...)(getenv("RECORD"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int ours(const char *path) {
    ready();
    return folder != NULL && strncmp(path, folder, strlen(folder)) == 0 && strstr(path, "-shm") == NULL;
}

static int path_of(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return ours(path);
}

static void note(char what, const char *path, uint64_t place, const void *bytes, uint64_t size) {
    char head[21];
    uint32_t length = strlen(path);
    head[0] = what;
    memcpy(head + 1, &length, 4);
    memcpy(head + 5, &place, 8);
    memcpy(head + 13, &size, 8);
    struct iovec parts[3] = {{head, 21}, {(void *)path, length}, {(void *)bytes, size}};
    if (writev(record, parts, 3) < 0) abort();
}

static int opened(int file, const char *asked, int flags, int was_there) {
    char path[PATH_MAX];
    if (file >= 0 && path_of(file, path)) {
        if (!was_there && (flags & O_CREAT)) note('C', path, 0, "", 0);
        if (was_there && (flags & O_TRUNC)) note('T', path, 0, "", 0);
    }
    (void)asked;
    return file;
}

#define OPEN(name)                                                                                   \
    int name(const char *path, int flags, ...) {                                                     \
        va_list more;                                                                                \
        va_start(more, flags);                                                                       \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;                    \
        va_end(more);                                                                                \
        if (!(flags & (O_CREAT | O_TRUNC))) return REAL(int, name, const char *, int, ...)(path, flags, mode); \
        pthread_mutex_lock(&turn);                                                                   \
        struct stat status;                                                                          \
        int there = stat(path, &status) == 0;                                                        \
        int file = opened(REAL(int, name, const char *, int, ...)(path, flags, mode), path, flags, there); \
        pthread_mutex_unlock(&turn);                                                                 \
        return file;                                                                                 \
    }
OPEN(open)
OPEN(open64)

#define WRITE(name, type)                                                                            \
    ssize_t name(int file, const void *bytes, size_t size, type at) {                                \
        char path[PATH_MAX];                                                                         \
        pthread_mutex_lock(&turn);                                                                   \
        ssize_t done = REAL(ssize_t, name, int, const void *, size_t, type)(file, bytes, size, at);  \
        int error = errno;                                                                           \
        if (done > 0 && path_of(file, path)) note('W', path, at, bytes, done);                       \
        pthread_mutex_unlock(&turn);                                                                 \
        errno = error;                                                                               \
        return done;                                                                                 \
    }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)

ssize_t write(int file, const void *bytes, size_t size) {
    char path[PATH_MAX];
    if (file < 3 || !path_of(file, path)) return REAL(ssize_t, write, int, const void *, size_t)(file, bytes, size);
    pthread_mutex_lock(&turn);
    struct stat status;
    off_t at = fcntl(file, F_GETFL) & O_APPEND ? (fstat(file, &status), status.st_size) : lseek(file, 0, SEEK_CUR);
    ssize_t done = REAL(ssize_t, write, int, const void *, size_t)(file, bytes, size);
    int error = errno;
    if (done > 0) note('W', path, at, bytes, done);
    pthread_mutex_unlock(&turn);
    errno = error;
    return done;
}

#define CUT(name, type)                                                                              \
    int name(int file, type size) {                                                                  \
        char path[PATH_MAX];                                                                         \
        pthread_mutex_lock(&turn);                                                                   \
        int result = REAL(int, name, int, type)(file, size);                                         \
        int error = errno;                                                                           \
        if (result == 0 && path_of(file, path)) note('T', path, size, "", 0);                        \
        pthread_mutex_unlock(&turn);                                                                 \
        errno = error;                                                                               \
        return result;                                                                               \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

#define SYNC(name)                                                                                   \
    int name(int file) {                                                                             \
        char path[PATH_MAX];                                                                         \
        pthread_mutex_lock(&turn);                                                                   \
        int result = REAL(int, name, int)(file);                                                     \
        int error = errno;                                                                           \
        if (result == 0 && path_of(file, path)) note('S', path, 0, "", 0);                           \
        pthread_mutex_unlock(&turn);                                                                 \
        errno = error;                                                                               \
        return result;                                                                               \
    }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
    pthread_mutex_lock(&turn);
    int result = REAL(int, unlink, const char *)(path);
    int error = errno;
    if (result == 0 && ours(path)) note('U', path, 0, "", 0);
    pthread_mutex_unlock(&turn);
    errno = error;
    return result;
}

int rename(const char *from, const char *to) {
    pthread_mutex_lock(&turn);
    int result = REAL(int, rename, const char *, const char *)(from, to);
    int error = errno;
    if (result == 0 && ours(from)) note('R', from, 0, to, strlen(to));
    pthread_mutex_unlock(&turn);
    errno = error;
    return result;
}
