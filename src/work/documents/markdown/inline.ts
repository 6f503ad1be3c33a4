import { latinDigits } from '#platform/words'
import type { Inline, TextRun } from '../model.ts'
import { safeLink } from '../safe-link.ts'
import { runsOf, type Token } from './emphasis.ts'
import { decodeEntity } from './entities.ts'

/** The link targets, footnotes and sources that inline text may refer to. */
export interface References {
  /** Addresses of `[text][name]`, by the folded name. */
  links: ReadonlyMap<string, string>
  footnotes: ReadonlySet<string>
  /** How many sources the document has; `[3]` is a citation when there is a third. */
  sources: number
}

export const normalisedLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase()

const plainRun = /[^\\`*_~![\]<&\nhH]+/y
const asciiPunctuation = /[!-/:-@[-`{-~]/
/** HTML tags that models write into Markdown; the tag is removed and its text stays. */
const transparentTag = /^<\/?(?:span|u|sup|sub|kbd|mark|small|font|center|div|p)(?:\s[^<>]{0,200})?>/i
const breakTag = /^<br\s{0,9}\/?>/i
const angleLink = /^<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/i
const bareLink = /^https?:\/\/[^\s<>«»،؛؟"'`]{1,2000}/i
const entity = /^&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,8});/
const citation = /^\[([\d۰-۹٠-٩]{1,4}(?:\s?[,،]\s?[\d۰-۹٠-٩]{1,4}){0,19})\](?!\()/
const footnote = /^\[\^([^\]\s[]{1,100})\]/
const destination =
  /^\(\s{0,9}(?:<([^<>\n]{0,2000})>|((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.){0,500}\)){0,2000}))(?:\s{1,9}(?:"[^"]{0,1000}"|'[^']{0,1000}'))?\s{0,9}\)/

/** Parses the text of a paragraph into runs. The time is linear in its length, whatever it contains. */
export function readInline(text: string, references: References): Inline[] {
  return runsOf(scan(text, references))
}

interface Bracket {
  /** The index of the bracket's token. */
  index: number
  image: boolean
}

/** The most tokens between brackets that may name a link; more would make a line of brackets quadratic. */
const maxInName = 50

function scan(text: string, references: References): Token[] {
  const scanner = new Scanner(text, references)
  while (scanner.at < text.length) scanner.at += scanner.read()
  return scanner.tokens
}

class Scanner {
  at = 0
  tokens: Token[] = []
  readonly #brackets: Bracket[] = []
  /** Brackets below this place of the stack already contain a link, and a link cannot contain another. */
  #holdingLinks = 0
  readonly #text: string
  readonly #references: References
  readonly #lastComment: number
  readonly #fences: Map<number, number[]>

  constructor(text: string, references: References) {
    this.#text = text
    this.#references = references
    this.#fences = backtickRuns(text)
    this.#lastComment = text.lastIndexOf('-->')
  }

  /** Parses the construct at this position and returns its length. */
  read(): number {
    const character = this.#text[this.at]!
    if (character === '\\') return this.#escape()
    if (character === '`') return this.#code()
    if (character === '*' || character === '_' || character === '~') return this.#marks(character)
    if (character === '!' && this.#text[this.at + 1] === '[') return this.#open(true)
    if (character === '[') return this.#openOrReference()
    if (character === ']') return this.#close()
    if (character === '<') return this.#tag()
    if (character === '&') return this.#entity()
    return character === '\n' ? this.#newline() : this.#words()
  }

  #push(token: Token, length: number): number {
    const last = this.tokens.at(-1)
    if (token.kind === 'text' && last?.kind === 'text') last.text += token.text
    else this.tokens.push(token)
    return length
  }

  #literal(length: number): number {
    return this.#push({ kind: 'text', text: this.#text.slice(this.at, this.at + length) }, length)
  }

  /** The text from here, as far as any construct may reach. */
  #ahead(): string {
    return this.#text.slice(this.at, this.at + 4_200)
  }

  #words(): number {
    if (this.#text[this.at] === 'h' || this.#text[this.at] === 'H') {
      const found = bareLink.exec(this.#ahead())?.[0]
      const before = this.#text[this.at - 1]
      if (found && !(before && /[\p{L}\p{N}_]/u.test(before))) return this.#link(trimAddress(found))
    }
    plainRun.lastIndex = this.at + 1
    return this.#literal(1 + (plainRun.exec(this.#text)?.[0].length ?? 0))
  }

  #link(address: string): number {
    const link = safeLink(address)
    if (!link) return this.#literal(address.length)
    return this.#push({ kind: 'inline', inline: { type: 'text', text: address, link } }, address.length)
  }

  #escape(): number {
    const next = this.#text[this.at + 1]
    if (next === '\n') return this.#push({ kind: 'inline', inline: { type: 'break' } }, 2)
    if (next && asciiPunctuation.test(next)) return this.#push({ kind: 'text', text: next }, 2)
    return this.#literal(1)
  }

  #code(): number {
    let length = 1
    while (this.#text[this.at + length] === '`') length += 1
    const start = this.at + length
    const places = this.#fences.get(length) ?? []
    while (places.at(-1)! < start) places.pop()
    const end = places.at(-1)
    if (end === undefined) return this.#literal(length)
    let code = this.#text.slice(start, end).replaceAll('\n', ' ')
    if (code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '') code = code.slice(1, -1)
    const inline: TextRun = { type: 'text', text: code, code: true }
    return this.#push({ kind: 'inline', inline }, end + length - this.at)
  }

  #marks(character: '*' | '_' | '~'): number {
    let length = 1
    while (this.#text[this.at + length] === character) length += 1
    if (character === '~' && length !== 2) return this.#literal(length)
    const before = lastCodePoint(this.#text, this.at)
    const after = this.#text.codePointAt(this.at + length)
    return this.#push(
      { kind: 'mark', character, length, ...flanks(character, before, after), opens: [], closes: [] },
      length,
    )
  }

  #open(image: boolean): number {
    this.#brackets.push({ index: this.tokens.length, image })
    // The bracket is a separate token, so that the link's text can be taken from the tokens after it.
    return this.#push({ kind: 'bracket', text: image ? '![' : '[' }, image ? 2 : 1)
  }

  #openOrReference(): number {
    const ahead = this.#ahead()
    const note = footnote.exec(ahead)
    if (note && this.#references.footnotes.has(normalisedLabel(note[1]!)))
      return this.#push(
        { kind: 'inline', inline: { type: 'footnote', id: normalisedLabel(note[1]!) } },
        note[0].length,
      )
    const cited = citation.exec(ahead)
    const numbers = (cited?.[1] ?? '0').split(/[,،]/).map((number) => Number(latinDigits(number.trim())))
    if (!cited || numbers.some((number) => number < 1 || number > this.#references.sources))
      return this.#open(false)
    for (const number of numbers) this.#push({ kind: 'inline', inline: { type: 'citation', number } }, 0)
    return cited[0].length
  }

  #close(): number {
    const bracket = this.#brackets.pop()
    const place = this.#brackets.length
    const holdsLink = place < this.#holdingLinks
    this.#holdingLinks = Math.min(this.#holdingLinks, place)
    const target = bracket && (bracket.image || !holdsLink) && this.#targetAfter(bracket)
    if (!target) return this.#literal(1)
    const inner = this.tokens.splice(bracket.index).slice(1)
    if (bracket.image)
      return this.#push({ kind: 'text', text: textOfTokens(inner) || target.href }, target.length)
    const link = safeLink(target.href)
    for (const run of runsOf(inner)) {
      const linked = link && run.type === 'text' ? { ...run, link } : run
      this.#push({ kind: 'inline', inline: linked }, 0)
    }
    this.#holdingLinks = place
    return target.length
  }

  /** Resolves the target of `](…)`, `][name]` or `]` alone. */
  #targetAfter(bracket: Bracket): { href: string; length: number } | undefined {
    const after = this.#text.slice(this.at + 1, this.at + 4_200)
    const direct = destination.exec(after)
    if (direct) return { href: unescaped(direct[1] ?? direct[2] ?? ''), length: direct[0].length + 1 }
    const named = /^\[([^[\]]{0,500})\]/.exec(after)
    const inside = this.tokens.length - bracket.index
    const label =
      named?.[1] || (inside <= maxInName ? textOfTokens(this.tokens.slice(bracket.index + 1)) : '')
    const href = this.#references.links.get(normalisedLabel(label))
    return href === undefined ? undefined : { href, length: (named?.[0].length ?? 0) + 1 }
  }

  #tag(): number {
    const ahead = this.#ahead()
    const link = angleLink.exec(ahead)
    if (link) {
      const href = safeLink(link[1]!)
      const text = link[1]!.replace(/^mailto:/i, '')
      const inline: TextRun = { type: 'text', text, ...(href && { link: href }) }
      return this.#push({ kind: 'inline', inline }, link[0].length)
    }
    const line = breakTag.exec(ahead)
    if (line) return this.#push({ kind: 'inline', inline: { type: 'break' } }, line[0].length)
    const comment =
      ahead.startsWith('<!--') && this.at < this.#lastComment ? this.#text.indexOf('-->', this.at) : -1
    if (comment > 0) return this.#push({ kind: 'border' }, comment + 3 - this.at)
    const tag = transparentTag.exec(ahead)
    return tag ? this.#push({ kind: 'border' }, tag[0].length) : this.#literal(1)
  }

  #entity(): number {
    const found = entity.exec(this.#ahead())?.[0]
    const character = found && decodeEntity(found)
    if (!character) return this.#literal(1)
    return this.#push({ kind: 'text', text: character }, found.length)
  }

  /** Two spaces before the end of a line are a line break; otherwise the paragraph continues on the next line. */
  #newline(): number {
    const last = this.tokens.at(-1)
    const text = last?.kind === 'text' ? last.text : ''
    const hard = text.endsWith('  ')
    if (last?.kind === 'text') last.text = text.trimEnd()
    let length = 1
    while (this.#text[this.at + length] === ' ') length += 1
    // Each line end is a separate token: looking at the end of a growing text would read all of it again for every line.
    this.tokens.push(hard ? { kind: 'inline', inline: { type: 'break' } } : { kind: 'text', text: ' ' })
    return length
  }
}

/** The places where runs of backticks begin, by their length, the last first. Found once, since searching for the end of each would be quadratic. */
function backtickRuns(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>()
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const places = runs.get(run.length)
    if (places) places.push(index)
    else runs.set(run.length, [index])
  }
  return runs
}

function lastCodePoint(text: string, end: number): number | undefined {
  if (end === 0) return undefined
  const low = text.charCodeAt(end - 1)
  return low >= 0xdc00 && low <= 0xdfff && end > 1 ? text.codePointAt(end - 2) : low
}

const isSpace = (point: number | undefined) => point === undefined || /\s/u.test(String.fromCodePoint(point))
const isWord = (point: number | undefined) =>
  point !== undefined && /[\p{L}\p{N}\p{M}\u200c]/u.test(String.fromCodePoint(point))

/**
 * Whether a mark can open and close emphasis. In CommonMark a mark between a closing quotation mark and a letter closes nothing, so «**«متن»**ها»
 * would keep its asterisks. Here only white space matters for `*` and `~`; `_` has no effect inside words, because of names with underscores.
 */
function flanks(character: string, before: number | undefined, after: number | undefined) {
  const canOpen = !isSpace(after)
  const canClose = !isSpace(before)
  if (character !== '_') return { canOpen, canClose }
  return { canOpen: canOpen && !isWord(before), canClose: canClose && !isWord(after) }
}

/** A bare address without the punctuation of the sentence around it. */
function trimAddress(address: string): string {
  let end = address.length
  let unpaired = count(address, ')') - count(address, '(')
  for (;;) {
    const last = address[end - 1]!
    if (last === ')' ? unpaired <= 0 : !/[.,;:!?*_~\]]/.test(last)) return address.slice(0, end)
    if (last === ')') unpaired -= 1
    end -= 1
  }
}

const count = (text: string, character: string): number => text.split(character).length - 1

const unescaped = (text: string): string =>
  text.replace(/\\([!-/:-@[-`{-~])/g, '$1').replace(/&[#\w]{2,10};/g, (found) => decodeEntity(found) ?? found)

const textOfTokens = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      token.kind === 'text' || token.kind === 'bracket'
        ? token.text
        : token.kind === 'inline' && token.inline.type === 'text'
          ? token.inline.text
          : '',
    )
    .join('')
