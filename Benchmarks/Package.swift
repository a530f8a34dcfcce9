// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "LarderBenchmarks",
  dependencies: [.package(name: "Larder", path: "..")],
  targets: [
    .target(
      name: "CLimits",
      linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("simdjson"), .linkedLibrary("curl")]),
    .executableTarget(
      name: "LarderBenchmarks",
      dependencies: [
        "CLimits", .product(name: "SwiftData", package: "Larder"), .product(name: "Larder", package: "Larder"),
        .product(name: "LarderHTTP", package: "Larder"),
      ],
      // What is measured runs where it is called, as a user's code on one actor does.
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
