/// The results that have the same title.
///
/// ```swift
/// for section in observer.sections ?? [] {
///   print(section.title)
///   for trip in section { print("  ", trip.name) }
/// }
/// ```
public struct ResultsSection<Element, SectionTitle>: Identifiable, RandomAccessCollection, Equatable
where Element: PersistentModel, SectionTitle: Hashable {
  /// The title that the elements have in common.
  public let title: SectionTitle
  private let elements: [Element]

  init(title: SectionTitle, elements: [Element]) {
    self.title = title
    self.elements = elements
  }

  /// The title, which is unique among the sections.
  public var id: SectionTitle { title }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(position: Int) -> Element { elements[position] }

  /// Returns whether both sections have the same title and the same models in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.title == right.title && left.elements.elementsEqual(right.elements, by: ===)
  }
}
