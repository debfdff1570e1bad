import Testing

@Test func works() { #expect(1 + 1 == 2) }
