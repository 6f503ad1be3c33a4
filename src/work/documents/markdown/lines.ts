/** Recognises what a line of Markdown begins. Every test scans a line once, from its start. */
import { latinDigits } from '#platform/words'

export interface Fence {
  character: string
  length: number
  indent: number
  language: string
}

export interface Marker {
  ordered: boolean
  number: number
  /** Columns before the marker. */
  indent: number
  /** Columns before the text. */
  contentIndent: number
}

export const isBlank = (line: string): boolean => line.trim() === ''

export const indentOf = (line: string): number => line.length - line.trimStart().length

/** Removes `columns` columns of indentation, or all if there are fewer. */
export const dedent = (line: string, columns: number): string => line.slice(Math.min(columns, indentOf(line)))

export function fenceOf(line: string): Fence | undefined {
  const found = /^ {0,3}(`{3,}|~{3,}(?!~))([^`]*)$/.exec(line)
  if (!found) return undefined
  const run = found[1]!
  return {
    character: run[0]!,
    length: run.length,
    indent: indentOf(line),
    language: found[2]!
      .trim()
      .split(/[\s{:,]/, 1)[0]!
      .slice(0, 40),
  }
}

export function closesFence(line: string, fence: Fence): boolean {
  const run = line.trim()
  return indentOf(line) <= 3 && run.length >= fence.length && run === fence.character.repeat(run.length)
}

export function headingOf(line: string): { level: number; text: string } | undefined {
  const found = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line)
  if (!found) return undefined
  const text = line.slice(found[0].length).trim()
  const bare = text.replace(/(?<![\\#])#+$/, '')
  return { level: found[1]!.length, text: bare === '' || /\s$/.test(bare) ? bare.trim() : text }
}

export function isRule(line: string): boolean {
  if (indentOf(line) > 3) return false
  const marks = line.replace(/[ \t]/g, '')
  return marks.length >= 3 && '-*_'.includes(marks[0]!) && marks === marks[0]!.repeat(marks.length)
}

/** The level of the heading that a line `===` or `---` under a paragraph makes. */
export function underlineLevel(line: string): 1 | 2 | undefined {
  if (indentOf(line) > 3) return undefined
  const marks = line.trim()
  if (marks === '') return undefined
  if (marks === '='.repeat(marks.length)) return 1
  return marks === '-'.repeat(marks.length) ? 2 : undefined
}

/** The marker of a list's item: `- `, `* `, `+ `, `• `, `1. `, `2) `, `۳. `. */
export function markerOf(line: string): Marker | undefined {
  const found = /^( *)(?:[-*+•]|([\d۰-۹٠-٩]{1,9})[.)])(?=( *)(.?))/.exec(line)
  if (!found) return undefined
  const spaces = found[3]!.length
  const empty = found[4] === ''
  if (spaces === 0 && !empty) return undefined
  const digits = found[2]
  return {
    ordered: digits !== undefined,
    number: digits === undefined ? 1 : Number(latinDigits(digits)),
    indent: found[1]!.length,
    contentIndent: found[0].length + (empty || spaces > 4 ? 1 : spaces),
  }
}

export const isQuote = (line: string): boolean => /^ {0,3}>/.test(line)

export const isPageBreak = (line: string): boolean =>
  /^\s{0,3}(?:\\(?:newpage|pagebreak)|<!--\s{0,9}page-?break\s{0,9}-->)\s*$/i.test(line)

/** Whether a line is a comment, or a wrapper that models put around right-to-left text: `<div dir="rtl">`. */
export const isInvisible = (line: string): boolean => {
  const text = line.trim()
  if (text.startsWith('<!--') && text.indexOf('-->') === text.length - 3) return true
  return /^<\/?(?:div|p|center|section|article|details|summary|span)(?:\s[^<>]*)?>$/i.test(text)
}
