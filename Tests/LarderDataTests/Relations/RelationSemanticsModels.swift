import LarderData
import LarderModels

/// Two pairs of relationships: one is named, and then the other is all that is left.
@Model
final class Airport {
  var code: String
  @Relationship(inverse: \Flight.origin) var departures: [Flight] = []
  var arrivals: [Flight] = []

  init(_ code: String) { self.code = code }
}

@Model
final class Flight {
  var number: String
  var origin: Airport?
  var destination: Airport?

  init(_ number: String) { self.number = number }
}

/// Three relationships, of which nobody says which mirrors which.
@Model
final class Mailbox {
  var name: String
  var letters: [Letter] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Letter {
  var text: String
  var sender: Mailbox?
  var recipient: Mailbox?

  init(_ text: String) { self.text = text }
}

/// The inverse is named by the to-one.
@Model
final class Choir {
  var name: String
  @Relationship(minimumModelCount: 1, maximumModelCount: 2) var singers: [Singer]? = []

  init(_ name: String) { self.name = name }
}

@Model
final class Singer {
  var name: String
  @Relationship(inverse: \Choir.singers) var choir: Choir?

  init(_ name: String) { self.name = name }
}

/// To itself, and nothing is said of it.
@Model
final class Employee {
  var name: String
  var manager: Employee?
  var reports: [Employee] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Drawer {
  var name: String
  @Relationship(deleteRule: .noAction, inverse: \Sheet.drawer) var sheets: [Sheet] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Sheet {
  var text: String
  var drawer: Drawer?

  init(_ text: String) { self.text = text }
}
