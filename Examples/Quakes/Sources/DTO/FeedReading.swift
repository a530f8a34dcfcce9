import Foundation

/// What a lenient reading of the feed found: the good features, and the bad ones with what is wrong with each.
///
/// ``GeoFeatureCollection`` alone refuses the whole feed for one bad feature.
struct FeedReading {
  let collection: GeoFeatureCollection
  let rejected: [RejectedFeature]
}

/// A feature that could not be used.
struct RejectedFeature: Codable, Hashable, Sendable {
  /// What to call it: its code, else its place in the feed.
  let name: String
  /// What is wrong with it, as the end of a sentence.
  let reason: String
}

extension FeedReading: Decodable {
  private enum Key: String, CodingKey {
    case features
  }

  init(from decoder: any Decoder) throws {
    var features = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .features)
    var good: [GeoFeatureCollection.Feature] = []
    var bad: [RejectedFeature] = []
    good.reserveCapacity(features.count ?? 0)
    while !features.isAtEnd {
      let index = features.currentIndex
      // A nested decoder moves on whether or not what it decodes is good; decoding a feature itself would not.
      let feature = try features.superDecoder()
      do {
        good.append(try GeoFeatureCollection.Feature(checking: feature))
      } catch {
        let code = (try? FeatureName(from: feature))?.properties.code ?? ""
        bad.append(
          RejectedFeature(
            name: code.isEmpty ? "feature \(index + 1)" : code, reason: FeedReading.reason(for: error)))
      }
    }
    collection = GeoFeatureCollection(features: good)
    rejected = bad
  }

  /// Just enough of a feature to name it.
  private struct FeatureName: Decodable {
    let properties: Properties

    struct Properties: Decodable {
      let code: String
    }
  }
}
