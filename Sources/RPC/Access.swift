// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Who may call a method: the contract's last column. A caller is let in when any line admits it.
public struct Access: Sendable, Hashable, Codable {
  /// Without any credential.
  public var anyone: Bool
  /// D: a device before sign-in.
  public var device: Bool
  /// U: a signed-in person.
  public var user: Bool
  /// S: a service key with one of these scopes.
  public var scopes: [String]
  /// A: a key with one of these roles. `admin` is always among the admitted when any role or scope is.
  public var roles: [String]
  /// Services that may call it over the bus. Methods with neither of the above are not public.
  public var services: [String]

  public init(
    anyone: Bool = false, device: Bool = false, user: Bool = false, scopes: [String] = [], roles: [String] = [],
    services: [String] = []
  ) {
    self.anyone = anyone
    self.device = device
    self.user = user
    self.scopes = scopes
    self.roles = roles
    self.services = services
  }

  public static let anyone = Access(anyone: true)
  /// Any valid credential.
  public static let everyCredential = Access(
    device: true, user: true, scopes: ["*"], roles: ["admin", "officer", "operator"])

  /// Whether clients outside the bus may call it.
  public var isPublic: Bool { anyone || device || user || !scopes.isEmpty || !roles.isEmpty }

  public func admits(_ principal: Principal) -> Bool {
    if anyone { return true }
    switch principal.kind {
    case .anonymous: return false
    case .device: return device
    case .user: return user
    case .key:
      if let role = principal.role {
        if role == "admin" { return !scopes.isEmpty || !roles.isEmpty }
        if roles.contains(role) { return true }
      }
      guard let held = principal.scopes, !held.isEmpty else { return false }
      return scopes.contains { $0 == "*" || held.contains($0) }
    case .service: return principal.name.map { services.contains($0) || services.contains("*") } ?? false
    }
  }

  /// For error messages: `a signed-in person, or a key with the scope check`.
  public var description: String {
    var parts: [String] = []
    if device { parts.append("a device") }
    if user { parts.append("a signed-in person") }
    if scopes.contains("*") {
      parts.append("any key")
    } else if !scopes.isEmpty {
      parts.append("a key with the scope \(scopes.joined(separator: " or "))")
    }
    if !roles.isEmpty { parts.append("a key with the role \(roles.joined(separator: " or "))") }
    if parts.isEmpty { parts.append("Assent's own services") }
    return parts.joined(separator: ", or ")
  }
}
