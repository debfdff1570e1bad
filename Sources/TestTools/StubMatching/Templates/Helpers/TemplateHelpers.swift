/// The helpers that templates can call, by name.
let templateHelpers: [String: TemplateHelper] = [
    conditionHelpers, textHelpers, layoutHelpers, numberHelpers, listHelpers, dataHelpers, dateHelpers, randomHelpers,
].reduce(into: [:]) { all, group in all.merge(group) { first, _ in first } }

/// The most elements that a list made by a helper may have, and the most characters of padding.
let largestHelperSize = 10_000
