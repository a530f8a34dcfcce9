import SwiftData

// The models of Inheritance.md.
// snippet: places
@Model
class StoreLocation {
  var name: String
  var visits = 0

  init(name: String) { self.name = name }
}

@Model
class Museum: StoreLocation {
  var closingHour: Int

  init(name: String, closingHour: Int) {
    self.closingHour = closingHour
    super.init(name: name)
  }
}
// snippet end

/// The models of Predicates.md that GettingStarted.md doesn't have.
enum SurveyCode {
  // snippet: surveys
  enum Status: String, Codable { case planned, running, done }

  struct Site: Codable {
    var country: String
    var depths: [Double] = []
  }

  @Model
  class Survey {
    var title: String
    var status = Status.planned
    var site: Site
    var tags: [String] = []
    var titles: [String: String] = [:]

    init(title: String, site: Site) {
      self.title = title
      self.site = site
    }
  }
  // snippet end
}

/// The model of Relationships.md whose relationship mirrors itself.
enum PersonCode {
  // snippet: spouses
  @Model
  class Person {
    var name: String
    @Relationship(inverse: Person.spouseOfSpouse) var spouse: Person?

    static var spouseOfSpouse: AnyKeyPath { \Person.spouse }

    init(name: String) { self.name = name }
  }
  // snippet end
}
