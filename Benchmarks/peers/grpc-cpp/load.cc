// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// Load on the echo from one asynchronous client, with a fixed number of calls in flight over CHANNELS connections.
//
//   load ADDRESS IN_FLIGHT CHANNELS SECONDS BYTES
//
// Prints one line of JSON (latency.h).

#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "../../load/latency.h"
#include "echo.grpc.pb.h"

namespace {

struct Call {
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<echo::Message>> reader;
  echo::Message reply;
  grpc::Status status;
  uint64_t sent_at;
  int channel;
};

latency measured;

}  // namespace

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: load ADDRESS IN_FLIGHT CHANNELS SECONDS BYTES\n");
    return 2;
  }
  int in_flight = atoi(argv[2]), channels = atoi(argv[3]);
  std::vector<std::unique_ptr<echo::Echo::Stub>> stubs;
  for (int i = 0; i < channels; i++) {
    grpc::ChannelArguments arguments;
    arguments.SetInt("channel", i);  // different arguments: a connection of its own
    stubs.push_back(
        echo::Echo::NewStub(grpc::CreateCustomChannel(argv[1], grpc::InsecureChannelCredentials(), arguments)));
  }
  echo::Message request;
  request.set_text(std::string(atoi(argv[5]), 'x'));
  for (auto &stub : stubs) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    echo::Message reply;
    if (!stub->Call(&context, request, &reply).ok()) return 1;
  }

  grpc::CompletionQueue queue;
  auto send = [&](Call *call) {
    call->context = std::make_unique<grpc::ClientContext>();
    call->sent_at = now_nanos();
    call->reader = stubs[call->channel]->AsyncCall(call->context.get(), request, &queue);
    call->reader->Finish(&call->reply, &call->status, call);
  };
  uint64_t begin = now_nanos(), end = begin + (uint64_t)(atof(argv[4]) * 1e9);
  uint64_t errors = 0;
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < in_flight; i++) {
    calls.push_back(std::make_unique<Call>());
    calls.back()->channel = i % channels;
    send(calls.back().get());
  }
  int outstanding = in_flight;
  void *tag;
  bool ok;
  while (outstanding > 0 && queue.Next(&tag, &ok)) {
    auto *call = static_cast<Call *>(tag);
    uint64_t now = now_nanos();
    if (!ok || !call->status.ok()) errors++;
    latency_add(&measured, now - call->sent_at);
    if (now < end) {
      send(call);
    } else {
      outstanding--;
    }
  }
  latency_print(&measured, (now_nanos() - begin) / 1e9, errors);
  return errors == 0 ? 0 : 1;
}
