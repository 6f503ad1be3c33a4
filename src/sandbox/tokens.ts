import { nextTurn } from '#platform/slices'

/** A run of complete characters and the number of its tokens (more than one where a token is part of a character). */
export interface TokenPiece {
  text: string
  tokens: number
}

export interface Tokenizer {
  /** The number of tokens of the text; counting ends early once `limit` is exceeded, and then returns some number above it. */
  count(text: string, limit?: number): number
  /** The text split into its tokens, merged where a split would divide a code point. The texts concatenate to the input. */
  pieces(text: string): TokenPiece[]
}

/**
 * The merge step of the encoder is quadratic in an unbroken run of one kind of character: 100,000 letters without a space took 4.6 s.
 * Longer runs are therefore encoded in chunks; ordinary text has none this long.
 */
const longRun = /[\p{L}\p{M}]{257,}|[^\s\p{L}\p{M}\p{N}]{257,}|\s{257,}/gu
const stretch = 256

/** Text that looks like a special token is encoded as ordinary text. */
const plain = { disallowedSpecial: new Set<string>() }

let loading: Promise<Tokenizer> | undefined

/** The o200k_base tokenizer, loaded on first use (about 150 ms and 60 MB) and kept. */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= load()
  return loading
}

/** Loads the tokenizer in two steps, so that the event loop runs between them: its table, then what is built from it. */
async function load(): Promise<Tokenizer> {
  const { default: table } = await import('gpt-tokenizer/bpeRanks/o200k_base')
  await nextTurn()
  return tokenizerOf(await import('gpt-tokenizer/encoding/o200k_base'), table)
}

type GptEncoding = typeof import('gpt-tokenizer/encoding/o200k_base')
/** By token: its text, or its bytes where they are no whole characters. */
type TokenTable = readonly (string | readonly number[])[]

function tokenizerOf(encoding: GptEncoding, table: TokenTable): Tokenizer {
  return {
    count(text, limit = Number.POSITIVE_INFINITY) {
      let total = 0
      for (const part of breakLongRuns(text)) {
        for (const tokens of encoding.encodeGenerator(part, plain)) {
          total += tokens.length
          if (total > limit) return total
        }
      }
      return total
    },
    pieces: (text) =>
      breakLongRuns(text).flatMap((part) => piecesOf(part, encoding.encode(part, plain), table)),
  }
}

/** Cuts the text behind each token that ends with a character, by the bytes of the tokens: their decoder keeps half a character from call to call. */
function piecesOf(text: string, tokens: readonly number[], table: TokenTable): TokenPiece[] {
  const bytes = Buffer.from(text)
  const pieces: TokenPiece[] = []
  let start = 0
  let end = 0
  let waiting = 0
  for (const token of tokens) {
    const made = table[token]!
    end += typeof made === 'string' ? Buffer.byteLength(made) : made.length
    waiting++
    if (isWithinCharacter(bytes[end])) continue
    pieces.push({ text: bytes.toString('utf8', start, end), tokens: waiting })
    start = end
    waiting = 0
  }
  return pieces
}

/** Whether a byte of UTF-8 continues a character; undefined: the end of the text. */
const isWithinCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

function breakLongRuns(text: string): string[] {
  const wellFormed = text.toWellFormed()
  const parts: string[] = []
  let start = 0
  for (const run of wellFormed.matchAll(longRun)) {
    let cut = run.index
    const end = run.index + run[0].length
    while (end - cut > stretch) {
      cut += stretch
      // No cut falls between the halves of a surrogate pair.
      if (/[\udc00-\udfff]/.test(wellFormed.charAt(cut))) cut -= 1
      parts.push(wellFormed.slice(start, cut))
      start = cut
    }
  }
  parts.push(wellFormed.slice(start))
  return parts
}
