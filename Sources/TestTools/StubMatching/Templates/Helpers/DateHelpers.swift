import LinkRouting

/// Helpers for dates.
let dateHelpers: [String: TemplateHelper] = [
    "now": { call, rendering in try formatted(try now(call, rendering), call) },
    "date": { call, rendering in
        if case .date(let date) = call.subject { return try formatted(date, call) }
        return try formatted(try now(call, rendering), call)
    },
    "parseDate": { call, rendering in
        let text = try call.text(call.subject, &rendering)
        guard let format = call.options["format"]?.text else {
            return standardDate(text).map { TemplateValue.date($0) } ?? .null
        }
        switch format {
        case "epoch": return Int64(text).map { TemplateValue.date(TemplateDate(Timestamp(milliseconds: $0))) } ?? .null
        case "unix":
            guard let seconds = Int64(text), seconds.magnitude < 1_000_000_000_000 else { return .null }
            return .date(TemplateDate(Timestamp(milliseconds: seconds * 1_000)))
        default: return try pattern(format, call).date(text).map { TemplateValue.date($0) } ?? .null
        }
    },
    "truncateDate": { call, _ in
        guard case .date(let date) = call.subject else {
            throw call.failure("write a date first, such as '(parseDate request.query.day)'")
        }
        guard let truncated = date.truncated(to: call[1].text) else {
            throw call.failure(
                "there is no period '\(call[1].text.prefix(40))'; write one such as 'first day of month'"
            )
        }
        return .date(truncated)
    },
]

private func now(_ call: TemplateInvocation, _ rendering: TemplateRendering) throws(Template.Failure) -> TemplateDate {
    let now = rendering.environment.now
    guard let name = call.options["timezone"]?.text else { return TemplateDate(now) }
    guard let zone = rendering.environment.zone(name, now) else {
        throw call.failure("there is no time zone '\(name.prefix(40))'; write one such as 'Europe/Paris'")
    }
    return TemplateDate(now, offset: zone.offset, zone: zone.name)
}

private func formatted(_ date: TemplateDate, _ call: TemplateInvocation) throws(Template.Failure) -> TemplateValue {
    var date = date
    if let offset = call.options["offset"]?.text {
        guard let shifted = date.shifted(by: offset) else {
            throw call.failure("'\(offset.prefix(40))' is not an offset; write one such as '3 days' or 'now -2 months'")
        }
        date = shifted
    }
    switch call.options["format"]?.text {
    case nil: return .date(date)
    case "epoch": return .text("\(date.instant.milliseconds)")
    case "unix": return .text("\(date.instant.milliseconds / 1_000)")
    case let format?: return .text(try pattern(format, call).text(date))
    }
}

private func pattern(_ format: String, _ call: TemplateInvocation) throws(Template.Failure) -> DatePattern {
    guard format.utf8.count <= 1_000, let pattern = DatePattern(format) else {
        throw call.failure("'\(format.prefix(40))' is not a date format; write one such as 'yyyy-MM-dd'")
    }
    return pattern
}

/// A date with a zone in ISO 8601, or in the format of HTTP.
private func standardDate(_ text: String) -> TemplateDate? {
    for pattern in ["yyyy-MM-dd'T'HH:mm:ssXXX", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "EEE, dd MMM yyyy HH:mm:ss z"] {
        if let date = DatePattern(pattern)?.date(text) { return date }
    }
    return nil
}
