/**
 * Speech that a fake upstream hears exactly: each word is a level of its own that lasts as long as the word, so that whoever gets a part of the
 * sound knows which words are in it, where, and which of them are cut.
 */
import type { Said } from '../../harness/transcription-upstream.ts'

export interface Word {
  word: string
  start: number
  end: number
  speaker?: string
}

export const rate = 16_000
const base = 0.25
const step = 1 / 8_192
/** More have no level of their own. */
const maxWords = 5_000

/** A script of words in even steps, with a pause after every `every` of them; speakers change there. */
export function scriptOf(
  count: number,
  {
    every = 12,
    pause = 0.6,
    speakers = [],
  }: { every?: number; pause?: number; speakers?: readonly string[] } = {},
): Word[] {
  const words: Word[] = []
  let at = 0.2
  for (let index = 0; index < count; index++) {
    const group = Math.floor(index / every)
    const speaker = speakers[group % speakers.length]
    words.push({
      word: index % every === every - 1 ? `${wordAt(index)}.` : wordAt(index),
      start: round(at),
      end: round(at + 0.35),
      ...(speaker !== undefined && { speaker }),
    })
    at += 0.4 + (index % every === every - 1 ? pause : 0)
  }
  return words
}

const syllables = ['با', 'دی', 'رو', 'نا', 'مه', 'شو', 'زی', 'گل', 'خا', 'سی']
/** Different words; every seventh is said again right after. */
function wordAt(index: number): string {
  const number = index % 7 === 6 ? index - 1 : index
  return [...String(number)].map((digit) => syllables[Number(digit)]).join('')
}

const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000

export const secondsOf = (words: readonly Word[]): number => round(words.at(-1)!.end + 0.2)

export function samplesOf(words: readonly Word[], seconds = secondsOf(words)): Float32Array {
  const samples = new Float32Array(Math.round(seconds * rate))
  for (const [index, { start, end }] of words.entries())
    samples.fill(base + (index % maxWords) * step, Math.round(start * rate), Math.round(end * rate))
  return samples
}

export function wavOf(samples: Float32Array): Buffer {
  const wav = Buffer.alloc(44 + 2 * samples.length)
  wav.write('RIFF')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(rate, 24)
  wav.writeUInt32LE(2 * rate, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(2 * samples.length, 40)
  for (const [index, sample] of samples.entries())
    wav.writeInt16LE(Math.round(sample * 32_768), 44 + 2 * index)
  return wav
}

/** What is heard in a part of that sound, on its own clock. Of a word that is cut only its first letter, and under a third of it nothing. */
export function heardIn(wav: Buffer, script: readonly Word[]): Word[] {
  const data = wav.indexOf('data') + 8
  const heard: Word[] = []
  const level = (at: number): number => Math.round((wav.readInt16LE(data + 2 * at) / 32_768 - base) / step)
  const length = (wav.length - data) / 2
  for (let at = 0; at < length; ) {
    const index = level(at)
    let end = at
    while (end < length && level(end) === index) end++
    const said = index < 0 ? undefined : script[index]
    if (said) {
      const share = (end - at) / rate / (said.end - said.start)
      const word = share > 0.99 ? said.word : said.word.slice(0, 1)
      if (share > 1 / 3) heard.push({ ...said, word, start: at / rate, end: end / rate })
    }
    at = end
  }
  return heard
}

/** As an upstream says it: segments of some words each, with names of its own for who speaks. */
export function saidIn(words: readonly Word[], { names = (one: string) => one } = {}): Said {
  const segments: NonNullable<Said['segments']> = []
  for (const { word, start, end, speaker } of words) {
    const open = segments.at(-1)
    const named = speaker === undefined ? undefined : names(speaker)
    const goesOn = open && open.speaker === named && start - open.end < 0.5 && !open.text.endsWith('.')
    if (goesOn) {
      open.text += ` ${word}`
      open.end = end
    } else segments.push({ start, end, text: word, ...(named !== undefined && { speaker: named }) })
  }
  return {
    text: words.map(({ word }) => word).join(' '),
    language: 'persian',
    segments,
    words: words.map(({ word, start, end }) => ({ word, start, end })),
  }
}
