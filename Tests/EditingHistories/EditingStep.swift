/// One action of an editor.
enum EditingStep: Sendable {
    typealias Table = EditingModel.Table
    typealias Location = EditingModel.Location
    typealias Editor = EditingModel.Editor

    enum Match: Sendable {
        case none
        case version(String)
    }

    enum Base: Sendable {
        case kept, nothing
        case revision(Int64)
    }

    case putRoute(String, EditingModel.Bytes, Location, Editor, Match)
    case removeRoute(String, Location, Editor, Match)
    case putTable(Table, Location, Base, Editor)
    case publish(Location, Editor, Match, isOverridden: Bool)
    case removeDraft(Location)
    case publishAgain(Int64, environment: String, Editor, isOverridden: Bool)
    case plan(Location, Editor)
    case planTable(Table, Location, basedOn: Int64?, Editor)
    case saveSettings(hasWebsite: Bool)
    case guardTables(Bool)
    case prune
}

extension EditingModel {
    /// Applies the step and returns the expected answer. The new version of a draft is unknown here.
    mutating func apply(_ step: EditingStep) -> Code {
        switch step {
        case .putRoute(let id, let bytes, let location, let editor, let match):
            return rewrite(location, editor, match) { table in
                if table.routes.updateValue(bytes, forKey: id) == nil { table.ids.append(id) }
                return nil
            }
        case .removeRoute(let id, let location, let editor, let match):
            return rewrite(location, editor, match) { table in
                guard table.routes.removeValue(forKey: id) != nil else { return .unknownRoute }
                table.ids.removeAll { $0 == id }
                return nil
            }
        case .putTable(let table, let location, let base, let editor): return put(table, location, base, editor)
        case .publish(let location, let editor, let match, let isOverridden):
            if isOverridden, editor != .anyone { return .forbidden }
            guard let draft = drafts[location] else { return .noDraft }
            if case .version(let version) = match, version != draft.version { return .stale }
            switch merged(draft, location) {
            case .failure(let conflict): return conflict.code
            case .success(let table):
                if table.needsWebsite, !hasWebsite { return .invalidTable }
                guard Self.mayWrite(editor, from: liveTable(location.environment), to: table) else { return .forbidden }
                if let problem = problem(with: table, isOverridden: isOverridden) { return problem }
                publish(table, in: location.environment)
                drafts[location] = nil
                return .done
            }
        case .removeDraft(let location): return drafts.removeValue(forKey: location) == nil ? .noDraft : .done
        case .publishAgain(let revision, let environment, let editor, let isOverridden):
            guard maySee(revision, editor), let table = revisions[revision]?.table else { return .unknownRevision }
            if isOverridden, editor != .anyone { return .forbidden }
            if let problem = problem(with: table, isOverridden: isOverridden) { return problem }
            publish(table, in: environment)
            return .done
        case .plan(let location, _):
            guard drafts[location] != nil else { return .noDraft }
            if case .failure(let conflict) = merged(draft(location), location) { return conflict.code }
            return .done
        case .planTable(let table, let location, let base, let editor):
            if let base, !maySee(base, editor) { return .unknownRevision }
            let live = liveTable(location.environment)
            let origin = base.flatMap { revisions[$0]?.table } ?? live
            if case .failure(let conflict) = merge(base: origin, live: live, draft: table) { return conflict.code }
            return .done
        case .saveSettings(let hasWebsite):
            if !hasWebsite, live.keys.contains(where: { liveTable($0).needsWebsite }) { return .invalidTable }
            self.hasWebsite = hasWebsite
            return .done
        case .guardTables(let isGuarded):
            self.isGuarded = isGuarded
            return .done
        case .prune:
            prune()
            return .done
        }
    }

    private func merged(_ draft: Draft, _ location: Location) -> Result<Table, Conflict> {
        let base = draft.base.flatMap { revisions[$0]?.table } ?? Table()
        return merge(base: base, live: liveTable(location.environment), draft: draft.table)
    }

    private mutating func rewrite(
        _ location: Location,
        _ editor: Editor,
        _ match: EditingStep.Match,
        _ edit: (inout Table) -> Code?
    ) -> Code {
        let old = draft(location)
        if case .version(let version) = match, version != old.version { return .stale }
        var draft = old
        if let code = edit(&draft.table) { return code }
        guard Self.mayWrite(editor, from: old.table, to: draft.table) else { return .forbidden }
        draft.version = "?"
        drafts[location] = draft
        return .done
    }

    private mutating func put(_ table: Table, _ location: Location, _ base: EditingStep.Base, _ editor: Editor) -> Code
    {
        var draft = draft(location)
        let old = draft
        switch base {
        case .kept: break
        case .nothing: draft.base = nil
        case .revision(let revision):
            guard maySee(revision, editor) else { return .unknownRevision }
            draft.base = revision
        }
        let movesBase = draft.base != old.base
        guard Self.mayWrite(editor, from: old.table, to: table), editor != .blogger || !movesBase else {
            return .forbidden
        }
        draft.table = table
        draft.version = "?"
        drafts[location] = draft
        return .done
    }
}
