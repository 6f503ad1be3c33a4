/** The doors of models: text on three wires, batches, vectors, pictures. */
import type { Body, Recorder } from './recorder.ts'
import type { People } from './requests.ts'
import type { Site } from './site.ts'
import { heldQuestion } from './upstream.ts'

const question = 'سلام! Name one city of Iran.'
const weather = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 120 } },
  required: ['name', 'age'],
  additionalProperties: false,
}
const version = { 'anthropic-version': '2023-06-01' }

interface Door {
  name: string
  path: string
  headers: Record<string, string>
  /** A body with this question. */
  asking(text: string, more?: Body): Body
  tool: Body
  json: Body
}

const doors: Door[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    headers: {},
    asking: (text, more) => ({ messages: [{ role: 'user', content: text }], max_tokens: 60, ...more }),
    tool: { tools: [{ type: 'function', function: weather }] },
    json: {
      response_format: { type: 'json_schema', json_schema: { name: 'person', strict: true, schema: person } },
    },
  },
  {
    name: 'responses',
    path: '/v1/responses',
    headers: {},
    asking: (input, more) => ({ input, max_output_tokens: 60, ...more }),
    tool: { tools: [{ type: 'function', ...weather }] },
    json: { text: { format: { type: 'json_schema', name: 'person', strict: true, schema: person } } },
  },
  {
    name: 'messages',
    path: '/v1/messages',
    headers: version,
    asking: (text, more) => ({ messages: [{ role: 'user', content: text }], max_tokens: 60, ...more }),
    tool: {
      tools: [{ name: weather.name, description: weather.description, input_schema: weather.parameters }],
    },
    json: { output_config: { format: { type: 'json_schema', schema: person } } },
  },
]

export async function askText(recorder: Recorder, people: People): Promise<void> {
  for (const door of doors) {
    await askDoor(recorder, door)
    await askUpstreams(recorder, door)
    await refuseText(recorder, door, people)
  }
  await recorder.ask('count tokens', 'POST', '/v1/messages/count_tokens', { json: {}, headers: version })
}

async function askDoor(recorder: Recorder, { name, path, headers, asking, tool, json }: Door): Promise<void> {
  const ask = (what: string, body: Body, more: Record<string, string> = {}) =>
    recorder.ask(`${name}: ${what}`, 'POST', path, { json: body, headers: { ...headers, ...more } })
  await ask('plain', asking(question))
  await ask('streamed', asking(question, { stream: true }))
  await ask('a model by name', asking('2 + 3 * 4 = ?', { model: 'sandbox/fast' }))
  await ask('a tool', asking('What is the weather in Shiraz?', tool))
  await ask('a tool, streamed', asking('What is the weather in Shiraz?', { ...tool, stream: true }))
  await ask('JSON by a schema', asking('Invent a person', json))
  await ask('cut by the limit', asking('[[sandbox: tokens=200]] write'))
  await ask('a refusal of the model', asking('[[sandbox: refuse]] write'))
  await ask('read from a cache', asking('[[sandbox: cached=3]] one two three four five'))
  for (const fault of [
    'unavailable',
    'rate_limited',
    'invalid_request',
    'context_overflow',
    'content_refused',
    'not_found',
    'cut',
  ])
    await ask(`fault ${fault}`, asking(`[[sandbox: fault=${fault}]] write`))
  await ask(
    'broken in the middle of a stream',
    asking('[[sandbox: fault=cut after=2]] write', { stream: true }),
  )
  const keyed = { 'idempotency-key': name === 'chat' ? 'recorded-1' : `recorded-${name}` }
  const referred = { ...keyed, 'x-customer-id': 'customer', 'x-reference-id': 'reference' }
  await ask('with a key', asking('once'), referred)
  await ask('with the same key', asking('once'), referred)
  await ask('with the same key and another body', asking('twice'), keyed)
}

async function askUpstreams(recorder: Recorder, { name, path, headers, asking, tool }: Door): Promise<void> {
  const ask = (what: string, body: Body) =>
    recorder.ask(`${name} over ${what}`, 'POST', path, { json: body, headers })
  for (const wire of ['chat', 'responses', 'messages']) {
    await ask(`${wire}`, asking(question, { model: `${wire}/plain` }))
    await ask(`${wire}, streamed`, asking(question, { model: `${wire}/plain`, stream: true }))
    await ask(`${wire}, a tool`, asking(question, { model: `${wire}/caller`, ...tool }))
    await ask(
      `${wire}, a tool, streamed`,
      asking(question, { model: `${wire}/caller`, ...tool, stream: true }),
    )
    await ask(`${wire}, refused`, asking(question, { model: `${wire}/refuses` }))
    await ask(`${wire}, failed`, asking(question, { model: `${wire}/fails-${name}` }))
    await ask(`${wire}, cut`, asking(question, { model: `${wire}/cut`, stream: true }))
  }
  await ask('a spare deployment', asking(question, { model: `house/spare-${name}` }))
}

async function refuseText(
  recorder: Recorder,
  { name, path, headers, asking }: Door,
  people: People,
): Promise<void> {
  const ask = (what: string, body: Body, secret?: string) =>
    recorder.ask(`${name}, refused: ${what}`, 'POST', path, {
      json: body,
      headers,
      ...(secret && { secret }),
    })
  await ask('no such model', asking(question, { model: 'no/such' }))
  await ask('an image model', asking(question, { model: 'sandbox/embedding' }))
  await ask('too few credits', asking(question), people.poor)
  await ask('a cap', asking(question, { model: 'sandbox/fast' }), people.capped)
  await ask('a model that the key may not use', asking(question, { model: 'chat/plain' }), people.capped)
  await ask('a field of another type', asking(question, { stream: 'yes' }))
  await ask('a temperature beyond its bounds', asking(question, { temperature: 9 }))
  await ask(
    'more tokens than the model has',
    asking(question, { model: 'chat/plain', max_tokens: 1e6, max_output_tokens: 1e6 }),
  )
}

/** A picture of 16 × 16 points. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAFklEQVQoz2Pgqu0hCTGMahjVMHw1AACxrBMQQH6hOQAAAABJRU5ErkJggg==',
  'base64',
)

/** A mask of the same size, whose left half is transparent. */
const mask = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAGElEQVR42mNgIAz+E8CjBowaMGrA8DAAAFd2f4Hi18vlAAAAAElFTkSuQmCC',
  'base64',
)

function editOf(fields: Record<string, string>, parts: readonly string[]): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (const part of parts)
    form.append(part, new Blob([part === 'mask' ? mask : dot], { type: 'image/png' }), `${part}.png`)
  return form
}

export async function askPictures(recorder: Recorder): Promise<void> {
  const vectors = (what: string, json: Body) =>
    recorder.ask(`embeddings: ${what}`, 'POST', '/v1/embeddings', { json })
  await vectors('of the sandbox', { model: 'sandbox/embedding', input: ['تهران', 'Paris'], dimensions: 8 })
  const many = { model: 'sandbox/embedding', input: 'Paris', dimensions: 257 }
  await vectors('of more dimensions than there are', many)
  await vectors('in Base64', { model: 'sandbox/embedding', input: 'Paris', encoding_format: 'base64' })
  await vectors('of an upstream, in two orders', { model: 'house/near', input: ['one', 'two', 'three'] })
  await vectors('of a text model', { model: 'sandbox/fast', input: 'a' })
  await vectors('of token numbers', { model: 'house/near', input: [1, 2] })
  const pictures = (what: string, json: Body) =>
    recorder.ask(`images: ${what}`, 'POST', '/v1/images/generations', { json })
  await pictures('of the sandbox', { model: 'sandbox/image', prompt: 'a cat', size: '128x128' })
  await pictures('of an upstream', {
    model: 'house/painter',
    prompt: 'a cat',
    size: '128x128',
    quality: 'low',
  })
  await pictures('more than it draws', { model: 'house/painter', prompt: 'a cat', n: 10 })
  await pictures('of no size', { model: 'house/painter', prompt: 'a cat', size: '0x0' })
  await pictures('at a link', { model: 'house/painter', prompt: 'a cat', response_format: 'url' })
  await pictures('streamed', { model: 'house/painter', prompt: 'a cat', stream: true })
  await pictures('two in a stream', { model: 'house/painter', prompt: 'a cat', stream: true, n: 2 })
  const edits = (what: string, fields: Record<string, string>, parts: string[] = ['image']) =>
    recorder.ask(`edits: ${what}`, 'POST', '/v1/images/edits', {
      raw: {
        type: '',
        body: editOf({ model: 'sandbox/image', prompt: 'make it blue', size: '128x128', ...fields }, parts),
      },
    })
  await edits('of one picture', {})
  await edits('of two', { user: 'u' }, ['image[]', 'image[]'])
  await edits('streamed', { stream: 'true' })
  await edits('with a mask', {}, ['image', 'mask'])
  await edits('with a file that nobody reads', {}, ['image', 'mask[]'])
  await edits('of nothing', {}, [])
  const orders = (what: string, json: Body) => recorder.ask(`orders: ${what}`, 'POST', '/v1/images', { json })
  await orders('of the sandbox', { model: 'sandbox/image', prompt: 'a cat', resolution: '512', seed: 7 })
  await orders('of two sizes', { model: 'sandbox/image', prompt: 'a cat', resolution: '1K', size: '64x64' })
  await orders('streamed', { model: 'sandbox/image', prompt: 'a cat', resolution: '512', stream: true })
  const text = (what: string, json: Body) =>
    recorder.ask(`studio text: ${what}`, 'POST', '/v1/studio/text', { json })
  await text('of the default model', { prompt: 'یک جمله دربارهٔ کتاب', maxOutputTokens: 128 })
  await text('with effort', { prompt: 'a', model: 'sandbox/reasoner', reasoningEffort: 'low' })
  await text('of a preset that is none', { prompt: 'a', preset: 'best' })
  const studioImage = (what: string, json: Body) =>
    recorder.ask(`studio image: ${what}`, 'POST', '/v1/studio/image', { json })
  await studioImage('of the sandbox', { model: 'sandbox/image', prompt: 'a cat', size: '128x128' })
  await studioImage('of two', { model: 'house/painter', prompt: 'a cat', count: 2 })
  await askSpeech(recorder)
  await askTranscriptions(recorder)
  await askTranslations(recorder)
  await studioImage('of five', { model: 'house/painter', prompt: 'a cat', count: 5 })
  await recorder.ask('responses: a picture', 'POST', '/v1/responses', {
    json: { model: 'house/painter', input: 'a cat', tools: [{ type: 'image_generation', size: '128x128' }] },
  })
  await recorder.ask('responses: a picture, streamed', 'POST', '/v1/responses', {
    json: {
      model: 'sandbox/image',
      input: 'a cat',
      stream: true,
      tools: [{ type: 'image_generation', size: '128x128' }],
    },
  })
  await recorder.ask('responses: a search', 'POST', '/v1/responses', {
    json: { input: 'search the web for the rate', tools: [{ type: 'web_search' }] },
  })
}

async function askSpeech(recorder: Recorder): Promise<void> {
  const studioAudio = (what: string, json: Body) =>
    recorder.ask(`studio audio: ${what}`, 'POST', '/v1/studio/audio', { json })
  await studioAudio('of the sandbox', { model: 'sandbox/speech', text: 'سلام' })
  await studioAudio('of nothing', { model: 'sandbox/speech' })
  const speech = (what: string, json: Body) =>
    recorder.ask(`speech: ${what}`, 'POST', '/v1/audio/speech', { json })
  await speech('of the sandbox', { model: 'sandbox/speech', voice: 'sandbox-mina', input: 'سلام' })
  await speech('in events', {
    model: 'sandbox/speech',
    voice: 'sandbox-mina',
    input: 'سلام',
    stream_format: 'sse',
  })
  await speech('of no voice', { model: 'sandbox/speech', voice: 'nobody', input: 'سلام' })
  await recorder.ask('voices', 'GET', '/v1/audio/voices')
  await recorder.ask('voices of a model that has none', 'GET', '/v1/audio/voices?model=sandbox/fast')
}

export async function askBatches(recorder: Recorder, { upstream }: Site): Promise<void> {
  const path = '/v1/messages/batches'
  const row = (id: string, content: string, more: Body = {}) => ({
    custom_id: id,
    params: { max_tokens: 40, messages: [{ role: 'user', content }], ...more },
  })
  const headers = version
  const requests = [
    row('first', 'سلام'),
    row('second', '[[sandbox: fault=invalid_request]] a'),
    row('third', 'a', { model: 'chat/plain' }),
  ]
  const options = { json: { requests }, headers: { ...headers, 'idempotency-key': 'batch-1' } }
  const { id } = await recorder.ask('batches: create', 'POST', path, options)
  await recorder.until(`${path}/${id}`, (body) => body.processing_status === 'ended')
  await recorder.ask('batches: create again', 'POST', path, options)
  await recorder.ask('batches: read', 'GET', `${path}/${id}`)
  await recorder.ask('batches: list', 'GET', path)
  await recorder.ask('batches: results', 'GET', `${path}/${id}/results`)
  recorder.sortLines('batches: results')
  await recorder.ask('batches: cancel what has ended', 'POST', `${path}/${id}/cancel`)
  const slow = row('slow', heldQuestion, { model: 'chat/plain' })
  const waiting = await recorder.ask('batches: a slow one', 'POST', path, {
    json: { requests: [slow] },
    headers,
  })
  await recorder.ask('batches: results before the end', 'GET', `${path}/${waiting.id}/results`)
  await recorder.ask('batches: delete before the end', 'DELETE', `${path}/${waiting.id}`)
  await recorder.ask('batches: cancel', 'POST', `${path}/${waiting.id}/cancel`)
  upstream.goOn()
  await recorder.until(`${path}/${waiting.id}`, (body) => body.processing_status === 'ended')
  await recorder.ask('batches: read what was cancelled', 'GET', `${path}/${waiting.id}`)
  await recorder.ask('batches: results of what was cancelled', 'GET', `${path}/${waiting.id}/results`)
  await recorder.ask('batches: two of one name', 'POST', path, { json: { requests: [slow, slow] }, headers })
  await recorder.ask('batches: delete', 'DELETE', `${path}/${id}`)
  await recorder.ask('batches: read what was deleted', 'GET', `${path}/${id}`)
}

/** A second of silence, 8 kHz of 8 bits. */
const second = (): Buffer => {
  const wav = Buffer.alloc(44 + 8_000, 128)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  for (const [at, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, 8_000],
  ] as const)
    wav.writeUInt32LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    wav.writeUInt16LE(value, at)
  wav.write('data', 36, 'latin1')
  return wav
}

/** By all three bodies, in every format. */
async function askTranscriptions(recorder: Recorder): Promise<void> {
  const target = '/v1/audio/transcriptions'
  const audioBase64 = second().toString('base64')
  const ask = (what: string, json: Body) => recorder.ask(`transcription: ${what}`, 'POST', target, { json })
  const own = { model: 'house/ears', audioBase64, mediaType: 'audio/wav' }
  await ask('of the contract', { ...own, language: 'fa-IR', timestamp_granularities: ['word'] })
  await ask('of the contract with a field without effect', { ...own, include: ['logprobs'] })
  await ask('of OpenRouter', { model: 'house/ears', input_audio: { data: audioBase64, format: 'wav' } })
  await ask('streamed', { ...own, stream: true })
  await ask('without a recording', { model: 'house/ears' })
  await ask('of what is no recording', { ...own, audioBase64: 'bm8gcmVjb3JkaW5nIGF0IGFsbA==' })
  for (const format of ['json', 'verbose_json', 'text', 'srt', 'vtt', 'diarized_json']) {
    const form = new FormData()
    form.append('file', new Blob([second()], { type: 'audio/wav' }), 'second.wav')
    form.append('model', 'house/ears')
    form.append('response_format', format)
    await recorder.ask(`transcription: a form as ${format}`, 'POST', target, {
      raw: { type: '', body: form },
    })
  }
}

/** Of a model that translates, and of one that does not. */
async function askTranslations(recorder: Recorder): Promise<void> {
  for (const [model, format] of [
    ['sandbox/transcribe', 'verbose_json'],
    ['sandbox/transcribe', 'srt'],
    ['house/ears', 'json'],
  ] as const) {
    const form = new FormData()
    form.append('file', new Blob([second()], { type: 'audio/wav' }), 'second.wav')
    form.append('model', model)
    form.append('response_format', format)
    await recorder.ask(`translation: by ${model} as ${format}`, 'POST', '/v1/audio/translations', {
      raw: { type: '', body: form },
    })
  }
}
