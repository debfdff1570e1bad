import ArgumentParser
import StubMatching

/// The values that the journal, recordings and archives hide.
struct StubMaskOptions: ParsableArguments {
    @Option(help: "A member of JSON bodies to mask; may be repeated.") var maskField: [String] = []
    @Flag(help: "Show credentials and cookies instead of masking them.") var showSecrets = false

    var mask: SecretMask { showSecrets ? .off : SecretMask(fields: Set(maskField)) }
}
