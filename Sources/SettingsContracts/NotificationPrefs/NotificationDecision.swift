// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// May this be sent to this person, this way, at this moment?
public struct NotificationDecideParams: Codable, Sendable {
  public var accountId: String
  public var category: String
  public var channel: NotificationChannel
  /// For push: only this device.
  public var deviceId: String?
  /// Without it now.
  public var at: Timestamp?
  public init(
    accountId: String, category: String, channel: NotificationChannel, deviceId: String? = nil, at: Timestamp? = nil
  ) {
    self.accountId = accountId
    self.category = category
    self.channel = channel
    self.deviceId = deviceId
    self.at = at
  }
}

public struct NotificationDecision: Codable, Sendable, Hashable {
  public enum Action: String, WireWord {
    case deliver
    /// Keep it and decide again at `until`.
    case hold
    /// Put it into the digest that goes out at `until`.
    case digest
    /// Never send it.
    case suppress
  }
  public enum Reason: String, WireWord {
    /// The channel is on and nothing stands against it.
    case channelOn
    /// Critical: passes quiet hours and digest.
    case critical
    case categoryOff, channelOff
    /// The consent category is not granted.
    case consent
    /// The person turned notifications off in the system, on every device meant.
    case notificationsDenied
    /// No device meant was ever asked, or heard of.
    case notificationsNotDetermined
    case quietHours, dailyDigest, weeklyDigest
  }
  /// What decided.
  public enum Level: String, WireWord {
    /// The catalog: a critical category, or its default where the person chose nothing.
    case catalog
    /// The person's choice for the category.
    case category
    case consent
    /// The device's operating system.
    case device
    case quietHours, digest
  }
  /// A device to send a push to.
  public struct Device: Codable, Sendable, Hashable {
    public var deviceId: String
    /// `allowed` or `quiet`.
    public var authorization: NotificationAuthorization
    public init(deviceId: String, authorization: NotificationAuthorization) {
      self.deviceId = deviceId
      self.authorization = authorization
    }
  }

  public var action: Action
  /// With hold and digest.
  public var until: Timestamp?
  public var reason: Reason
  public var level: Level
  /// With push that is not suppressed: the devices that would show it.
  public var devices: [Device]?
  public init(action: Action, until: Timestamp? = nil, reason: Reason, level: Level, devices: [Device]? = nil) {
    self.action = action
    self.until = until
    self.reason = reason
    self.level = level
    self.devices = devices
  }
}

public struct NotificationDecideManyParams: Codable, Sendable {
  /// At most 1000.
  public var decisions: [NotificationDecideParams]
  public init(decisions: [NotificationDecideParams]) { self.decisions = decisions }
}

/// A decision or an error for each question, in order.
public struct NotificationDecideManyResult: Codable, Sendable, Hashable {
  public var results: [Item]
  public init(results: [Item]) { self.results = results }

  /// Either the members of a decision, or `error`.
  public struct Item: Codable, Sendable, Hashable {
    public var action: NotificationDecision.Action?
    public var until: Timestamp?
    public var reason: NotificationDecision.Reason?
    public var level: NotificationDecision.Level?
    public var devices: [NotificationDecision.Device]?
    public var error: ItemFailure?

    public init(_ decision: NotificationDecision) {
      action = decision.action
      until = decision.until
      reason = decision.reason
      level = decision.level
      devices = decision.devices
    }
    public init(error: ItemFailure) { self.error = error }
  }
}
