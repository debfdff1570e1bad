extension Router {
    /// Returns what chats show of a link: what its route says, and otherwise what the table's defaults say.
    ///
    /// - Parameters:
    ///   - route: The route of the answer; nil for a link that no route decided.
    ///   - parameters: Those of the answer.
    package func preview(of route: RouteID?, parameters: [CapturedParameter]) -> LinkPreview {
        let own = route.flatMap { compiled.previews[$0] }.map { filled($0, with: parameters) }
        let common = compiled.table.defaults.preview.map { filled($0, with: []) } ?? LinkPreview()
        return own?.completed(by: common) ?? common
    }

    private func filled(_ templates: PreviewTemplates, with parameters: [CapturedParameter]) -> LinkPreview {
        func text(_ template: Template?, upTo maximum: Int) -> String? {
            var room = DeepLink.maximumLength
            guard let text = template?.text(filledWith: parameters, &room), !text.isEmpty else { return nil }
            return text.shortened(toBytes: maximum)
        }
        return LinkPreview(
            title: text(templates.title, upTo: LinkPreview.maximumTitleBytes),
            description: text(templates.description, upTo: LinkPreview.maximumDescriptionBytes),
            image: templates.image.flatMap { image($0, with: parameters) }
        )
    }

    /// Returns the filled URL if the settings allow its host, and if it is a valid link that no captured value leads
    /// elsewhere; else nil.
    private func image(_ template: URLTemplate, with parameters: [CapturedParameter]) -> String? {
        guard allows(scheme: template.scheme, host: template.host) else { return nil }
        var url: [UInt8] = []
        guard template.append(to: &url, filledWith: parameters) != .incomplete,
            url.count <= LinkPreview.maximumImageBytes,
            let link = try? DeepLink.parse(url), template.wrote(link)
        else { return nil }
        return String(decoding: url, as: UTF8.self)
    }
}

extension [Route] {
    /// The previews of the routes that have one.
    var previews: [RouteID: PreviewTemplates] {
        var previews: [RouteID: PreviewTemplates] = [:]
        // Reads the routes in place: copying one costs as much as a lookup.
        for index in indices where self[index].$preview.isPresent { previews[self[index].id] = self[index].preview }
        return previews
    }
}
