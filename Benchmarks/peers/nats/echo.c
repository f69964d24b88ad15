// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// The responder behind nats-server: gives every request's bytes back.
//
//   echo URL threads|loop

#include "connection.h"

#define A_WHILE_MILLIS 1000

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: echo URL threads|loop\n");
    return 2;
  }
  struct connection connection = {0};
  connect_to(&connection, argv[1], argv[2]);
  natsSubscription *requests = subscribe(&connection, "echo");
  for (;;) {
    natsMsg *request = next_message(&connection, requests, A_WHILE_MILLIS);
    if (!request) continue;
    expect(
        natsConnection_Publish(
            connection.nats, natsMsg_GetReply(request), natsMsg_GetData(request), natsMsg_GetDataLength(request)),
        "reply");
    natsMsg_Destroy(request);
  }
}
