/// What one window shows beyond what all of them do.
@MainActor
struct PageView {
  /// nil where the window keeps the form that it has.
  var form: PaymentFormViewModel?
  /// Why what was asked for could not be done.
  var problem: String?
  /// What was done.
  var said: String?

  /// Whether a plain browser has to be shown this very view: at its address it would see another one.
  var isOwn: Bool { problem != nil || form.map { !$0.mistakes.isEmpty } ?? false }
}
