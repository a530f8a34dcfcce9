// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("MemberImportVisibility"),
  // A view model that is no actor and not Sendable, as TripListViewModel, awaits its own methods on whichever actor
  // holds it. Its properties are printed without `any`, so ExistentialAny is left out.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "Trips",
  products: [
    .executable(name: "trips", targets: ["trips"])
  ],
  dependencies: [
    .package(name: "Larder", path: "../.."),
    .package(name: "Support", path: "../Support"),
  ],
  targets: [
    .executableTarget(
      name: "trips",
      dependencies: [
        .product(name: "SwiftData", package: "Larder"),
        .product(name: "LarderTesting", package: "Larder"),
        .product(name: "ExampleSupport", package: "Support"),
      ],
      // The package's own folder, so that the data stand where a person looks for them.
      path: ".",
      exclude: ["BrowserTests", "Tests", "README.md"],
      sources: ["Sources"],
      resources: [.copy("Data"), .copy("Assets")],
      swiftSettings: settings),
    .testTarget(
      name: "TripsTests",
      dependencies: [
        "trips",
        .product(name: "LarderTesting", package: "Larder"),
        .product(name: "ExampleSupport", package: "Support"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
