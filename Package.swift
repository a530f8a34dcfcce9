// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// MARK: - The toolchain's own SwiftSyntax

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder that holds the toolchain's SwiftSyntax libraries (`usr/lib/swift/host`).
///
/// A manifest is itself a program of the toolchain that runs it, so the toolchain is found where this process has
/// `libPackageDescription` mapped; `PATH` is the second choice. Nothing here may depend on `Context.packageDirectory`:
/// it is "/" while versions are resolved.
func hostLibraries() -> String? {
  func contents(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
  func isHost(_ path: String) -> Bool { access(path + "/SwiftSyntax.swiftmodule", F_OK) == 0 }

  for line in (contents("/proc/self/maps") ?? "").split(separator: "\n") {
    guard let start = line.firstIndex(of: "/"), line.hasSuffix("/libPackageDescription.so") else { continue }
    // …/usr/lib/swift/pm/ManifestAPI/libPackageDescription.so
    let parts = line[start...].split(separator: "/").dropLast(3)
    let host = "/" + parts.joined(separator: "/") + "/host"
    if isHost(host) { return host }
  }
  for folder in (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":") {
    guard let resolved = realpath(folder + "/swift", nil) else { continue }
    defer { free(resolved) }
    let parts = String(cString: resolved).split(separator: "/").dropLast(2)
    let host = "/" + parts.joined(separator: "/") + "/lib/swift/host"
    if isHost(host) { return host }
  }
  return nil
}

let host = hostLibraries()
let hostCompilerFlags = host.map { ["-I", $0] } ?? []
let hostLinkerFlags =
  host.map { host in
    ["-L", host, "-Xlinker", "-rpath", "-Xlinker", host]
      + [
        "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxBuilder", "SwiftDiagnostics", "SwiftSyntaxMacroExpansion",
        "SwiftCompilerPluginMessageHandling", "SwiftParser", "SwiftOperators", "SwiftBasicFormat",
        "SwiftParserDiagnostics", "SwiftIfConfig",
      ].map { "-l" + $0 }
  } ?? []

/// The trait for package graphs that build swift-syntax from source for another macro: the toolchain's copy and a
/// built one cannot meet in one graph. See Documentation/design.md, "The macro build".
let sourceSwiftSyntax = "SourceSwiftSyntax"
let hostSwiftSyntax = "HostSwiftSyntax"

func syntaxProduct(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-syntax", condition: .when(traits: [sourceSwiftSyntax]))
}

let syntaxProducts = [
  "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxBuilder", "SwiftDiagnostics", "SwiftIfConfig",
].map(syntaxProduct)

/// Not optimised, since that takes longer than it saves: a model is compiled 22 ms sooner by an optimised plug-in, and
/// the plug-in itself eight seconds later.
let macroSettings: [SwiftSetting] = [
  .unsafeFlags(["-Onone"], .when(configuration: .release)),
  .unsafeFlags(hostCompilerFlags, .when(traits: [hostSwiftSyntax])),
  .define("LARDER_HOST_SWIFT_SYNTAX", .when(traits: [hostSwiftSyntax])),
]
let macroLinker: [LinkerSetting] = [
  .unsafeFlags(hostLinkerFlags, .when(traits: [hostSwiftSyntax]))
]

// MARK: - The package

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Of an optimised core's debug information, what names functions and lines in a backtrace is enough: 5 % less work. By the
/// frontend's option, since SwiftPM's own comes after those of a package and has the last word.
let lineTables: [SwiftSetting] = [
  .unsafeFlags(["-Xfrontend", "-gline-tables-only"], .when(configuration: .release))
]

/// What is at work seldom, and then waits for the disk, is not optimised: it is built in a quarter of the time.
let seldom: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// The ways in which a user's module may be compiled; the same ordinary code is a module in each, under
/// Tests/CompatibilityTests/Support.
let languageModes: [(name: String, settings: [SwiftSetting])] = [
  ("Swift5", [.swiftLanguageMode(.v5)]),
  ("Swift6", []),
  ("Swift5MainActor", [.swiftLanguageMode(.v5), .defaultIsolation(MainActor.self)]),
  ("Swift6MainActor", [.defaultIsolation(MainActor.self)]),
  ("Swift6Nonsending", [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
  (
    "Swift6MainActorNonsending",
    [.defaultIsolation(MainActor.self), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]
  ),
]
let compatibility = "Tests/CompatibilityTests"

let package = Package(
  name: "Larder",
  products: [
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "Larder", targets: ["Larder"]),
    .library(name: "LarderJSON", targets: ["LarderJSON", "LarderRecords"]),
    .library(name: "LarderHTTP", targets: ["LarderHTTP"]),
    .library(name: "LarderSecrets", targets: ["LarderSecrets"]),
    .library(name: "LarderTesting", targets: ["LarderTesting"]),
    .executable(name: "larder", targets: ["LarderCommand"]),
  ],
  traits: [
    .trait(name: hostSwiftSyntax, description: "Build the macros with the toolchain's own SwiftSyntax."),
    .trait(name: sourceSwiftSyntax, description: "Build the macros with the swift-syntax package, from source."),
    .default(enabledTraits: [host == nil ? sourceSwiftSyntax : hostSwiftSyntax]),
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"700.0.0")
  ],
  targets: [
    // Layers, from the bottom up. Each depends only on those above it in this list.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite3"])]),
    .target(name: "CLarderSQLite", dependencies: ["CSQLite"]),
    .target(name: "LarderJSON", swiftSettings: strict),
    .target(name: "LarderSupport", swiftSettings: strict),
    .target(name: "LarderSQLite", dependencies: ["CSQLite", "CLarderSQLite", "LarderSupport"], swiftSettings: strict),
    .target(name: "CLarderData"),
    .target(
      name: "LarderData", dependencies: ["CSQLite", "CLarderData", "LarderSupport", "LarderSQLite"],
      swiftSettings: strict + lineTables),
    // Brings stores to other models. It is found by its name; every program that opens stores links it.
    .target(
      name: "LarderMigration", dependencies: ["LarderData", "LarderSupport", "LarderSQLite"],
      swiftSettings: strict + seldom),
    .macro(
      name: "LarderMacros",
      dependencies: syntaxProducts + [syntaxProduct("SwiftCompilerPlugin")],
      swiftSettings: macroSettings, linkerSettings: macroLinker),
    // Apart from LarderJSON, so that the compiler builds the reader and the plug-in side by side.
    .target(name: "LarderRecords", dependencies: ["LarderJSON", "LarderMacros"], swiftSettings: strict),
    // The way from bytes to rows in one call.
    .target(
      name: "LarderIngest", dependencies: ["LarderData", "LarderJSON", "LarderSQLite", "LarderSupport"],
      swiftSettings: strict),
    // Apart from LarderData, so that the compiler builds the core and the plug-in side by side.
    .target(name: "LarderModels", dependencies: ["LarderData", "LarderMacros"], swiftSettings: strict),
    .target(name: "SwiftData", dependencies: ["LarderData", "LarderMigration", "LarderModels"], swiftSettings: strict),
    .target(
      name: "Larder",
      dependencies: ["LarderData", "LarderMigration", "LarderModels", "LarderRecords", "LarderIngest", "LarderHTTP"],
      swiftSettings: strict),

    // A typed HTTP client. On Linux over libcurl.
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .yum(["libcurl-devel"]), .brew(["curl"])]),
    // What bodies are compressed with, each by its own library. libcurl has them too, and takes a body whose compression
    // breaks off for whole.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CBrotli", pkgConfig: "libbrotlidec",
      providers: [.apt(["libbrotli-dev"]), .yum(["brotli-devel"]), .brew(["brotli"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .yum(["libzstd-devel"]), .brew(["zstd"])]),
    .target(
      name: "CLarderHTTP",
      dependencies: ["CCurl", "CZlib", "CBrotli", "CZstd"].map {
        .target(name: $0, condition: .when(platforms: [.linux]))
      },
      // No Swift imports these modules, so that their own word for it is not heard; pkg-config's is, where there is one.
      linkerSettings: ["z", "brotlidec", "zstd"].map { .linkedLibrary($0, .when(platforms: [.linux])) }),
    .target(
      name: "LarderHTTP",
      dependencies: [
        "LarderSupport", "CLarderHTTP", .target(name: "CCurl", condition: .when(platforms: [.linux])),
      ], swiftSettings: strict),

    // Secrets apart from everything else: nobody who keeps none needs OpenSSL.
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .yum(["openssl-devel"]), .brew(["openssl@3"])]),
    .target(
      name: "CLarderSecrets", dependencies: ["COpenSSL"],
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "LarderSecrets", dependencies: ["CLarderSecrets"], swiftSettings: strict),

    // The command. Its target is not named as it is: a file system that ignores case has one place for both names.
    .target(
      name: "LarderTool",
      dependencies: ["LarderData", "LarderMigration", "LarderSQLite", "LarderSupport", "LoopbackServer"],
      swiftSettings: strict),
    .executableTarget(name: "LarderCommand", dependencies: ["LarderTool"], swiftSettings: strict),

    // For tests: users' and our own.
    .target(name: "CFaultVFS", dependencies: ["CSQLite"]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .yum(["libmicrohttpd-devel"]), .brew(["libmicrohttpd"])]),
    .target(name: "CLoopbackServer", dependencies: ["CMicroHTTPD"]),
    .target(name: "LoopbackServer", dependencies: ["CMicroHTTPD", "CLoopbackServer"], swiftSettings: strict),
    .target(name: "CLarderTLS", dependencies: ["COpenSSL"]),
    .target(
      name: "LarderTesting",
      dependencies: [
        "LarderData", "LarderMigration", "LarderSQLite", "CFaultVFS", "LoopbackServer", "CLoopbackServer", "CLarderTLS",
      ],
      swiftSettings: strict),

    .testTarget(
      name: "LarderSQLiteTests",
      dependencies: ["LarderSQLite", "LarderSupport", "LarderTesting", "CFaultVFS", "TestSeeds"],
      swiftSettings: strict),
    .testTarget(
      name: "LarderIngestTests",
      dependencies: ["LarderIngest", "LarderRecords", "SwiftData", "LarderData", "LarderSQLite", "LarderSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "LarderJSONTests", dependencies: ["LarderJSON", "LarderRecords", "TestSeeds"], swiftSettings: strict),
    // The macros' own sources are part of it, by a link: a test that depends on a plug-in has SwiftPM build all tests, and
    // all that they test, a second time for the machine that compiles.
    .testTarget(
      name: "LarderMacrosTests", dependencies: syntaxProducts, exclude: ["Macros/LarderMacrosPlugin.swift"],
      swiftSettings: macroSettings, linkerSettings: macroLinker),
    .testTarget(name: "LoopbackServerTests", dependencies: ["LoopbackServer"], swiftSettings: strict),
    .testTarget(name: "LarderTestingTests", dependencies: ["LarderTesting"], swiftSettings: strict),
    .testTarget(
      name: "LarderHeaderTests", dependencies: ["LarderHTTP", "DurabilityWork", "Encoders"], swiftSettings: strict),
    .testTarget(
      name: "LarderHTTPTests",
      dependencies: ["LarderHTTP", "LarderTesting", "DurabilityWork", "LinkVictim", "Patience", "Encoders"],
      swiftSettings: strict),
    .testTarget(
      name: "LarderSecretsTests",
      dependencies: ["LarderSecrets", "CLarderSecrets", "DurabilityWork", "CDurability", "Patience", "SecretVictim"],
      swiftSettings: strict),
    .testTarget(
      name: "LarderDataTests",
      dependencies: [
        "SwiftData", "LarderTesting", "LarderData", "LarderModels", "LarderSQLite", "LarderSupport", "Patience",
        "Botany", "TestSeeds",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LarderMigrationTests",
      dependencies: [
        "SwiftData", "LarderTesting", "LarderData", "LarderMigration", "LarderSQLite", "LarderSupport",
        "DurabilityWork",
        "Patience", "Versions", "MigrationVictim",
      ], swiftSettings: strict),
    .testTarget(
      name: "LarderLiveTests",
      dependencies: ["SwiftData", "LarderData", "LarderSQLite", "LarderSupport", "Patience", "TestSeeds"],
      swiftSettings: strict),
    .testTarget(
      name: "LarderScaleTests", dependencies: ["SwiftData", "LarderData", "LarderSQLite", "TestSeeds"],
      swiftSettings: strict),
    .testTarget(
      name: "LarderProcessTests",
      dependencies: ["SwiftData", "LarderData", "LarderSQLite", "LarderSupport", "Patience"],
      swiftSettings: strict),
    .testTarget(
      name: "LarderToolTests",
      dependencies: [
        "SwiftData", "LarderData", "LarderSQLite", "LarderSupport", "LarderTool", "LarderCommand", "DurabilityWork",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LarderFuzzTests",
      dependencies: [
        "SwiftData", "LarderData", "LarderSQLite", "LarderTool", "LarderHTTP", "LarderSecrets", "DurabilityWork",
        "Encoders",
      ],
      swiftSettings: strict),
    // The code that README.md and the articles show, compiled and run.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "SwiftData", "Larder", "LarderTesting", "LarderRecords", "LarderSecrets", "OtherNames", "LarderAlone",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LarderFaultTests",
      dependencies: ["SwiftData", "LarderData", "LarderSQLite", "LarderTesting", "DurabilityWork", "StoreProbe"],
      swiftSettings: strict),
    .testTarget(
      name: "LarderKillTests",
      dependencies: [
        "SwiftData", "LarderData", "LarderSQLite", "LarderSupport", "LarderTesting", "DurabilityWork", "KillVictim",
        "SharedWork", "SharedVictim", "IngestWork", "IngestVictim",
      ],
      swiftSettings: strict),

    // What those tests share, and the processes that they start.
    .executableTarget(
      name: "LinkVictim", dependencies: ["LarderHTTP", "LarderTesting", "Flushes"], path: "Tests/Support/LinkVictim",
      swiftSettings: strict),
    .executableTarget(
      name: "SecretVictim", dependencies: ["LarderSecrets", "CDurability", "Flushes"],
      path: "Tests/Support/SecretVictim",
      swiftSettings: strict),
    .target(
      name: "CEncoders", dependencies: ["CZlib", "CBrotli", "CZstd"], path: "Tests/Support/CEncoders",
      linkerSettings: [.linkedLibrary("brotlienc")]),
    .target(name: "Encoders", dependencies: ["CEncoders"], path: "Tests/Support/Encoders", swiftSettings: strict),
    // Types of other libraries, by their names.
    .target(name: "OtherNames", path: "Tests/Support/OtherNames", swiftSettings: strict),
    // A program with one import.
    .target(name: "LarderAlone", dependencies: ["Larder"], path: "Tests/Support/LarderAlone", swiftSettings: strict),
    .target(name: "Flushes", path: "Tests/Support/Flushes", swiftSettings: strict),
    .target(
      name: "Patience", dependencies: ["LarderSQLite", "LarderSupport"], path: "Tests/Support/Patience",
      swiftSettings: strict),
    .target(name: "TestSeeds", path: "Tests/Support/TestSeeds", swiftSettings: strict),
    .target(name: "Botany", dependencies: ["SwiftData"], path: "Tests/Support/Botany", swiftSettings: strict),
    .target(name: "CDurability", dependencies: ["CSQLite"], path: "Tests/Support/CDurability"),
    .target(
      name: "DurabilityWork", dependencies: ["SwiftData", "LarderData", "LarderSQLite", "CDurability", "TestSeeds"],
      path: "Tests/Support/DurabilityWork", swiftSettings: strict),
    .executableTarget(
      name: "KillVictim", dependencies: ["SwiftData", "LarderData", "LarderSQLite", "DurabilityWork", "CDurability"],
      path: "Tests/Support/KillVictim", swiftSettings: strict),
    .target(
      name: "SharedWork", dependencies: ["SwiftData", "LarderData", "LarderSQLite", "DurabilityWork"],
      path: "Tests/Support/SharedWork", swiftSettings: strict),
    .executableTarget(
      name: "SharedVictim",
      dependencies: ["SwiftData", "LarderData", "LarderSQLite", "DurabilityWork", "SharedWork", "CDurability"],
      path: "Tests/Support/SharedVictim", swiftSettings: strict),
    .target(
      name: "IngestWork", dependencies: ["SwiftData", "LarderData", "LarderHTTP", "LarderIngest", "LarderRecords"],
      path: "Tests/Support/IngestWork", swiftSettings: strict),
    .executableTarget(
      name: "IngestVictim", dependencies: ["IngestWork", "DurabilityWork", "CDurability", "LarderData"],
      path: "Tests/Support/IngestVictim", swiftSettings: strict),
    // The versions among which random migrations walk, made by Scripts/generate-versions.
    .target(
      name: "Versions", dependencies: ["SwiftData", "DurabilityWork"], path: "Tests/Support/Versions",
      swiftSettings: strict),
    .executableTarget(
      name: "MigrationVictim", dependencies: ["Versions", "DurabilityWork", "CDurability"],
      path: "Tests/Support/MigrationVictim", swiftSettings: strict),
    .executableTarget(
      name: "StoreProbe", dependencies: ["SwiftData", "LarderData", "DurabilityWork", "CDurability"],
      path: "Tests/Support/StoreProbe", swiftSettings: strict),
    .testTarget(
      name: "CompatibilityTests",
      dependencies: ["SwiftData", "LoopbackServer", "Atlas", "Seed000", "Seed001", "Seed003", "Seed004"]
        + languageModes.map { .byName(name: "Diary" + $0.name) },
      path: compatibility, exclude: ["Support"], swiftSettings: strict),
    // Printed code. That of 000 awaits its own view model on the main actor, which language mode 6 allows with the
    // setting that new projects have.
    .target(
      name: "Seed000", dependencies: ["SwiftData"], path: compatibility + "/Support/Seed000",
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .target(name: "Atlas", dependencies: ["SwiftData"], path: compatibility + "/Support/Atlas"),
    .target(name: "Seed001", dependencies: ["SwiftData"], path: compatibility + "/Support/Seed001"),
    .target(name: "Seed003", dependencies: ["SwiftData"], path: compatibility + "/Support/Seed003"),
    .target(name: "Seed004", dependencies: ["SwiftData"], path: compatibility + "/Support/Seed004"),
  ]
    + languageModes.map { mode in
      .target(
        name: "Diary" + mode.name, dependencies: ["SwiftData"], path: compatibility + "/Support/" + mode.name,
        swiftSettings: mode.settings)
    },
  swiftLanguageModes: [.v6]
)

// Some of the targets with what they need, since all take long to build: their names in LARDER_TESTS, with commas between them.
if let chosen = Context.environment["LARDER_TESTS"] {
  let names = chosen.split(separator: ",").map(String.init)
  func used(by name: String) -> [String] {
    let target = package.targets.first { $0.name == name }
    return [name] + (target?.dependencies.flatMap { $0.name.map { used(by: $0) } ?? [] } ?? [])
  }
  let kept = Set(names.flatMap { used(by: $0) })
  package.targets.removeAll { !kept.contains($0.name) }
  // Without a target that has a use for it by a trait, SwiftPM fetches it.
  if kept.isDisjoint(with: ["LarderMacros", "LarderMacrosTests"]) { package.dependencies.removeAll() }
  package.products.removeAll { product in
    let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
    return !kept.isSuperset(of: targets)
  }
}

extension Target.Dependency {
  /// The name of a target of this package.
  var name: String? {
    switch self {
    case .byNameItem(let name, _), .targetItem(let name, _): name
    default: nil
    }
  }
}
