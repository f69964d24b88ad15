// swift-tools-version: 6.2
// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  // What runs in production: generic code is specialized across modules, and accesses are checked for overlap by the
  // compiler and in debug builds, where the tests run, only. Together a tenth of what a call costs.
  .unsafeFlags(["-cross-module-optimization", "-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// Of all but tests: without the module of regular expressions, which is a tenth of a program and comes with a single call
/// that looks for text in text.
let productSettings =
  swiftSettings + [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

/// A library module under `Sources/`.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: productSettings)
}

/// A test module under `Tests/`.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: swiftSettings)
}

/// A service: a library that sees protocols only, an executable that picks the drivers, and its tests.
/// - Parameter embedded: further files of the library that are part of the program.
func service(
  _ folder: String, library name: String, _ dependencies: [Target.Dependency] = [], embedded: [String] = []
) -> [Target] {
  [
    .target(
      name: name,
      dependencies: ["ServiceKit", "SettingsContracts", "Events", "SQLStore", "RPC", "JSONRPC", "Logging"]
        + dependencies,
      path: "Services/\(folder)/\(name)",
      resources: (["Store/Migrations"] + embedded).map { .embedInCode($0) }, swiftSettings: productSettings),
    .executableTarget(
      name: folder, dependencies: [.byName(name: name), "ServiceKit", "ServiceHost"],
      path: "Services/\(folder)/Main", swiftSettings: productSettings),
    tests(
      name,
      [
        "RPCTesting", "StoreTesting", "ServiceKit", "Events", "SettingsContracts", "SQLStore", "RPC", "JSONRPC",
        "Logging",
      ] + dependencies),
  ]
}

let package = Package(
  name: "assent",
  targets: [
    // C modules: a module map and a shim each, nothing else.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CTSan"),
    .systemLibrary(name: "CZeroMQ"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq"),
    .systemLibrary(name: "CMicroHTTPD"),
    .systemLibrary(name: "CSodium"),
    .systemLibrary(name: "CCurl"),

    // Wrappers: one owner type per C handle.
    library("Threading", ["CLinux", "CTSan"]),
    library("ZeroMQ", ["CZeroMQ", "CLinux"]),
    library("SQLite", ["CSQLite"]),
    library("PostgreSQL", ["CPostgreSQL"]),
    library("HTTPServer", ["CMicroHTTPD", "CLinux"]),
    library("Cryptography", ["CSodium", "Threading"]),
    library("Curl", ["CCurl"]),

    // The protocol, pure.
    library("JSONRPC"),
    library("TimeZones", ["Threading"]),

    // Runtime.
    library("Logging", ["Threading", "JSONRPC"]),
    library("Configuration"),
    library("Metrics", ["Threading"]),
    library("Tracing"),
    library("Lifecycle", ["CLinux", "Threading", "Logging"]),
    library("OTLP", ["Curl", "Tracing", "JSONRPC", "Logging", "Configuration", "Metrics", "Threading"]),
    library("CallLog", ["RPC", "JSONRPC", "Logging", "Tracing", "Configuration", "Cryptography"]),
    library("RPC", ["JSONRPC", "Threading", "Metrics", "Tracing"]),
    library("RPCZeroMQ", ["RPC", "JSONRPC", "ZeroMQ", "Threading", "Logging", "Metrics", "Configuration"]),
    library("MetricsEndpoint", ["HTTPServer", "RPCZeroMQ", "ZeroMQ", "Metrics", "Configuration"]),
    library("SQLStore"),
    library("SQLStoreSQLite", ["SQLStore", "SQLite", "Threading"]),
    library("SQLStorePostgreSQL", ["SQLStore", "PostgreSQL", "Threading"]),
    library("SQLStoreDrivers", ["SQLStore", "SQLStoreSQLite", "SQLStorePostgreSQL"]),
    library("Events", ["SQLStore", "RPC", "JSONRPC", "Cryptography", "Logging", "Metrics", "Threading"]),

    // What the services share.
    library("SettingsContracts", ["JSONRPC", "RPC"]),
    library(
      "ServiceKit",
      [
        "RPC", "JSONRPC", "SQLStore", "Events", "Logging", "Configuration", "Metrics", "SettingsContracts", "Threading",
        "Lifecycle",
      ]),
    library(
      "ServiceHost",
      [
        "ServiceKit", "RPCZeroMQ", "SQLStoreDrivers", "RPC", "SQLStore", "Events", "Logging", "Configuration",
        "Lifecycle", "Metrics", "MetricsEndpoint", "CallLog", "OTLP", "JSONRPC",
      ]),
    library("RPCTesting", ["RPC", "JSONRPC", "Threading"]),
    library(
      "StoreTesting",
      ["SQLStore", "SQLStoreSQLite", "SQLStorePostgreSQL", "PostgreSQL", "Events", "RPC", "JSONRPC", "Threading"]),

    // The gateway links no store.
    .target(
      name: "Gateway",
      dependencies: [
        "RPC", "RPCZeroMQ", "ZeroMQ", "JSONRPC", "HTTPServer", "Cryptography", "SettingsContracts", "Logging",
        "Configuration", "Metrics", "MetricsEndpoint", "CallLog", "OTLP", "Tracing", "Lifecycle", "Threading",
      ],
      path: "Services/gateway/Gateway", swiftSettings: productSettings),
    .executableTarget(
      name: "gateway", dependencies: ["Gateway"], path: "Services/gateway/Main", swiftSettings: productSettings),
    .target(
      name: "AssentCLI",
      dependencies: [
        "RPC", "RPCZeroMQ", "ZeroMQ", "JSONRPC", "SettingsContracts", "Configuration", "Logging", "Threading",
      ],
      path: "Services/assentctl/AssentCLI", swiftSettings: productSettings),
    .executableTarget(
      name: "assentctl", dependencies: ["AssentCLI"], path: "Services/assentctl/Main", swiftSettings: productSettings),

    .executableTarget(
      name: "store-bench", dependencies: ["Events", "SQLStore", "SQLStoreSQLite", "RPC", "JSONRPC"],
      path: "Benchmarks/store-bench", swiftSettings: productSettings),
    .executableTarget(
      name: "bus-echo",
      dependencies: ["RPC", "RPCZeroMQ", "JSONRPC", "Logging", "Configuration", "Lifecycle", "Threading"],
      path: "Benchmarks/bus-echo", swiftSettings: productSettings),

    tests("Threading"),
    tests("ZeroMQ", ["Threading"]),
    tests("SQLite"),
    tests("HTTPServer", ["Threading"]),
    tests("Cryptography", ["CSodium"]),
    tests("JSONRPC"),
    tests("TimeZones"),
    tests("Logging", ["JSONRPC", "Threading"]),
    tests("Configuration"),
    tests("Metrics"),
    tests("Tracing"),
    tests("OTLP", ["Configuration", "Tracing", "Metrics", "Logging"]),
    tests("CallLog", ["Configuration", "Logging", "RPC", "Tracing", "JSONRPC", "Threading"]),
    tests("RPC", ["RPCTesting", "JSONRPC", "Tracing"]),
    tests("RPCZeroMQ", ["RPC", "JSONRPC", "ZeroMQ", "Threading", "Logging"]),
    tests("MetricsEndpoint", ["Configuration", "Metrics", "RPCZeroMQ"]),
    tests("PostgreSQL", ["StoreTesting"]),
    tests("StoreTesting", ["SQLStore"]),
    tests("SQLStoreSQLite", ["SQLStore", "StoreTesting", "SQLite", "Threading"]),
    tests("SQLStorePostgreSQL", ["SQLStore", "StoreTesting", "PostgreSQL", "Threading"]),
    tests(
      "Events", ["SQLStore", "StoreTesting", "PostgreSQL", "RPC", "RPCTesting", "JSONRPC", "Threading", "Metrics"]),
    tests("SettingsContracts", ["RPC", "JSONRPC"]),
    tests(
      "ServiceKit", ["Configuration", "Events", "RPCTesting", "StoreTesting", "RPC", "JSONRPC", "SettingsContracts"]),
    tests(
      "ServiceHost",
      [
        "Events", "RPC", "RPCTesting", "SQLStore", "StoreTesting", "JSONRPC", "Logging", "Metrics", "SettingsContracts",
        "Threading",
      ]),
    tests(
      "Gateway",
      [
        "RPC", "RPCTesting", "RPCZeroMQ", "ZeroMQ", "JSONRPC", "SettingsContracts", "HTTPServer", "Cryptography",
        "Configuration", "Logging", "Metrics", "Threading", "Tracing",
      ]),
    tests(
      "AssentCLI",
      ["JSONRPC", "RPC", "RPCTesting", "RPCZeroMQ", "ZeroMQ", "SettingsContracts", "Configuration", "Threading"]),
  ]
    + service("account-service", library: "AccountService", ["Cryptography", "TimeZones", "Configuration"])
    + service(
      "consent-service", library: "ConsentService", ["Cryptography", "Configuration", "Threading"],
      embedded: ["Domain/Regulations/regulations.json"])
    + service("permission-service", library: "PermissionService")
    + service("notification-prefs-service", library: "NotificationPrefsService", ["TimeZones"])
    + service("audit-service", library: "AuditService", ["Cryptography", "Configuration", "Metrics", "Threading"])
)
