/**
 * Transcription by sherpa-onnx in a child process, where the operator has installed it. So a server without a vendor, a graphics card or Python can
 * transcribe Persian: open models (Shenava of 130 MB, Whisper, SenseVoice) run on a processor several times faster than people speak. The package
 * `sherpa-onnx-node` is neither in `package.json` nor loaded into the server: its prebuilt 1.x library contains espeak-ng, which is GPL-3.0, and a
 * native library of gigabytes may crash.
 *
 * The first recording or call, or `kherad doctor`, starts the child; if something is missing, the error names the command that installs it. One recording
 * runs at a time, since the library has threads of its own; further ones are `overloaded` beyond sixteen that wait, which fails over. A crash fails
 * its recording as `unavailable` and certainly unbilled, and the next recording starts a new child. A recording cannot be interrupted, so the child
 * is killed if its caller leaves or its time is over; it also ends with a server that was killed. Its environment contains only the path of its
 * libraries, and no key of ours. Tests use a stand-in with the shape of the package; with `SHERPA` set they also run the library (1.13.8, linux-x64)
 * on tiny models that they write. No model that people use was run. What would change our mind: a permissively licensed runtime in WebAssembly that
 * runs these models at similar speed. What a model reports: docs/operations/media.md.
 */
import { decodeSound, resample, SoundError } from '#core/sound'
import {
  type TextProvider,
  type TranscriptionCall,
  type TranscriptionProvider,
  type TranscriptionResult,
  UpstreamError,
} from '#core/spec'
import type { RecordedSound, SpokenWord, TranscriptionOrder } from '#core/turn'
import { checkLength, isRecord, languageCode, partsOf, segmentsOfWords } from '#providers/kit'
import { SherpaChild, type SherpaConfig } from './child.ts'

/**
 * sherpa-onnx in a child process, where the operator installed it and put a model in a folder: the package is no dependency of ours, and is looked
 * for when the first recording or call comes.
 */
export function sherpaTranscription(
  place: SherpaConfig,
): TranscriptionProvider & AsyncDisposable & { ping: TextProvider['ping'] } {
  const child = new SherpaChild(place)
  return {
    transcribe: (call) => transcribe(child, call),
    ping: async (signal) => {
      const late = Promise.withResolvers<never>()
      const stop = (): void =>
        late.reject(
          new UpstreamError('timeout', { executed: false, detail: 'the model is still being opened' }),
        )
      signal.addEventListener('abort', stop, { once: true })
      try {
        await Promise.race([child.start(), late.promise])
      } finally {
        signal.removeEventListener('abort', stop)
      }
      return undefined
    },
    warm: () => child.start().catch(() => undefined),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

async function transcribe(child: SherpaChild, call: TranscriptionCall): Promise<TranscriptionResult> {
  const { order, signal, timeouts } = call
  const samples = await samplesOf(order.recording)
  const late = AbortSignal.timeout(timeouts.totalMs)
  try {
    const result = await child.run({
      samples,
      language: order.language,
      signal: AbortSignal.any([signal, late]),
    })
    return transcriptIn(result, order)
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error
    const detail = `no end of the recording within ${timeouts.totalMs} ms`
    throw new UpstreamError('timeout', { executed: false, detail, cause: error })
  }
}

async function samplesOf({ bytes, seconds }: RecordedSound): Promise<Float32Array> {
  const pieces: Float32Array[] = []
  try {
    const sound = decodeSound(partsOf(bytes), { maxSeconds: Math.max(10, 2 * seconds) })
    for await (const piece of resample(sound, 16_000)) pieces.push(piece.samples)
  } catch (cause) {
    if (!(cause instanceof SoundError)) throw cause
    const detail = `this sound cannot be read: ${cause.fault}`
    throw new UpstreamError('invalid_request', { status: 400, executed: false, detail, cause })
  }
  const samples = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  return samples
}

function transcriptIn(result: unknown, order: TranscriptionOrder): TranscriptionResult {
  const text = isRecord(result) ? result['text'] : undefined
  if (!isRecord(result) || typeof text !== 'string')
    throw new UpstreamError('malformed', { executed: false, detail: 'an answer without text' })
  checkLength(text.length, order)
  const words = wordsOf(result['tokens'], result['timestamps'], order.recording.seconds)
  const language = languageCode(String(result['lang'] ?? '').replace(/[<>|]/g, ''))
  if (text.trim() !== '') order.onText?.(text.trim())
  return {
    text: text.trim(),
    ...(language !== undefined && { language }),
    ...(order.timestamps !== 'none' && words.length > 0 && { segments: segmentsOfWords(words) }),
    ...(order.timestamps === 'word' && words.length > 0 && { words }),
    usage: { seconds: order.recording.seconds },
  }
}

/** The longest that the last token of a word sounds, in seconds. */
const maxTokenLength = 0.6

/**
 * Joins tokens to words. Tokens are pieces of words, each with the time at which it begins; one with a space, or its sign `▁`, at its start begins a
 * word.
 */
function wordsOf(tokens: unknown, timestamps: unknown, seconds: number): SpokenWord[] {
  if (!Array.isArray(tokens) || !Array.isArray(timestamps) || tokens.length !== timestamps.length) return []
  const words: SpokenWord[] = []
  let isOpen = false
  for (const [at, token] of tokens.entries()) {
    const time: unknown = timestamps[at]
    if (typeof token !== 'string' || typeof time !== 'number' || !Number.isFinite(time)) return []
    const start = Math.min(seconds, Math.max(0, time))
    const next: unknown = timestamps[at + 1]
    const end = Math.min(
      seconds,
      start + maxTokenLength,
      typeof next === 'number' && next > start ? next : Number.POSITIVE_INFINITY,
    )
    const piece = token.replaceAll('▁', ' ')
    if (piece.startsWith(' ') || !isOpen) {
      if (piece.trim() === '') {
        isOpen = false
        continue
      }
      words.push({ start, end, word: piece.trim() })
      isOpen = true
    } else {
      words.at(-1)!.word += piece.trim()
      words.at(-1)!.end = end
    }
  }
  return words
}
