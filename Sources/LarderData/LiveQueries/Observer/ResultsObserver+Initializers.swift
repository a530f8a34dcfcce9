public import Foundation

// The ways to make an observer: by a descriptor or its parts, in a context or a container, with sections or without.

extension ResultsObserver where SectionTitle == Never {
  /// Observes what a descriptor asks for.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: What is asked for.
  ///   - modelContext: Whose models the results are.
  ///   - isolation: Where the context is used, and where changes are told.
  /// - Throws: As ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, nil, nil, modelContext, isolation) }

  /// Observes the models that match, in an order.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, nil, modelContext, isolation)
  }

  /// Observes what a descriptor asks for, in the container's main context where this is the main actor, and in a context of
  /// its own elsewhere.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, nil, nil, modelContainer.context(on: isolation), isolation) }

  /// Observes the models of a container that match, in an order.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, nil, nil, modelContainer.context(on: isolation), isolation)
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Observes what a descriptor asks for, divided by the value of a property.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: What is asked for. Sections come in the order in which their titles do.
  ///   - sectionBy: The property. Titles of computed properties follow changes of the model itself, and not of others that
  ///     are read for them.
  ///   - modelContext: Whose models the results are.
  ///   - isolation: Where the context is used, and where changes are told.
  /// - Throws: As ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, sectionBy, { $0[keyPath: sectionBy] }, modelContext, isolation) }

  /// Observes the models that match, in an order, divided by the value of a property.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, sectionBy, { $0[keyPath: sectionBy] }, modelContext, isolation)
  }

  /// Observes what a descriptor asks for of a container, divided by the value of a property.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = modelContainer.context(on: isolation)
    try self.init(fetchDescriptor, sectionBy, { $0[keyPath: sectionBy] }, context, isolation)
  }

  /// Observes the models of a container that match, in an order, divided by the value of a property.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    let context = modelContainer.context(on: isolation)
    try self.init(descriptor, sectionBy, { $0[keyPath: sectionBy] }, context, isolation)
  }

  /// Observes what a descriptor asks for, divided by the value of a property; the title is empty where that is nil.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, sectionBy, { $0[keyPath: sectionBy] ?? "" }, modelContext, isolation) }

  /// Observes the models that match, divided by the value of a property; the title is empty where that is nil.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, sectionBy, { $0[keyPath: sectionBy] ?? "" }, modelContext, isolation)
  }

  /// Observes what a descriptor asks for of a container, divided by the value of a property; the title is empty where that
  /// is nil.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = .init(), sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = modelContainer.context(on: isolation)
    try self.init(fetchDescriptor, sectionBy, { $0[keyPath: sectionBy] ?? "" }, context, isolation)
  }

  /// Observes the models of a container that match, divided by the value of a property; the title is empty where that is
  /// nil.
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
  /// The context of an observer that was made with the container.
  fileprivate func context(on actor: (any Actor)?) -> ModelContext {
    guard actor === MainActor.shared else { return ModelContext(self) }
    return MainActor.assumeIsolated { UncheckedContext(context: mainContext) }.context
  }

  // @unchecked: handed on within the main actor.
  private struct UncheckedContext: @unchecked Sendable {
    let context: ModelContext
  }
}
