import type { Localized } from '#platform/errors'
import { ruleFilePhrases } from './phrases.ts'

/** What is wrong with a line of `_redirects` or `_headers`; lines count from 1. */
export interface RuleProblem {
  line: number
  why: Localized
}

export type ParsedRules<Rule> = { rules: Rule[] } | { problems: RuleProblem[] }

/** The most problems of a file that are reported: its first wrong lines explain the others. */
export const maxProblems = 20

export interface RuleBounds {
  /** The longest line, in characters. */
  maxLine: number
  maxBytes: number
}

/**
 * Gives each line that is neither empty nor a comment, without the spaces around it, to `read`, which returns what is wrong with the line. The work
 * is bounded by `maxBytes`, and ends with the twentieth problem.
 */
export function readRuleLines(
  text: string,
  { maxLine, maxBytes }: RuleBounds,
  read: (line: string, number: number) => Localized | undefined,
): RuleProblem[] {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes)
    return [{ line: 1, why: ruleFilePhrases.tooLong(maxBytes) }]
  const problems: RuleProblem[] = []
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const why = lineProblem(line, maxLine) ?? read(line, index + 1)
    if (why && problems.push({ line: index + 1, why }) === maxProblems) break
  }
  return problems
}

function lineProblem(line: string, maxLine: number): Localized | undefined {
  if (line.length > maxLine) return ruleFilePhrases.lineTooLong(maxLine)
  // Tabs separate as spaces do.
  return /\p{Cc}|\p{Zl}|\p{Zp}/u.test(line.replaceAll('\t', ' ')) ? ruleFilePhrases.control() : undefined
}

/**
 * The path in the form in which paths of files are compared: percent-decoded once, in NFC, without the slash at its end. Otherwise the sentence that
 * says why it is no path.
 */
export function readRulePath(written: string): { path: string } | { why: Localized } {
  if (!written.startsWith('/') || /[\\?#]/.test(written)) return { why: ruleFilePhrases.path() }
  const segments = written.slice(1).split('/')
  if (segments.at(-1) === '') segments.pop()
  const decoded: string[] = []
  for (const segment of segments) {
    const name = decodedSegment(segment)
    if (name === undefined) return { why: ruleFilePhrases.encoding() }
    if (name === '' || name === '.' || name === '..' || /[/\\\p{Cc}]/u.test(name))
      return { why: ruleFilePhrases.path() }
    decoded.push(name)
  }
  return { path: `/${decoded.join('/')}` }
}

/** The segment, percent-decoded exactly once, in NFC; undefined if it is not well-formed UTF-8. */
export function decodedSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).normalize('NFC')
  } catch {
    return undefined
  }
}
