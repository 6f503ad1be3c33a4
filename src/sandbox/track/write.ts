/** Puts the track of words into speech: the band of the tones is taken out of the voice, and the tones take its place. */
import { type Phrase, phrasesOf } from '../speech/pronounce.ts'
import { pauseMs, phraseMs } from '../speech/prosody.ts'
import { pacedVoices, sampleRate, speak, type Voice } from '../speech/speech.ts'
import { symbolsOf } from './block.ts'
import {
  groups,
  lowestHz,
  paces,
  preambleLength,
  preambles,
  spacingHz,
  symbolMs,
  type TonePace,
  tones,
  tonesOfGroup,
} from './tones.ts'

/**
 * The level of each tone as a part of the voice's level, which hides it, within the bounds below. All tones of a symbol together lie 12 dB below the
 * voice, and lower the longer they sound.
 */
const loudness: Readonly<Record<TonePace, number>> = { 1: 0.15, 2: 0.1, 3: 0.08 }
const quietest = 0.01
const loudest = 0.025
const symbolSamples = (sampleRate * symbolMs) / 1_000
/** The number of samples in which one tone fades into the next, so that nothing clicks. */
const fadeSamples = 48

/** Speaks a text with its track: chunks as `speak` makes them, and a little silence more where a text has far more signs than sounds. */
export function* speakTracked(text: string, voice: Voice): Generator<Int16Array> {
  const band = new BandStop()
  const track = new Track(blocksIn(text, voice))
  for (const chunk of speak(text, voice)) {
    band.take(chunk)
    track.add(chunk)
    yield chunk
  }
  while (!track.isOver) {
    const rest = new Int16Array(symbolSamples)
    track.add(rest)
    yield rest
  }
}

interface TimedBlock extends WrittenBlock {
  startSample: number
}

interface WrittenBlock {
  /** One symbol for each 40 ms, whatever the pace. */
  symbols: readonly (readonly number[])[]
  pace: TonePace
}

/** The blocks of a text. Each phrase is a block that begins and ends with it; a phrase that is too short for that goes with the next one. */
function* blocksIn(text: string, voice: Voice): Generator<TimedBlock> {
  const index = pacedVoices.findIndex(({ id, pace }) => id === voice.id && pace === voice.pace)
  let from = 0
  let startMs = 0
  let ms = 0
  let waiting: Phrase | undefined
  for (const phrase of phrasesOf(text)) {
    ms += phraseMs(phrase, voice)
    const to = endOf(text, phrase)
    const quiet = pauseMs(phrase, voice)
    const room = { spoken: (ms - quiet) / symbolMs, whole: ms / symbolMs }
    const written = writeBlock(text, { from, to, voice: index }, room)
    waiting = written ? undefined : phrase
    if (!written) continue
    yield { startSample: samplesOf(startMs), ...written }
    from = to
    startMs += ms
    ms = 0
  }
  const written =
    waiting && writeBlock(text, { from, to: text.length, voice: index }, { spoken: 0, whole: maxRestLength })
  if (written) yield { startSample: samplesOf(startMs), ...written }
}

/** The most symbols of the last block beyond its sound; a text that needs more is not tracked. */
const maxRestLength = 250
const samplesOf = (ms: number): number => Math.round((ms * sampleRate) / 1_000)

interface TextSpan {
  from: number
  to: number
  voice: number
}

/**
 * The symbols of a block, as slow as the spoken time allows, so that pauses stay silent; only a phrase that is too short even for the quickest pace
 * uses the pause too. Signs that are not said are left out where the text does not fit otherwise. Undefined where nothing fits.
 */
function writeBlock(
  text: string,
  { from, to, voice }: TextSpan,
  room: { spoken: number; whole: number },
): WrittenBlock | undefined {
  const exact = trimmed(text.slice(from, to))
  const isGlued = from > 0 && /\S/.test(text[from - 1]!) && exact !== '' && text[from] === exact[0]
  for (const said of [exact, spokenOf(exact)]) {
    const body = symbolsOf({ text: said, voice, isGlued })
    if (!body) continue
    const length = body.length + preambleLength
    const pace =
      paces.findLast((one) => one * length <= room.spoken) ?? (length <= room.whole ? 1 : undefined)
    if (pace) return { pace, symbols: [...preambles[pace], ...body].flatMap((one) => Array(pace).fill(one)) }
  }
  return undefined
}

/** The text without space around it, except for one line break where one stands before or after it, which is a mark. */
function trimmed(text: string): string {
  const said = text.trim()
  const at = text.indexOf(said)
  const [before, after] = [text.slice(0, at), text.slice(at + said.length)]
  return `${before.includes('\n') ? '\n' : ''}${said}${after.includes('\n') ? '\n' : ''}`
}

/** The end of a phrase with the marks behind it, closing ones too; an opening mark goes with what it opens. */
function endOf(text: string, { to }: Phrase): number {
  if (/[«(]/.test(text[to - 1]!)) return to - 1
  const [rest] = /^[^\p{L}\p{N}\s«([{%٪−-]{0,20}/u.exec(text.slice(to, to + 40))!
  return /\S/.test(text.slice(to + rest.length)) ? to + rest.length : text.length
}

/** The words and marks that are said, with one space between them. */
const spokenOf = (text: string): string =>
  text
    .replace(/[^\p{Script=Arabic}\p{Script=Latin}\p{Nd}\p{Mn}\u200c\s.!…؟?،,؛;:()«»%٪'’-]/gu, ' ')
    .replace(/[^\S\n]+/g, ' ')
    .trim()

/** The wave of each tone over one symbol; phases that grow as squares keep the sum of the tones low (S. Boyd 1986). */
const waves = Array.from({ length: tones }, (_, tone) =>
  Float32Array.from({ length: symbolSamples }, (_, at) => {
    const hz = lowestHz + tone * spacingHz
    const group = Math.floor(tone / tonesOfGroup)
    return 32_767 * Math.sin((2 * Math.PI * hz * at) / sampleRate + (Math.PI * group * group) / groups)
  }),
)

/** Adds the tones of blocks, one block after another, to samples that come in chunks. */
class Track {
  readonly #blocks: Iterator<TimedBlock>
  #block: TimedBlock | undefined
  #at = 0
  /** The amplitudes of the tones in the symbol before and in this one. */
  #before = 0
  #level = 0

  constructor(blocks: Iterator<TimedBlock>) {
    this.#blocks = blocks
    this.#next()
  }

  get isOver(): boolean {
    return this.#block === undefined
  }

  add(chunk: Int16Array): void {
    for (let at = 0; at < chunk.length && this.#block; ) {
      const begin = this.#at + at - this.#block.startSample
      if (begin < 0) {
        at = Math.min(chunk.length, at - begin)
        continue
      }
      const symbol = Math.floor(begin / symbolSamples)
      const digits = this.#block.symbols[symbol]
      if (!digits) {
        this.#next()
        continue
      }
      const from = begin % symbolSamples
      const count = Math.min(chunk.length - at, symbolSamples - from)
      const part = chunk.subarray(at, at + count)
      if (from === 0) {
        this.#before = this.#level
        this.#level = toneLevel(chunk, this.#block.pace)
      }
      add(part, { from, level: this.#level, digits }, this.#beforeAt(symbol))
      at += count
      if (from + count === symbolSamples && symbol + 1 === this.#block.symbols.length) this.#next()
    }
    this.#at += chunk.length
  }

  #beforeAt(symbol: number): { level: number; digits: readonly number[] } | undefined {
    const digits = this.#block!.symbols[symbol - 1]
    return digits && { level: this.#before, digits }
  }

  #next(): void {
    const next = this.#blocks.next()
    this.#block = next.done ? undefined : next.value
  }
}

/** The level of the tones, as loud as the voice around them allows. */
function toneLevel(samples: Int16Array, pace: TonePace): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  const voice = Math.sqrt(sum / samples.length) / 32_767
  return Math.max(quietest, Math.min(loudest, voice * loudness[pace]))
}

interface SymbolLevel {
  level: number
  digits: readonly number[]
}

/** Adds one symbol, or a part of it from a sample on; the symbol before fades into it. */
function add(
  samples: Int16Array,
  now: SymbolLevel & { from: number },
  before: SymbolLevel | undefined,
): void {
  for (let group = 0; group < groups; group++) {
    const wave = waves[group * tonesOfGroup + now.digits[group]!]!
    const old = before && waves[group * tonesOfGroup + before.digits[group]!]!
    for (let at = 0; at < samples.length; at++) {
      const place = now.from + at
      const share = place >= fadeSamples ? 1 : place / fadeSamples
      const faded = share < 1 && old ? old[place]! * before!.level * (1 - share) : 0
      samples[at]! += wave[place]! * now.level * share + faded
    }
  }
}

/** The notches that take the band of the tones out, side by side (R. Bristow-Johnson's cookbook), each as wide as the distance to the next. */
const notchHz = [5_425, 5_575, 5_725, 5_875, 6_025, 6_175, 6_325, 6_475, 6_600]
const notchWidthHz = 160

class BandStop {
  readonly #notches = notchHz.map((hz) => new Notch(hz))

  take(samples: Int16Array): void {
    for (let at = 0; at < samples.length; at++) {
      let value = samples[at]!
      for (const notch of this.#notches) value = notch.pass(value)
      samples[at] = Math.max(-32_767, Math.min(32_767, Math.round(value)))
    }
  }
}

class Notch {
  readonly #gain: number
  readonly #middle: number
  readonly #last: number
  #input = 0
  #inputBefore = 0
  #output = 0
  #outputBefore = 0

  constructor(hz: number) {
    const turn = (2 * Math.PI * hz) / sampleRate
    const width = (Math.sin(turn) * notchWidthHz) / (2 * hz)
    this.#gain = 1 / (1 + width)
    this.#middle = -2 * Math.cos(turn) * this.#gain
    this.#last = (1 - width) * this.#gain
  }

  pass(input: number): number {
    const output =
      this.#gain * (input + this.#inputBefore) +
      this.#middle * (this.#input - this.#output) -
      this.#last * this.#outputBefore
    this.#inputBefore = this.#input
    this.#input = input
    this.#outputBefore = this.#output
    this.#output = output
    return output
  }
}
