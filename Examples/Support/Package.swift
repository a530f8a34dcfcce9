// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Support",
  products: [
    .library(name: "ExampleSupport", targets: ["ExampleSupport"])
  ],
  dependencies: [
    .package(name: "Larder", path: "../..")
  ],
  targets: [
    .target(
      name: "ExampleSupport",
      dependencies: [.product(name: "LarderTesting", package: "Larder")],
      // The package's own folder, so that the page's files stand where a person looks for them.
      path: ".",
      exclude: ["BrowserTests", "README.md"],
      sources: ["Sources"],
      resources: [.copy("Assets")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
