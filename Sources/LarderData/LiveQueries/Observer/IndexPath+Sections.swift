#if !canImport(Darwin)
  public import Foundation

  // Additions that UIKit and AppKit make to Foundation's type; code for lists with sections uses them.

  extension IndexPath {
    /// Creates the index path of a position in a list with sections, for ``ResultsObserver/element(at:)``.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The section, which is the first of two indexes.
    public var section: Int {
      get { self[0] }
      set { self[0] = newValue }
    }

    /// The position within the section, which is the second of two indexes.
    public var item: Int {
      get { self[1] }
      set { self[1] = newValue }
    }
  }
#endif
