import { type Context, createContext, Script } from 'node:vm'

const script = new Script('new RegExp(pattern, "u").test(text)')
const context: Context = createContext({ pattern: '', text: '' })

/** Ends a match that backtracks for hours, as `(a+)+$` does on forty letters; patterns come from callers. */
const timeoutMs = 250

/**
 * Whether the text has a match of a JSON Schema `pattern`; false too for a pattern that is broken or takes too long.
 * Patterns that cannot take long are matched directly, so that a slow machine does not change an answer.
 */
export function testPattern(pattern: string, text: string): boolean {
  try {
    if (isQuick(pattern, text)) return new RegExp(pattern, 'u').test(text)
    context['pattern'] = pattern
    context['text'] = text
    return script.runInContext(context, { timeout: timeoutMs }) === true
  } catch {
    return false
  }
}

/** No repeated group, no back reference, and few enough open repetitions for the length of the text. */
function isQuick(pattern: string, text: string): boolean {
  if (/\)[*+{]|\\[1-9k]/.test(pattern)) return false
  const open = pattern.match(/[*+]|,\}|,\d{3,}\}/g)?.length ?? 0
  return pattern.length <= 1000 && text.length ** (open + 1) <= 100_000_000
}
