/// The results that share a title.
///
/// ```swift
/// for section in observer.sections ?? [] {
///   print(section.title)
///   for trip in section { print("  ", trip.name) }
/// }
/// ```
public struct ResultsSection<Element, SectionTitle>: Identifiable, RandomAccessCollection, Equatable
where Element: PersistentModel, SectionTitle: Hashable {
  /// What its elements share.
  public let title: SectionTitle
  private let elements: [Element]

  init(title: SectionTitle, elements: [Element]) {
    self.title = title
    self.elements = elements
  }

  /// The title: no two sections have the same.
  public var id: SectionTitle { title }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(position: Int) -> Element { elements[position] }

  /// Whether they have one title and the same models, in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.title == right.title && left.elements.elementsEqual(right.elements, by: ===)
  }
}
