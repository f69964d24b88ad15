// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

// Every decision is answered with a state and keeps one for repeats, so these write their members themselves.

extension ConsentState: JSONObjectEncodable {
  public func encode(into object: JSONObject) {
    object.put("regulation", regulation)
    object.put("policyVersion", policyVersion)
    object.put("notice", notice)
    object.put("needsConsent", needsConsent)
    object.put("promptReason", promptReason.rawValue)
    object.put("summary", summary)
    object.put("enabledCount", enabledCount)
    object.put("optionalCount", optionalCount)
    object.put("categories", categories)
    object.put("signals", signals)
    object.put("reviewAt", reviewAt)
    object.put("country", country)
    object.put("subdivision", subdivision)
    object.put("ageBand", ageBand.rawValue)
    object.put("revision", revision)
    object.put("entryId", entryId)
    object.put("superseded", superseded)
  }
}

extension ConsentState.Category: JSONObjectEncodable {
  public func encode(into object: JSONObject) {
    object.put("id", id)
    object.put("displayName", displayName)
    object.put("explanation", explanation)
    object.put("required", required)
    object.put("status", status.rawValue)
    object.put("allowed", allowed)
    object.put("reason", reason.rawValue)
    object.put("decidedAt", decidedAt)
    object.put("policyVersion", policyVersion)
    object.put("method", method?.rawValue)
  }
}

extension ConsentState.Superseded: JSONObjectEncodable {
  public func encode(into object: JSONObject) {
    object.put("category", category)
    object.put("status", status.rawValue)
    object.put("occurredAt", occurredAt)
    object.put("policyVersion", policyVersion)
    object.put("entryId", entryId)
  }
}

extension ConsentSignals: JSONObjectEncodable {
  public func encode(into object: JSONObject) {
    object.put("gpc", gpc)
    object.put("att", att?.rawValue)
  }
}

extension ConsentSignals.GPC: JSONObjectEncodable {
  public func encode(into object: JSONObject) {
    object.put("present", present)
    object.put("honored", honored)
    object.put("at", at)
  }
}

extension ConsentNotice: JSONObjectEncodable {
  public func encode(into object: JSONObject) {
    object.put("title", title)
    object.put("text", text)
    object.put("hash", hash)
    object.put("locale", locale)
  }
}
