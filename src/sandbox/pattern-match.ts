import { type Context, createContext, Script } from 'node:vm'
import type { WorkLimit } from './schema-shape.ts'

const script = new Script('new RegExp(pattern, "u").test(text)')
const context: Context = createContext({ pattern: '', text: '' })

/** Time limit for one match: patterns come from callers, and some backtrack for hours, as `(a+)+$` does on forty letters. */
const timeoutMs = 250
/** The effort that one millisecond of matching costs, so that many slow patterns together are bounded too. */
const effortPerMs = 200

/**
 * Whether the text matches a JSON Schema `pattern`; false also for an invalid pattern. Patterns that cannot be slow are matched directly;
 * the others with a time limit, and their time counts as effort. Throws `UnsatisfiableSchema` when a pattern takes too long.
 */
export function testPattern(pattern: string, text: string, effort: WorkLimit): boolean {
  try {
    if (isQuick(pattern, text)) return new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
  effort.spend('')
  const started = performance.now()
  const matched = watchedTest(pattern, text)
  // The time is rounded down to milliseconds: starting the timed context itself takes a fraction of one.
  const spent = Math.floor(performance.now() - started) * effortPerMs
  effort.spend('', matched === undefined ? Number.POSITIVE_INFINITY : spent)
  return matched === true
}

/** Whether the text matches; `undefined` on a timeout. */
function watchedTest(pattern: string, text: string): boolean | undefined {
  context['pattern'] = pattern
  context['text'] = text
  try {
    return script.runInContext(context, { timeout: timeoutMs }) === true
  } catch (error) {
    // Errors of the other context are not instances of this one's Error; the error of an invalid pattern has no code.
    return (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? undefined : false
  }
}

/** Whether matching cannot be slow: no repeated group, no back reference, and few enough open repetitions for the length of the text. */
function isQuick(pattern: string, text: string): boolean {
  if (/\)[*+{]|\\[1-9k]/.test(pattern)) return false
  const open = pattern.match(/[*+]|,\}|,\d{3,}\}/g)?.length ?? 0
  return pattern.length <= 1000 && text.length ** (open + 1) <= 2_000_000
}
