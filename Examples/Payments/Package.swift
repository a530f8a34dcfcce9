// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "Payments",
  products: [
    .executable(name: "payments", targets: ["payments"]),
    .executable(name: "payments-bank", targets: ["payments-bank"]),
  ],
  dependencies: [
    .package(name: "Larder", path: "../.."),
    .package(name: "Support", path: "../Support"),
  ],
  targets: [
    .executableTarget(
      name: "payments",
      dependencies: [
        .product(name: "SwiftData", package: "Larder"),
        .product(name: "LarderHTTP", package: "Larder"),
        .product(name: "LarderSecrets", package: "Larder"),
        .product(name: "LarderTesting", package: "Larder"),
        .product(name: "ExampleSupport", package: "Support"),
      ],
      // The package's own folder, so that the page's files stand where a person looks for them.
      path: ".",
      exclude: ["Bank", "BrowserTests", "Tests", "README.md"],
      sources: ["Sources"],
      resources: [.copy("Assets")],
      swiftSettings: strict),
    // The other side: a program of its own, which knows nothing of the one that pays.
    .executableTarget(
      name: "payments-bank",
      dependencies: [
        .product(name: "LarderTesting", package: "Larder"),
        .product(name: "ExampleSupport", package: "Support"),
      ],
      path: "Bank", swiftSettings: strict),
    .testTarget(
      name: "PaymentsTests",
      dependencies: [
        "payments", "payments-bank",
        .product(name: "SwiftData", package: "Larder"),
        .product(name: "LarderHTTP", package: "Larder"),
        .product(name: "LarderSecrets", package: "Larder"),
        .product(name: "LarderTesting", package: "Larder"),
        .product(name: "ExampleSupport", package: "Support"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "BankTests",
      dependencies: [
        "payments-bank",
        .product(name: "LarderHTTP", package: "Larder"),
        .product(name: "LarderTesting", package: "Larder"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
