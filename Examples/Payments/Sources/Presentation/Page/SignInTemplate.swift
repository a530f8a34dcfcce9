import ExampleSupport

/// Where the customer signs in again, while they have to.
@MainActor
enum SignInTemplate {
  static func form(_ signIn: SignInViewModel) -> HTML {
    guard signIn.isNeeded else { return "" }
    return """
      <form method="post" action="/sign-in" data-form="sign-in" class="note row">\
      <label for="code">The bank has ended your session. What you pay is kept until you sign in again, by the code that \
      it gave you:</label><input id="code" name="code" type="password" autocomplete="off" maxlength="100">\
      <button id="sign-in">Sign in</button></form>
      """
  }
}
