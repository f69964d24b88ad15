// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Whether the gateway should get traffic: credentials can be judged, and it is not stopping. That a service is down is
/// no reason: the others' methods go on.
final class Readiness {
  var isDraining = false
  func isReady(_ authenticator: Authenticator) -> Bool { !isDraining && authenticator.isReady }
}
