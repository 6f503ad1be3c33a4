/** Cuts live sound into pieces: at a pause once a piece is long enough, and within sound where no pause comes in time. */
import { encodeWhole, formatMediaType, resample, type Sound, VoiceDetector } from '#core/sound'
import type { PieceSpan } from './cut.ts'
import { namedRecording, type PieceFile, speechSampleRate } from './pieces.ts'
import { minSeconds, pieceSecondsOf, type TranscriptionPlan } from './plan.ts'
import type { LiveSound } from './transcription.ts'

export interface LivePiece extends PieceFile {
  joint: PieceSpan['joint']
  /** Whether the next piece overlaps with this one. */
  overlapsNext: boolean
}

/** A silence of this length is a pause between words. */
const pauseMs = 300

/**
 * The pieces of live sound. Pieces without speech are left out: they cost, and models make up words for silence. Ends with the sound, after its
 * `maxSeconds`, or at its signal; the last piece has the sound until then.
 */
export async function* livePieces(live: LiveSound, plan: TranscriptionPlan): AsyncGenerator<LivePiece> {
  const cutter = new LiveCutter(live, plan)
  using detector = await VoiceDetector.open(speechSampleRate, { silenceMs: pauseMs })
  const sound = resample(untilAborted(live.sound, live.signal), speechSampleRate)
  for await (const { samples } of sound) {
    for (let at = 0; at < samples.length && !cutter.isFull; at += stepSamples) {
      const part = samples.subarray(at, at + stepSamples)
      for (const { kind } of detector.write(part)) cutter.heard(kind === 'started')
      const piece = cutter.add(part)
      if (piece) yield await encodePiece(piece, plan)
    }
    if (cutter.isFull) break
  }
  for (const { kind } of detector.end()) cutter.heard(kind === 'started')
  const last = cutter.end()
  if (last) yield await encodePiece(last, plan)
}

/** The samples between two checks for a pause: a tenth of a second. */
const stepSamples = speechSampleRate / 10

interface RawPiece {
  samples: Float32Array[]
  from: number
  to: number
  joint: PieceSpan['joint']
  overlapsNext: boolean
}

class LiveCutter {
  readonly #most: number
  readonly #wanted: number
  readonly #longest: number
  readonly #overlap: number
  #parts: Float32Array[] = []
  #from = 0
  #at = 0
  #joint: PieceSpan['joint'] = 'first'
  #isSpeech = false
  #hasSpeech = false

  constructor(live: LiveSound, { maxSeconds, overlapSeconds }: TranscriptionPlan) {
    const samples = (seconds: number): number => Math.floor(seconds * speechSampleRate)
    this.#most = samples(live.maxSeconds)
    this.#longest = samples(maxSeconds)
    this.#overlap = samples(overlapSeconds)
    this.#wanted = samples(pieceSecondsOf(live, maxSeconds, overlapSeconds))
  }

  /** Whether the sound has reached its longest duration. */
  get isFull(): boolean {
    return this.#at >= this.#most
  }

  heard(isSpeech: boolean): void {
    this.#isSpeech = isSpeech
    this.#hasSpeech ||= isSpeech
  }

  add(samples: Float32Array): RawPiece | undefined {
    const part = samples.slice(0, this.#most - this.#at)
    this.#parts.push(part)
    this.#at += part.length
    const length = this.#at - this.#from
    if (length >= this.#wanted && !this.#isSpeech) return this.#cut(false)
    return length >= this.#longest ? this.#cut(true) : undefined
  }

  end(): RawPiece | undefined {
    return this.#cut(false)
  }

  /** @param overlapsNext whether the cut is within speech, so that the next piece begins earlier */
  #cut(overlapsNext: boolean): RawPiece | undefined {
    const piece = {
      samples: this.#parts,
      from: this.#from / speechSampleRate,
      to: this.#at / speechSampleRate,
      joint: this.#joint,
      overlapsNext,
    }
    const isSpoken = this.#hasSpeech && this.#at - this.#from >= minSeconds * speechSampleRate
    this.#parts = overlapsNext ? tailOf(this.#parts, this.#overlap) : []
    this.#from = this.#at - this.#parts.reduce((sum, { length }) => sum + length, 0)
    this.#hasSpeech = this.#isSpeech
    if (isSpoken) this.#joint = overlapsNext ? 'overlap' : 'silence'
    return isSpoken ? piece : undefined
  }
}

function tailOf(parts: readonly Float32Array[], wanted: number): Float32Array[] {
  const tail: Float32Array[] = []
  for (let left = wanted, index = parts.length - 1; left > 0 && index >= 0; index--) {
    const part = parts[index]!
    tail.unshift(part.subarray(Math.max(0, part.length - left)))
    left -= part.length
  }
  return tail
}

async function encodePiece(raw: RawPiece, { encoding }: TranscriptionPlan): Promise<LivePiece> {
  const { samples, ...piece } = raw
  const sound = samples.map((one): Sound => ({ rate: speechSampleRate, samples: one }))
  const { bytes, seconds } = await encodeWhole(sound, {
    format: encoding,
    rate: speechSampleRate,
    maxBytes: maxEncodedBytes,
  })
  return { ...piece, sound: namedRecording(bytes, formatMediaType(encoding), seconds) }
}

/** The bound for encoding, which is never reached: a piece is as long as its bytes have room for. */
const maxEncodedBytes = 64 * 1024 * 1024

/** The sound until the signal aborts, even while the source keeps the reader waiting. */
async function* untilAborted(
  sound: LiveSound['sound'],
  signal: AbortSignal | undefined,
): AsyncGenerator<Sound> {
  const pieces = Symbol.asyncIterator in sound ? sound[Symbol.asyncIterator]() : sound[Symbol.iterator]()
  const aborted = Promise.withResolvers<undefined>()
  const abort = (): void => aborted.resolve(undefined)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    for (;;) {
      const next = await Promise.race([aborted.promise, pieces.next()])
      if (!next || next.done) return
      yield next.value
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    // A source that keeps the reader waiting is told to end, and its end is not awaited.
    void Promise.resolve(pieces.return?.()).catch(() => undefined)
  }
}
