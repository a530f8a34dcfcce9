/// Results divided into sections by a title, in the order in which the titles come up first.
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

  /// The section with a title; nil where no element has it.
  public subscript(sectionTitle sectionTitle: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    index(ofSectionTitled: sectionTitle).map { sections[$0] }
  }

  /// Whether some element has a title.
  public func contains(sectionTitle: SectionTitle) -> Bool { places[sectionTitle] != nil }

  /// The place of the section with a title; nil where no element has it.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }

  /// The titles, in the order of the sections.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  public static func == (left: Self, right: Self) -> Bool { left.sections == right.sections }
}
