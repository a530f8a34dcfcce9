public import Foundation

// Initializers: by a descriptor or its parts, in a context or a container, with sections or without.

extension ResultsObserver where SectionTitle == Never {
  /// Creates an observer of a fetch descriptor's results.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The models to fetch, and their order.
  ///   - modelContext: The context that the results belong to.
  ///   - isolation: The actor that uses the context, and on which observers are notified.
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, nil, nil, modelContext, isolation) }

  /// Creates an observer of the models that match a predicate, in the specified order.
  ///
  /// - Parameters:
  ///   - filterBy: The predicate; `nil` matches all models.
  ///   - sortBy: The sort descriptors.
  ///   - modelContext: The context that the results belong to.
  ///   - isolation: The actor that uses the context, and on which observers are notified.
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, nil, modelContext, isolation)
  }

  /// Creates an observer of a fetch descriptor's results: in the container's main context on the main actor, and in a new
  /// context elsewhere.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, nil, nil, modelContainer.context(on: isolation), isolation) }

  /// Creates an observer of the models of a container that match a predicate, in the specified order.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, nil, nil, modelContainer.context(on: isolation), isolation)
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Creates an observer of a fetch descriptor's results, divided into sections by the value of a property.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The models to fetch, and their order. Sections are in the order of each title's first occurrence.
  ///   - sectionBy: The property that is the title. The title of a computed property is updated when the model itself
  ///     changes, and not when other models change that the property reads.
  ///   - modelContext: The context that the results belong to.
  ///   - isolation: The actor that uses the context, and on which observers are notified.
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, sectionBy, { $0[keyPath: sectionBy] }, modelContext, isolation) }

  /// Creates an observer of the models that match a predicate, in the specified order, divided into sections by the value of a
  /// property.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, sectionBy, { $0[keyPath: sectionBy] }, modelContext, isolation)
  }

  /// Creates an observer of a fetch descriptor's results in a container, divided into sections by the value of a property.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = modelContainer.context(on: isolation)
    try self.init(fetchDescriptor, sectionBy, { $0[keyPath: sectionBy] }, context, isolation)
  }

  /// Creates an observer of the models of a container that match a predicate, in the specified order, divided into sections by
  /// the value of a property.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    let context = modelContainer.context(on: isolation)
    try self.init(descriptor, sectionBy, { $0[keyPath: sectionBy] }, context, isolation)
  }

  /// Creates an observer of a fetch descriptor's results, divided into sections by the value of a property. The title is empty
  /// where the value is `nil`.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, sectionBy, { $0[keyPath: sectionBy] ?? "" }, modelContext, isolation) }

  /// Creates an observer of the models that match a predicate, divided into sections by the value of a property. The title is
  /// empty where the value is `nil`.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, sectionBy, { $0[keyPath: sectionBy] ?? "" }, modelContext, isolation)
  }

  /// Creates an observer of a fetch descriptor's results in a container, divided into sections by the value of a property. The
  /// title is empty where the value is `nil`.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = modelContainer.context(on: isolation)
    try self.init(fetchDescriptor, sectionBy, { $0[keyPath: sectionBy] ?? "" }, context, isolation)
  }

  /// Creates an observer of the models of a container that match a predicate, divided into sections by the value of a property.
  /// The title is empty where the value is `nil`.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    let context = modelContainer.context(on: isolation)
    try self.init(descriptor, sectionBy, { $0[keyPath: sectionBy] ?? "" }, context, isolation)
  }
}

extension ModelContainer {
  /// Returns the context of an observer that is created with the container.
  fileprivate func context(on actor: (any Actor)?) -> ModelContext {
    guard actor === MainActor.shared else { return ModelContext(self) }
    return MainActor.assumeIsolated { UncheckedContext(context: mainContext) }.context
  }

  // @unchecked: the context stays within the main actor.
  private struct UncheckedContext: @unchecked Sendable {
    let context: ModelContext
  }
}
