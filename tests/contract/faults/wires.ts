/** How upstreams answer for each medium, in the envelope of their wires. */
import sharp from 'sharp'
import { encodeWhole } from '#core/sound'
import {
  type cut,
  done,
  json,
  type Script,
  type Step,
  type stall,
  stream,
  type UpstreamCall,
} from '../../harness/upstream.ts'
import { videoFixture } from '../../harness/video-upstream.ts'

export interface Wire {
  good(call?: UpstreamCall): Script
  /** These bytes in place of the medium. */
  holding(bytes: Buffer): Script
  /** What an upstream says before its line breaks, or before it says nothing more. */
  begun(end: typeof cut | typeof stall): Script
  /** This text in place of the whole answer, as a gateway in between would send it. */
  page(text: string): Script
  /** The content is refused; absent: as OpenAI does. */
  refused?: Script
  medium: Buffer
  /** Samples are sound whatever they are, and as much of it as there are; and so is text a transcript. */
  takesAnyBytes?: boolean
}

export const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
  .png()
  .toBuffer()

async function tone(seconds: number, rate: number, format: 'wav' | 'mp3'): Promise<Buffer> {
  const samples = Float32Array.from({ length: seconds * rate }, (_, at) => 0.3 * Math.sin(at / 9))
  return Buffer.from((await encodeWhole([{ rate, samples }], { format, maxBytes: 1e7 })).bytes)
}
export const sound = await tone(0.5, 24_000, 'wav')
const mp3 = await tone(1, 24_000, 'mp3')
/** A tone has no pauses to be cut in: of ten seconds a piece, each but the first begins 2.5 s earlier. */
export const recordings = { 5: await tone(5, 16_000, 'wav'), 12: await tone(12, 16_000, 'wav') }

const whole = (body: unknown): Script => json(200, body)
const pageOf = (text: string): Script => json(200, text, { 'content-type': 'text/html' })
const halfOf = (text: string): string => text.slice(0, text.length / 2)
const inJson = { 'content-type': 'application/json' }
/** The list of an answer that may have nothing in it. */
const listOf = <Entry extends Step>(bytes: Buffer, entry: Entry): Entry[] => (bytes.length > 0 ? [entry] : [])

export const pictures: Wire = {
  good: () => pictures.holding(picture),
  holding: (bytes) => whole({ data: listOf(bytes, { b64_json: bytes.toString('base64') }) }),
  begun: (end) =>
    stream([halfOf(JSON.stringify({ data: [{ b64_json: picture.toString('base64') }] })), end], inJson),
  page: pageOf,
  medium: picture,
}

const completed = 'image_generation.completed'
const unfinished: Step = {
  type: 'image_generation.partial_image',
  b64_json: picture.toString('base64'),
  partial_image_index: 0,
}
/** Pictures that come in events, with an unfinished one before. */
export const pictureEvents: Wire = {
  good: () => pictureEvents.holding(picture),
  holding: (bytes) =>
    stream([unfinished, ...listOf(bytes, { type: completed, b64_json: bytes.toString('base64') })]),
  begun: (end) => stream([unfinished, `data: {"type":"${completed}","b64_json":"iVBO`, end]),
  page: pageOf,
  medium: picture,
}

const soundWire = (medium: Buffer, mediaType: string, begun: number): Wire => {
  const headers = { 'content-type': mediaType }
  return {
    good: () => stream([medium], headers),
    holding: (bytes) => stream([bytes], headers),
    begun: (end) => stream([medium.subarray(0, begun), end], headers),
    page: (text) => stream([text], { 'content-type': 'text/html' }),
    medium,
  }
}
export const speech = soundWire(sound, 'audio/wav', 20_000)
/** Several voices in one sound, by ElevenLabs' wire. */
export const voices = soundWire(mp3, 'audio/mpeg', 4_000)

/** A spoken answer of chat completions: samples in events, which no byte can tell from others. */
export const answers: Wire = {
  good: () => answers.holding(answers.medium),
  holding: (bytes) =>
    stream([
      { choices: [{ delta: { audio: { data: bytes.toString('base64') } }, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 20, completion_tokens: 200 } },
      done,
    ]),
  begun: (end) => stream([{ choices: [{ delta: { audio: { data: 'AAAA' } } }] }, end]),
  page: pageOf,
  medium: Buffer.alloc(48_000, 3),
  takesAnyBytes: true,
}

const heardText = Buffer.from('سلام دنیا')
export const transcripts: Wire = {
  good: () => transcripts.holding(heardText),
  holding: (bytes) =>
    whole({ text: bytes.toString('utf8'), language: 'fa', usage: { type: 'duration', seconds: 10 } }),
  begun: (end) => stream(['{"text":"سلام', end], inJson),
  page: pageOf,
  medium: heardText,
  takesAnyBytes: true,
}
/** The same in events. */
export const transcriptEvents: Wire = {
  good: () => transcriptEvents.holding(heardText),
  holding: (bytes) =>
    stream([
      { type: 'transcript.text.delta', delta: bytes.toString('utf8') },
      { type: 'transcript.text.done', text: bytes.toString('utf8') },
    ]),
  begun: (end) => stream([{ type: 'transcript.text.delta', delta: 'سلام' }, end]),
  page: pageOf,
  medium: heardText,
  takesAnyBytes: true,
}

export const vectors: Wire = {
  good: (call) => {
    const texts = (call?.body?.['input'] as string[] | undefined) ?? ['']
    const data = texts.map((_, index) => ({ index, embedding: [1, 0, 0] }))
    return whole({ data, usage: { prompt_tokens: 5 * texts.length } })
  },
  holding: (bytes) =>
    whole({ data: listOf(bytes, { index: 0, embedding: bytes.toString('utf8') }), usage: {} }),
  begun: (end) => stream(['{"data":[{"index":0,"embedding":[1,', end], inJson),
  page: pageOf,
  medium: Buffer.from('[1,0,0]'),
}

const jsonWire = (answer: object): Pick<Wire, 'good' | 'holding' | 'begun' | 'page' | 'medium'> => {
  const medium = Buffer.from(JSON.stringify(answer))
  return {
    good: () => json(200, answer),
    holding: (bytes) => json(200, bytes.toString('utf8')),
    begun: (end) => stream([medium.subarray(0, medium.length / 2).toString('utf8'), end], inJson),
    page: pageOf,
    medium,
  }
}
/** The order of a video by OpenRouter's wire, of which the vendor's job is the answer. */
export const videoOrder: Wire = {
  ...jsonWire({ id: 'gen-vid-1764000000-of-nobody', status: 'pending' }),
  refused: json(403, {
    error: { code: 403, message: 'Input was flagged by moderation', metadata: { reasons: ['violence'] } },
  }),
}
/** What the vendor says of its job. */
export const videoLook: Wire = {
  ...jsonWire({ id: 'gen-vid-1764000000-of-nobody', status: 'in_progress' }),
  refused: json(200, {
    id: 'gen-vid-1764000000-of-nobody',
    status: 'failed',
    error: 'The request failed because the output video may contain sensitive information.',
  }),
}

const film = videoFixture('480p-5s-silent')
export const videoBytes: Wire = {
  ...soundWire(film, 'video/mp4', film.length / 2),
  begun: (end) =>
    stream([film.subarray(0, film.length / 2), end], {
      'content-type': 'video/mp4',
      'content-length': String(film.length),
    }),
}
