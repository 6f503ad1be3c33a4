import type { Localized } from '#platform/errors'
import { ruleFilePhrases } from './phrases.ts'

/** What is wrong with a line of `_redirects` or `_headers`; lines count from 1. */
export interface RuleProblem {
  line: number
  why: Localized
}

export type ParsedRules<Rule> = { rules: Rule[] } | { problems: RuleProblem[] }

/** A file with many wrong lines is understood by the first of them. */
export const maxProblems = 20

export interface RuleLines {
  /** No longer than this in characters. */
  maxLine: number
  maxBytes: number
}

/**
 * Gives each line that says something, without the spaces around it, to `read`, which answers what is wrong with it. The work is
 * bounded by `maxBytes`, and it ends with the twentieth problem.
 */
export function readRuleLines(
  text: string,
  { maxLine, maxBytes }: RuleLines,
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
    const why = wrongAsLine(line, maxLine) ?? read(line, index + 1)
    if (why && problems.push({ line: index + 1, why }) === maxProblems) break
  }
  return problems
}

function wrongAsLine(line: string, maxLine: number): Localized | undefined {
  if (line.length > maxLine) return ruleFilePhrases.lineTooLong(maxLine)
  // Tabs separate as spaces do.
  return /\p{Cc}|\p{Zl}|\p{Zp}/u.test(line.replaceAll('\t', ' ')) ? ruleFilePhrases.control() : undefined
}

/**
 * The path as paths of files are compared: percent-decoded once, in NFC, without the slash at its end. The sentence, if it is none.
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

/** Percent-decoded exactly once, in NFC; undefined if it is not well-formed UTF-8. */
export function decodedSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).normalize('NFC')
  } catch {
    return undefined
  }
}
