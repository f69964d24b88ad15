// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// Requests to the responder from one thread, with a fixed number in flight: one subscription takes all replies, and the
// last token of a reply's subject says which call it belongs to, as libnats's own requests do.
//
//   load URL threads|loop IN_FLIGHT SECONDS BYTES
//
// Waits until there is a responder. Prints one line of JSON (latency.h).

#include "connection.h"

#include "../../load/latency.h"

#define SUBJECT_BYTES 64
#define SILENCE_MILLIS 10000
#define ATTEMPTS 1000

struct load {
  struct connection connection;
  natsSubscription *replies;
  const char *inbox;
  char *payload;
  int payload_length;
  int in_flight;
  char (*reply_subjects)[SUBJECT_BYTES];  // by slot
  uint64_t *sent_at;                      // by slot
  uint64_t errors;
};

static void send_call(struct load *load, int slot) {
  load->sent_at[slot] = now_nanos();
  expect(
      natsConnection_PublishRequest(
          load->connection.nats, "echo", load->reply_subjects[slot], load->payload, load->payload_length),
      "request");
}

// The slot of the next reply, or -1 when none has come.
static int next_reply(struct load *load, int millis) {
  natsMsg *reply = next_message(&load->connection, load->replies, millis);
  if (!reply) return -1;
  int slot = atoi(natsMsg_GetSubject(reply) + strlen(load->inbox) + 1);
  if (slot < 0 || slot >= load->in_flight) expect(NATS_ERR, "a reply to no call of ours");
  if (natsMsg_GetDataLength(reply) != load->payload_length) load->errors++;
  natsMsg_Destroy(reply);
  return slot;
}

static void prepare(struct load *load) {
  natsInbox *inbox;
  expect(natsInbox_Create(&inbox), "inbox");
  load->inbox = inbox;
  char all[SUBJECT_BYTES];
  snprintf(all, sizeof all, "%s.*", inbox);
  load->replies = subscribe(&load->connection, all);
  load->payload = memset(malloc((size_t)load->payload_length), 'x', (size_t)load->payload_length);
  load->sent_at = calloc((size_t)load->in_flight, sizeof *load->sent_at);
  load->reply_subjects = calloc((size_t)load->in_flight, sizeof *load->reply_subjects);
  for (int slot = 0; slot < load->in_flight; slot++)
    snprintf(load->reply_subjects[slot], SUBJECT_BYTES, "%s.%d", inbox, slot);
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    send_call(load, 0);
    if (next_reply(load, SILENCE_MILLIS) == 0) return;
    nats_Sleep(10);
  }
  expect(NATS_NO_RESPONDERS, "request");
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: load URL threads|loop IN_FLIGHT SECONDS BYTES\n");
    return 2;
  }
  struct load load = {.in_flight = atoi(argv[3]), .payload_length = atoi(argv[5])};
  connect_to(&load.connection, argv[1], argv[2]);
  prepare(&load);

  static struct latency latency;
  uint64_t begin = now_nanos(), end = begin + (uint64_t)(atof(argv[4]) * 1e9);
  int outstanding = load.in_flight;
  for (int slot = 0; slot < load.in_flight; slot++) send_call(&load, slot);
  while (outstanding > 0) {
    int slot = next_reply(&load, SILENCE_MILLIS);
    if (slot < 0) expect(NATS_TIMEOUT, "receive");
    // What has arrived by now is taken without another wait.
    do {
      uint64_t now = now_nanos();
      latency_add(&latency, now - load.sent_at[slot]);
      if (now < end) {
        send_call(&load, slot);
      } else {
        outstanding--;
      }
    } while (outstanding > 0 && (slot = next_reply(&load, 0)) >= 0);
  }
  latency_print(&latency, (double)(now_nanos() - begin) / 1e9, load.errors);
  return load.errors == 0 ? 0 : 1;
}
