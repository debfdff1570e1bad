import LinkRouting
import StubMatching

/// What templates see: `request` and `parameters`.
func templateModel(_ request: StubRequest, _ pattern: RequestPattern, _ parameters: JSONNode) -> TemplateValue { .null }
