// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// gRPC's bare echo: no authentication, no TLS, no work.
//
//   echo ADDRESS THREADS
//
// The asynchronous API with one completion queue to a thread: of the three that grpc++ has (synchronous, callback,
// completion queues) this one was the fastest here. Calls are accepted in advance and their objects used again.

#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "echo.grpc.pb.h"

namespace {

// One call at a time, over and over: waits for a request, answers it, waits for the next.
class Call {
 public:
  Call(echo::Echo::AsyncService *service, grpc::ServerCompletionQueue *queue) : service_(service), queue_(queue) {
    accept();
  }

  void proceed(bool ok) {
    if (!ok) return;
    if (is_answering_) {
      accept();
    } else {
      is_answering_ = true;
      reply_->Swap(request_);
      responder_->Finish(*reply_, grpc::Status::OK, this);
    }
  }

 private:
  // A context serves one call only.
  struct State {
    grpc::ServerContext context;
    grpc::ServerAsyncResponseWriter<echo::Message> responder{&context};
  };

  void accept() {
    is_answering_ = false;
    state_ = std::make_unique<State>();
    responder_ = &state_->responder;
    service_->RequestCall(&state_->context, request_, responder_, queue_, queue_, this);
  }

  echo::Echo::AsyncService *service_;
  grpc::ServerCompletionQueue *queue_;
  std::unique_ptr<State> state_;
  grpc::ServerAsyncResponseWriter<echo::Message> *responder_ = nullptr;
  echo::Message messages_[2];
  echo::Message *request_ = &messages_[0], *reply_ = &messages_[1];
  bool is_answering_ = false;
};

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: echo ADDRESS THREADS\n");
    return 2;
  }
  echo::Echo::AsyncService service;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(argv[1], grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> queues;
  for (int i = 0; i < atoi(argv[2]); i++) queues.push_back(builder.AddCompletionQueue());
  auto server = builder.BuildAndStart();
  if (!server) return 1;
  std::vector<std::thread> threads;
  for (auto &queue : queues) {
    threads.emplace_back([&service, queue = queue.get()] {
      std::vector<std::unique_ptr<Call>> calls;
      for (int i = 0; i < 256; i++) calls.push_back(std::make_unique<Call>(&service, queue));
      void *tag;
      bool ok;
      while (queue->Next(&tag, &ok)) static_cast<Call *>(tag)->proceed(ok);
    });
  }
  for (auto &thread : threads) thread.join();
}
