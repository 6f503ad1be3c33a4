import type { Inline, TextRun } from '../model.ts'

/** A piece of a line before emphasis marks are paired. */
export type Token =
  | { kind: 'text'; text: string }
  /** An opening bracket; its characters stay if no link closes it. */
  | { kind: 'bracket'; text: string }
  | { kind: 'inline'; inline: Inline }
  /** An invisible token that separates the marks on its two sides. */
  | { kind: 'border' }
  | Mark

type Style = 'bold' | 'italic' | 'strike'

export interface Mark {
  kind: 'mark'
  character: '*' | '_' | '~'
  /** Characters that are not paired yet. */
  length: number
  canOpen: boolean
  canClose: boolean
  closes: Style[]
  opens: Style[]
}

/** The most opening marks that are searched for a pair, so that a line of nothing but marks stays cheap. */
const maxOpenMarks = 64

/** Pairs emphasis marks and returns styled runs. Unpaired marks become text. */
export function runsOf(tokens: readonly Token[]): Inline[] {
  pair(tokens)
  return toInlines(tokens)
}

function pair(tokens: readonly Token[]): void {
  const open: Mark[] = []
  for (const token of tokens) {
    if (token.kind !== 'mark') continue
    if (token.canClose) closeWith(token, open)
    if (token.canOpen && token.length > 0) open.push(token)
    if (open.length > maxOpenMarks) open.shift()
  }
}

function closeWith(closer: Mark, open: Mark[]): void {
  while (closer.length > 0) {
    const index = open.findLastIndex((opener) => isPair(opener, closer))
    if (index < 0) return
    const opener = open[index]!
    const both = opener.length >= 2 && closer.length >= 2
    const style = closer.character === '~' ? 'strike' : both ? 'bold' : 'italic'
    const used = style === 'italic' ? 1 : 2
    // The innermost pair is nearest to the text: the last characters of the opener and the first of the closer.
    opener.opens.push(style)
    closer.closes.push(style)
    opener.length -= used
    closer.length -= used
    // Marks that were opened in between can no longer be closed outside.
    open.length = opener.length > 0 ? index + 1 : index
  }
}

/** Whether two marks are a pair. CommonMark's rule of three keeps `*a**b*` one emphasis. */
function isPair(opener: Mark, closer: Mark): boolean {
  if (opener.character !== closer.character) return false
  if (!(opener.canClose || closer.canOpen)) return true
  const sum = opener.length + closer.length
  return sum % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0)
}

function toInlines(tokens: readonly Token[]): Inline[] {
  const runs: Inline[] = []
  const depth: Record<Style, number> = { bold: 0, italic: 0, strike: 0 }
  const styled = (run: TextRun): TextRun => ({
    ...run,
    ...(depth.bold > 0 && { bold: true }),
    ...(depth.italic > 0 && { italic: true }),
    ...(depth.strike > 0 && { strike: true }),
  })
  for (const token of tokens) {
    if (token.kind === 'text' || token.kind === 'bracket')
      append(runs, styled({ type: 'text', text: token.text }))
    else if (token.kind === 'inline')
      append(runs, token.inline.type === 'text' ? styled(token.inline) : token.inline)
    else if (token.kind === 'mark') {
      for (const style of token.closes) depth[style] -= 1
      append(runs, styled({ type: 'text', text: token.character.repeat(token.length) }))
      for (const style of token.opens) depth[style] += 1
    }
  }
  return runs
}

function append(runs: Inline[], run: Inline): void {
  const last = runs.at(-1)
  if (run.type === 'text' && run.text === '') return
  if (run.type === 'text' && last?.type === 'text' && alike(last, run))
    runs[runs.length - 1] = { ...last, text: last.text + run.text }
  else runs.push(run)
}

const alike = (a: TextRun, b: TextRun): boolean =>
  a.bold === b.bold &&
  a.italic === b.italic &&
  a.strike === b.strike &&
  a.code === b.code &&
  a.link === b.link
