// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// A connection to nats-server and the next message of a subscription, in the two ways that libnats has:
//
// threads: one of its threads reads the socket and hands each message over; each message published is written at once
//          (SendAsap: otherwise its flushing thread waits a millisecond first). What programs with libnats do.
// loop:    the calling thread drives the connection itself through the library's event-loop interface: nothing is handed
//          over, and what is published while the messages of one read are worked on leaves in one write.

#pragma once

#include <nats/nats.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct connection {
  natsConnection *nats;
  natsSock socket;
  bool is_driven, wants_write;
};

static inline void expect(natsStatus status, const char *what) {
  if (status == NATS_OK) return;
  fprintf(stderr, "nats: %s: %s\n", what, natsStatus_GetText(status));
  exit(1);
}

static natsStatus attach(void **user_data, void *connection, natsConnection *nats, natsSock socket) {
  (void)nats;
  *user_data = connection;
  ((struct connection *)connection)->socket = socket;
  return NATS_OK;
}

// It always waits for something to read.
static natsStatus want_read(void *connection, bool is_wanted) {
  (void)connection, (void)is_wanted;
  return NATS_OK;
}

static natsStatus want_write(void *connection, bool is_wanted) {
  ((struct connection *)connection)->wants_write = is_wanted;
  return NATS_OK;
}

static natsStatus detach(void *connection) {
  (void)connection;
  expect(NATS_CONNECTION_CLOSED, "the server went away");
  return NATS_OK;
}

static inline void connect_to(struct connection *connection, const char *url, const char *mode) {
  connection->is_driven = strcmp(mode, "loop") == 0;
  natsOptions *options;
  expect(natsOptions_Create(&options), "options");
  expect(natsOptions_SetURL(options, url), "url");
  expect(natsOptions_SetAllowReconnect(options, false), "reconnect");
  expect(natsOptions_SetSendAsap(options, true), "send asap");
  if (connection->is_driven)
    expect(natsOptions_SetEventLoop(options, connection, attach, want_read, want_write, detach), "event loop");
  expect(natsConnection_Connect(&connection->nats, options), "connect");
  natsOptions_Destroy(options);
}

static inline natsSubscription *subscribe(struct connection *connection, const char *subject) {
  natsSubscription *subscription;
  expect(natsConnection_SubscribeSync(&subscription, connection->nats, subject), "subscribe");
  expect(natsSubscription_SetPendingLimits(subscription, -1, -1), "pending limits");
  return subscription;
}

// The next message, after a wait of at most `millis`; NULL when none has come, or the word that nobody responds.
static inline natsMsg *next_message(struct connection *connection, natsSubscription *subscription, int millis) {
  natsMsg *message = NULL;
  natsStatus status = natsSubscription_NextMsg(&message, subscription, connection->is_driven ? 0 : millis);
  while (status == NATS_TIMEOUT && connection->is_driven && millis != 0) {
    if (connection->wants_write) natsConnection_ProcessWriteEvent(connection->nats);
    struct pollfd ready = {
        .fd = connection->socket, .events = (short)(POLLIN | (connection->wants_write ? POLLOUT : 0))};
    if (poll(&ready, 1, millis) == 0) return NULL;
    if (ready.revents & ~POLLOUT) natsConnection_ProcessReadEvent(connection->nats);
    status = natsSubscription_NextMsg(&message, subscription, 0);
  }
  if (status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS) return NULL;
  expect(status, "receive");
  return message;
}
