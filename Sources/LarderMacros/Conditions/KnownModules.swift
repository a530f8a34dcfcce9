/// Knowledge about modules that needs no compiler.
enum KnownModules {
  /// The modules that exist wherever `@Model` is used.
  private static let alwaysPresent: Set<String> = [
    "SwiftData", "Larder", "LarderData", "Swift", "Foundation", "Observation",
  ]

  /// Apple's frameworks, which only Apple's systems have.
  private static let apple: Set<String> = [
    "ActivityKit", "AppIntents", "AppKit", "ARKit", "AVFoundation", "AVKit", "BackgroundTasks", "CarPlay", "CloudKit",
    "Cocoa", "Combine", "Contacts", "CoreBluetooth", "CoreData", "CoreGraphics", "CoreHaptics", "CoreImage",
    "CoreLocation", "CoreML", "CoreMotion", "CoreSpotlight", "CoreText", "CryptoKit", "Darwin", "DeviceActivity",
    "EventKit", "FamilyControls", "FoundationModels", "GameKit", "HealthKit", "HomeKit", "JournalingSuggestions",
    "LocalAuthentication", "MapKit", "Messages", "Metal", "MusicKit", "NaturalLanguage", "Network", "ObjectiveC",
    "OSLog",
    "PassKit", "PDFKit", "PencilKit", "Photos", "PhotosUI", "QuickLook", "RealityKit", "SceneKit", "Security", "Speech",
    "SpriteKit", "StoreKit", "SwiftUI", "TipKit", "TVUIKit", "UIKit", "UserNotifications", "Vision", "VisionKit",
    "WatchConnectivity", "WatchKit", "WeatherKit", "WebKit", "WidgetKit", "os",
  ]

  /// Returns whether a module can be imported; `nil` if its name and the platform do not determine that.
  static func exists(_ name: String, onApple: Bool?) -> Bool? {
    if alwaysPresent.contains(name) { return true }
    guard let onApple, !onApple, apple.contains(name) else { return nil }
    return false
  }
}
