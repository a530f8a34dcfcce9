import ExampleSupport
import Foundation

/// Whether the bank can be reached, and how old what is shown is.
@MainActor
enum StatusTemplate {
  static func link(_ sync: SyncManager) -> HTML {
    sync.isOnline
      ? "<span id=\"link\" class=\"chip online\"><i></i>Online</span>"
      : "<span id=\"link\" class=\"chip offline\"><i></i>Offline</span>"
  }

  static func synced(_ sync: SyncManager) -> HTML {
    guard let date = sync.lastSync else { return "Never synced" }
    return "Last synced at \(time(date))"
  }

  /// A time of day; one of another day with its day.
  static func time(_ date: Date) -> HTML {
    time(date, in: Calendar.current.isDateInToday(date) ? Formats.time(date) : Formats.moment(date))
  }

  /// A time that is near, and whose day nobody has to be told: at midnight it is tomorrow's.
  static func soon(_ date: Date) -> HTML { time(date, in: Formats.time(date)) }

  private static func time(_ date: Date, in words: String) -> HTML {
    "<time datetime=\"\(Formats.machine(date))\">\(words)</time>"
  }

  /// - Parameter needsSignIn: Whether the page asks for that already.
  static func trouble(_ sync: SyncManager, _ list: PaymentListViewModel, needsSignIn: Bool) -> HTML {
    var words: [HTML] = []
    if let problem = list.problem { words.append("<p class=\"problem\">\(problem)</p>") }
    if !sync.isOnline {
      words.append(
        """
        <p class="note">\(sync.trouble ?? "There seems to be no network.") What you see is what the store has. \
        What you pay now is kept, and sent as soon as the bank can be reached.</p>
        """)
    } else if let trouble = sync.trouble, !needsSignIn {
      words.append("<p class=\"note\">\(trouble) What you see is what the store has; it is tried again by itself.</p>")
    }
    return words.joined()
  }
}
