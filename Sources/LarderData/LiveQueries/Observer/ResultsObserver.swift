public import Foundation
public import Observation

/// What a descriptor asks for, kept up to date, and observable: a live query for view models.
///
/// ```swift
/// @MainActor @Observable
/// final class TripListModel {
///   private let observer: ResultsObserver<Trip, Never>
///   var names: [String] { observer.results.map(\.name) }
///
///   init(_ container: ModelContainer) throws {
///     observer = try ResultsObserver(sortBy: [SortDescriptor(\.name)], modelContainer: container)
///   }
/// }
/// ```
///
/// Whoever reads ``results`` or ``sections`` in `withObservationTracking`, or in a view, is told when others models are in
/// them, or in another order; models tell of their own properties. What is saved anywhere in the process arrives by
/// itself, in the isolation that the observer was made on; so does what is pending in its own context, at the end of
/// the turn, unless the descriptor leaves that out. Whoever reads sees at once what there is by now.
///
/// A commit that touches nothing that the query reads costs nothing. Otherwise it is run again, beside the context, and
/// nobody is told where the answer is the same.
///
/// It belongs to its context's actor, as models do. All results are held in memory: give the descriptor a limit for a
/// large table.
public final class ResultsObserver<Element, SectionTitle>: Observable, CustomDebugStringConvertible
where Element: PersistentModel, SectionTitle: Hashable {
  private let registrar = ObservationRegistrar()
  private let isolation: LiveIsolation
  private let title: ((Element) -> SectionTitle)?
  private let section: SectionSource?
  private let sectionKeyPath: PartialKeyPath<Element>?
  private var list: LiveList<Element>
  /// What observers were told of last.
  package private(set) var shownResults: FetchResultsCollection<Element> { didSet { showings += 1 } }
  /// How often there were others.
  package private(set) var showings = 0
  package private(set) var shownSections: SectionedResults<Element, SectionTitle>? { didSet { sectionShowings += 1 } }
  package private(set) var sectionShowings = 0
  private var shownError: (any Error)?
  /// Whether that is of what was asked for last, and not of what is shown.
  private var isRefused = false

  /// The context whose models these are.
  public let modelContext: ModelContext

  init(
    _ descriptor: FetchDescriptor<Element>, _ sectionBy: PartialKeyPath<Element>?,
    _ title: ((Element) -> SectionTitle)?, _ context: ModelContext, _ actor: (any Actor)?
  ) throws {
    modelContext = context
    isolation = LiveIsolation(actor, context.core)
    sectionKeyPath = sectionBy
    section = sectionBy.map { SectionSource($0, Element._$layout) }
    self.title = title
    let reference = LiveReference()
    list = try Self.list(descriptor, context, section, isolation, reference)
    shownResults = FetchResultsCollection(list.elements)
    shownSections = title.map { title in
      context.core.unobserved { SectionedResults(list.elements, title: title) }
    }
    reference.list = self
    context.core.add(self)
  }

  // MARK: Being told

  private static func list(
    _ descriptor: FetchDescriptor<Element>, _ context: ModelContext, _ section: SectionSource?,
    _ isolation: LiveIsolation, _ reference: LiveReference
  ) throws -> LiveList<Element> {
    try LiveList(descriptor, in: context, section: section, interest: section == nil ? .members : .everything) {
      isolation.run { reference.list?.look() }
    }
  }

  /// Brings what is shown up to date, and tells those who observe it.
  func look() {
    do {
      let news = try list.news()
      if shownError != nil, !isRefused { registrar.withMutation(of: self, keyPath: \.fetchError) { shownError = nil } }
      if let news { take(news) }
    } catch {
      let isKnown = isKnown(error)
      isRefused = false
      // It is looked again and again until it is over, and told once.
      if isKnown { return }
      Log.warning("A live query of \(Element._$layout.entityName) keeps its results, since it failed. \(error)")
      registrar.withMutation(of: self, keyPath: \.fetchError) { shownError = error }
    }
    showSections()
  }

  /// Whether the failure is the one that has been told of. What was being done when it was met may differ.
  private func isKnown(_ error: any Error) -> Bool {
    guard !isRefused, let shownError else { return false }
    if let shown = shownError as? StoreError, let error = error as? StoreError { return shown.code == error.code }
    return "\(shownError)" == "\(error)"
  }

  private func take(_ news: LiveList<Element>.News) {
    let list = list
    if news.elements.elementsEqual(list.elements, by: ===) {
      _ = list.take(news)
      return
    }
    registrar.withMutation(of: self, keyPath: \.results) {
      // Whoever is told may have looked, or asked for something else, by now.
      if list.take(news), list === self.list { show(FetchResultsCollection(list.elements)) }
    }
  }

  // The last reference to a model may go with what is shown no more, and its end may run what a user wrote, which may read
  // the results: whoever shows something else holds what there was until that is done.

  private func show(_ results: FetchResultsCollection<Element>) {
    let former = shownResults
    shownResults = results
    withExtendedLifetime(former) {}
  }

  private func show(_ sections: SectionedResults<Element, SectionTitle>) {
    let former = shownSections
    shownSections = sections
    withExtendedLifetime(former) {}
  }

  private func showSections() {
    guard let title else { return }
    // Whoever is tracking the sections is told when they change, and not of each property that a title is made of.
    let sections = modelContext.core.unobserved { SectionedResults(list.elements, title: title) }
    if sections == shownSections { return }
    registrar.withMutation(of: self, keyPath: \.sections) { show(sections) }
  }

  private func lookIfStale() { if list.isStale { look() } }

  // MARK: What is asked for

  /// What is asked for.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return list.descriptor
  }

  /// Which models; all where it is nil. Setting it asks anew. What fails is ``fetchError``, and the results stay.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { ask { $0.predicate = newValue } }
  }

  /// In which order. Setting it asks anew. What fails is ``fetchError``, and the results stay.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { ask { $0.sortBy = newValue } }
  }

  private func ask(_ change: (inout FetchDescriptor<Element>) -> Void) {
    var descriptor = list.descriptor
    change(&descriptor)
    do {
      let reference = LiveReference()
      let next = try Self.list(descriptor, modelContext, section, isolation, reference)
      reference.list = self
      registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
        registrar.withMutation(of: self, keyPath: \.results) {
          let former = list
          list = next
          show(FetchResultsCollection(next.elements))
          withExtendedLifetime(former) {}
        }
      }
      isRefused = false
      if shownError != nil { registrar.withMutation(of: self, keyPath: \.fetchError) { shownError = nil } }
      showSections()
    } catch {
      isRefused = true
      registrar.withMutation(of: self, keyPath: \.fetchError) { shownError = error }
    }
  }

  // MARK: What is there

  /// The models, in their order.
  public var results: FetchResultsCollection<Element> {
    registrar.access(self, keyPath: \.results)
    lookIfStale()
    return shownResults
  }

  /// The models divided by their titles; nil where the observer was made without.
  public var sections: SectionedResults<Element, SectionTitle>? {
    registrar.access(self, keyPath: \.sections)
    lookIfStale()
    return shownSections
  }

  /// What the results are divided by.
  public var sectionBy: PartialKeyPath<Element>? { sectionKeyPath }

  /// Why the results could not be brought up to date, or not be had as they were asked for last; nil where they could.
  /// This is Larder's own.
  public var fetchError: (any Error)? {
    registrar.access(self, keyPath: \.fetchError)
    lookIfStale()
    return shownError
  }

  /// The model at a place: the number of its section, 0 where there are none, and its number in that. nil where nothing is.
  public func element(at indexPath: IndexPath) -> Element? {
    guard indexPath.count == 2, indexPath.allSatisfy({ $0 >= 0 }) else { return nil }
    if let sections {
      guard indexPath[0] < sections.count, indexPath[1] < sections[indexPath[0]].count else { return nil }
      return sections[indexPath[0]][indexPath[1]]
    }
    let results = results
    return indexPath[0] == 0 && indexPath[1] < results.count ? results[indexPath[1]] : nil
  }

  /// The place of a model; nil where it is none of the results.
  public func indexPath(for element: Element) -> IndexPath? {
    if let sections {
      for (number, section) in sections.enumerated() {
        if let place = section.firstIndex(where: { $0 === element }) { return IndexPath(indexes: [number, place]) }
      }
      return nil
    }
    return results.firstIndex { $0 === element }.map { IndexPath(indexes: [0, $0]) }
  }

  public var debugDescription: String {
    let sections = shownSections.map { ", \($0.count) sections" } ?? ""
    return "ResultsObserver<\(Element.self)>(\(shownResults.count) results\(sections))"
  }
}

extension ResultsObserver: LiveListening {
  var isToldByItself: Bool { isolation.isKnown }
  func tellOfPending() { list.tellOfPending() }
}

@available(*, unavailable, message: "an observer belongs to its context's actor; make one for each")
extension ResultsObserver: Sendable {}
