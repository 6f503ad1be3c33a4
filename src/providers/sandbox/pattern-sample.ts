import { testPattern } from './pattern-match.ts'
import { type PatternNode, parsePattern } from './pattern-parse.ts'

/** Longest sample made from a pattern, in characters. */
const longest = 4096

/**
 * A text that the pattern matches, at least `least` and at most `most` characters long, `undefined` when none is found.
 * Lookaround, back references and Unicode properties are not built, only tried. `variant` changes the choice of characters.
 */
export function samplePattern(
  pattern: string,
  least: number,
  most: number,
  variant: number,
): string | undefined {
  const fits = (text: string) => {
    const length = [...text].length
    return length >= least && length <= most && testPattern(pattern, text)
  }
  const node = parsePattern(pattern)
  const anchoredStart = pattern.startsWith('^')
  const anchoredEnd = /(?:^|[^\\])\$$/.test(pattern)
  if (node) {
    for (let extra = 0; extra <= Math.min(least + 1, longest); extra++) {
      const built = build(node, extra, variant)
      if (built === undefined || [...built].length > most) break
      if (fits(built)) return built
      const missing = 'a'.repeat(Math.max(0, Math.min(longest, least - [...built].length)))
      if (missing !== '' && !anchoredEnd && fits(built + missing)) return built + missing
      if (missing !== '' && !anchoredStart && fits(missing + built)) return missing + built
    }
  }
  const guesses = ['', 'a', 'A1', 'Aa1!aaaa', '1', 'abc', 'sample', 'نمونه', '2026-01-01', 'a@example.com']
  return guesses.find(fits)
}

/** Builds the shortest text, each open repetition `extra` longer. */
function build(node: PatternNode, extra: number, variant: number): string | undefined {
  if (node.type === 'characters') return node.choices[variant % node.choices.length]
  if (node.type === 'choice') {
    const option = node.options[variant % node.options.length]
    return option && build(option, extra, Math.floor(variant / node.options.length))
  }
  let text = ''
  const times = node.type === 'repeat' ? Math.min(node.most, node.least + extra) : node.nodes.length
  for (let index = 0; index < times; index++) {
    const inner = node.type === 'repeat' ? node.node : node.nodes[index]
    // Later places keep their first choice, so that variants differ early and stay short.
    const part = inner && build(inner, extra, index === 0 || node.type === 'sequence' ? variant : 0)
    if (part === undefined || text.length + part.length > longest) return undefined
    text += part
  }
  return text
}
