import Foundation

/// The recorded week, as the feed would have shown it at any instant of it.
struct ReplayedWeek: Sendable {
  /// How far back the feed looks: what is older has left it.
  static let window: Int64 = 7 * 24 * 3600 * 1000
  /// How much of the week's end is replayed.
  static let replayed: Int64 = 2 * 24 * 3600 * 1000

  private struct Record: Sendable {
    let code: String
    let time: Int64
    let bytes: Data
  }

  /// A recording that cannot be used.
  struct Unusable: Error, CustomStringConvertible {
    var description: String { "The recorded week in Data cannot be read: restore it from the repository." }
  }

  /// Newest first, as in the feed.
  private let records: [Record]
  private let revisions: [String: [Revision]]
  private let window: Int64
  /// The time of the newest record.
  let end: Int64

  init(feed: Data, revisions: Data, window: Int64 = ReplayedWeek.window) throws {
    struct Times: Decodable {
      let features: [Feature]
      struct Feature: Decodable { let properties: Properties }
      struct Properties: Decodable {
        let code: String
        let time: Int64
      }
    }
    let slices = FeatureSlices.cut(feed)
    let times = try JSONDecoder().decode(Times.self, from: feed).features
    guard slices.count == times.count, !slices.isEmpty else { throw Unusable() }
    records = zip(slices, times)
      .map { Record(code: $1.properties.code, time: $1.properties.time, bytes: $0) }
      .sorted { $0.time > $1.time }
    self.revisions = Dictionary(
      grouping: try JSONDecoder().decode(Revision.List.self, from: revisions).revisions, by: \.code)
    self.window = window
    end = records[0].time
  }

  /// The week that comes with this example.
  static func bundled() throws -> ReplayedWeek {
    try ReplayedWeek(
      feed: Resources.data("usgs-all-week-2018-02-07.geojson"), revisions: Resources.data("revisions.json"))
  }

  /// Where the replay begins: two days before the end.
  var beginning: Int64 { end - Self.replayed }

  /// The feed as it was at an instant.
  func feed(at now: Int64) -> Data {
    let present = records.filter { $0.time <= now && $0.time > now - window }
    var body = Data(
      """
      {"type":"FeatureCollection","metadata":{"generated":\(now),"title":"USGS All Earthquakes, Past Week (replayed)",\
      "status":200,"count":\(present.count)},"features":[
      """.utf8)
    for (index, record) in present.enumerated() {
      if index > 0 { body.append(contentsOf: ",\n".utf8) }
      body.append(bytes(of: record, at: now))
    }
    body.append(contentsOf: "]}\n".utf8)
    return body
  }

  private func bytes(of record: Record, at now: Int64) -> Data {
    let revision = revisions[record.code]?.filter { $0.at <= now }.max { $0.at < $1.at }
    guard let revision else { return record.bytes }
    return FeatureSlices.replacingMagnitude(in: record.bytes, by: revision.magnitude)
  }
}
