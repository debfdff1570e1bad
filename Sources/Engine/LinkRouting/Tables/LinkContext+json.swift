extension LinkContext {
    /// Writes the context as an object that ``init(_:warnings:)`` reads. Unknown facts are left out.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("app", app?.rawValue)
        writer.member("platform", platform?.rawValue)
        writer.member("device", device?.rawValue)
        writer.member("osVersion", osVersion?.description)
        writer.member("appVersion", appVersion?.description)
        writer.member("appBuild", appBuild)
        writer.member("installed", installed)
        if !locale.isEmpty {
            writer.key("locale")
            writer.beginArray()
            for tag in locale { writer.string(tag.description) }
            writer.endArray()
        }
        writer.member("country", country)
        writer.member("authenticated", authenticated)
        let known = traits.filter { !$0.value.isEmpty }
        if !known.isEmpty {
            writer.key("traits")
            writer.beginObject()
            for (name, values) in known.sorted(by: { ExactText($0.key) < ExactText($1.key) }) {
                writer.key(escaping: name)
                writer.beginArray()
                for value in values { writer.string(value) }
                writer.endArray()
            }
            writer.endObject()
        }
        writer.member("stickyKey", stickyKey)
        writer.member("inAppBrowser", inAppBrowser)
        writer.member("now", now?.description)
        writer.endObject()
    }
}
