// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events

/// Whom a batch of events is about, each subject once.
struct Roster: Sendable {
  private(set) var names: [SubjectName] = []
  /// Of each event, in order: the place of its subject in `names`.
  private(set) var places: [Int] = []
  /// Each once.
  private(set) var apps: [String] = []

  init(_ events: some Collection<Event>) {
    var known: [SubjectName: Int] = [:]
    known.reserveCapacity(events.count)
    places.reserveCapacity(events.count)
    for event in events {
      let name = SubjectName(of: event)
      let (place, isNew) = Self.place(of: name, in: &known)
      places.append(place)
      guard isNew else { continue }
      names.append(name)
      if !apps.contains(name.app) { apps.append(name.app) }
    }
  }

  private static func place(of name: SubjectName, in known: inout [SubjectName: Int]) -> (Int, isNew: Bool) {
    let next = known.count
    let place = { (place: inout Int?) in
      if let place { return place }
      place = next
      return next
    }(&known[name])
    return (place, place == next)
  }
}
