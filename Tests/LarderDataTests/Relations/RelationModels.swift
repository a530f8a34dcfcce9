import Foundation
import LarderData
import LarderModels

@Model
final class Family {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Member.family) var members: [Member] = []

  init(name: String) { self.name = name }
}

@Model
final class Member {
  var name: String
  var family: Family?
  var age: Int

  init(name: String, family: Family? = nil, age: Int = 0) {
    self.name = name
    self.family = family
    self.age = age
  }
}

/// Both sides to-many, found without being named.
@Model
final class Course {
  var title: String
  var students: [Student] = []

  init(title: String) { self.title = title }
}

@Model
final class Student {
  var name: String
  var courses: [Course] = []

  init(name: String) { self.name = name }
}

/// One to one, found without being named.
@Model
final class Person {
  var name: String
  var permit: Permit?

  init(name: String) { self.name = name }
}

@Model
final class Permit {
  var number: String
  var holder: Person?

  init(number: String) { self.number = number }
}

/// To itself, in two ways.
@Model
final class Node {
  var name: String
  var parent: Node?
  @Relationship(inverse: \Node.parent) var children: [Node]? = []

  init(name: String) { self.name = name }
}

/// Nothing leads back.
@Model
final class Article {
  var title: String
  var tags: [Tag] = []
  var cover: Picture?

  init(title: String) { self.title = title }
}

@Model
final class Tag {
  var name: String

  init(name: String) { self.name = name }
}

@Model
final class Picture {
  var path: String

  init(path: String) { self.path = path }
}

/// Rules that forbid.
@Model
final class Library {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Book.library) var books: [Book] = []
  @Relationship(deleteRule: .nullify, inverse: \Shelf.library) var shelves: [Shelf] = []

  init(name: String) { self.name = name }
}

@Model
final class Book {
  var title: String
  var library: Library?

  init(title: String) { self.title = title }
}

@Model
final class Shelf {
  var place: Int
  var library: Library

  init(place: Int, library: Library) {
    self.place = place
    self.library = library
  }
}

func relationContainer(_ url: URL? = nil) throws -> ModelContainer {
  let schema = Schema([
    Family.self, Member.self, Course.self, Student.self, Person.self, Permit.self, Node.self, Article.self, Tag.self,
    Picture.self, Library.self, Book.self, Shelf.self,
  ])
  let configuration =
    url.map { ModelConfiguration(schema: schema, url: $0) }
    ?? ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
  return try ModelContainer(for: schema, configurations: [configuration])
}
