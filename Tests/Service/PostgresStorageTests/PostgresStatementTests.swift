import LinkStorage
import Testing

@testable import PostgresStorage

/// The statements of the catalog, as PostgreSQL gets them.
struct PostgresStatementTests {
    @Test(arguments: [
        ("SELECT 1", "SELECT 1"), ("a = ? AND b = ?", "a = $1 AND b = $2"),
        ("a = :x OR :x IS NULL AND b < :y_2", "a = $1 OR $1 IS NULL AND b < $2"),
        ("a = '? :x' AND b = ?", "a = '? :x' AND b = $1"), ("\"a?\" = ?", "\"a?\" = $1"),
        ("'it''s ?' || ?", "'it''s ?' || $1"), ("a::text = ?", "a::text = $1"), ("", ""), ("'open", "'open'"),
    ])
    func parametersAreNumbered(sql: String, expected: String) {
        #expect(PostgresStatement(sql).sql == expected)
    }

    @Test func namedValuesComeInTheOrderOfTheirFirstUse() {
        let statement = PostgresStatement("a = :b AND c = :a AND d = :b AND e = :missing")
        #expect(statement.values(["a": 1, "b": "x"]) == [.text("x"), .integer(1), .null])
    }
}
