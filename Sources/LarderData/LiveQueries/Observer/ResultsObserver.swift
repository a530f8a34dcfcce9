public import Foundation
public import Observation

/// The observable, up-to-date results of a fetch descriptor: a live query for view models.
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
/// A view, or a `withObservationTracking` block, that reads ``results`` or ``sections`` is notified when models enter or leave
/// them, or when their order changes. Models notify of changes of their own properties. A commit anywhere in the process
/// updates the results automatically, in the isolation that the observer was created on. A pending change of the observer's
/// own context updates them at the end of the turn, unless the descriptor excludes pending changes. Reading the results
/// always returns the current ones.
///
/// A commit that touches no row that the query reads costs nothing. Otherwise the query runs again, outside of the context.
/// If the result is the same, no observer is notified.
///
/// An observer belongs to its context's actor, as models do. All results are held in memory: set the descriptor's fetch limit
/// for a large table.
public final class ResultsObserver<Element, SectionTitle>: Observable, CustomDebugStringConvertible
where Element: PersistentModel, SectionTitle: Hashable {
  private let registrar = ObservationRegistrar()
  private let isolation: ObserverIsolation
  private let title: ((Element) -> SectionTitle)?
  private let section: SectionDependencies?
  private let sectionKeyPath: PartialKeyPath<Element>?
  private var list: LiveList<Element>
  /// The results that observers were last notified of.
  package private(set) var publishedResults: FetchResultsCollection<Element> { didSet { resultsChangeCount += 1 } }
  /// The number of changes of the results.
  package private(set) var resultsChangeCount = 0
  package private(set) var publishedSections: SectionedResults<Element, SectionTitle>? {
    didSet { sectionsChangeCount += 1 }
  }
  package private(set) var sectionsChangeCount = 0
  private var publishedError: (any Error)?
  /// Whether the error is of the descriptor that was set last, and not of the shown results.
  private var isDescriptorError = false

  /// The context that the results belong to.
  public let modelContext: ModelContext

  init(
    _ descriptor: FetchDescriptor<Element>, _ sectionBy: PartialKeyPath<Element>?,
    _ title: ((Element) -> SectionTitle)?, _ context: ModelContext, _ actor: (any Actor)?
  ) throws {
    modelContext = context
    isolation = ObserverIsolation(actor, context.core)
    sectionKeyPath = sectionBy
    section = sectionBy.map { SectionDependencies($0, Element._$layout) }
    self.title = title
    let reference = WeakLiveList()
    list = try Self.makeList(descriptor, context, section, isolation, reference)
    publishedResults = FetchResultsCollection(list.elements)
    publishedSections = title.map { title in
      context.core.withoutTracking { SectionedResults(list.elements, title: title) }
    }
    reference.list = self
    context.core.add(self)
  }

  // MARK: Notifications

  private static func makeList(
    _ descriptor: FetchDescriptor<Element>, _ context: ModelContext, _ section: SectionDependencies?,
    _ isolation: ObserverIsolation, _ reference: WeakLiveList
  ) throws -> LiveList<Element> {
    try LiveList(descriptor, in: context, section: section, changeCriterion: section == nil ? .members : .everything) {
      isolation.run { reference.list?.refresh() }
    }
  }

  /// Updates the results and sections, and notifies their observers.
  func refresh() {
    do {
      let news = try list.fetchUpdate()
      if publishedError != nil, !isDescriptorError {
        registrar.withMutation(of: self, keyPath: \.fetchError) { publishedError = nil }
      }
      if let news { apply(news) }
    } catch {
      let isKnown = isPublished(error)
      isDescriptorError = false
      // The refresh is retried until it succeeds; the failure is reported once.
      if isKnown { return }
      Log.warning("A live query of \(Element._$layout.entityName) keeps its results, since it failed. \(error)")
      registrar.withMutation(of: self, keyPath: \.fetchError) { publishedError = error }
    }
    updateSections()
  }

  /// Returns whether the failure is the published one. Its text may differ, since it names the operation that failed.
  private func isPublished(_ error: any Error) -> Bool {
    guard !isDescriptorError, let publishedError else { return false }
    if let shown = publishedError as? StoreError, let error = error as? StoreError { return shown.code == error.code }
    return "\(publishedError)" == "\(error)"
  }

  private func apply(_ news: LiveList<Element>.Update) {
    let list = list
    if news.elements.elementsEqual(list.elements, by: ===) {
      _ = list.apply(news)
      return
    }
    registrar.withMutation(of: self, keyPath: \.results) {
      // A notified observer may have refreshed the results, or set another descriptor, in the meantime.
      if list.apply(news), list === self.list { publish(FetchResultsCollection(list.elements)) }
    }
  }

  // Replacing the results may release the last reference to a model, whose deinitializer may run user code that reads the
  // results. So each replacement retains the former results until it is complete.

  private func publish(_ results: FetchResultsCollection<Element>) {
    let former = publishedResults
    publishedResults = results
    withExtendedLifetime(former) {}
  }

  private func publish(_ sections: SectionedResults<Element, SectionTitle>) {
    let former = publishedSections
    publishedSections = sections
    withExtendedLifetime(former) {}
  }

  private func updateSections() {
    guard let title else { return }
    // An observer of the sections is notified when the sections change, not when a property changes that a title reads.
    let sections = modelContext.core.withoutTracking { SectionedResults(list.elements, title: title) }
    if sections == publishedSections { return }
    registrar.withMutation(of: self, keyPath: \.sections) { publish(sections) }
  }

  private func refreshIfStale() { if list.isStale { refresh() } }

  // MARK: Descriptor

  /// The descriptor of the observed fetch.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return list.descriptor
  }

  /// The predicate of the fetch; `nil` matches all models. Setting it fetches again. If that fails, ``fetchError`` is set, and
  /// the results stay.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { updateDescriptor { $0.predicate = newValue } }
  }

  /// The sort descriptors of the fetch. Setting them fetches again. If that fails, ``fetchError`` is set, and the results stay.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { updateDescriptor { $0.sortBy = newValue } }
  }

  private func updateDescriptor(_ change: (inout FetchDescriptor<Element>) -> Void) {
    var descriptor = list.descriptor
    change(&descriptor)
    do {
      let reference = WeakLiveList()
      let next = try Self.makeList(descriptor, modelContext, section, isolation, reference)
      reference.list = self
      registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
        registrar.withMutation(of: self, keyPath: \.results) {
          let former = list
          list = next
          publish(FetchResultsCollection(next.elements))
          withExtendedLifetime(former) {}
        }
      }
      isDescriptorError = false
      if publishedError != nil { registrar.withMutation(of: self, keyPath: \.fetchError) { publishedError = nil } }
      updateSections()
    } catch {
      isDescriptorError = true
      registrar.withMutation(of: self, keyPath: \.fetchError) { publishedError = error }
    }
  }

  // MARK: Results

  /// The fetched models, in the order of the sort descriptors.
  public var results: FetchResultsCollection<Element> {
    registrar.access(self, keyPath: \.results)
    refreshIfStale()
    return publishedResults
  }

  /// The fetched models in sections, or `nil` if the observer was created without sections.
  public var sections: SectionedResults<Element, SectionTitle>? {
    registrar.access(self, keyPath: \.sections)
    refreshIfStale()
    return publishedSections
  }

  /// The key path that divides the results into sections, or `nil` if there are none.
  public var sectionBy: PartialKeyPath<Element>? { sectionKeyPath }

  /// The error of the last update or of the last change of the descriptor, or `nil` if it succeeded. Larder's own API.
  public var fetchError: (any Error)? {
    registrar.access(self, keyPath: \.fetchError)
    refreshIfStale()
    return publishedError
  }

  /// Returns the model at an index path, or `nil` if there is none. The first index is the section, or 0 without sections; the
  /// second is the position in it.
  public func element(at indexPath: IndexPath) -> Element? {
    guard indexPath.count == 2, indexPath.allSatisfy({ $0 >= 0 }) else { return nil }
    if let sections {
      guard indexPath[0] < sections.count, indexPath[1] < sections[indexPath[0]].count else { return nil }
      return sections[indexPath[0]][indexPath[1]]
    }
    let results = results
    return indexPath[0] == 0 && indexPath[1] < results.count ? results[indexPath[1]] : nil
  }

  /// Returns the index path of a model, or `nil` if the model is not one of the results.
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
    let sections = publishedSections.map { ", \($0.count) sections" } ?? ""
    return "ResultsObserver<\(Element.self)>(\(publishedResults.count) results\(sections))"
  }
}

extension ResultsObserver: LiveListMember {
  var notifiesItself: Bool { isolation.isAvailable }
  func notifyPendingChange() { list.notifyPendingChange() }
}

@available(*, unavailable, message: "an observer belongs to its context's actor; make one for each")
extension ResultsObserver: Sendable {}
