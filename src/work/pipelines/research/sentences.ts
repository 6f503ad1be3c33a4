import { latinDigits } from '#platform/words'

/** A piece of a draft: plain text that is copied unchanged, or a sentence that may make a claim. */
export type DraftPiece = { kind: 'plain'; text: string } | Sentence

export interface Sentence {
  kind: 'sentence'
  /** The sentence without its citations and its final punctuation. */
  text: string
  end: string
  /** Cited source numbers in order, without duplicates; some may not exist. */
  numbers: number[]
}

const citation =
  /(?:(?<!\s)\s+)?[[【]\s*\^?([\d۰-۹٠-٩]{1,4}(?:\s*[,،;؛–-]\s*\^?[\d۰-۹٠-٩]{1,4}){0,9})\s*(?:†[^\]】]{0,40})?[\]】](?!\()/gu
/** The end of a sentence with the citations behind it. */
const ending =
  /(?<![.!?؟…])[.!?؟…]+[»"”'’)*_]*(?:\s*[[【]\^?[\d۰-۹٠-٩][^\]】\n]{0,40}[\]】](?!\())*(?=\s|$)/gu
const abbreviation =
  /(?:^|[\s(«"“])(?:Dr|Mr|Mrs|Ms|Prof|St|No|vs|etc|cf|al|Fig|Eq|approx|[ap]\.m|e\.g|i\.e|U\.S|U\.K|[A-Z]|pp?|دکتر|ص|ج)\.$/u
const prefix = /^\s*(?:(?:[-*+•]|[\d۰-۹]{1,3}[.)])\s+|>\s?)*/u

const maxPieces = 2_000

/** Splits Markdown into pieces; headings and table headers make no claims. */
export function piecesOf(markdown: string): DraftPiece[] {
  const pieces: DraftPiece[] = []
  const lines = limitRuns(markdown).split('\n')
  let isCode = false
  for (const [index, line] of lines.entries()) {
    if (pieces.length > maxPieces) break
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    // Code is left out: it makes no claims and has no place in a report.
    else if (isCode) continue
    else if (isPlain(line, lines[index + 1])) pieces.push({ kind: 'plain', text: line })
    else if (/^\s*\|/.test(line)) pieces.push(tableRowSentence(line))
    else for (const piece of sentencesOf(line)) pieces.push(piece)
    pieces.push({ kind: 'plain', text: '\n' })
  }
  return pieces
}

/** Shortens long runs of spaces and punctuation, since the regular expressions here backtrack within a run. */
const limitRuns = (markdown: string): string =>
  markdown
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]{9,}/g, '        ')
    .replace(/[.!?؟…]{4,}/g, (run) => run.slice(0, 3))
    .replace(/[»"”'’)*_]{7,}/g, (run) => run.slice(0, 6))

const isTableRule = (line: string | undefined): boolean => /^(?:\|\s*)?:?-{2,}/.test(line?.trimStart() ?? '')
const isPlain = (line: string, next: string | undefined): boolean =>
  /^\s*(?:#{1,6}\s|$)/.test(line) ||
  isTableRule(line) ||
  (/^\s*\|/.test(line) && /^\s*\|\s*:?-{2,}/.test(next ?? ''))

/** A table row is one sentence; its last bar is its `end`. */
function tableRowSentence(line: string): Sentence {
  const body = line.trimEnd().replace(/\s?\|$/, '')
  return parseSentence(body, line.slice(body.length))
}

function sentencesOf(line: string): DraftPiece[] {
  const start = prefix.exec(line)![0]
  const pieces: DraftPiece[] = start ? [{ kind: 'plain', text: start }] : []
  const body = line.slice(start.length)
  let from = 0
  for (const { 0: found, index } of body.matchAll(ending)) {
    const end = index + found.length
    if (
      abbreviation.test(body.slice(Math.max(from, index - 14), index + 1)) ||
      /^\s+[a-z]/.test(body.slice(end, end + 3))
    )
      continue
    pieces.push(...withSpace(body.slice(from, end)))
    from = end
  }
  if (body.slice(from).trim() !== '') pieces.push(...withSpace(body.slice(from)))
  return pieces
}

function withSpace(text: string): DraftPiece[] {
  const rest = text.trimStart()
  return [...(rest === text ? [] : [{ kind: 'plain', text: ' ' } as const]), parseSentence(rest)]
}

function parseSentence(raw: string, rowEnd?: string): Sentence {
  const numbers = new Set<number>()
  const bare = raw.replace(citation, (_, list: string) => {
    for (const number of numbersIn(list)) numbers.add(number)
    return ''
  })
  const { text, end } = splitEnd(bare.trim())
  const isRow = rowEnd !== undefined
  return { kind: 'sentence', text: isRow ? bare : text, end: isRow ? rowEnd : end, numbers: [...numbers] }
}

/** Splits a sentence into its text and its final punctuation. */
function splitEnd(line: string): { text: string; end: string } {
  let at = line.length
  while (at > 0 && '»"”\'’)*_'.includes(line[at - 1]!)) at -= 1
  while (at > 0 && '.!?؟…'.includes(line[at - 1]!)) at -= 1
  // A closing quote or bracket without punctuation before it belongs to the sentence.
  const isEnded = '.!?؟…'.includes(line[at] ?? ' ')
  return isEnded ? { text: line.slice(0, at), end: line.slice(at) } : { text: line, end: '' }
}

/** The numbers in `1, 3` or `1–3`. */
function numbersIn(list: string): number[] {
  const found: number[] = []
  for (const part of latinDigits(list).split(/[,،;؛]/)) {
    const [first = 0, last] = (part.match(/\d+/g) ?? []).map(Number)
    const until = last !== undefined && last > first && last - first <= 10 ? last : first
    for (let number = first; number <= until; number += 1) found.push(number)
    if (last !== undefined && until === first) found.push(last)
  }
  return found
}

/** Whether a sentence contains a letter or digit. */
export const hasWords = ({ text }: Sentence): boolean => /[\p{L}\p{N}]/u.test(text)
