// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// A good client: one call after the other on one connection, with a pause between them, as most clients are. What it
// measures is how long it waits, not how much a server can do.
//
//   good http://127.0.0.1:PORT|tcp://… PAUSE_MICROS SECONDS BODIES TOKEN EXPECTED
//
// BODIES is a file of one request to a line; TOKEN is a service key; every reply must hold the text EXPECTED, or counts as
// an error. Prints one line of JSON (latency.h). CURVE as zmq_load has it.

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "latency.h"

#define REPLY_BYTES 65536
#define PATIENCE_SECONDS 10

struct client {
  bool is_http;
  int socket;
  void *dealer;
  const char *token;
  char metadata[256];
  char reply[REPLY_BYTES];
};

static void fail(const char *what, const char *why) {
  fprintf(stderr, "good: %s: %s\n", what, why);
  exit(1);
}

static int connect_http(const char *url) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const char *port = strrchr(url, ':');
  address.sin_port = htons((uint16_t)atoi(port + 1));
  int made = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(made, (struct sockaddr *)&address, sizeof address) != 0) fail(url, strerror(errno));
  return made;
}

static void set_key(void *dealer, int option, const char *name) {
  const char *key = getenv(name);
  if (!key || zmq_setsockopt(dealer, option, key, strlen(key)) != 0) fail(name, "no key");
}

static void *connect_zeromq(const char *endpoint) {
  void *dealer = zmq_socket(zmq_ctx_new(), ZMQ_DEALER);
  int patience = PATIENCE_SECONDS * 1000;
  zmq_setsockopt(dealer, ZMQ_RCVTIMEO, &patience, sizeof patience);
  if (getenv("LOAD_SERVER_KEY")) {
    set_key(dealer, ZMQ_CURVE_SERVERKEY, "LOAD_SERVER_KEY");
    set_key(dealer, ZMQ_CURVE_PUBLICKEY, "LOAD_PUBLIC_KEY");
    set_key(dealer, ZMQ_CURVE_SECRETKEY, "LOAD_SECRET_KEY");
  }
  if (zmq_connect(dealer, endpoint) != 0) fail(endpoint, zmq_strerror(zmq_errno()));
  return dealer;
}

static void call_http(struct client *client, const char *body, size_t length) {
  char request[4096];
  int size = snprintf(
      request, sizeof request,
      "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\n"
      "Content-Length: %zu\r\n\r\n%.*s",
      client->token, length, (int)length, body);
  if (size >= (int)sizeof request || send(client->socket, request, (size_t)size, MSG_NOSIGNAL) != size)
    fail("send", "not as a whole");
  size_t have = 0;
  for (;;) {
    ssize_t count = recv(client->socket, client->reply + have, REPLY_BYTES - 1 - have, 0);
    if (count <= 0) fail("receive", count == 0 ? "closed" : strerror(errno));
    have += (size_t)count;
    client->reply[have] = 0;
    char *end = strstr(client->reply, "\r\n\r\n"), *field = strcasestr(client->reply, "\r\nContent-Length:");
    if (end && field && have >= (size_t)(end + 4 - client->reply) + (size_t)atoi(field + 17)) return;
  }
}

static void call_zeromq(struct client *client, const char *body, size_t length) {
  zmq_send(client->dealer, "ASNT1", 5, ZMQ_SNDMORE);
  zmq_send(client->dealer, client->metadata, strlen(client->metadata), ZMQ_SNDMORE);
  if (zmq_send(client->dealer, body, length, 0) < 0) fail("send", zmq_strerror(zmq_errno()));
  int more = 1;
  size_t option_size = sizeof more;
  while (more) {
    int size = zmq_recv(client->dealer, client->reply, REPLY_BYTES - 1, 0);
    if (size < 0) fail("receive", zmq_strerror(zmq_errno()));
    client->reply[size < REPLY_BYTES ? size : REPLY_BYTES - 1] = 0;
    zmq_getsockopt(client->dealer, ZMQ_RCVMORE, &more, &option_size);
  }
}

int main(int argc, char **argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: good URL PAUSE_MICROS SECONDS BODIES TOKEN EXPECTED\n");
    return 2;
  }
  static struct client client;
  client.token = argv[5];
  client.is_http = strncmp(argv[1], "http://", 7) == 0;
  snprintf(client.metadata, sizeof client.metadata, "{\"authorization\":\"Bearer %s\"}", client.token);
  if (client.is_http) {
    client.socket = connect_http(argv[1]);
  } else {
    client.dealer = connect_zeromq(argv[1]);
  }
  FILE *bodies = fopen(argv[4], "r");
  if (!bodies) fail(argv[4], strerror(errno));

  static struct latency latency;
  uint64_t begin = now_nanos(), end = begin + (uint64_t)(atof(argv[3]) * 1e9), errors = 0;
  char *body = NULL;
  size_t capacity = 0;
  for (int made = 0; now_nanos() < end; made++) {
    ssize_t length = getline(&body, &capacity, bodies);
    if (length <= 0) {
      rewind(bodies);
      length = getline(&body, &capacity, bodies);
    }
    if (length > 0 && body[length - 1] == '\n') length--;
    if (length <= 0) fail(argv[4], "no bodies");
    uint64_t sent_at = now_nanos();
    if (client.is_http) {
      call_http(&client, body, (size_t)length);
    } else {
      call_zeromq(&client, body, (size_t)length);
    }
    // The first one waited for the connection too.
    if (made > 0) latency_add(&latency, now_nanos() - sent_at);
    if (!strstr(client.reply, argv[6]) && errors++ == 0) fprintf(stderr, "good: first error: %.300s\n", client.reply);
    usleep((useconds_t)atoi(argv[2]));
  }
  latency_print(&latency, (double)(now_nanos() - begin) / 1e9, errors);
  return errors == 0 ? 0 : 1;
}
