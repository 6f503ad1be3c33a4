import type { SoundBytes } from '#core/turn'
import type { Requester } from '#platform/confined'
import { type AdtsIndex, endOfAdts, indexAdts } from './adts-index.ts'
import { type CountedSound, countSound, type DecodeOptions, decodeSound } from './decode.ts'
import { sampleBytes, speechSampleRate } from './decode-pcm.ts'
import { type DecodeContext, type DecodedSound, decodeTrack } from './decode-track.ts'
import { type ByteRange, soundOf } from './decoded-sound.ts'
import { SoundError } from './fault.ts'
import { hasSpeech } from './has-speech.ts'
import { type Levels, levelsOfPcm } from './levels.ts'
import { ListeningLimit, listen } from './listen.ts'
import type { Sound } from './pcm.ts'
import type {
  MeasuredRecording,
  Packets,
  Recording,
  RecordingOptions,
  RecordingSource,
  TimeSpan,
} from './recording.ts'
import type { RecordingTools } from './recordings.ts'
import { bytesOf, chunksOf, partOf, transientChunksOf } from './source.ts'
import { openTrack, type Track } from './track.ts'
import { partInSamples, trimSound } from './trim.ts'
import { wavHead } from './wav.ts'

/** The most seconds that an editor may have cut off of the longest recording. */
const maxHiddenSeconds = 60

/**
 * Recognises, unpacks and measures a recording, up to where it breaks off. Only FLAC and Vorbis, and what ffmpeg alone reads, have to be decoded for
 * that.
 * @throws SoundError, SPOOL_FULL, and the signal's reason
 */
export async function openRecording(
  workshop: RecordingTools,
  source: RecordingSource,
  requester: Requester,
  { maxSeconds }: RecordingOptions,
): Promise<OpenedRecording> {
  await using opening = new AsyncDisposableStack()
  const decoding: DecodeContext = { workshop, requester, folders: opening }
  const track = await openTrack(workshop, source, requester, opening)
  try {
    const { counted, decoded, file } = await countTrack(decoding, track, maxSeconds + maxHiddenSeconds)
    const { codec, rate, samples } = counted
    const { skip, length } = partInSamples(track.part, rate, samples)
    const seconds = length / rate
    if (seconds > maxSeconds) throw new SoundError('too_long', track.mediaType)
    if (length === 0) throw new SoundError('empty', track.mediaType)
    const isTruncated = track.isTruncated || counted.isTruncated
    const measured: MeasuredRecording = {
      mediaType: track.mediaType,
      codec,
      seconds,
      packetSeconds: isTruncated ? Number.POSITIVE_INFINITY : Math.max(samples / rate, track.otherSeconds),
      rate: track.stated?.rate ?? rate,
      channels: track.stated?.channels ?? counted.channels,
      isDecodable: codec !== 'aac' || (await workshop.ffmpeg()) !== undefined,
      hasVideo: track.hasVideo,
      isTruncated,
    }
    const timing = { skipSeconds: skip / rate, fileSeconds: samples / rate, fileRate: rate }
    const kept = { ...decoding, folders: opening.move() }
    return new OpenedRecording(measured, { ...track, file }, kept, timing, decoded)
  } catch (error) {
    if (!(error instanceof SoundError)) throw error
    throw new SoundError(error.fault, track.mediaType, error.codec)
  }
}

interface CountedTrack {
  counted: CountedSound
  decoded: DecodedSound | undefined
  /** The file of the track, as far as it is good where that matters to others who read it. */
  file: RecordingSource
}

async function countTrack(decoding: DecodeContext, track: Track, maxSeconds: number): Promise<CountedTrack> {
  const { file, media } = track
  if (track.isUncountable) {
    const decoded = await decodeTrack(decoding, track, { seconds: undefined, maxSeconds })
    return { counted: decoded.counted!, decoded, file }
  }
  const counted = await countSound(chunksOf(file), { mediaType: media, maxSeconds })
  const isLeft = media !== 'audio/aac' || !counted.isTruncated
  if (isLeft) return { counted, decoded: undefined, file }
  // ffmpeg, and an upstream that gets packets, read AAC themselves.
  const { workshop, folders } = decoding
  const whole = { from: 0, to: await endOfAdts(chunksOf(file)) }
  return { counted, decoded: undefined, file: await partOf(file, whole, workshop.spool, folders) }
}

/** Where the recording stands in the file of its packets, whose rate is in Hz. */
interface RecordingTiming {
  skipSeconds: number
  fileSeconds: number
  fileRate: number
}

export class OpenedRecording implements Recording {
  readonly measured: MeasuredRecording
  readonly #track: Track
  readonly #decoding: DecodeContext
  readonly #timing: RecordingTiming
  #decoded: Promise<DecodedSound> | undefined
  #levels: Promise<Levels> | undefined
  /** The spans that were listened to, as JSON. */
  readonly #speech = new Map<string, Promise<readonly boolean[]>>()
  #index: Promise<AdtsIndex> | undefined

  constructor(
    measured: MeasuredRecording,
    track: Track,
    decoding: DecodeContext,
    timing: RecordingTiming,
    decoded: DecodedSound | undefined,
  ) {
    this.measured = measured
    this.#track = track
    this.#decoding = decoding
    this.#timing = timing
    this.#decoded = decoded && Promise.resolve(decoded)
  }

  async *sound(span: TimeSpan = {}): AsyncGenerator<Sound> {
    const { pcm, ...range } = await this.#byteRange(span)
    yield* soundOf(pcm, range)
  }

  async wav(span: TimeSpan = {}): Promise<{ bytes: SoundBytes; seconds: number }> {
    const { pcm, begin, end } = await this.#byteRange(span)
    if (end === begin) throw new SoundError('empty')
    const head = wavHead(speechSampleRate, end - begin)
    const seconds = (end - begin) / sampleBytes / speechSampleRate
    if (pcm instanceof Uint8Array) return { bytes: Buffer.concat([head, pcm.subarray(begin, end)]), seconds }
    const bytes = {
      byteLength: head.length + end - begin,
      async *[Symbol.asyncIterator]() {
        yield head
        yield* chunksOf(pcm, begin, end)
      },
    }
    return { bytes, seconds }
  }

  /** Where a span stands in the decoded sound, in bytes. */
  async #byteRange(span: TimeSpan): Promise<ByteRange & { pcm: RecordingSource }> {
    const { pcm } = await this.#decode()
    const first = Math.round(this.#timing.skipSeconds * speechSampleRate)
    const all = Math.floor(bytesOf(pcm) / sampleBytes) - first
    const { from, to } = spanInSamples(
      span,
      Math.min(all, Math.round(this.measured.seconds * speechSampleRate)),
    )
    return { pcm, begin: sampleBytes * (first + from), end: sampleBytes * (first + to) }
  }

  async speechIn(spans: readonly TimeSpan[]): Promise<readonly boolean[]> {
    if (!this.measured.isDecodable) return spans.map(() => true)
    const key = JSON.stringify(spans)
    const known = this.#speech.get(key)
    if (known) return known
    const found = this.#listen(spans).catch((error) => {
      this.#speech.delete(key)
      throw error
    })
    this.#speech.set(key, found)
    return found
  }

  async #listen(spans: readonly TimeSpan[]): Promise<readonly boolean[]> {
    const limit = new ListeningLimit(this.#decoding.requester.signal)
    const [first = {}] = spans
    const isAll = spans.length === 1 && first.from === undefined && first.to === undefined
    // Speech mostly begins at once, and then nothing after it has to be decoded.
    if (isAll && !this.#decoded && this.#isDecodedHere) {
      const { file, media: mediaType, part } = this.#track
      const options = { mediaType, opusRate: speechSampleRate, onTruncated: () => undefined } as const
      const isSpoken = await hasSpeech(trimSound(limit.within(decodeSound(chunksOf(file), options)), part))
      if (isSpoken || !limit.isReached) return [isSpoken]
    }
    const { pcm } = await this.#decode()
    const parts = await Promise.all(spans.map((span) => this.#byteRange(span)))
    const ranges = parts.map(({ begin, end }) => ({ begin, end }))
    return listen(this.#decoding, this.#track, pcm, ranges, limit)
  }

  /** Whether the codec may be decoded in this process. */
  get #isDecodedHere(): boolean {
    const { media, isVorbis, foreign } = this.#track
    return media !== 'audio/aac' && !isVorbis && !foreign
  }

  levels(): Promise<Levels> {
    this.#levels ??= this.#measureLevels().catch((error) => {
      this.#levels = undefined
      throw error
    })
    return this.#levels
  }

  async #measureLevels(): Promise<Levels> {
    const { pcm, begin, end } = await this.#byteRange({})
    return levelsOfPcm(transientChunksOf(pcm, begin, end), speechSampleRate)
  }

  async packets({ from = 0, to = this.measured.seconds }: TimeSpan): Promise<Packets | undefined> {
    if (this.measured.codec !== 'aac') return undefined
    this.#index ??= indexAdts(chunksOf(this.#track.file))
    const index = await this.#index
    const { skipSeconds, fileRate } = this.#timing
    const sampleAt = (seconds: number): number => Math.round((seconds + skipSeconds) * fileRate)
    // Half of a frame's sound is in the frame before it.
    const first = Math.max(0, index.frameAt(sampleAt(Math.max(0, from))) - 1)
    const behind = index.frameAt(sampleAt(Math.min(to, this.measured.seconds)) - 1) + 1
    const [begin, end] = [index.place(first), index.place(Math.max(first + 1, behind))]
    const chunks = await Array.fromAsync(chunksOf(this.#track.file, begin.byte, end.byte))
    return {
      bytes: Buffer.concat(chunks),
      mediaType: 'audio/aac',
      start: begin.sample / fileRate - skipSeconds,
      end: end.sample / fileRate - skipSeconds,
    }
  }

  /** Yields what `sound` does, but a codec that is decoded in this process keeps its own rate. */
  async *wholeSound(options: DecodeOptions): AsyncGenerator<Sound> {
    const { file, media, part } = this.#track
    const { onTruncated = () => undefined } = options
    if (this.measured.isTruncated) onTruncated()
    if (!this.#isDecodedHere) return yield* this.sound()
    const decoding = { ...options, mediaType: media, onTruncated: () => undefined }
    yield* trimSound(decodeSound(chunksOf(file), decoding), part)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#decoding.folders.disposeAsync()
  }

  #decode(): Promise<DecodedSound> {
    if (!this.measured.isDecodable)
      throw new SoundError('unsupported', this.measured.mediaType, this.measured.codec)
    const seconds = this.#timing.fileSeconds
    // A failure is not kept: decoding that was too busy, or that its caller left, may be requested again.
    this.#decoded ??= decodeTrack(this.#decoding, this.#track, { seconds, maxSeconds: seconds }).catch(
      (error) => {
        this.#decoded = undefined
        throw error
      },
    )
    return this.#decoded
  }
}

/** A span in samples, within a sound of `length` samples. */
function spanInSamples(
  { from = 0, to = Number.POSITIVE_INFINITY }: TimeSpan,
  length: number,
): { from: number; to: number } {
  const end = Math.max(0, Math.min(length, Math.round(to * speechSampleRate)))
  return { from: Math.max(0, Math.min(end, Math.round(from * speechSampleRate))), to: end }
}
