#if !canImport(Darwin)
  public import Foundation

  // What UIKit and AppKit add to Foundation's type, and code with sections is written with.

  extension IndexPath {
    /// A place in a list with sections: that of ``ResultsObserver/element(at:)``.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The section of a place that has two indexes.
    public var section: Int {
      get { self[0] }
      set { self[0] = newValue }
    }

    /// The place within the section, of one that has two indexes.
    public var item: Int {
      get { self[1] }
      set { self[1] = newValue }
    }
  }
#endif
