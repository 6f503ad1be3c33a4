/** Transcription by sherpa-onnx in a child process, where the operator has installed it (docs/decisions/media/sherpa.md). */
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
 * for when the first recording comes ([decision](../../../docs/decisions/media/sherpa.md)).
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
