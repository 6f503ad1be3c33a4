/** A server of OpenAI's `POST /audio/transcriptions`: reads the form, answers in the format that it asks for, whole or in events. */
import { type FakeUpstream, fakeUpstream, json, type Script, stream, type UpstreamCall } from './upstream.ts'

/** One request as its form says it. */
export interface HeardForm {
  call: UpstreamCall
  /** Every value of a field, in order: `timestamp_granularities[]` has several. */
  fields: Record<string, string[]>
  file: { name: string; mediaType: string; bytes: Buffer }
}

/** What is said in a recording, as the upstream would claim it. */
export interface Said {
  text: string
  language?: string
  duration?: number
  segments?: { start: number; end: number; text: string; speaker?: string }[]
  words?: { start: number; end: number; word: string }[]
  usage?: Record<string, unknown>
}

export interface TranscriptionUpstream extends FakeUpstream {
  /** What all further recordings say, until `reply` or `replyOnce` put something else in its place. */
  hear(said: Said | ((form: HeardForm) => Said | Promise<Said>)): void
  /** Every recording that came, in order. */
  forms(): HeardForm[]
}

/**
 * Unscripted it hears `سلام دنیا`, one word in each half second. It has a model for the list that `kherad doctor` asks for. `reply` and
 * `replyOnce` of the server beneath play every fault.
 */
export async function transcriptionUpstream(port = 0): Promise<TranscriptionUpstream> {
  const upstream = await fakeUpstream(port)
  const hear: TranscriptionUpstream['hear'] = (said) =>
    upstream.reply(async (call) => {
      if (call.method === 'GET') return models
      const form = formIn(call)
      return answerOf(form, typeof said === 'function' ? await said(form) : said)
    })
  hear(greeting)
  return {
    ...upstream,
    hear,
    forms: () => upstream.calls.filter(({ method }) => method === 'POST').map(formIn),
    reset: () => {
      upstream.reset()
      hear(greeting)
    },
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
}

const models = json(200, {
  object: 'list',
  data: [{ id: 'upstream-model', object: 'model' }],
})

export const greeting: Said = {
  text: 'سلام دنیا',
  language: 'persian',
  duration: 1,
  segments: [{ start: 0, end: 1, text: ' سلام دنیا' }],
  words: [
    { start: 0, end: 0.5, word: 'سلام' },
    { start: 0.5, end: 1, word: 'دنیا' },
  ],
}

/** The answer to a form, as OpenAI has it. */
export function answerOf({ fields }: HeardForm, said: Said): Script {
  const format = fields['response_format']?.[0] ?? 'json'
  const usage = said.usage ?? { type: 'duration', seconds: Math.ceil(said.duration ?? 1) }
  if (fields['stream']?.[0] === 'true') return streamOf(format, said, usage)
  if (format === 'json') return json(200, { text: said.text, usage })
  if (format === 'diarized_json') {
    const segments = (said.segments ?? []).map((one, index) => segmentEvent(one, index))
    return json(200, { task: 'transcribe', duration: said.duration ?? 1, text: said.text, segments, usage })
  }
  const granularities = fields['timestamp_granularities[]'] ?? ['segment']
  return json(200, {
    task: 'transcribe',
    language: said.language ?? 'persian',
    duration: said.duration ?? 1,
    text: said.text,
    ...(granularities.includes('segment') && {
      segments: (said.segments ?? []).map((one, index) => ({ ...whisperFields, id: index, ...one })),
    }),
    ...(granularities.includes('word') && { words: said.words ?? [] }),
    usage,
  })
}

const whisperFields = {
  seek: 0,
  tokens: [50364, 8608],
  temperature: 0,
  avg_logprob: -0.25,
  compression_ratio: 1.1,
  no_speech_prob: 0.01,
}

function streamOf(format: string, said: Said, usage: Record<string, unknown>): Script {
  const pieces = said.text === '' ? [] : said.text.split(/(?= )/)
  const segments = format === 'diarized_json' ? (said.segments ?? []).map(segmentEvent) : []
  return stream([
    ...pieces.map((delta) => ({ type: 'transcript.text.delta', delta })),
    ...segments,
    { type: 'transcript.text.done', text: said.text, usage },
  ])
}

const segmentEvent = (segment: NonNullable<Said['segments']>[number], index: number) => ({
  type: 'transcript.text.segment',
  id: `seg_${index}`,
  speaker: 'A',
  ...segment,
})

/** The fields and the file of a multipart body; throws for one that a strict server would refuse. */
export function formIn(call: UpstreamCall): HeardForm {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(call.headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) throw new Error('a request that is no form')
  const body = call.bytes.toString('latin1')
  const parts = `\r\n${body}`.split(`\r\n--${boundary}`)
  if (parts.at(-1) !== '--\r\n') throw new Error('a form without its end')
  const form: HeardForm = { call, fields: {}, file: { name: '', mediaType: '', bytes: Buffer.alloc(0) } }
  for (const part of parts.slice(1, -1)) {
    const [head = '', ...rest] = part.slice(2).split('\r\n\r\n')
    const bytes = Buffer.from(rest.join('\r\n\r\n'), 'latin1')
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? ''
    const file = /filename="([^"]*)"/.exec(head)?.[1]
    if (file !== undefined)
      form.file = { name: file, mediaType: /Content-Type: (.+)/.exec(head)?.[1] ?? '', bytes }
    else form.fields[name] = [...(form.fields[name] ?? []), bytes.toString('utf8')]
  }
  return form
}
