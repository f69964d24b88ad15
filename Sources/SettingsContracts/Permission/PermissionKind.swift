// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What an operating system lets a person decide about an app.
public enum PermissionKind: String, WireWord {
  case camera, photos, location, contacts, microphone, notifications, tracking
}

/// What the operating system allows, in the words every platform's are mapped to.
public enum PermissionStatus: String, WireWord {
  /// Without restriction.
  case allowed
  /// In part: selected photos, approximate location, chosen contacts, quiet notifications.
  case limited
  /// Declined by the person, or restricted by the device's owner.
  case denied
  /// The system has not asked yet, and would.
  case notAsked

  /// The status chip's text.
  public var chip: String {
    switch self {
    case .allowed: "Allowed"
    case .limited: "Limited"
    case .denied: "Not allowed"
    case .notAsked: "Not asked"
    }
  }

  /// What a tap on the permission does.
  public var next: PermissionNextStep { self == .notAsked ? .ask : .openSettings }
}

/// What a tap on a permission does: the system's prompt while there is one, else the app's page in the settings.
public enum PermissionNextStep: String, WireWord {
  case ask, openSettings
}

/// Where an app runs, which decides the words its permissions are reported in. Read without regard to case.
public enum Platform: String, WireWord {
  case ios, ipados, macos, visionos, watchos, android, web

  public init(from decoder: any Decoder) throws {
    let word = try decoder.singleValueContainer().decode(String.self)
    guard let value = Platform(rawValue: word.lowercased()) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "must be one of \(Self.allowedWords)"))
    }
    self = value
  }
}
