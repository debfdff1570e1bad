#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#elseif canImport(Darwin)
    import Foundation
#endif

extension Error {
    /// The error as a text of at most 300 characters, without a full stop at its end.
    var shortDescription: String {
        var text = "\(self)"
        #if canImport(FoundationNetworking) || canImport(Darwin)
            // The description of this error is a dump of its dictionary.
            if let error = self as? URLError { text = error.localizedDescription }
        #endif
        while text.hasSuffix(".") { text.removeLast() }
        return String(text.prefix(300))
    }
}
