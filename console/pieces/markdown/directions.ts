/** The direction of each block of what a model writes: docs/decisions/account/talk-texts.md. */
import type { Nodes } from 'mdast'
import { type Direction, directionOfText } from '../../words/direction.ts'

/** The direction of a text by its own letters; undefined where it has none that count. */
export function ownDirection(text: string): Direction | undefined {
  const own = directionOfText(text, 'rtl')
  return own === directionOfText(text, 'ltr') ? own : undefined
}

/** The letters of a node that count for its direction: without code, formulas and addresses. */
export function wordsOf(node: Nodes, depth = 0): string {
  if (node.type === 'text') return node.value
  if (!('children' in node) || depth > 40) return ' '
  return node.children.map((child) => wordsOf(child, depth + 1)).join(isFlow(node) ? '\n' : '')
}

const isFlow = ({ type }: Nodes): boolean =>
  ['list', 'listItem', 'table', 'tableRow', 'blockquote'].includes(type)

/** Of lists and tables: each item or cell counts by its letters for its own direction. */
export function directionOfNode(node: Nodes): Direction | undefined {
  const words = wordsOf(node)
  return node.type === 'list' || node.type === 'table' ? directionOfLines(words) : ownDirection(words)
}

function directionOfLines(text: string): Direction | undefined {
  let balance = 0
  for (const line of text.split('\n')) {
    const own = ownDirection(line)
    if (own !== undefined) balance += (own === 'rtl' ? 1 : -1) * lettersOf(line)
  }
  return balance > 0 ? 'rtl' : balance < 0 ? 'ltr' : ownDirection(text)
}

const lettersOf = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0

/** So many letters say how a line that began in Latin letters goes on. */
const telling = 24

/**
 * The direction of a block that is still written. Until it is decided it has that of the block before. A first letter from right to left decides; a
 * line that begins otherwise is decided by its first 24 letters. Whole lines decide anew, but only three of four letters turn what they have decided.
 */
export function directionWhileWritten(text: string, before: Direction): Direction {
  const open = text.replace(/`[^`\n]*`/g, ' ').replace(/`[^`\n]*$/, '')
  const lineStart = open.lastIndexOf('\n') + 1
  const whole = firstOfLines(open.slice(0, lineStart))
  if (whole !== undefined) return whole
  const head = headOf(open.slice(lineStart))
  const first = /\p{L}/u.exec(head)?.[0] ?? ''
  const isDecided = ownDirection(first) === 'rtl' || lettersOf(head) >= telling
  return isDecided ? directionOfText(head, before) : before
}

/** Lines of both directions, as in a list, would turn it back and forth if the half of the letters decided at each. */
function firstOfLines(text: string): Direction | undefined {
  let current: Direction | undefined
  let rtl = 0
  let all = 0
  for (const line of text.split('\n')) {
    const own = ownDirection(line)
    if (own === undefined) continue
    all += lettersOf(line)
    if (own === 'rtl') rtl += lettersOf(line)
    current ??= own
    if (current === 'ltr' ? rtl > all * 0.75 : rtl < all * 0.25) current = own
  }
  return current
}

/** The part of a line that has the letters which decide. */
function headOf(line: string): string {
  const words = line.replace(/\bhttps?:\/\/\S+/gi, ' ')
  let letters = 0
  for (let at = 0; at < words.length; at++)
    if (/\p{L}/u.test(words[at]!) && ++letters === telling) return words.slice(0, at + 1)
  return words
}
