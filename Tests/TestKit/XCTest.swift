@_exported import Foundation

// Declarations of XCTest and XCUIAutomation that the generated tests use, as Apple's SDK has them.
#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

open class XCTestCase {
    public nonisolated init() {}
    open var continueAfterFailure: Bool {
        get { true }
        set {}
    }
    open func setUp() async throws {}
    open func tearDown() async throws {}
}

public func XCTFail(_ message: String = "", file: StaticString = #filePath, line: UInt = #line) {}
public func XCTAssertTrue(
    _ expression: @autoclosure () throws -> Bool,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath,
    line: UInt = #line
) {}
public func XCTAssertEqual<T: Equatable>(
    _ one: @autoclosure () throws -> T,
    _ other: @autoclosure () throws -> T,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath,
    line: UInt = #line
) {}
public func XCTAssertNotEqual<T: Equatable>(
    _ one: @autoclosure () throws -> T,
    _ other: @autoclosure () throws -> T,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath,
    line: UInt = #line
) {}
public struct XCTUnwrapError: Error {}
public func XCTUnwrap<T>(
    _ expression: @autoclosure () throws -> T?,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath,
    line: UInt = #line
) throws -> T {
    guard let value = try expression() else { throw XCTUnwrapError() }
    return value
}

@MainActor open class XCUIElement {
    public var firstMatch: XCUIElement { self }
    public var exists: Bool { false }
    public var value: Any? { nil }
    public var label: String { "" }
    public func tap() {}
    public func waitForExistence(timeout: TimeInterval) -> Bool { false }
    public func descendants(matching type: ElementType) -> XCUIElementQuery { XCUIElementQuery() }
    public var alerts: XCUIElementQuery { XCUIElementQuery() }
    public var buttons: XCUIElementQuery { XCUIElementQuery() }
    public var webViews: XCUIElementQuery { XCUIElementQuery() }

    public enum ElementType: UInt, Sendable { case any }
}

@MainActor open class XCUIElementQuery {
    public var firstMatch: XCUIElement { XCUIElement() }
    public var count: Int { 0 }
    public func element(boundBy index: Int) -> XCUIElement { XCUIElement() }
    public subscript(key: String) -> XCUIElement { XCUIElement() }
    public var links: XCUIElementQuery { self }
}

@MainActor open class XCUIApplication: XCUIElement {
    public init(bundleIdentifier: String) {}
    public enum State: UInt, Sendable {
        case unknown, notRunning, runningBackgroundSuspended, runningBackground, runningForeground
    }
    public var state: State { .unknown }
    public var launchArguments: [String] = []
    public func launch() {}
    public func terminate() {}
    public func open(_ url: URL) {}
}

@MainActor open class XCUIDevice {
    public static var shared: XCUIDevice { XCUIDevice() }
    public enum Button: Int, Sendable { case home }
    public func press(_ button: Button) {}
    public var system: XCUISystem { XCUISystem() }
}

@MainActor open class XCUISystem {
    public func open(_ url: URL) {}
}
