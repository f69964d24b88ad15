// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Who is answerable for the data, and how to reach them.
public struct AppController: Codable, Sendable, Hashable {
  /// At most 200 characters.
  public var name: String
  /// An address, page or e-mail address; at most 320 characters.
  public var contact: String

  public init(name: String, contact: String) {
    self.name = name
    self.contact = contact
  }
}

/// The pages an app must offer, in one language.
public struct AppLinks: Codable, Sendable, Hashable {
  public var privacyPolicy: String?
  public var terms: String?

  public init(privacyPolicy: String? = nil, terms: String? = nil) {
    self.privacyPolicy = privacyPolicy
    self.terms = terms
  }
}

/// An app (brand, stage): the tenant that every record belongs to.
public struct AppRecord: Codable, Sendable, Hashable {
  public var app: String
  public var name: String
  public var controller: AppController?
  /// Where people reach the gateway: absolute links begin with it.
  public var publicUrl: String?
  /// By locale, BCP 47.
  public var links: [String: AppLinks]
  /// Web origins that may call the gateway (CORS), such as `https://app.example`.
  public var origins: [String]
  public var mailFrom: String?
  public var defaultLocale: String
  /// Which regulation holds for people whose place is not known; none: opt-in.
  public var defaultRegulation: String?
  /// What `session.startDevice` takes as `appKey`. Not a secret.
  public var publishableKey: String
  public var revision: Int64
  /// The audit record of the write that this answers.
  public var entryId: String?
  /// An admin key of an app that was just made. Shown this once.
  public var adminKey: String?

  public init(
    app: String, name: String, controller: AppController? = nil, publicUrl: String? = nil,
    links: [String: AppLinks] = [:], origins: [String] = [], mailFrom: String? = nil, defaultLocale: String = "en",
    defaultRegulation: String? = nil, publishableKey: String, revision: Int64, entryId: String? = nil,
    adminKey: String? = nil
  ) {
    self.app = app
    self.name = name
    self.controller = controller
    self.publicUrl = publicUrl
    self.links = links
    self.origins = origins
    self.mailFrom = mailFrom
    self.defaultLocale = defaultLocale
    self.defaultRegulation = defaultRegulation
    self.publishableKey = publishableKey
    self.revision = revision
    self.entryId = entryId
    self.adminKey = adminKey
  }
}

public struct AppPublishParams: Codable, Sendable, Hashable {
  /// The caller's own app when left out.
  public var app: String?
  /// 1 to 100 characters.
  public var name: String
  public var controller: AppController?
  public var publicUrl: String?
  public var links: [String: AppLinks]?
  public var origins: [String]?
  public var mailFrom: String?
  /// `en` when left out.
  public var defaultLocale: String?
  public var defaultRegulation: String?
  /// The record may be sent back as it was got: the key is the app's own, or left out.
  public var publishableKey: String?

  public init(
    app: String? = nil, name: String, controller: AppController? = nil, publicUrl: String? = nil,
    links: [String: AppLinks]? = nil, origins: [String]? = nil, mailFrom: String? = nil,
    defaultLocale: String? = nil, defaultRegulation: String? = nil, publishableKey: String? = nil
  ) {
    self.app = app
    self.name = name
    self.controller = controller
    self.publicUrl = publicUrl
    self.links = links
    self.origins = origins
    self.mailFrom = mailFrom
    self.defaultLocale = defaultLocale
    self.defaultRegulation = defaultRegulation
    self.publishableKey = publishableKey
  }
}
