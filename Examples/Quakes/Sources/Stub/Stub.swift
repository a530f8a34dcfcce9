import Foundation
import Synchronization

final class ModelContainer: Sendable {
  let rows = Mutex<[String: QuakeRow]>([:])
  let observers = Mutex<[@Sendable (EventHub.Change) -> Void]>([])
}
enum QuakeStore {
  static func open(at url: URL) throws -> ModelContainer {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    return ModelContainer()
  }
}
actor QuakeImporter {
  let c: ModelContainer
  init(modelContainer: ModelContainer) { c = modelContainer }
  func importQuakes(from collection: GeoFeatureCollection) throws -> SyncCounts {
    var counts = SyncCounts()
    c.rows.withLock { rows in
      for f in collection.features {
        let row = QuakeRow(
          code: f.properties.code, magnitude: f.properties.mag, time: f.properties.time, place: f.properties.place,
          longitude: f.geometry.coordinates[0], latitude: f.geometry.coordinates[1])
        if let old = rows[row.code] {
          if old == row { counts.unchanged += 1 } else { counts.updated += 1 }
        } else {
          counts.inserted += 1
        }
        rows[row.code] = row
      }
    }
    let change = EventHub.Change(inserted: counts.inserted, updated: counts.updated)
    if !change.isEmpty { for o in c.observers.withLock({ $0 }) { o(change) } }
    return counts
  }
}
struct StoreReader: QuakeReading {
  let container: ModelContainer
  func count() throws -> Int { container.rows.withLock { $0.count } }
  func content(for query: PageQuery) throws -> QuakeContent {
    let all = Array(container.rows.withLock { $0.values })
    var m = all.filter {
      $0.magnitude >= (query.minimum ?? -99) && (query.text.isEmpty || $0.place.localizedStandardContains(query.text))
    }
    m.sort { a, b in
      switch query.sort {
      case .time: a.time < b.time
      case .magnitude: (a.magnitude, a.code) < (b.magnitude, b.code)
      case .place: (a.place, a.code) < (b.place, b.code)
      }
    }
    if query.order == .descending { m.reverse() }
    return QuakeContent(
      matching: m, total: all.count, largest: all.max { $0.magnitude < $1.magnitude }, newest: all.map(\.time).max())
  }
}
extension EventHub {
  func observe(_ container: ModelContainer) -> any NSObjectProtocol {
    container.observers.withLock { $0.append { self.send($0) } }
    return NSObject()
  }
}
