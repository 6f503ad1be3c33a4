/**
 * The track of words: quiet tones between 5.4 and 6.6 kHz in the sandbox's own speech, which carry its text. In each symbol of 40 ms every group of
 * four tones sounds one of them, which is two bits. All tones have whole periods in a symbol, so that none is heard in another's place, and all lie
 * within what remains of a sound at 16 kHz.
 *
 * The words are in the sound itself because a note in the file's head survives neither a conversion nor a cut, and a memory of what was spoken would be
 * in one process only. The cost is a faint whistle, and a phrase that is cut in the middle is lost. Measured on 13 texts by two voices: all 26 are
 * read exactly from our WAV, MP3 and Opus (32 kbit/s) and from ffmpeg's AAC of 64 kbit/s, and 17 from ffmpeg's Opus of 24 kbit/s.
 */

export const symbolMs = 40
export const groups = 12
export const tonesOfGroup = 4
export const tones = groups * tonesOfGroup
export const bitsOfSymbol = groups * 2

export const spacingHz = 1_000 / symbolMs
export const lowestHz = 5_400
/** The middle of the band, which a reader moves down to 0 Hz. */
export const middleHz = 6_000

/** How many times each symbol is written, as one long tone: a block is slow where its phrase leaves the time for it. */
export const paces = [1, 2, 3] as const
export type TonePace = (typeof paces)[number]

const first = [
  [0, 3, 1, 2, 2, 0, 3, 1, 1, 3, 0, 2],
  [2, 1, 3, 0, 1, 2, 0, 3, 3, 0, 2, 1],
]

/** The two symbols with which each block of a pace begins, and which are all that a reader looks for. Each has a digit of four for each group. */
export const preambles: Readonly<Record<TonePace, readonly (readonly number[])[]>> = {
  1: first,
  2: first.map((digits) => digits.map((digit) => (digit + 1) % tonesOfGroup)),
  3: first.map((digits) => digits.map((digit) => (digit + 2) % tonesOfGroup)),
}
export const preambleLength = first.length
