// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// Load on a ROUTER from one DEALER, with a fixed number of calls in flight.
//
//   zmq_load ENDPOINT IN_FLIGHT SECONDS BODIES [METADATA]
//
// BODIES is a file of one request to a line, each beginning {"jsonrpc":"2.0","id":1000000000, ; the digits are
// overwritten with 1000000000 + slot, by which a reply finds its call again (replies come in any order). METADATA, when
// given, is sent as Assent's two frames ahead of each body. Prints one line of JSON (latency.h); its errors
// are replies that carry one. With LOAD_SERVER_KEY, LOAD_PUBLIC_KEY and LOAD_SECRET_KEY (Z85) in the environment it
// speaks CURVE.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "latency.h"

#define ID_AT 22
#define ID_DIGITS 10
#define SILENCE_MILLIS 10000

static const char prefix[] = "{\"jsonrpc\":\"2.0\",\"id\":";

struct body {
  char *text;
  size_t length;
};

struct load {
  void *dealer;
  struct body *bodies;
  size_t body_count, next_body;
  const char *metadata;
  uint64_t *sent_at;  // by slot
  int in_flight;
  uint64_t errors;
};

static void fail(const char *what, const char *why) {
  fprintf(stderr, "zmq_load: %s: %s\n", what, why);
  exit(1);
}

static void read_bodies(struct load *load, const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail(path, strerror(errno));
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  while ((length = getline(&line, &capacity, file)) > 0) {
    if (line[length - 1] == '\n') length--;
    if (length <= ID_AT + ID_DIGITS || memcmp(line, prefix, ID_AT) != 0) fail(path, "a body does not begin as it must");
    load->bodies = realloc(load->bodies, (load->body_count + 1) * sizeof *load->bodies);
    struct body *body = &load->bodies[load->body_count++];
    body->text = memcpy(malloc(length), line, length);
    body->length = length;
  }
  free(line);
  fclose(file);
  if (load->body_count == 0) fail(path, "no bodies");
}

static void send_call(struct load *load, int slot) {
  const struct body *body = &load->bodies[load->next_body];
  load->next_body = load->next_body + 1 == load->body_count ? 0 : load->next_body + 1;
  zmq_msg_t message;
  zmq_msg_init_size(&message, body->length);
  char *text = zmq_msg_data(&message);
  memcpy(text, body->text, body->length);
  unsigned id = 1000000000u + (unsigned)slot;
  for (int i = ID_DIGITS - 1; i >= 0; i--, id /= 10) text[ID_AT + i] = (char)('0' + id % 10);
  load->sent_at[slot] = now_nanos();
  if (load->metadata) {
    zmq_send_const(load->dealer, "ASNT1", 5, ZMQ_SNDMORE);
    zmq_send_const(load->dealer, load->metadata, strlen(load->metadata), ZMQ_SNDMORE);
  }
  if (zmq_msg_send(&message, load->dealer, 0) < 0) fail("send", zmq_strerror(zmq_errno()));
}

// The slot of the next reply, or -1 when none has come.
static int receive_reply(struct load *load, int flags) {
  zmq_msg_t frame;
  zmq_msg_init(&frame);
  do {
    if (zmq_msg_recv(&frame, load->dealer, flags) < 0) {
      if (zmq_errno() == EAGAIN) return -1;
      fail("receive", zmq_strerror(zmq_errno()));
    }
  } while (zmq_msg_more(&frame));
  const char *text = zmq_msg_data(&frame);
  size_t length = zmq_msg_size(&frame);
  if (length <= ID_AT + ID_DIGITS || memcmp(text, prefix, ID_AT) != 0) fail("reply", "not to a call of ours");
  unsigned id = 0;
  for (int i = 0; i < ID_DIGITS; i++) id = id * 10 + (unsigned)(text[ID_AT + i] - '0');
  static const char error[] = ",\"error\":";
  if (length > ID_AT + ID_DIGITS + sizeof error && memcmp(text + ID_AT + ID_DIGITS, error, sizeof error - 1) == 0) {
    if (load->errors++ == 0) fprintf(stderr, "zmq_load: first error: %.*s\n", (int)length, text);
  }
  zmq_msg_close(&frame);
  int slot = (int)(id - 1000000000u);
  if (slot < 0 || slot >= load->in_flight) fail("reply", "an id that was never sent");
  return slot;
}

static int set_key(struct load *load, int option, const char *key) {
  return key ? zmq_setsockopt(load->dealer, option, key, strlen(key)) : -1;
}

int main(int argc, char **argv) {
  if (argc != 5 && argc != 6) {
    fprintf(stderr, "usage: zmq_load ENDPOINT IN_FLIGHT SECONDS BODIES [METADATA]\n");
    return 2;
  }
  struct load load = {.in_flight = atoi(argv[2]), .metadata = argc == 6 ? argv[5] : NULL};
  read_bodies(&load, argv[4]);
  load.sent_at = calloc((size_t)load.in_flight, sizeof *load.sent_at);
  void *context = zmq_ctx_new();
  load.dealer = zmq_socket(context, ZMQ_DEALER);
  int unlimited = 0, silence = SILENCE_MILLIS, linger = 0;
  zmq_setsockopt(load.dealer, ZMQ_SNDHWM, &unlimited, sizeof unlimited);
  zmq_setsockopt(load.dealer, ZMQ_RCVHWM, &unlimited, sizeof unlimited);
  zmq_setsockopt(load.dealer, ZMQ_RCVTIMEO, &silence, sizeof silence);
  zmq_setsockopt(load.dealer, ZMQ_LINGER, &linger, sizeof linger);
  const char *server_key = getenv("LOAD_SERVER_KEY");
  if (server_key && (set_key(&load, ZMQ_CURVE_SERVERKEY, server_key) ||
                     set_key(&load, ZMQ_CURVE_PUBLICKEY, getenv("LOAD_PUBLIC_KEY")) ||
                     set_key(&load, ZMQ_CURVE_SECRETKEY, getenv("LOAD_SECRET_KEY"))))
    fail("keys", zmq_strerror(zmq_errno()));
  if (zmq_connect(load.dealer, argv[1]) != 0) fail(argv[1], zmq_strerror(zmq_errno()));

  static struct latency latency;
  uint64_t begin = now_nanos(), end = begin + (uint64_t)(atof(argv[3]) * 1e9);
  int outstanding = load.in_flight;
  for (int slot = 0; slot < load.in_flight; slot++) send_call(&load, slot);
  while (outstanding > 0) {
    int slot = receive_reply(&load, 0);
    if (slot < 0) fail("receive", "no reply in 10 s");
    // What has arrived by now is taken without another wait.
    do {
      uint64_t now = now_nanos();
      latency_add(&latency, now - load.sent_at[slot]);
      if (now < end) {
        send_call(&load, slot);
      } else {
        outstanding--;
      }
    } while (outstanding > 0 && (slot = receive_reply(&load, ZMQ_DONTWAIT)) >= 0);
  }
  latency_print(&latency, (now_nanos() - begin) / 1e9, load.errors);
  zmq_close(load.dealer);
  zmq_ctx_term(context);
  return load.errors == 0 ? 0 : 1;
}
