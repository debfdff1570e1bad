/// One action of an editor.
enum EditingStep: Sendable {
    typealias Table = EditingModel.Table
    typealias Place = EditingModel.Place
    typealias Editor = EditingModel.Editor

    enum Match: Sendable {
        case none
        case version(String)
    }

    enum Base: Sendable {
        case kept, nothing
        case revision(Int64)
    }

    case putRoute(String, EditingModel.Bytes, Place, Editor, Match)
    case removeRoute(String, Place, Editor, Match)
    case putTable(Table, Place, Base, Editor)
    case publish(Place, Editor, Match, isOverridden: Bool)
    case removeDraft(Place)
    case publishAgain(Int64, environment: String, Editor, isOverridden: Bool)
    case plan(Place, Editor)
    case planTable(Table, Place, basedOn: Int64?, Editor)
    case saveSettings(hasWebsite: Bool)
    case guardTables(Bool)
    case prune
}

extension EditingModel {
    /// Applies the step and returns the expected answer. The new version of a draft is unknown here.
    mutating func take(_ step: EditingStep) -> Code {
        switch step {
        case .putRoute(let id, let bytes, let place, let editor, let match):
            return rewrite(place, editor, match) { table in
                if table.routes.updateValue(bytes, forKey: id) == nil { table.ids.append(id) }
                return nil
            }
        case .removeRoute(let id, let place, let editor, let match):
            return rewrite(place, editor, match) { table in
                guard table.routes.removeValue(forKey: id) != nil else { return .unknownRoute }
                table.ids.removeAll { $0 == id }
                return nil
            }
        case .putTable(let table, let place, let base, let editor): return put(table, place, base, editor)
        case .publish(let place, let editor, let match, let isOverridden):
            if isOverridden, editor != .anyone { return .forbidden }
            guard let draft = drafts[place] else { return .noDraft }
            if case .version(let version) = match, version != draft.version { return .stale }
            switch merged(draft, place) {
            case .failure(let conflict): return conflict.code
            case .success(let table):
                if table.needsWebsite, !hasWebsite { return .invalidTable }
                guard Self.mayWrite(editor, from: liveTable(place.environment), to: table) else { return .forbidden }
                if let problem = problem(with: table, isOverridden: isOverridden) { return problem }
                publish(table, in: place.environment)
                drafts[place] = nil
                return .done
            }
        case .removeDraft(let place): return drafts.removeValue(forKey: place) == nil ? .noDraft : .done
        case .publishAgain(let revision, let environment, let editor, let isOverridden):
            guard maySee(revision, editor), let table = revisions[revision]?.table else { return .unknownRevision }
            if isOverridden, editor != .anyone { return .forbidden }
            if let problem = problem(with: table, isOverridden: isOverridden) { return problem }
            publish(table, in: environment)
            return .done
        case .plan(let place, _):
            if case .failure(let conflict) = merged(draft(place), place) { return conflict.code }
            return .done
        case .planTable(let table, let place, let base, let editor):
            if let base, !maySee(base, editor) { return .unknownRevision }
            let live = liveTable(place.environment)
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

    private func merged(_ draft: Draft, _ place: Place) -> Result<Table, Conflict> {
        let base = draft.base.flatMap { revisions[$0]?.table } ?? Table()
        return merge(base: base, live: liveTable(place.environment), draft: draft.table)
    }

    private mutating func rewrite(
        _ place: Place,
        _ editor: Editor,
        _ match: EditingStep.Match,
        _ edit: (inout Table) -> Code?
    ) -> Code {
        let old = draft(place)
        if case .version(let version) = match, version != old.version { return .stale }
        var draft = old
        if let code = edit(&draft.table) { return code }
        guard Self.mayWrite(editor, from: old.table, to: draft.table) else { return .forbidden }
        draft.version = "?"
        drafts[place] = draft
        return .done
    }

    private mutating func put(_ table: Table, _ place: Place, _ base: EditingStep.Base, _ editor: Editor) -> Code {
        var draft = draft(place)
        let old = draft
        switch base {
        case .kept: break
        case .nothing: draft.base = nil
        case .revision(let revision):
            guard maySee(revision, editor) else { return .unknownRevision }
            draft.base = revision
        }
        let movesBase = drafts[place] != nil && draft.base != old.base
        guard Self.mayWrite(editor, from: old.table, to: table), editor != .blogger || !movesBase else {
            return .forbidden
        }
        draft.table = table
        draft.version = "?"
        drafts[place] = draft
        return .done
    }
}
