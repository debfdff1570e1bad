import Foundation
import LinkRouting
import StubMatching

/// Mistakes that WireMock accepts too, so that a stub with one is only reported.
extension StubMapping {
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "ANY",
    ]

    /// Lines for people about what keeps the stub from every request, or from its body.
    func mistakes(in folder: StubFolder?) -> [String] {
        [urlMistake, methodMistake, bodyMistake(folder)].compactMap(\.self)
    }

    private var urlMistake: String? {
        guard let (key, text) = request.url.source else { return nil }
        let isPath: Bool
        switch request.url.kind {
        case .any, .urlPattern, .urlPathPattern: return nil
        case .url: isPath = false
        case .urlPath, .urlPathTemplate: isPath = true
        }
        let shown = "\(key) '\(text.prefix(100))'"
        guard !text.hasPrefix("http://"), !text.hasPrefix("https://") else {
            return "\(shown) has a host, but only what follows it is compared, so no request matches"
        }
        // A template may begin with a variable, and the target of OPTIONS may be '*'.
        guard ["/", "{", "*"].contains(where: { text.hasPrefix($0) }) else {
            return "\(shown) has no leading slash, so no request matches"
        }
        guard isPath, text.contains("?") else { return nil }
        return "\(shown) has a query, but only the path is compared, so no request matches; write url"
    }

    private var methodMistake: String? {
        let method = request.method
        guard !Self.methods.contains(method), let near = method.nearest(among: Self.methods) else { return nil }
        return "the method '\(method.prefix(100))' is none that clients use; did you mean '\(near)'?"
    }

    private func bodyMistake(_ folder: StubFolder?) -> String? {
        // The name may be a template.
        guard case .file(let name) = response.body, response.proxy == nil, !name.contains("{{") else { return nil }
        guard let folder else { return "bodyFileName '\(name.prefix(100))' needs a folder with '__files'" }
        guard !FileManager.default.fileExists(atPath: "\(folder.files)/\(name)") else { return nil }
        return "bodyFileName '\(name.prefix(100))' is not in \(folder.files)"
    }
}

extension StubFolder {
    /// The first twenty lines about mistakes in the folder's stubs.
    func mistakes(in stubs: [(stub: StubMapping, file: String)]) -> [String] {
        let all = stubs.lazy.flatMap { entry in
            entry.stub.mistakes(in: self).map { "\(mappings)/\(entry.file): \($0)" }
        }
        return Array(all.prefix(20))
    }
}
