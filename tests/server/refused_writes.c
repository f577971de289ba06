/* Preloaded into the server: while the file REFUSING names exists, the store's files cannot be written, as on a file
   system that turned read-only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int refused(int file) {
    char link[64], path[PATH_MAX];
    const char *refusing = getenv("REFUSING");
    if (refusing == NULL || access(refusing, F_OK) != 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, "fireside.db") != NULL;
}

ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) {
    if (refused(file)) { errno = EROFS; return -1; }
    return ((ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64"))(file, from, size, at);
}

ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
    if (refused(file)) { errno = EROFS; return -1; }
    return ((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite"))(file, from, size, at);
}
