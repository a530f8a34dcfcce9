import SwiftData

// The models of Relationships.md and of the relationships in Documentation/store-format.md.
// snippet: trips
@Model
class Trip {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  var guests: [Guest] = []

  init(name: String) { self.name = name }
}

@Model
class Stop {
  var name: String
  var nights: Int
  var trip: Trip?

  init(name: String, nights: Int = 1) {
    self.name = name
    self.nights = nights
  }
}

@Model
class Guest {
  var name: String
  var trips: [Trip] = []
  @Relationship(deleteRule: .cascade) var passport: Passport?

  init(name: String) { self.name = name }
}

@Model
class Passport {
  var number: String
  var guest: Guest

  init(number: String, guest: Guest) {
    self.number = number
    self.guest = guest
  }
}
// snippet end

enum TripCode {
  /// The store whose rows Documentation/store-format.md prints.
  static func fill(_ url: URL) throws {
    let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let (kyoto, alps) = (Trip(name: "Kyoto"), Trip(name: "Alps"))
    kyoto.stops = ["Gion", "Fushimi", "Uji"].map { Stop(name: $0) }
    context.insert(kyoto)
    context.insert(alps)
    let (ann, ben) = (Guest(name: "Ann"), Guest(name: "Ben"))
    kyoto.guests = [ben, ann]
    alps.guests = [ann]
    context.insert(Passport(number: "C01", guest: ann))
    try context.save()
    kyoto.stops.insert(kyoto.stops.removeLast(), at: 1)
    try context.save()
  }
}
