import { type Context, createContext, Script } from 'node:vm'
import type { Effort } from './schema-shape.ts'

const script = new Script('new RegExp(pattern, "u").test(text)')
const context: Context = createContext({ pattern: '', text: '' })

/** Ends a match that backtracks for hours, as `(a+)+$` does on forty letters; patterns come from callers. */
const timeoutMs = 250
/** What a millisecond of matching costs, so that many slow patterns together end too. */
const effortPerMs = 200

/**
 * Whether the text has a match of a JSON Schema `pattern`; false too for a pattern that is broken.
 * Patterns that cannot take long are matched directly; the others under a watch, whose time counts as effort.
 * Throws `UnsatisfiableSchema` when a pattern takes too long.
 */
export function testPattern(pattern: string, text: string, effort: Effort): boolean {
  try {
    if (isQuick(pattern, text)) return new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
  effort.spend('')
  const started = performance.now()
  const matched = watchedTest(pattern, text)
  // Whole milliseconds only: the watch itself takes a part of one.
  const spent = Math.floor(performance.now() - started) * effortPerMs
  effort.spend('', matched === undefined ? Number.POSITIVE_INFINITY : spent)
  return matched === true
}

/** `undefined` when the time ran out. */
function watchedTest(pattern: string, text: string): boolean | undefined {
  context['pattern'] = pattern
  context['text'] = text
  try {
    return script.runInContext(context, { timeout: timeoutMs }) === true
  } catch (error) {
    // Errors of the other context are not instances of our Error; a broken pattern carries no code.
    return (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? undefined : false
  }
}

/** No repeated group, no back reference, and few enough open repetitions for the length of the text. */
function isQuick(pattern: string, text: string): boolean {
  if (/\)[*+{]|\\[1-9k]/.test(pattern)) return false
  const open = pattern.match(/[*+]|,\}|,\d{3,}\}/g)?.length ?? 0
  return pattern.length <= 1000 && text.length ** (open + 1) <= 2_000_000
}
