public import SwiftData

/// Models that those of another module inherit from.
@Model
open class Plant {
  #Index<Plant>([\.planted])

  @Attribute(.unique) public var code: String
  public var name: String
  public var planted: Date?
  public var place: Bed?
  public var garden: Garden?

  public init(code: String, name: String, planted: Date? = nil) {
    self.code = code
    self.name = name
    self.planted = planted
  }
}

public struct Bed: Codable, Hashable {
  public var row: Int
  public var column: Int

  public init(row: Int, column: Int) {
    self.row = row
    self.column = column
  }
}

@Model
public class Garden {
  public var name: String
  @Relationship(deleteRule: .cascade, inverse: \Plant.garden) public var plants: [Plant] = []

  public init(name: String) { self.name = name }
}
