import ExampleSupport
import Foundation

/// The form by which somebody is paid.
enum FormTemplate {
  static func fields(_ form: PaymentForm, mistakes: [PaymentForm.Field: String]) -> HTML {
    """
    <input type="hidden" name="name" value="\(form.name)">\(account(form, mistakes[.account]))\
    \(field(.recipient, "To whom", form, mistakes, "autocomplete=\"off\""))\
    \(field(.number, "Account number", form, mistakes, "autocomplete=\"off\" autocapitalize=\"characters\""))\
    \(field(.amount, "Amount in EUR", form, mistakes, "inputmode=\"decimal\" placeholder=\"12.50\""))\
    \(field(.description, "What for (may be left empty)", form, mistakes))\
    <button id="pay-button" class="main">Pay</button>
    """
  }

  private static func account(_ form: PaymentForm, _ mistake: String?) -> HTML {
    let options = PaymentForm.accounts.map { account -> HTML in
      let selected: HTML = account.id == form[.account] ? " selected" : ""
      return "<option value=\"\(account.id)\"\(selected)>\(account.title)</option>"
    }
    return label(
      .account, "From",
      "<select id=\"field-account\" name=\"account\"\(described(.account, mistake))>\(options.joined())</select>",
      mistake)
  }

  private static func field(
    _ field: PaymentForm.Field, _ title: HTML, _ form: PaymentForm, _ mistakes: [PaymentForm.Field: String],
    _ more: HTML = ""
  ) -> HTML {
    let mistake = mistakes[field]
    let name = field.rawValue
    let length = PaymentForm.longest[field] ?? 100
    return label(
      field, title,
      """
      <input id="field-\(name)" name="\(name)" value="\(form[field])" maxlength="\(length)"\(described(field, mistake)) \
      \(more)>
      """, mistake)
  }

  /// A field with its name above it, and below it what is wrong with what it holds.
  private static func label(_ field: PaymentForm.Field, _ title: HTML, _ input: HTML, _ mistake: String?) -> HTML {
    let words: HTML = mistake.map { "<p class=\"mistake\" id=\"mistake-\(field.rawValue)\">\($0)</p>" } ?? ""
    return "<div class=\"field\"><label for=\"field-\(field.rawValue)\">\(title)</label>\(input)\(words)</div>"
  }

  private static func described(_ field: PaymentForm.Field, _ mistake: String?) -> HTML {
    mistake == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"mistake-\(field.rawValue)\""
  }
}
