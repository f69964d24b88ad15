// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC

/// Replicas come and go with the addresses of the service's name.
extension ReplicaPool {
  /// What the endpoints' names stand for now.
  /// - Parameter addresses: numeric endpoints; an empty list changes nothing, since a name that is not known for a moment
  ///   is no reason to leave connections that stand.
  func use(_ addresses: [String]) {
    thread.assertCurrent()
    guard isOpen, !addresses.isEmpty else { return }
    let known = Set(replicas.map(\.endpoint))
    for replica in replicas { replica.isRemoved = !addresses.contains(replica.endpoint) }
    let room = policy.mostReplicas - replicas.count { !$0.isRemoved }
    let news = addresses.filter { !known.contains($0) }
    for address in news.count > room ? Array(news.shuffled().prefix(max(0, room))) : news {
      guard allows(address), let replica = try? Replica(address, of: self, thread, policy.outliers) else { continue }
      replicas.append(replica)
      thread.attach(replica)
    }
    dropRemoved()
    rotationChanged()
  }

  /// Lets go of replicas that no longer have an address, once nothing is under way there. One that is ready stays while
  /// no other is: the name may be behind the truth.
  func dropRemoved() {
    guard replicas.contains(where: \.isRemoved) else { return }
    let hasOthers = replicas.contains { !$0.isRemoved && $0.isReady }
    for replica in replicas where replica.isRemoved && replica.outstanding == 0 {
      if hasOthers || !replica.isReady { drop(replica) }
    }
  }

  func drop(_ replica: Replica) {
    replicas.removeAll { $0 === replica }
    thread.detach(replica)
    replica.stop()
  }
}
