/** The kinds of the table: every medium on every route that orders it, what it costs, and how it is sent. */
import type { Client } from '../../harness/client.ts'
import { formIn } from '../../harness/transcription-upstream.ts'
import type { UpstreamCall } from '../../harness/upstream.ts'
import { type Answer, answerOf } from './answer.ts'
import { atOnce, type Stage } from './stages.ts'
import { films } from './videos.ts'
import {
  answers,
  picture,
  pictureEvents,
  pictures,
  recordings,
  sound,
  speech,
  transcriptEvents,
  transcripts,
  vectors,
  voices,
  type Wire,
} from './wires.ts'
import type { FaultWorld } from './world.ts'

export interface Kind {
  wire: Wire
  stage: Stage
  /** Sends the order, and waits until it is filled; a connection that is cut is an answer, too. */
  send(at: FaultWorld, client: Client, headers: Record<string, string>, signal?: AbortSignal): Promise<Answer>
  /** In micro-credits, from the prices of the models and the sizes below. */
  price: bigint
  /** Of one order of it at the upstream. */
  orders: number
  /** What the upstream may bill for the orders that it has seen. */
  lossOf(orders: readonly UpstreamCall[]): bigint
  isStored: boolean
  /** Its file, where it is the medium as it came. */
  file?: Buffer
  /** Its answer is not kept for a repeat, which is refused and names the files. */
  isStreamed?: boolean
  /** It is answered before it is made: a repeat gets that answer, whatever became of it. */
  isAccepted?: boolean
  /** An answer with the status of an error never bears it: what fails so was not made, and is asked for again at once. */
  isNoneOnError?: boolean
}

const post =
  (path: string, body: unknown): Kind['send'] =>
  (_, client, headers, signal) =>
    answerOf(client.raw('POST', path, JSON.stringify(body), headers, signal))

const editing =
  (more: Record<string, string> = {}): Kind['send'] =>
  async (_, client, headers, signal) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(more)) form.append(name, value)
    form.append('model', 'test/painter')
    form.append('prompt', 'make it blue')
    form.append('image', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'a.png')
    const encoded = new Response(form)
    const body = new Uint8Array(await encoded.arrayBuffer())
    const type = encoded.headers.get('content-type')!
    return answerOf(
      client.raw('POST', '/v1/images/edits', body, { 'content-type': type, ...headers }, signal),
    )
  }

const text = 'توانا بود هر که دانا بود'
const turns = ['سلام', 'درود بر شما'] as const
const dialogue = { turns: turns.map((line, at) => ({ text: line, voice: ['alloy', 'nova'][at] })) }
/** A million characters cost 15 USD, and a USD is 1,000 credits. */
const spoken = (...texts: string[]): bigint => 15_000n * BigInt([...texts.join('')].length)
/** At 0.06 USD a minute. */
const heardSecond = 1_000_000n
/** 0.5 USD a million. */
const readToken = 500n
/** Of 20 tokens in and 200 out, at 32,000 and 64,000 micro-credits. */
const answered = 20n * 32_000n + 200n * 64_000n
/** Of an answer of which nothing was heard: 25 tokens for each second of the recording, at 32,000 micro-credits. */
const unanswered = BigInt(Math.ceil((25 * (sound.length - 44)) / 48_000)) * 32_000n

const lossOfSpeech: Kind['lossOf'] = (orders) => spoken(...orders.map(({ body }) => String(body?.['input'])))
/** Whole seconds of each piece, a WAV of 16 kHz. */
const lossOfPieces: Kind['lossOf'] = (orders) =>
  orders.reduce((sum, call) => {
    const seconds = Math.ceil((formIn(call).file.bytes.length - 44) / 32_000)
    return sum + heardSecond * BigInt(seconds)
  }, 0n)
/** Nobody said how many tokens: one for every four bytes of a text. */
const lossOfVectors: Kind['lossOf'] = (orders) =>
  orders
    .flatMap(({ body }) => body?.['input'] as string[])
    .reduce((sum, one) => sum + readToken * BigInt(Math.ceil(Buffer.byteLength(one) / 4)), 0n)

const one = { stage: atOnce, orders: 1, isStored: true }
const image = { ...one, wire: pictures, file: picture, price: 40_000_000n, lossOf: () => 40_000_000n }
const edit = { ...image, send: editing(), price: 41_000_000n, lossOf: () => 41_000_000n }
const said = { ...one, wire: speech, price: spoken(text), lossOf: lossOfSpeech }
const heard = { ...one, wire: transcripts, lossOf: lossOfPieces }
const embedded = { ...one, wire: vectors, lossOf: lossOfVectors, isStored: false, isNoneOnError: true }

const ask = { model: 'test/painter', prompt: 'a cat' }
const gradual = { ...ask, model: 'test/gradual', stream: true, partial_images: 2 }
const recorded = (seconds: keyof typeof recordings) => ({
  model: 'test/scribe',
  audioBase64: recordings[seconds].toString('base64'),
  mediaType: 'audio/wav',
})
const audioInput = { audioBase64: sound.toString('base64'), mediaType: 'audio/wav' }

export const kinds: Record<string, Kind> = {
  'image, /v1/studio/image': { ...image, send: post('/v1/studio/image', { prompt: 'a cat' }) },
  'image, /v1/images/generations': { ...image, send: post('/v1/images/generations', ask) },
  'image, /v1/images': { ...image, send: post('/v1/images', ask) },
  'image, /v1/images/edits': edit,
  'image in events, /v1/images/generations': {
    ...image,
    send: post('/v1/images/generations', { ...ask, stream: true }),
    isStreamed: true,
  },
  'image in events, /v1/images/edits': { ...edit, send: editing({ stream: 'true' }), isStreamed: true },
  'image in events of the upstream, /v1/images/generations': {
    ...image,
    wire: pictureEvents,
    send: post('/v1/images/generations', gradual),
    isStreamed: true,
  },
  'speech, /v1/studio/audio': { ...said, send: post('/v1/studio/audio', { text, format: 'wav' }) },
  'speech, /v1/audio/speech': {
    ...said,
    send: post('/v1/audio/speech', { model: 'test/voice', input: text }),
    isStreamed: true,
  },
  'dialogue, /v1/studio/audio': {
    ...said,
    send: post('/v1/studio/audio', { ...dialogue, format: 'wav' }),
    price: spoken(...turns),
    orders: 2,
  },
  'dialogue in one order, /v1/studio/audio': {
    ...said,
    wire: voices,
    file: voices.medium,
    send: post('/v1/studio/audio', { model: 'test/pair', ...dialogue }),
    price: spoken(...turns),
    lossOf: () => spoken(...turns),
  },
  'answer, /v1/studio/audio': {
    ...one,
    wire: answers,
    send: post('/v1/studio/audio', { model: 'test/answerer', audioInput, format: 'pcm' }),
    price: answered,
    lossOf: () => unanswered,
  },
  'transcript, /v1/audio/transcriptions': {
    ...heard,
    send: post('/v1/audio/transcriptions', recorded(5)),
    price: 5n * heardSecond,
  },
  'transcript in several pieces, /v1/audio/transcriptions': {
    ...heard,
    send: post('/v1/audio/transcriptions', recorded(12)),
    price: 15n * heardSecond,
    orders: 2,
  },
  'transcript in events, /v1/audio/transcriptions': {
    ...heard,
    wire: transcriptEvents,
    send: post('/v1/audio/transcriptions', { ...recorded(5), stream: true }),
    price: 5n * heardSecond,
    isStreamed: true,
  },
  'embedding, /v1/embeddings': {
    ...embedded,
    send: post('/v1/embeddings', { model: 'test/near', input: ['گربه'] }),
    price: 5n * readToken,
  },
  'embedding in several orders, /v1/embeddings': {
    ...embedded,
    send: post('/v1/embeddings', { model: 'test/near', input: ['گربه', 'سگ', 'موش', 'گاو', 'شیر'] }),
    price: 5n * 5n * readToken,
    orders: 3,
  },
  ...films,
}
