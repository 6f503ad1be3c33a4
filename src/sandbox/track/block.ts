/** Writes a block of the track as symbols, and reads it: the text of one or a few phrases, and who says it. */
import { bitsOfText, type TableIndex, textOfBits } from './alphabet.ts'
import {
  bitsOf,
  checksumBits,
  checksumOf,
  convolve,
  lengthOf,
  numberOf,
  streams,
  viterbiDecode,
} from './code.ts'
import { bitsOfSymbol, groups } from './tones.ts'

export interface TrackBlock {
  text: string
  /** The voice, by its place among `pacedVoices`. */
  voice: number
  /** True if nothing stands between this text and the block before. */
  isGlued: boolean
}

const voiceBits = 4
const headBits = voiceBits + 2
/** The most bits of a text, about 400 letters; longer texts are in several blocks. */
const maxTextBits = 2_000
/** The bits of each stream in a symbol. Each stream is a symbol later than the one before, so that a lost symbol takes other bits of each. */
const share = bitsOfSymbol / streams

/** The symbols after the preamble: one digit of four for each group of tones. Undefined for a text that is too long. */
export function symbolsOf({ text, voice, isGlued }: TrackBlock): number[][] | undefined {
  const table = tableFor(text)
  const said = bitsOfText(text, table)
  if (said.length > maxTextBits) return undefined
  const bits = [...bitsOf(voice, voiceBits), isGlued ? 1 : 0, table, ...said]
  const all = convolve([...bits, ...bitsOf(checksumOf(bits), checksumBits)])
  const count = Math.ceil(all[0]!.length / share) + streams - 1
  return Array.from({ length: count }, (_, symbol) =>
    Array.from({ length: groups }, (_, group) => {
      const [high, low] = [2 * group, 2 * group + 1].map((bit) => {
        const at = (symbol - (bit % streams)) * share + Math.floor(bit / streams)
        return all[bit % streams]![at] ?? 0
      })
      return 2 * high! + low!
    }),
  )
}

const tableFor = (text: string): TableIndex =>
  /[\p{Script=Arabic}\p{Script=Latin}]/u.exec(text)?.[0]?.match(/\p{Script=Latin}/u) ? 1 : 0

const symbolsFor = (bits: number): number => Math.ceil(lengthOf(bits + checksumBits) / share) + streams - 1

/** The most symbols that a block has after the preamble. */
export const maxSymbols = symbolsFor(headBits + maxTextBits)

/**
 * Reads a block from the hints of its symbols after the preamble: `bitsOfSymbol` of them for each symbol, between -1 (surely 0) and 1 (surely 1).
 * What follows the block does not matter: it ends where its checksum is right. Undefined where no checksum is right.
 */
export function blockOf(hints: readonly Float32Array[]): (TrackBlock & { symbols: number }) | undefined {
  const length = Math.max(0, (hints.length - streams + 1) * share)
  const said = Array.from({ length: streams }, (_, stream) =>
    Float32Array.from({ length }, (_, at) => {
      const symbol = Math.floor(at / share) + stream
      return hints[symbol]![(at % share) * streams + stream]!
    }),
  )
  const reading = viterbiDecode(said)
  const maxBits = Math.min(maxTextBits, length - lengthOf(headBits + checksumBits))
  for (let count = headBits + 1; count <= headBits + maxBits; count++) {
    const bits = reading.ending(count + checksumBits)
    if (numberOf(bits.slice(count)) !== checksumOf(bits.slice(0, count))) continue
    const text = textOfBits(bits.slice(headBits, count), bits[voiceBits + 1] as TableIndex)
    if (text === undefined) continue
    const voice = numberOf(bits.slice(0, voiceBits))
    return { text, voice, isGlued: bits[voiceBits] === 1, symbols: symbolsFor(count) }
  }
  return undefined
}
