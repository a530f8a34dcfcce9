// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // A service that is no actor and not Sendable, as QuakeNetworkService, is called from whichever actor holds it.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "Quakes",
  products: [
    .executable(name: "quakes", targets: ["quakes"])
  ],
  dependencies: [
    .package(name: "Larder", path: "../.."),
    .package(name: "Support", path: "../Support"),
  ],
  targets: [
    .executableTarget(
      name: "quakes",
      dependencies: [
        .product(name: "SwiftData", package: "Larder"),
        .product(name: "LarderHTTP", package: "Larder"),
        .product(name: "LarderTesting", package: "Larder"),
        .product(name: "ExampleSupport", package: "Support"),
      ],
      // The package's own folder, so that the data stand where a person looks for them.
      path: ".",
      exclude: ["BrowserTests", "Scripts", "Tests", "README.md"],
      sources: ["Sources"],
      resources: [.copy("Data"), .copy("Assets")],
      swiftSettings: strict),
    .testTarget(
      name: "QuakesTests",
      dependencies: ["quakes", .product(name: "ExampleSupport", package: "Support")],
      resources: [.copy("Fixtures")], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
