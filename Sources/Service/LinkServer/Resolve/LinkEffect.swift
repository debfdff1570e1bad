package import LinkRouting

/// What an answer to a link does, in words.
package struct LinkEffect {
    private let answer: JSONNode

    /// - Parameter answer: As in `POST /resolve`.
    package init(_ answer: JSONNode) { self.answer = answer }

    /// For example `opens the app: shop://item/7`.
    package var text: String {
        switch answer["action"]?.text {
        case "open_app": target("uri", "opens the app:")
        case "open_web": target("web", "opens the page")
        case "open_store": target("store", "opens the store:")
        case "update_app": target("store", "asks for an update of the app:")
        case "sign_in": target("uri", "opens the app, which asks to sign in:")
        case "block": "is blocked: \(reason ?? "no reason given")"
        default: "leads nowhere"
        }
    }

    /// Why the link was rejected or blocked; nil if it was not.
    package var reason: String? { answer["reason"].flatMap { $0["message"]?.text ?? $0["code"]?.text } }

    private func target(_ key: String, _ verb: String) -> String {
        answer["destination"]?[key]?.text.map { "\(verb) \($0)" } ?? verb
    }

    /// Why a route does not match, by its entry in a trace.
    package static func mismatch(_ entry: JSONNode) -> String {
        let location = entry["at"].map { at in at.int.map { "segment \($0 + 1)" } ?? "'\(at.text ?? "")'" }
        let parameter = entry["parameter"]?.text.map { "{\($0)}" }
        let failed = entry["failed"]?.text.flatMap { ["path", "type"].contains($0) && location != nil ? nil : $0 }
        let subject = [failed, location, parameter].compactMap(\.self).joined(separator: " ")
        let found = entry["found"]?.text.map { "'\($0)'" } ?? "nothing"
        return entry["expected"]?.text.map { "\(subject): \(found), expected \($0)" } ?? subject
    }
}
