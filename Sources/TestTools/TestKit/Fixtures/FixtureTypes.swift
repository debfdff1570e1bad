import LinkRouting

/// The types of a fixture in one language, with their names.
indirect enum FixtureType {
    case bool, int, double, string
    case list(FixtureType)
    case map(FixtureType)
    case record(Record)
    /// Any JSON.
    case any
    case optional(FixtureType)

    struct Record {
        let name: String
        let members: [Member]
        /// The records that the members need, to be nested in this one.
        let nested: [Record]
    }

    struct Member {
        let key: String
        let name: String
        let type: FixtureType
    }
}

/// Names the types of a shape.
struct FixtureTypeNaming {
    let language: SourceLanguage
    /// Keys that got a number because another key of their object has the same name.
    private(set) var notes: [(position: JSONNode.Position, message: String)] = []

    init(_ language: SourceLanguage) { self.language = language }

    /// Returns the type of a shape and the records to declare beside it.
    ///
    /// - Parameter enclosing: The names of the types around it, which a nested type must not hide.
    mutating func type(
        of shape: JSONShape,
        named name: SourceName,
        in scope: inout NameScope,
        enclosing: [String]
    ) -> (type: FixtureType, records: [FixtureType.Record]) {
        switch shape {
        case .null, .mixed: return (.any, [])
        case .bool: return (.bool, [])
        case .int: return (.int, [])
        case .double: return (.double, [])
        case .string: return (.string, [])
        case .list(nil): return (.list(.any), [])
        case .map(nil): return (.map(.any), [])
        case .optional(let shape):
            let (type, records) = type(of: shape, named: name, in: &scope, enclosing: enclosing)
            return (.optional(type), records)
        case .list(let element?):
            let item = name.followed(by: "item")
            let (type, records) = type(of: element, named: item, in: &scope, enclosing: enclosing)
            return (.list(type), records)
        case .map(let value?):
            let (type, records) = type(of: value, named: name.followed(by: "value"), in: &scope, enclosing: enclosing)
            return (.map(type), records)
        case .record(let members):
            let record = record(members, named: name, in: &scope, enclosing: enclosing)
            return (.record(record), [record])
        }
    }

    private mutating func record(
        _ members: [JSONShape.Member],
        named name: SourceName,
        in scope: inout NameScope,
        enclosing: [String]
    ) -> FixtureType.Record {
        let language = language
        let typeName = scope.take(name) { candidate in
            let name = candidate.upperCamel
            return language.hides(name) || enclosing.contains(name) ? name + "Value" : name
        }.name
        var (names, types) = (NameScope(), NameScope())
        var nested: [FixtureType.Record] = []
        let named = members.map { member in
            let key = SourceName(member.key)
            let (memberName, isFirst) = names.take(key) { $0.lowerCamel }
            if !isFirst {
                notes.append(
                    (
                        member.position,
                        "The name of the key '\(member.key)' is that of another key of the object, so it is '\(memberName)'."
                    )
                )
            }
            let (type, records) = type(of: member.shape, named: key, in: &types, enclosing: enclosing + [typeName])
            nested += records
            return FixtureType.Member(
                key: member.key,
                name: language.identifier(memberName),
                type: member.isMissingSomewhere ? type.optional : type
            )
        }
        return FixtureType.Record(name: typeName, members: named, nested: nested)
    }
}

extension FixtureType {
    var optional: FixtureType {
        if case .optional = self { return self }
        return .optional(self)
    }

    /// Whether values of the type contain JSON of no fixed type.
    var hasAnyJSON: Bool {
        switch self {
        case .bool, .int, .double, .string: false
        case .list(let type), .map(let type), .optional(let type): type.hasAnyJSON
        case .record(let record): record.members.contains { $0.type.hasAnyJSON }
        case .any: true
        }
    }
}
