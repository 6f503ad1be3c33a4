/** Asks the rooms of media, and what all of them must make of every failure of a wire. */
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  type AudioProvider,
  type EmbeddingOrder,
  type EmbeddingProvider,
  type EmbeddingResult,
  type ImageProvider,
  type ImageResult,
  type SpeechResult,
  type TranscriptionProvider,
  type TranscriptionResult,
  UpstreamError,
} from '#core/spec'
import type { AudioOrder, ImageOrder, SoundBytes, SoundFormat, TranscriptionOrder } from '#core/turn'
import { somePlaces } from '../harness/seed.ts'
import { until } from '../harness/until.ts'
import {
  cut,
  type FakeUpstream,
  json,
  reset,
  type Script,
  silence,
  stall,
  stream,
} from '../harness/upstream.ts'
import { patient } from './asking.ts'
import { holdTimeouts } from './held-timeouts.ts'

export const secret = 'key-of-the-vendor-1234567890'

export interface Outcome {
  drawn?: ImageResult
  spoken?: SpeechResult
  embedded?: EmbeddingResult
  heard?: TranscriptionResult
  /** Pieces of text as they came. */
  pieces?: string[]
  format?: SoundFormat | undefined
  sound: Buffer
  error?: UpstreamError
}
export interface Options {
  signal?: AbortSignal
  timeouts?: typeof patient
  upstreamModel?: string
  write?: (bytes: Uint8Array) => void | Promise<void>
}
const callOf = ({
  signal = new AbortController().signal,
  timeouts = patient,
  upstreamModel = 'model/1',
}: Options) => ({
  upstreamModel,
  signal,
  timeouts,
  attemptId: 'a-1',
})

export const picture: ImageOrder = {
  prompt: 'گربه‌ای روی بام',
  references: [],
  count: 1,
  size: { width: 1536, height: 1024 },
}

export async function drawing(
  provider: ImageProvider & AsyncDisposable,
  more: Partial<ImageOrder> = {},
  options: Options = {},
): Promise<Outcome> {
  await using room = provider
  return await outcome(async (heard) => {
    heard.drawn = await room.draw({ order: { ...picture, ...more }, ...callOf(options) })
  })
}

export async function speaking(
  provider: AudioProvider & AsyncDisposable,
  more: Partial<AudioOrder> = {},
  options: Options = {},
): Promise<Outcome> {
  await using room = provider
  return await outcome(async (heard) => {
    const sink = {
      begin: (format: SoundFormat) => {
        expect(heard.format).toBeUndefined()
        heard.format = format
      },
      write: (bytes: Uint8Array) => {
        heard.sound = Buffer.concat([heard.sound, bytes])
        return options.write?.(bytes)
      },
    }
    const lines = [{ text: 'سلام', voice: 'نوا/1' }]
    const order: AudioOrder = { lines, format: { encoding: 'mp3' }, sink, ...more }
    heard.spoken = await room.speak({ order, ...callOf(options) })
  })
}

export async function embedding(
  provider: EmbeddingProvider & AsyncDisposable,
  more: Partial<EmbeddingOrder> = {},
  options: Options = {},
): Promise<Outcome> {
  await using room = provider
  return await outcome(async (heard) => {
    const order: EmbeddingOrder = { texts: ['یک', 'two'], encoding: 'base64', ...more }
    heard.embedded = await room.embed({ order, ...callOf(options) })
  })
}

/** Four seconds, of which the wires need no more than the bytes. */
export const recorded: TranscriptionOrder & { recording: { bytes: Buffer } } = {
  recording: {
    bytes: Buffer.from('RIFF of four seconds'),
    mediaType: 'audio/wav',
    name: 'private name.wav',
    seconds: 4,
  },
  timestamps: 'none',
}

/** As what stands on the disk is read: in chunks, as often as it is sent. */
export const readInChunks = (bytes: Buffer, chunkBytes: number): SoundBytes => ({
  byteLength: bytes.length,
  async *[Symbol.asyncIterator]() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  },
})

export async function transcribing(
  provider: TranscriptionProvider & AsyncDisposable,
  more: Partial<TranscriptionOrder> = {},
  options: Options & { streams?: boolean } = {},
): Promise<Outcome> {
  await using room = provider
  return await outcome(async (heard) => {
    const pieces: string[] = []
    heard.pieces = pieces
    const onText = (text: string): void => {
      pieces.push(text)
    }
    const order = { ...recorded, ...more, ...(options.streams && { onText }) }
    heard.heard = await room.transcribe({ order, ...callOf(options) })
  })
}

async function outcome(work: (heard: Outcome) => Promise<void>): Promise<Outcome> {
  const heard: Outcome = { sound: Buffer.alloc(0) }
  try {
    await work(heard)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    heard.error = error
  }
  return heard
}

/** The bytes of a body up to one of them, then the broken line. */
const cutAt = (body: Buffer, at: number, type: string): Script =>
  stream([body.subarray(0, at), cut], { 'content-type': type, 'content-length': String(body.length) })

interface Wire {
  upstream: () => FakeUpstream
  ask: (options?: Options) => Promise<Outcome>
  good: () => { body: Buffer; type: string }
}

/** A whole time that only the test ends, and what a room leaves of it for one request. */
export const held = { ...patient, firstByteMs: 10_000_000, totalMs: 10_000_000 }
export const heldFromMs = 9_000_000

const checked = ({ error, ...heard }: Outcome): Outcome => {
  expect(JSON.stringify([error?.message, error?.detail, error?.inside])).not.toContain(secret)
  return { ...heard, ...(error && { error }) }
}

/** One request and no second comes of it, whatever it is answered. */
const onceOf =
  ({ upstream, ask }: Omit<Wire, 'good'>) =>
  async (script: Script, options?: Options): Promise<Outcome> => {
    const before = upstream().calls.length
    upstream().reply(script)
    const heard = await ask(options)
    expect(upstream().calls.length - before).toBe(1)
    return checked(heard)
  }

/** The guarantees that every room gives, each against one request. */
export function failsAsItShould({ upstream, ask, good }: Wire): void {
  const once = onceOf({ upstream, ask })

  describe('a refusal is told by its status, and did no work', () => {
    test.each<[number, string]>([
      [400, 'invalid_request'],
      [401, 'authentication'],
      [402, 'authentication'],
      [403, 'authentication'],
      [404, 'not_found'],
      [429, 'rate_limited'],
    ])('%d', async (status, fault) => {
      const { error } = await once(
        json(status, { error: { message: `no, ${secret}` } }, { 'retry-after': '7' }),
      )
      expect(error).toMatchObject({ fault, status, executed: false, retryAfterMs: 7_000 })
    })
  })

  test('a server that fails may have done the work, one that is full has not', async () => {
    expect((await once(json(500, { error: 'broken' }))).error).toMatchObject({
      fault: 'unavailable',
      executed: true,
    })
    expect((await once(json(503, { error: 'later' }))).error).toMatchObject({ executed: false })
  })

  test('pages, errors in a success, nothing and other types are not taken for the answer', async () => {
    const page = { 'content-type': 'text/html' }
    expect((await once(json(200, '<!doctype html><p>Sign in</p>', page))).error?.fault).toBe('malformed')
    expect((await once(json(200, ''))).error?.fault).toBe('malformed')
    expect((await once(json(200, { any: 'thing' }))).error?.fault).toBe('malformed')
    const full = { error: { type: 'rate_limit_error', message: secret } }
    expect((await once(json(200, full))).error).toMatchObject({ fault: 'rate_limited', executed: true })
  })

  test('a line that breaks before, or at any byte of, the answer is told, and may have done the work', async () => {
    expect((await once(reset)).error).toMatchObject({ fault: 'reset', executed: true })
    const { body, type } = good()
    for (const at of somePlaces(body.length)) {
      const { error } = await once(cutAt(body, at, type))
      expect(error, `cut at byte ${at}`).toMatchObject({ fault: 'cut', executed: true })
    }
  })
  endsInTime({ upstream, ask, good })
}

/** The guarantees of a room whose upstream says nothing, and of one whose caller has left. */
function endsInTime({ upstream, ask, good }: Wire): void {
  test('silence ends by the time that is left, and an abort at once', async () => {
    const { body, type } = good()
    const half = stream([body.subarray(0, 40), stall], { 'content-type': type })
    const from = upstream().calls.length
    upstream().replyOnce(silence, half)
    using timeouts = holdTimeouts(heldFromMs)
    const late = Promise.all([silence, half].map(() => ask({ timeouts: held })))
    await upstream().call(from + 1)
    await until(() => upstream().calls.some((call, at) => at >= from && call.bytesSent > 0))
    // What was written is read in the next turn of the event loop.
    for (let turn = 0; turn < 3; turn++) await setImmediate()
    timeouts.end()
    for (const heard of await late)
      expect(checked(heard).error).toMatchObject({ fault: 'timeout', executed: true })
    expect(upstream().calls.length - from).toBe(2)
    const caller = new AbortController()
    const position = upstream().calls.length
    const aborted = onceOf({ upstream, ask })(silence, { signal: caller.signal })
    await upstream().call(position)
    caller.abort()
    expect((await aborted).error).toMatchObject({ fault: 'aborted', executed: true })
    const before = upstream().calls.length
    expect((await ask({ signal: AbortSignal.abort() })).error).toMatchObject({
      fault: 'aborted',
      executed: false,
    })
    expect(upstream().calls.length).toBe(before)
  })
}
