import Testing

@Suite struct ModelActorTests {
  @Test func withoutInitializer() {
    #expect(
      expand("@ModelActor public actor Store {\n}").text == """
        public actor Store {

          public nonisolated let modelExecutor: any LarderData.ModelExecutor

          public nonisolated let modelContainer: LarderData.ModelContainer

          public init(modelContainer: LarderData.ModelContainer) {
            let modelContext = LarderData.ModelContext(modelContainer)
            self.modelExecutor = LarderData.DefaultSerialModelExecutor(modelContext: modelContext)
            self.modelContainer = modelContainer
          }
        }

        extension Store: LarderData.ModelActor {
        }
        """)
  }

  @Test func ownInitializerThatAssigns() {
    let text = expand(
      """
      @ModelActor
      actor Store {
        let client: Client
        init(modelContainer: ModelContainer, client: Client) {
          self.modelContainer = modelContainer
          self.modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
          self.client = client
        }
      }
      """)
    #expect(text.diagnostics == [])
    #expect(text.text.contains("nonisolated let modelExecutor"))
    #expect(!text.text.contains("init(modelContainer: LarderData"))
  }

  @Test func ownInitializerThatDelegates() {
    let source = """
      @ModelActor
      actor Store {
        var client: Client?
        init(container: ModelContainer) {
          self.init(modelContainer: container)
        }
      }
      """
    #expect(expand(source).text.contains("init(modelContainer: LarderData.ModelContainer)"))
  }
}
