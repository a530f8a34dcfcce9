import Foundation
import SwiftData
import TestSeeds

/// A model of numbers, texts and moments, to aggregate and to sort.
@Model
final class Reading {
  #Index<Reading>([\.station], [\.level])
  var number: Int
  var station: String
  var quality: Quality?
  var level: Double
  var small: Int8
  var price: Decimal
  var change: Decimal?
  var time: Date
  var spot: Site
  var home: Site?
  var tags: [String]

  init(
    _ number: Int, station: String = "", quality: Quality? = nil, level: Double = 0, small: Int8 = 0,
    price: Decimal = 0, change: Decimal? = nil, time: Date = Date(timeIntervalSinceReferenceDate: 0),
    spot: Site = Site(name: "", x: 0, y: 0), home: Site? = nil
  ) {
    self.number = number
    self.station = station
    self.quality = quality
    self.level = level
    self.small = small
    self.price = price
    self.change = change
    self.time = time
    self.spot = spot
    self.home = home
    tags = []
  }

  /// One of few values in each property, so that groups have members and sorts have equals.
  static func random(_ number: Int, _ generator: inout SeededGenerator) -> Reading {
    let names = ["", "a", "B", "b", "ä", "a10", "a9", "e\u{301}", "é", "z"]
    let site = { (generator: inout SeededGenerator) in
      Site(
        name: names.randomElement(using: &generator) ?? "", x: Double(Int.random(in: -2...2, using: &generator)), y: 0)
    }
    return Reading(
      number, station: names.randomElement(using: &generator) ?? "",
      quality: [nil, .low, .high].randomElement(using: &generator) ?? nil,
      level: [0, -1.5, 0.1, 0.2, 1e300, -1e300, 1e-300].randomElement(using: &generator) ?? 0,
      small: Int8.random(in: .min ... .max, using: &generator),
      price: Decimal(Int.random(in: -500...500, using: &generator)) / 100,
      change: Bool.random(using: &generator) ? nil : Decimal(Int.random(in: -20...20, using: &generator)) / 10,
      time: Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -3...3, using: &generator)) + 0.25),
      spot: site(&generator), home: Bool.random(using: &generator) ? nil : site(&generator))
  }
}
