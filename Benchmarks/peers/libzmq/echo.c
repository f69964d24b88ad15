// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// The limit: a ROUTER that gives every message back and does nothing else. Frames are moved, never copied; one wake
// serves all that has arrived.
//
//   echo ENDPOINT

#include <stdio.h>
#include <stdlib.h>
#include <zmq.h>

static void fail(const char *what) {
  fprintf(stderr, "echo: %s: %s\n", what, zmq_strerror(zmq_errno()));
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: echo ENDPOINT\n");
    return 2;
  }
  void *context = zmq_ctx_new();
  void *router = zmq_socket(context, ZMQ_ROUTER);
  int unlimited = 0;
  zmq_setsockopt(router, ZMQ_SNDHWM, &unlimited, sizeof unlimited);
  zmq_setsockopt(router, ZMQ_RCVHWM, &unlimited, sizeof unlimited);
  if (zmq_bind(router, argv[1]) != 0) fail("bind");
  zmq_msg_t frame;
  zmq_msg_init(&frame);
  for (;;) {
    if (zmq_msg_recv(&frame, router, 0) < 0) fail("receive");
    int flags = zmq_msg_more(&frame) ? ZMQ_SNDMORE : 0;
    if (zmq_msg_send(&frame, router, flags) < 0) fail("send");
  }
}
