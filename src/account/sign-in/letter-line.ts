/** Sentences of letters: fixed words, and between them words that strangers have chosen or that have a direction of their own. */
import { type Html, html } from '#platform/html'

const maxQuotedLength = 120
/** Longer names are cut before they are read: normalization may make them longer. */
const maxReadLength = 1_000

/** Words of a stranger, such as the name of a person or an account, as they may stand in a letter. */
export class QuotedWords {
  readonly text: string
  constructor(words: string) {
    this.text = withoutLinks(words.slice(0, maxReadLength))
  }
}

/** Our own words which are kept apart from the direction of the sentence: numbers with their signs, moments, addresses of networks. */
export class IsolatedText {
  readonly text: string
  /** Absent: as the words themselves are. */
  readonly direction: 'ltr' | 'rtl' | undefined
  constructor(text: string, direction?: 'ltr' | 'rtl') {
    this.text = text
    this.direction = direction
  }
}

export type LinePart = string | QuotedWords | IsolatedText

/** A sentence. */
export type LetterLine = string | readonly LinePart[]

/** Marks of direction and characters without a shape, which could turn the sentence around or hide an address; joiners of Persian words stay. */
const unseen = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu
/** After these, a space as thin as a hair keeps addresses and domains from being recognised. */
const joints = /[.@:/\\\u3002]/g

function withoutLinks(words: string): string {
  const plain = [...words.normalize('NFKC').replace(unseen, ' ')].slice(0, maxQuotedLength).join('')
  return plain.replace(/\s+/g, ' ').trim().replace(joints, '$&\u200a').trim()
}

const partsOf = (line: LetterLine): readonly LinePart[] => (typeof line === 'string' ? [line] : line)

/** The sentence for subjects and text parts. The marks of isolation have no shape, and programs that do not know them show nothing. */
export const plainText = (line: LetterLine): string =>
  partsOf(line)
    .map((part) => (typeof part === 'string' ? part : `${openingOf(part)}${part.text}\u2069`))
    .join('')

const openingOf = (part: QuotedWords | IsolatedText): string => {
  const direction = part instanceof IsolatedText ? part.direction : undefined
  return direction === undefined ? '\u2068' : direction === 'ltr' ? '\u2066' : '\u2067'
}

export const htmlOf = (line: LetterLine): Html[] =>
  partsOf(line).map((part) => {
    if (typeof part === 'string') return html`${part}`
    const direction = part instanceof IsolatedText ? part.direction : undefined
    return html`<bdi dir="${direction ?? 'auto'}">${part.text}</bdi>`
  })
