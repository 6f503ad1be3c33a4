/** Names of fields: `title`, `address->city`, `address->>city`, `"first name"`. */

import { type Field, isRowColumn, queryLimits } from '#engine/collections'
import { refuse, unreadable } from '#engine/tables'
import { whys } from './refusals.ts'

/** A name has at most as many characters as one of a stored field. */
const maxName = 200

/** The place after a text in quotes that begins at `from`, or -1. */
export function afterQuoted(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return -1
}

/** The text without its quotes, and what a backslash stands before as it is. */
export const unquoted = (text: string): string => text.slice(1, -1).replace(/\\(.)/gs, '$1')

/** Splits at commas outside quotes; with `nested` also outside parentheses and braces, undefined where these do not match. */
export function splitList(text: string, nested: true): string[] | undefined
export function splitList(text: string, nested: false): string[]
export function splitList(text: string, nested: boolean): string[] | undefined {
  const parts: string[] = []
  let [from, depth] = [0, 0]
  // Behind a quote that nothing ends no other one is ended either: looking again at each would read the text as often.
  let isEnded = true
  for (let at = 0; at < text.length; at++) {
    const one = text[at]!
    if (one === '"' && isEnded) {
      const end = afterQuoted(text, at)
      isEnded = end !== -1
      if (isEnded) at = end - 1
    } else if (one === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    } else if (nested) {
      if (one === '(' || one === '{') depth++
      else if (one === ')' || one === '}') depth--
      if (depth < 0) return undefined
    }
  }
  parts.push(text.slice(from))
  return depth === 0 ? parts : undefined
}

export function parseField(text: string): Field {
  const bad = (): never => refuse(unreadable(text, whys.field))
  const path: string[] = []
  let asText = false
  let at = 0
  for (;;) {
    const end = endOfName(text, at)
    const raw = text.slice(at, end)
    const name = raw.startsWith('"') ? unquoted(raw) : raw
    if (name === '' || name.length > maxName || name.includes('\0')) bad()
    path.push(name)
    if (path.length > queryLimits.path) bad()
    if (end === text.length) break
    // Nothing is within a text.
    if (asText || !text.startsWith('->', end)) bad()
    asText = text.startsWith('->>', end)
    at = end + (asText ? 3 : 2)
  }
  return fieldOfPath(text, path, asText)
}

function endOfName(text: string, from: number): number {
  if (text[from] === '"') {
    const end = afterQuoted(text, from)
    return end === -1 ? refuse(unreadable(text, whys.field)) : end
  }
  const arrow = text.indexOf('->', from)
  return arrow === -1 ? text.length : arrow
}

function fieldOfPath(text: string, path: string[], asText: boolean): Field {
  const [first] = path
  if (!isRowColumn(first!)) return { path, asText }
  if (path.length > 1) refuse(unreadable(text, whys.columnPath))
  return { column: first }
}
