// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing
import Threading

@Suite struct MailboxTests {
  @Test func everythingAddedFromManyThreadsArrivesOnceAndInOrderPerSender() async {
    let mailbox = Mailbox<(sender: Int, number: Int)>(blocking: true)
    let senders = 4
    let each = 5_000
    for sender in 0..<senders {
      startThread(named: "sender") { for number in 0..<each { mailbox.add((sender, number)) } }
    }
    let received = await withCheckedContinuation { continuation in
      startThread(named: "owner") {
        var all: [[Int]] = Array(repeating: [], count: senders)
        var batch: [(sender: Int, number: Int)] = []
        while all.reduce(0, { $0 + $1.count }) < senders * each {
          mailbox.take(into: &batch)
          for element in batch { all[element.sender].append(element.number) }
          batch.removeAll(keepingCapacity: true)
        }
        continuation.resume(returning: all)
      }
    }
    for sender in 0..<senders { #expect(received[sender] == Array(0..<each)) }
  }

  @Test func anOwnerIsToldNotToSleepWhenSomethingArrivedMeanwhile() {
    let mailbox = Mailbox<Int>()
    #expect(mailbox.prepareToSleep())
    mailbox.wakeUp(signalled: false)
    mailbox.add(1)
    #expect(!mailbox.prepareToSleep())
    var taken: [Int] = []
    mailbox.drain(into: &taken)
    #expect(taken == [1])
    #expect(mailbox.isEmpty)
  }
}
