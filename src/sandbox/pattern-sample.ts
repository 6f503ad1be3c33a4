import { testPattern } from './pattern-match.ts'
import { type PatternNode, parsePattern } from './pattern-parse.ts'
import type { WorkLimit } from './schema-shape.ts'

/** Longest sample made from a pattern, in characters. */
const maxSampleLength = 4096

/**
 * A text of `least` to `most` characters that the pattern matches; `undefined` when none is found. Lookaround, back references and Unicode
 * properties are not generated, only tried. `variant` changes the choice of characters.
 */
export function samplePattern(
  pattern: string,
  { min, max, variant }: { min: number; max: number; variant: number },
  effort: WorkLimit,
): string | undefined {
  const fits = (text: string) => {
    const length = [...text].length
    return length >= min && length <= max && testPattern(pattern, text, effort)
  }
  return built(pattern, min, variant).find(fits) ?? guesses.find(fits)
}

const guesses = ['', 'a', 'A1', 'Aa1!aaaa', '1', 'abc', 'sample', 'نمونه', '2026-01-01', 'a@example.com']

/** Candidate texts: the shortest one that is long enough, some longer ones, and short ones padded outside the pattern. */
function built(pattern: string, min: number, variant: number): string[] {
  const node = parsePattern(pattern)
  if (!node) return []
  const shortest = build(node, 0, variant) ?? ''
  const filling = 'a'.repeat(Math.max(0, Math.min(maxSampleLength, min - [...shortest].length)))
  const enough = firstLongEnough(node, min, variant)
  const longer = [enough, enough + 1, enough + 2].map((extra) => build(node, extra, variant))
  return [shortest, ...longer, shortest + filling, filling + shortest].filter((text) => text !== undefined)
}

/** The fewest extra repetitions that reach the length, by bisection, since texts only grow with them. */
function firstLongEnough(node: PatternNode, min: number, variant: number): number {
  let [low, high] = [0, Math.min(min, maxSampleLength)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const text = build(node, middle, variant)
    if (text === undefined || [...text].length >= min) high = middle
    else low = middle + 1
  }
  return low
}

/** Builds the shortest text, with `extra` more repetitions of every open repetition. */
function build(node: PatternNode, extra: number, variant: number): string | undefined {
  if (node.type === 'characters') return node.choices[variant % node.choices.length]
  if (node.type === 'choice') {
    const option = node.options[variant % node.options.length]
    return option && build(option, extra, Math.floor(variant / node.options.length))
  }
  let text = ''
  const times = node.type === 'repeat' ? Math.min(node.max, node.min + extra) : node.nodes.length
  for (let index = 0; index < times; index++) {
    const inner = node.type === 'repeat' ? node.node : node.nodes[index]
    // Later positions keep their first choice, so that variants differ early and stay short.
    const part = inner && build(inner, extra, index === 0 || node.type === 'sequence' ? variant : 0)
    if (part === undefined || text.length + part.length > maxSampleLength) return undefined
    text += part
  }
  return text
}
