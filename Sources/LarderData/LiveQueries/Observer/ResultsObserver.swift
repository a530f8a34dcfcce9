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
  private let isolation: ObserverIsolation
  private let title: ((Element) -> SectionTitle)?
  private let section: SectionDependencies?
  private let sectionKeyPath: PartialKeyPath<Element>?
  private var list: LiveList<Element>
  /// What observers were told of last.
  package private(set) var publishedResults: FetchResultsCollection<Element> { didSet { resultsChangeCount += 1 } }
  /// How often there were others.
  package private(set) var resultsChangeCount = 0
  package private(set) var publishedSections: SectionedResults<Element, SectionTitle>? {
    didSet { sectionsChangeCount += 1 }
  }
  package private(set) var sectionsChangeCount = 0
  private var publishedError: (any Error)?
  /// Whether that is of what was asked for last, and not of what is shown.
  private var isDescriptorError = false

  /// The context whose models these are.
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

  // MARK: Being told

  private static func makeList(
    _ descriptor: FetchDescriptor<Element>, _ context: ModelContext, _ section: SectionDependencies?,
    _ isolation: ObserverIsolation, _ reference: WeakLiveList
  ) throws -> LiveList<Element> {
    try LiveList(descriptor, in: context, section: section, changeCriterion: section == nil ? .members : .everything) {
      isolation.run { reference.list?.refresh() }
    }
  }

  /// Brings what is shown up to date, and tells those who observe it.
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
      // It is looked again and again until it is over, and told once.
      if isKnown { return }
      Log.warning("A live query of \(Element._$layout.entityName) keeps its results, since it failed. \(error)")
      registrar.withMutation(of: self, keyPath: \.fetchError) { publishedError = error }
    }
    updateSections()
  }

  /// Whether the failure is the one that has been told of. What was being done when it was met may differ.
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
      // Whoever is told may have looked, or asked for something else, by now.
      if list.apply(news), list === self.list { publish(FetchResultsCollection(list.elements)) }
    }
  }

  // The last reference to a model may go with what is shown no more, and its end may run what a user wrote, which may read
  // the results: whoever shows something else holds what there was until that is done.

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
    // Whoever is tracking the sections is told when they change, and not of each property that a title is made of.
    let sections = modelContext.core.withoutTracking { SectionedResults(list.elements, title: title) }
    if sections == publishedSections { return }
    registrar.withMutation(of: self, keyPath: \.sections) { publish(sections) }
  }

  private func refreshIfStale() { if list.isStale { refresh() } }

  // MARK: What is asked for

  /// What is asked for.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return list.descriptor
  }

  /// Which models; all where it is nil. Setting it asks anew. What fails is ``fetchError``, and the results stay.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { updateDescriptor { $0.predicate = newValue } }
  }

  /// In which order. Setting it asks anew. What fails is ``fetchError``, and the results stay.
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

  // MARK: What is there

  /// The models, in their order.
  public var results: FetchResultsCollection<Element> {
    registrar.access(self, keyPath: \.results)
    refreshIfStale()
    return publishedResults
  }

  /// The models divided by their titles; nil where the observer was made without.
  public var sections: SectionedResults<Element, SectionTitle>? {
    registrar.access(self, keyPath: \.sections)
    refreshIfStale()
    return publishedSections
  }

  /// What the results are divided by.
  public var sectionBy: PartialKeyPath<Element>? { sectionKeyPath }

  /// Why the results could not be brought up to date, or not be had as they were asked for last; nil where they could.
  /// This is Larder's own.
  public var fetchError: (any Error)? {
    registrar.access(self, keyPath: \.fetchError)
    refreshIfStale()
    return publishedError
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
