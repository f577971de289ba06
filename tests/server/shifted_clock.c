/* Preloaded into the server: the wall clock is off by the seconds that the file SHIFT names holds; timers are not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long long shift(void) {
    long long seconds = 0;
    const char *name = getenv("SHIFT");
    FILE *file = name == NULL ? NULL : fopen(name, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%lld", &seconds) != 1) seconds = 0;
    fclose(file);
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = ((int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime"))(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int result = ((int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday"))(now, zone);
    if (result == 0) now->tv_sec += shift();
    return result;
}

time_t time(time_t *into) {
    time_t now = ((time_t (*)(time_t *))dlsym(RTLD_NEXT, "time"))(NULL) + shift();
    if (into != NULL) *into = now;
    return now;
}
