/** A world whose transcription models are heard by a fake server of OpenAI's wire, called by the room itself. */
import type { TranscriptionModel } from '#core/models'
import { encodeWhole, type MeasuredRecording, type Recording, SoundError } from '#core/sound'
import {
  type LiveSound,
  type OpenedRecording,
  type PaidTranscription,
  startPaidTranscription,
  type TranscriptionSpec,
} from '#media/transcription'
import type { Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import {
  answerOf,
  formIn,
  type HeardForm,
  type TranscriptionUpstream,
  transcriptionUpstream,
} from '../../harness/transcription-upstream.ts'
import type { Script } from '../../harness/upstream.ts'
import { boot, type World, type WorldOptions } from '../../harness/world.ts'
import { heardIn, rate, saidIn, samplesOf, type Word, wavOf } from './spoken.ts'

/** At 1,000 credits a dollar and 0.06 USD a minute: a credit a second. */
const configOf = (url: string, timeouts: string): string => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [transcriptions]${timeouts} }
  - { id: other, base_url: ${url}/other, api_key: upstream-secret, dialects: [transcriptions]${timeouts} }
models:
  - id: test/scribe
    kind: transcription
    deployments: [{ provider: fake, model: scribe-1 }]
    transcription: { max_seconds: 60, timestamps: word, prompt: true, languages: [fa, en] }
    pricing: { per_minute: 0.06 }
  - id: test/plain
    kind: transcription
    deployments: [{ provider: fake, model: plain-1 }]
    transcription: { max_seconds: 60, stream: true }
    pricing: { per_minute: 0.06 }
  - id: test/speakers
    kind: transcription
    deployments: [{ provider: fake, model: speakers-1 }]
    transcription: { max_seconds: 150, timestamps: segment, diarize: true }
    pricing: { per_minute: 0.06 }
  - id: test/tokens
    kind: transcription
    deployments: [{ provider: fake, model: tokens-1 }]
    transcription: { max_seconds: 60, formats: [wav, m4a], prompt: true }
    pricing: { input_per_million: 1, output_per_million: 10 }
  - id: test/packets
    kind: transcription
    deployments: [{ provider: fake, model: packets-1 }]
    transcription: { max_seconds: 60, max_mb: 1000, formats: [aac], timestamps: word }
    pricing: { per_minute: 0.06 }
  - id: test/least
    kind: transcription
    deployments: [{ provider: fake, model: least-1 }]
    transcription: { max_seconds: 60 }
    pricing: { per_minute: 0.06, minimum_seconds: 10 }
  - id: test/second
    kind: transcription
    deployments: [{ provider: fake, model: second-1 }]
    fallbacks: [test/scribe]
    transcription: { max_seconds: 30, timestamps: word }
    pricing: { per_minute: 0.06 }
defaults: { credits_per_usd: 1000, markup: 1 }
`

export const credits = 10_000n * 1_000_000n
export const second = 1_000_000n

export interface TranscriptionWorld extends AsyncDisposable {
  world: World
  upstream: TranscriptionUpstream
  /** What all further recordings say: as much of this as is in them. */
  speak(script: readonly Word[], conduct?: Conduct): void
  /** An account of its own with all its books. */
  newcomer(): Promise<Newcomer>
  /** A recording of these words, without loss, in a format that no upstream takes. */
  recorded(words: readonly Word[]): Promise<OpenedRecording>
  recordingOf(samples: Float32Array): Promise<OpenedRecording>
  /** Recordings that the upstream has got since this was called last. */
  forms(): HeardForm[]
}

export interface Conduct {
  /** What the upstream calls a speaker in the piece that came as this one. */
  names?(piece: number, speaker: string): string
  /** What is answered in place of what is heard, to the request that came as this one. */
  instead?(request: number): Script | undefined | Promise<Script | undefined>
}

export interface Start {
  model?: string
  recording?: OpenedRecording | LiveSound
  spec?: Partial<TranscriptionSpec>
  gone?: AbortSignal
}

export interface Newcomer {
  start(asked: Start): Promise<PaidTranscription>
  charged(): Promise<bigint>
  held(): Promise<bigint>
  lost(): Promise<bigint>
  reserved(): Promise<number>
  files(): Promise<{ id: string; media_type: string; source: string; bytes: number }[]>
  /** The stored transcript. */
  stored(id: string): Promise<Record<string, unknown>>
  receipt(): Promise<Record<string, unknown>>
}

export async function bootTranscription(
  options: Omit<WorldOptions, 'config'> & { timeouts?: string } = {},
): Promise<TranscriptionWorld> {
  await using stack = new AsyncDisposableStack()
  const { timeouts = '', ...rest } = options
  const upstream = stack.use(await transcriptionUpstream())
  const world = stack.use(await boot({ ...rest, config: configOf(upstream.url, timeouts) }))
  const open = stack.move()
  let seen = 0
  // What is decoded takes room of the spool until the world ends.
  const recordings = new Map<readonly Word[], Promise<OpenedRecording>>()
  return {
    world,
    upstream,
    speak: (script, { names = (_: number, speaker: string) => speaker, instead }: Conduct = {}) => {
      let requests = 0
      upstream.reply(async (call) => {
        const own = requests++
        const form = formIn(call)
        const other = await instead?.(own)
        const heard = heardIn(form.file.bytes, script)
        return other ?? answerOf(form, saidIn(heard, { names: (speaker) => names(own, speaker) }))
      })
    },
    newcomer: () => newcomer(world),
    recorded: (words) => {
      const made = recordings.get(words) ?? recordingIn(world, open, samplesOf(words))
      recordings.set(words, made)
      return made
    },
    recordingOf: (samples) => recordingIn(world, open, samples),
    forms: () => {
      // Forms of minutes of sound are read once: all of a file are hundreds of megabytes.
      const calls = upstream.calls.slice(seen)
      seen += calls.length
      return calls.filter(({ method }) => method === 'POST').map(formIn)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Open until the world ends. */
async function recordingIn(
  { app }: World,
  open: AsyncDisposableStack,
  samples: Float32Array,
): Promise<OpenedRecording> {
  const { bytes } = await encodeWhole([{ rate, samples }], { format: 'flac', maxBytes: 1e9 })
  const requester = { accountId: uuidv7(0), signal: new AbortController().signal }
  const recording = open.use(await app.recordings.open(bytes, requester, { maxSeconds: 14_400 }))
  return { source: bytes, recording }
}

async function newcomer(world: World): Promise<Newcomer> {
  const { account, client } = await world.stranger(Number(credits / 1_000_000n))
  const caller = await world.app.keys.callerOf(account, client.keyId)
  const { app } = world
  let requestId = ''
  const sum = async (book: string): Promise<bigint> => {
    const text = `select coalesce(sum(amount), 0)::bigint as sum from ledger.entries where account_id = $1 and book = $2`
    const [row] = await app.db.query<{ sum: bigint }>({ text }, [account, book])
    return row!.sum
  }
  return {
    start: ({ model = 'test/scribe', recording, spec = {}, gone = new AbortController().signal }) => {
      requestId = uuidv7(app.clock.nowMs())
      return startPaidTranscription(app, {
        ...{ caller, requestId, receivedMs: app.clock.nowMs(), gone, endpoint: '/v1/audio/transcriptions' },
        model: app.models.find(model) as TranscriptionModel,
        recording: recording!,
        spec: { timestamps: 'none', where: (setting) => setting, ...spec },
      })
    },
    charged: async () => credits - (await app.ledger.balance(account)).balance,
    held: async () => (await app.ledger.balance(account)).held,
    lost: async () => -(await sum('loss')),
    reserved: async () =>
      (await app.db.query({ text: 'select from files.reservations where account_id = $1' }, [account]))
        .length,
    files: async () => (await client.get('/v1/files')).body.data,
    stored: async (id) => JSON.parse((await client.get(`/v1/files/${id}`)).text),
    receipt: async () => (await client.receipt(requestId)).body,
  }
}

/** Makes it whole and settles it, as a route does; throws the failure after it was settled. */
export async function whole(paid: PaidTranscription) {
  try {
    const transcript = await paid.transcript()
    const finished = await paid.finish({ statusCode: 200 })
    return { ...transcript, charged: finished.chargedMicrocredits }
  } catch (error) {
    const failure = error as Failure
    await paid.finish({ statusCode: failure.status, failure })
    throw failure
  }
}

/** AAC as no upstream of a test could decode it: its packets are samples in disguise. */
export function aacOf(words: readonly Word[], more: Partial<MeasuredRecording> = {}): OpenedRecording {
  const samples = samplesOf(words)
  const seconds = samples.length / rate
  const measured: MeasuredRecording = {
    ...{ mediaType: 'audio/mp4', codec: 'aac', seconds, packetSeconds: seconds, rate, channels: 1 },
    ...{ isDecodable: false, hasVideo: false, isTruncated: false },
    ...more,
  }
  const undecodable = (): never => {
    throw new SoundError('unsupported', measured.mediaType, measured.codec)
  }
  const recording: Recording = {
    measured,
    sound: undecodable,
    wav: undecodable,
    speechIn: async (spans) => spans.map(() => true),
    levels: undecodable,
    packets: async ({ from = 0, to = seconds }) => {
      const [start, end] = [Math.max(0, from - 0.02), Math.min(seconds, to)]
      const bytes = wavOf(samples.subarray(Math.round(start * rate), Math.round(end * rate)))
      return { bytes, mediaType: 'audio/aac', start, end }
    },
    [Symbol.asyncDispose]: async () => {},
  }
  return { source: wavOf(samples), recording }
}
