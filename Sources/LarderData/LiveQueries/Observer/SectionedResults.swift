/// Results that are divided into sections by a title, in the order of each title's first occurrence.
public struct SectionedResults<Element, SectionTitle>: RandomAccessCollection, Equatable
where Element: PersistentModel, SectionTitle: Hashable {
  private let sections: [ResultsSection<Element, SectionTitle>]
  private let places: [SectionTitle: Int]

  init(_ elements: [Element], title: (Element) -> SectionTitle) {
    var titles: [SectionTitle] = []
    var members: [[Element]] = []
    var places: [SectionTitle: Int] = [:]
    for element in elements {
      let title = title(element)
      if let place = places[title] {
        members[place].append(element)
      } else {
        places[title] = titles.count
        titles.append(title)
        members.append([element])
      }
    }
    sections = zip(titles, members).map { ResultsSection(title: $0, elements: $1) }
    self.places = places
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { sections.count }
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

  /// Returns the section with the specified title, or `nil` if no element has this title.
  public subscript(sectionTitle sectionTitle: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    index(ofSectionTitled: sectionTitle).map { sections[$0] }
  }

  /// Returns whether any element has the specified title.
  public func contains(sectionTitle: SectionTitle) -> Bool { places[sectionTitle] != nil }

  /// Returns the index of the section with the specified title, or `nil` if no element has this title.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }

  /// The titles, in the order of the sections.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  public static func == (left: Self, right: Self) -> Bool { left.sections == right.sections }
}
