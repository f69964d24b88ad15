// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The words of a permission's primer: the screen before the system's prompt.
public struct PrimerContent: Codable, Sendable, Hashable {
  /// An SF Symbol's name.
  public var symbol: String
  public var title: String
  /// In one sentence.
  public var reason: String
  /// Two or three things the permission makes possible.
  public var benefits: [Benefit]
  public var continueTitle: String
  /// The prompt the system shows next, so that it is no surprise.
  public var alert: Alert
  public var granted: Outcome
  public var denied: Outcome

  public init(
    symbol: String, title: String, reason: String, benefits: [Benefit], continueTitle: String, alert: Alert,
    granted: Outcome, denied: Outcome
  ) {
    self.symbol = symbol
    self.title = title
    self.reason = reason
    self.benefits = benefits
    self.continueTitle = continueTitle
    self.alert = alert
    self.granted = granted
    self.denied = denied
  }

  public struct Benefit: Codable, Sendable, Hashable {
    public var symbol: String
    public var title: String
    public var detail: String
    public init(symbol: String, title: String, detail: String) {
      self.symbol = symbol
      self.title = title
      self.detail = detail
    }
  }

  public struct Alert: Codable, Sendable, Hashable {
    public var title: String
    public var message: String
    public var buttons: [String]
    public init(title: String, message: String, buttons: [String]) {
      self.title = title
      self.message = message
      self.buttons = buttons
    }
  }

  public struct Outcome: Codable, Sendable, Hashable {
    public var title: String
    public var line: String
    public init(title: String, line: String) {
      self.title = title
      self.line = line
    }
  }
}
