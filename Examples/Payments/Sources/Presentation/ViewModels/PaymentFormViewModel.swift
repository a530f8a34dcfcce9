import Foundation
import Observation

/// The form of one window.
@MainActor
@Observable
final class PaymentFormViewModel {
  private(set) var form: PaymentForm
  private(set) var mistakes: [PaymentForm.Field: String] = [:]
  /// What is wrong beside the fields.
  private(set) var problem: String?
  private(set) var isKept = false

  @ObservationIgnored private let outbox: any PaymentOutbox

  init(_ form: PaymentForm = PaymentForm(), outbox: any PaymentOutbox) {
    self.form = form
    self.outbox = outbox
  }

  /// Gives the order. What is kept leaves an empty form behind, which is another payment; what is not leaves what was
  /// typed, with what is wrong with it.
  func submit() async {
    (mistakes, problem, isKept) = ([:], nil, false)
    do {
      switch try await outbox.take(form.draft()) {
      case .kept:
        isKept = true
        form = PaymentForm()
      case .nameIsTaken:
        // It may be a second payment, or a page from the browser's memory: whoever wants it presses once more.
        form.name = UUID().uuidString
        problem =
          "This form was sent before, with something else in it, and nothing more is paid by that. "
          + "Press “Pay” once more if this is to be a payment of its own."
      }
    } catch let error as FormMistakes {
      mistakes = error.words
    } catch {
      problem = "The payment could not be kept in the store, and nothing is paid. Try it again."
    }
  }
}
