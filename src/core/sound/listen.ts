import path from 'node:path'
import { sampleBytes, speechSampleRate } from './decode-pcm.ts'
import {
  type DecodeContext,
  decodeMs,
  maxOutputBytes,
  maxSecondsInPlace,
  outcomeValue,
  rooms,
} from './decode-track.ts'
import { type ByteRange, soundOf } from './decoded-sound.ts'
import { hasSpeech } from './has-speech.ts'
import type { ListenInput } from './listen-process.ts'
import { type Sound, secondsOf } from './pcm.ts'
import type { RecordingSource } from './recording.ts'
import type { Track } from './track.ts'

/** How much sound is still listened to in this process, for as long as the requester waits. */
export class ListeningLimit {
  readonly #signal: AbortSignal
  #seconds: number
  #isReached = false

  constructor(signal: AbortSignal, seconds = maxSecondsInPlace) {
    this.#signal = signal
    this.#seconds = seconds
  }

  /** Whether a sound was left off before its end. */
  get isReached(): boolean {
    return this.#isReached
  }

  /** The sound up to the limit. Throws the signal's reason. */
  async *within(sound: AsyncIterable<Sound>): AsyncGenerator<Sound> {
    for await (const piece of sound) {
      this.#signal.throwIfAborted()
      if (this.#seconds <= 0) {
        this.#isReached = true
        return
      }
      this.#seconds -= secondsOf(piece)
      yield piece
    }
  }
}

/**
 * Whether somebody speaks in each part of decoded sound. Beyond the limit it is found out in a process of its own, so that hours of silence take no
 * time from other requests.
 * @throws SoundError `busy` where too many wait, and the signal's reason
 */
export async function listen(
  decoding: DecodeContext,
  track: Pick<Track, 'mediaType'>,
  pcm: RecordingSource,
  parts: readonly ByteRange[],
  limit: ListeningLimit,
): Promise<boolean[]> {
  const spoken: boolean[] = []
  // Sound in memory is short.
  const isShort = pcm instanceof Uint8Array
  const own = isShort ? new ListeningLimit(decoding.requester.signal, Number.POSITIVE_INFINITY) : limit
  for (const part of parts) {
    const isSpoken = await hasSpeech(own.within(soundOf(pcm, part)))
    if (!isSpoken && own.isReached && !isShort)
      return [...spoken, ...(await listenInProcess(decoding, track, pcm, parts.slice(spoken.length)))]
    spoken.push(isSpoken)
  }
  return spoken
}

async function listenInProcess(
  { workshop, requester }: DecodeContext,
  track: Pick<Track, 'mediaType'>,
  pcm: { path: string; bytes: number },
  parts: readonly ByteRange[],
): Promise<boolean[]> {
  const input: ListenInput = { pcm, parts }
  const bytes = parts.reduce((sum, { begin, end }) => sum + end - begin, 0)
  const outcome = await workshop.decoding({
    ...requester,
    module: path.join(import.meta.dirname, 'listen-process.ts'),
    input,
    timeoutMs: decodeMs(bytes / sampleBytes / speechSampleRate),
    maxOutputBytes,
    files: [pcm.path, ...rooms],
  })
  return outcomeValue(outcome, track) as boolean[]
}
