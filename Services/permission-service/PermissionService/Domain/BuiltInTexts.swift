// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

/// The texts an app has before it writes its own, in English.
struct BuiltInTexts: Sendable {
  var name: String
  var symbol: String
  var reason: String
  var limited: String?
  var primer: PrimerContent

  static func texts(of kind: PermissionKind) -> BuiltInTexts {
    switch kind {
    case .camera: camera
    case .photos: photos
    case .location: location
    case .contacts: contacts
    case .microphone: microphone
    case .notifications: notifications
    case .tracking: tracking
    }
  }

  private static let camera = BuiltInTexts(
    name: "Camera", symbol: "camera", reason: "Take pictures and scan codes.",
    primer: primer(
      symbol: "camera", title: "Use your camera",
      reason: "{appName} opens the camera when you choose to take a picture.",
      benefits: [
        ("camera.viewfinder", "Snap and attach", "Add a picture without leaving the app."),
        ("qrcode.viewfinder", "Scan a code", "Point at a code instead of typing it."),
        ("hand.tap", "Only when you ask", "The camera is off until you open it."),
      ],
      alert: "“{appName}” Would Like to Access the Camera", message: "Pictures are taken when you tap the shutter.",
      granted: ("Camera is ready", "Take a picture whenever you like."),
      denied: ("Camera is off", "You can turn it on for {appName} in Settings.")))

  private static let photos = BuiltInTexts(
    name: "Photos", symbol: "photo.on.rectangle", reason: "Choose pictures to share.", limited: "Selected photos",
    primer: primer(
      symbol: "photo.on.rectangle", title: "Choose from your photos",
      reason: "{appName} reads the pictures you pick, and saves those you keep.",
      benefits: [
        ("square.and.arrow.up", "Share a picture", "Pick one from your library in two taps."),
        ("square.and.arrow.down", "Keep a picture", "Save what you make to your library."),
        ("checkmark.circle", "A few is enough", "You can allow selected photos only."),
      ],
      alert: "“{appName}” Would Like to Access Your Photo Library",
      message: "Pictures you pick can be shared, and those you keep are saved.",
      buttons: ["Limit Access…", "Allow Full Access", "Don’t Allow"],
      granted: ("Photos are ready", "Pick a picture whenever you like."),
      denied: ("Photos are off", "You can turn them on for {appName} in Settings.")))

  private static let location = BuiltInTexts(
    name: "Location", symbol: "location", reason: "Show what is near you.", limited: "Approximate location",
    primer: primer(
      symbol: "location", title: "See what is around you", reason: "{appName} reads where you are while you use it.",
      benefits: [
        ("mappin.and.ellipse", "Places nearby", "Results start with what is close."),
        ("clock", "Times that fit", "Hours and distances for where you are."),
        ("location.slash", "Not in the background", "Your location is read only while the app is open."),
      ],
      alert: "Allow “{appName}” to use your location?", message: "Your location orders results by distance.",
      buttons: ["Allow Once", "Allow While Using App", "Don’t Allow"],
      granted: ("Location is on", "Results now start with what is near you."),
      denied: ("Location is off", "You can turn it on for {appName} in Settings.")))

  private static let contacts = BuiltInTexts(
    name: "Contacts", symbol: "person.crop.circle", reason: "Find people you know.", limited: "Chosen contacts",
    primer: primer(
      symbol: "person.crop.circle.badge.plus", title: "Find people you know",
      reason: "{appName} looks through your contacts when you search for somebody.",
      benefits: [
        ("magnifyingglass", "Search by name", "No addresses to remember or type."),
        ("person.2", "Choose whom", "You can allow chosen contacts only."),
      ],
      alert: "“{appName}” Would Like to Access Your Contacts",
      message: "Contacts are used to find the people you search for.",
      granted: ("Contacts are ready", "Search for somebody by name."),
      denied: ("Contacts are off", "You can turn them on for {appName} in Settings.")))

  private static let microphone = BuiltInTexts(
    name: "Microphone", symbol: "mic", reason: "Record voice notes and talk.",
    primer: primer(
      symbol: "mic", title: "Talk instead of typing", reason: "{appName} listens while you record or are in a call.",
      benefits: [
        ("waveform", "Voice notes", "Say it in your own voice."),
        ("phone", "Calls", "Be heard when you talk to somebody."),
        ("mic.slash", "Off until you start", "Nothing is recorded otherwise."),
      ],
      alert: "“{appName}” Would Like to Access the Microphone",
      message: "Sound is recorded when you start a note or a call.",
      granted: ("Microphone is ready", "Record a note whenever you like."),
      denied: ("Microphone is off", "You can turn it on for {appName} in Settings.")))

  private static let notifications = BuiltInTexts(
    name: "Notifications", symbol: "bell", reason: "Hear about what matters to you.", limited: "Delivered quietly",
    primer: primer(
      symbol: "bell.badge", title: "Know when it matters",
      reason: "{appName} tells you about messages and reminders, and you decide which.",
      benefits: [
        ("message", "Messages", "See that somebody wrote, without looking."),
        ("clock.badge", "Reminders", "Be told at the time you chose."),
        ("slider.horizontal.3", "Your choice", "Turn off any kind later, or set quiet hours."),
      ],
      alert: "“{appName}” Would Like to Send You Notifications",
      message: "Notifications may include alerts, sounds, and icon badges.",
      granted: ("Notifications are on", "Choose which ones you get at any time."),
      denied: ("Notifications are off", "You can turn them on for {appName} in Settings.")))

  private static let tracking = BuiltInTexts(
    name: "Tracking", symbol: "hand.raised", reason: "Link your activity with that in other apps, for ads.",
    primer: primer(
      symbol: "hand.raised", title: "May ads be about you?",
      reason: "With your permission, {appName} links what you do here with other companies’ apps and sites.",
      benefits: [
        ("megaphone", "Ads that fit", "What you see can be closer to your interests."),
        ("equal.circle", "Nothing else changes", "Everything works the same if you say no."),
      ],
      alert: "Allow “{appName}” to track your activity across other companies’ apps and websites?",
      message: "What is learned is used to choose ads.", buttons: ["Ask App Not to Track", "Allow"],
      granted: ("Tracking is allowed", "You can change this in Settings at any time."),
      denied: ("Tracking is off", "You can change this for {appName} in Settings.")))

  private static func primer(
    symbol: String, title: String, reason: String, benefits: [(String, String, String)], alert: String,
    message: String, buttons: [String] = ["Don’t Allow", "Allow"], granted: (String, String), denied: (String, String)
  ) -> PrimerContent {
    PrimerContent(
      symbol: symbol, title: title, reason: reason,
      benefits: benefits.map { PrimerContent.Benefit(symbol: $0.0, title: $0.1, detail: $0.2) },
      continueTitle: "Continue", alert: PrimerContent.Alert(title: alert, message: message, buttons: buttons),
      granted: PrimerContent.Outcome(title: granted.0, line: granted.1),
      denied: PrimerContent.Outcome(title: denied.0, line: denied.1))
  }
}
