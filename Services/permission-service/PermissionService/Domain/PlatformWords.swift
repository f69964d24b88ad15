// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What each platform calls a permission's state, in the four words that Assent keeps.
///
/// Sources: Apple's AVAuthorizationStatus, PHAuthorizationStatus, CLAuthorizationStatus and CLAccuracyAuthorization,
/// CNAuthorizationStatus, UNAuthorizationStatus, AVAudioApplication.recordPermission and
/// ATTrackingManager.AuthorizationStatus; Android's permission results and the words that cross-platform frameworks
/// give them; the W3C Permissions API's PermissionState and the Notifications API's NotificationPermission.
enum PlatformWords {
  private typealias Table = [String: PermissionStatus]

  /// - Parameter field: the path of the param, for the error.
  /// - Throws: INVALID_PARAMS that names the words allowed.
  static func status(
    _ word: String, detail: String?, of kind: PermissionKind, on platform: Platform, _ field: String
  ) throws(RPCError) -> PermissionStatus {
    let words = table(kind, platform)
    guard let status = words[word] else {
      throw .invalidParams(
        field, "must be one of \(words.keys.sorted().joined(separator: ", ")) for \(kind) on \(platform)")
    }
    // Location's accuracy is a second answer beside the authorization.
    if kind == .location, status == .allowed, let detail, approximateDetails.contains(detail) { return .limited }
    return status
  }

  private static func table(_ kind: PermissionKind, _ platform: Platform) -> Table {
    let general: Table
    let special: [PermissionKind: Table]
    switch platform {
    case .ios, .ipados, .macos, .visionos, .watchos: (general, special) = (apple, appleSpecial)
    case .android: (general, special) = (android, androidSpecial)
    case .web: (general, special) = (web, webSpecial)
    }
    return common.merging(general) { $1 }.merging(special[kind] ?? [:]) { $1 }
  }

  private static let approximateDetails: Set = ["reduced", "reducedAccuracy", "approximate", "coarse"]

  /// Understood everywhere: Assent's own words, and those of the settings screen's blocks.
  private static let common: Table = [
    "allowed": .allowed, "granted": .allowed, "authorized": .allowed, "denied": .denied, "notAsked": .notAsked,
    "notDetermined": .notAsked,
  ]
  private static let apple: Table = ["restricted": .denied]
  private static let appleSpecial: [PermissionKind: Table] = [
    .photos: ["limited": .limited],
    .contacts: ["limited": .limited],
    .location: [
      "authorizedWhenInUse": .allowed, "authorizedAlways": .allowed, "limited": .limited, "reducedAccuracy": .limited,
    ],
    // Provisional notifications arrive without the person having been asked; ephemeral ones are an App Clip's.
    .notifications: ["provisional": .limited, "quiet": .limited, "limited": .limited, "ephemeral": .allowed],
    .microphone: ["undetermined": .notAsked],
  ]
  private static let android: Table = [
    "restricted": .denied, "permanentlyDenied": .denied, "neverAskAgain": .denied, "prompt": .notAsked,
    // Declined once: the system would show its prompt again.
    "prompt-with-rationale": .notAsked,
  ]
  private static let androidSpecial: [PermissionKind: Table] = [
    .photos: ["limited": .limited, "partial": .limited],
    .location: ["limited": .limited, "coarse": .limited, "approximate": .limited],
    .notifications: ["limited": .limited, "quiet": .limited, "silent": .limited],
  ]
  private static let web: Table = ["prompt": .notAsked]
  private static let webSpecial: [PermissionKind: Table] = [
    .notifications: ["default": .notAsked, "quiet": .limited, "limited": .limited]
  ]
}
