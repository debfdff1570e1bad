import LinkCatalog
import LinkRouting
import TestSupport
import Testing

/// A document that is written as YAML is read as the same document, whatever its texts are.
struct WrittenYAMLTests {
    @Test func textsAndKeysAreReadAsTheyWereWritten() throws {
        // Yams drops a U+FEFF at the beginning of a scalar.
        let texts = (HostileTexts.combinations + HostileTexts.joined + HostileTexts.random(500, seed: 1))
            .filter { $0.unicodeScalars.first != "\u{FEFF}" }
        let members = texts.enumerated().map { number, text in JSONNode.Member("\(text)\(number)", .string(text)) }
        let yaml = try Document.yaml(JSONNode(.object(members)))
        #expect(yaml.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isUnsafeToDisplay })
        let read = try #require(try Document.readYAML(yaml).members)
        #expect(read.count == members.count)
        for (read, written) in zip(read, members) {
            #expect(read.key.isExactly(written.key), "\(Array(written.key.unicodeScalars))")
            #expect(
                read.value.text?.isExactly(written.value.text ?? "") == true,
                "\(Array(written.key.unicodeScalars))"
            )
        }
    }
}
