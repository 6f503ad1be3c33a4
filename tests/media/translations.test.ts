/** POST /v1/audio/translations with the official OpenAI client: English text of the models that translate, and no others. */
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { requestIdOf } from '../text/chat-world.ts'
import { shareOnEars, type TranscriptionsWorld, wavOf } from './transcriptions-world.ts'

const path = '/v1/audio/translations'
const said = {
  text: 'Hello world',
  language: 'english',
  duration: 1.5,
  segments: [{ start: 0, end: 1, text: ' Hello world' }],
}

let at: TranscriptionsWorld
let client: OpenAI
let wav: Buffer
beforeAll(async () => {
  at = await shareOnEars()
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
  wav = await wavOf(1.5)
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => {
  at.upstream.reset()
  at.upstream.hear(said)
})

const recording = () => toFile(wav, 'talk.wav', { type: 'audio/wav' })
// biome-ignore lint/suspicious/noExplicitAny: its type follows from the format.
const translate = async (more: Record<string, unknown> = {}): Promise<any> =>
  client.audio.translations.create({ model: 'test/translator', file: await recording(), ...more } as never)

async function sendForm(fields: Record<string, string>, key = at.key) {
  const form = new FormData()
  form.set('file', await recording())
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const encoded = new Response(form)
  return key.request('POST', path, new Uint8Array(await encoded.arrayBuffer()), {
    'content-type': encoded.headers.get('content-type')!,
  })
}

describe('a translation', () => {
  test('goes to the endpoint for translations with the file, the prompt and nothing that it does not have', async () => {
    const fields = { prompt: 'Names: Kherad', temperature: 0.2, response_format: 'verbose_json' }
    const answer = await translate(fields)
    expect(answer).toMatchObject({ task: 'translate', language: 'english', duration: 1.5, text: said.text })
    expect(answer.segments).toEqual([expect.objectContaining({ start: 0, end: 1, text: 'Hello world' })])
    const { call, fields: sent } = at.upstream.forms().at(-1)!
    expect(call.path).toBe(path)
    expect(sent).toEqual({
      model: ['translator-1'],
      response_format: ['verbose_json'],
      prompt: ['Names: Kherad'],
      temperature: ['0.2'],
    })
  })

  test('is text, subtitles or JSON as it is asked for', async () => {
    expect(await translate()).toMatchObject({ text: said.text, usage: { seconds: 2 } })
    expect(await translate({ response_format: 'text' })).toBe('Hello world\n')
    expect(await translate({ response_format: 'srt' })).toContain(
      '00:00:00,000 --> 00:00:01,000\nHello world',
    )
    expect(await translate({ response_format: 'vtt' })).toMatch(/^WEBVTT/)
  })

  test('is stored and charged as a transcription is, and named on the receipt', async () => {
    const reply = await sendForm({ model: 'test/translator' })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers.get('x-microcredits')).toBe('2000000')
    const receipt = (await at.key.receipt(requestIdOf(reply))).body
    expect(receipt).toMatchObject({ endpoint: path, microcredits: '2000000' })
    const [file] = reply.headers.get('x-file-ids')!.split(', ')
    expect((await at.key.get(`/v1/files/${file}`)).body).toMatchObject({
      ...{ task: 'translate', language: 'en', text: said.text },
    })
  })

  test('without a model goes to the first that translates and that the key may use', async () => {
    expect((await sendForm({})).status).toBe(200)
    expect(at.upstream.forms().at(-1)!.fields['model']).toEqual(['translator-1'])
    const narrow = await at.world.key({ models: ['test/words'] })
    const refused = await sendForm({}, narrow)
    expect(refused.body.error, refused.text).toMatchObject({ code: 'INVALID_REQUEST', param: 'model' })
  })

  test('of several pieces is joined by their times: what two of them translate in other words is there once', async () => {
    at.upstream.hear(({ file }) => {
      const seconds = (file.bytes.length - 44) / 32_000
      const [first, overlap] = [seconds > 9, 2.5]
      const segments = first
        ? [
            { start: 0, end: seconds - overlap, text: ' Good morning to everybody here.' },
            { start: seconds - overlap, end: seconds, text: ' Cars stopped.' },
          ]
        : [
            { start: 0, end: overlap, text: ' Automobiles halted.' },
            { start: overlap, end: seconds, text: ' Then people left for their homes.' },
          ]
      return { text: segments.map(({ text }) => text).join(''), duration: seconds, segments }
    })
    const file = await toFile(await wavOf(14), 'talk.wav', { type: 'audio/wav' })
    const { text } = await translate({ model: 'test/translator-of-pieces', file })
    expect(text).toMatch(/^Good morning to everybody here\. .* Then people left for their homes\.$/)
    expect(text.split(' ')).toHaveLength(13)
    for (const { fields } of at.upstream.forms().slice(-2))
      expect(fields['response_format']).toEqual(['verbose_json'])
  })

  test('names the fields that it has no use for', async () => {
    const reply = await sendForm({ model: 'test/translator', language: 'fa', stream: 'true' })
    expect([reply.status, reply.headers.get('x-ignored-fields')]).toEqual([200, 'language, stream'])
  })
})

describe('is refused before anything is held', () => {
  test.each([
    [{ model: 'test/words' }, 'INVALID_REQUEST', 'model'],
    [{ model: 'test/text' }, 'MODEL_KIND_MISMATCH', 'model'],
    [{ response_format: 'diarized_json' }, 'INVALID_REQUEST', 'response_format'],
    [{ temperature: '2' }, 'INVALID_REQUEST', 'temperature'],
    [{ prompt: 'x'.repeat(4_001) }, 'INVALID_REQUEST', 'prompt'],
  ])('%o', async (more, code, param) => {
    const [before, calls] = [await at.world.balance(), at.upstream.calls.length]
    const reply = await sendForm({ model: 'test/translator', ...more })
    expect(reply.body.error, reply.text).toMatchObject({ code, param })
    expect(await at.world.balance()).toEqual(before)
    expect(at.upstream.calls).toHaveLength(calls)
  })
})
