/* Preloaded into the server: every call that could send something to another program is written into RECORD. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void put(const char *line, int length) {
    const char *record = getenv("RECORD");
    int file = record == NULL ? -1 : open(record, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (write(file, line, length) < 0) abort();
    close(file);
}

static void note(const char *call, const struct sockaddr *to) {
    char host[INET6_ADDRSTRLEN] = "", line[128];
    int port = 0;
    if (to == NULL) return; /* along a line that is open already */
    if (to->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)to;
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
        port = ntohs(four->sin_port);
    } else if (to->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)to;
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
        port = ntohs(six->sin6_port);
    } else {
        snprintf(host, sizeof host, "family %d", to->sa_family);
    }
    put(line, snprintf(line, sizeof line, "%s %s %d\n", call, host, port));
}

int connect(int s, const struct sockaddr *to, socklen_t length) {
    note("connect", to);
    return ((int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect"))(s, to, length);
}

ssize_t sendto(int s, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
    typedef ssize_t (*call)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
    note("sendto", to);
    return ((call)dlsym(RTLD_NEXT, "sendto"))(s, data, size, flags, to, length);
}

ssize_t sendmsg(int s, const struct msghdr *message, int flags) {
    note("sendmsg", message->msg_name);
    return ((ssize_t (*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg"))(s, message, flags);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    typedef int (*call)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    unsigned char binary[16];
    char line[300];
    int number = name == NULL || inet_pton(AF_INET, name, binary) == 1 || inet_pton(AF_INET6, name, binary) == 1;
    if (!number) put(line, snprintf(line, sizeof line, "name %.250s\n", name)); /* a number asks nobody */
    return ((call)dlsym(RTLD_NEXT, "getaddrinfo"))(name, service, hints, found);
}
