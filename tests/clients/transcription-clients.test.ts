/** Transcription with the official clients of OpenAI, the Vercel AI SDK and OpenRouter, unchanged. */
import { createOpenAI } from '@ai-sdk/openai'
import { OpenRouter } from '@openrouter/sdk'
import { transcribe } from 'ai'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { shareOnEars, type TranscriptionsWorld, wavOf } from '../media/transcriptions-world.ts'

let at: TranscriptionsWorld
let sound: Buffer
beforeAll(async () => {
  at = await shareOnEars()
  sound = await wavOf(1.5)
})
beforeEach(() => at.upstream.reset())
afterAll(() => at[Symbol.asyncDispose]())

const text = 'سلام دنیا'
const hearTwo = () =>
  at.upstream.hear({
    text: 'سلام. علیک.',
    segments: [
      { start: 0, end: 0.5, text: 'سلام.', speaker: 'A' },
      { start: 0.6, end: 1.2, text: 'علیک.', speaker: 'B' },
    ],
  })

describe('openai', () => {
  const create = async <Format extends 'json' | 'text' | 'srt' | 'vtt' | 'verbose_json' | 'diarized_json'>(
    response_format: Format,
    more: Partial<OpenAI.Audio.TranscriptionCreateParamsNonStreaming> = {},
  ): Promise<unknown> => {
    const client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
    const file = await toFile(sound, 'speech.wav')
    const asked = { model: 'test/words', file, response_format, ...more }
    return client.audio.transcriptions.create(asked as OpenAI.Audio.TranscriptionCreateParamsNonStreaming)
  }

  test('json', async () => {
    expect(await create('json')).toMatchObject({ text, usage: { type: 'duration', seconds: 2 } })
  })

  test('text, srt and vtt are strings', async () => {
    expect(await create('text')).toBe(`${text}\n`)
    expect(await create('srt')).toBe(`1\n00:00:00,000 --> 00:00:01,000\n\u202b\u200f${text}\u202c\n`)
    expect(await create('vtt')).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.000\n/)
  })

  test('verbose_json with words, prompt, language and temperature', async () => {
    const answer = (await create('verbose_json', {
      timestamp_granularities: ['word', 'segment'],
      language: 'fa',
      prompt: 'خرد',
      temperature: 0.2,
    })) as OpenAI.Audio.TranscriptionVerbose
    expect(answer).toMatchObject({ text, language: 'persian', duration: 1.5 })
    expect(answer.words!.map(({ word }) => word).join(' ')).toBe(text)
    expect(Object.keys(answer.segments![0]!).sort()).toEqual(
      [
        ...['avg_logprob', 'compression_ratio', 'end', 'id', 'no_speech_prob'],
        ...['seek', 'start', 'temperature', 'text', 'tokens'],
      ].sort(),
    )
    expect(at.upstream.forms().at(-1)!.fields).toMatchObject({ prompt: ['خرد'], temperature: ['0.2'] })
  })

  test('diarized_json with a chunking strategy', async () => {
    hearTwo()
    const answer = (await create('diarized_json', {
      model: 'test/voices',
      chunking_strategy: { type: 'server_vad', threshold: 0.5 },
    })) as OpenAI.Audio.TranscriptionDiarized
    expect(answer.segments.map(({ speaker, text: said }) => `${speaker}: ${said}`)).toEqual([
      'A: سلام.',
      'B: علیک.',
    ])
  })

  const streamed = async (more: Partial<OpenAI.Audio.TranscriptionCreateParamsStreaming>) => {
    const client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
    const file = await toFile(sound, 'speech.wav')
    const events: OpenAI.Audio.TranscriptionStreamEvent[] = []
    const stream = await client.audio.transcriptions.create({
      model: 'test/segments',
      file,
      stream: true,
      ...more,
    })
    for await (const event of stream) events.push(event)
    return events
  }

  test.each(['test/segments', 'test/words'])('streamed by %s: deltas are the text', async (model) => {
    const events = await streamed({ model })
    const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? event.delta : []))
    expect(deltas.join('')).toBe(text)
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text })
  })

  test('streamed with speakers: a segment each', async () => {
    hearTwo()
    const events = await streamed({ model: 'test/voices', response_format: 'diarized_json' })
    expect(
      events.flatMap((event) =>
        event.type === 'transcript.text.segment' ? `${event.speaker}: ${event.text}` : [],
      ),
    ).toEqual(['A: سلام.', 'B: علیک.'])
  })

  test('a refusal says the field', async () => {
    await expect(create('srt', { model: 'test/plain' })).rejects.toMatchObject({
      status: 400,
      param: 'response_format',
    })
  })
})

describe('the Vercel AI SDK', () => {
  const model = (id: string) =>
    createOpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret }).transcription(id)

  test('transcribe gives the text and the length', async () => {
    const answer = await transcribe({ model: model('test/words'), audio: sound })
    expect(answer).toMatchObject({ text, durationInSeconds: 2, warnings: [] })
  })

  test('verbose_json by its option gives segments and the language', async () => {
    const answer = await transcribe({
      model: model('test/words'),
      audio: sound,
      providerOptions: {
        openai: {
          responseFormat: 'verbose_json',
          timestampGranularities: ['word', 'segment'],
          language: 'fa',
        },
      },
    })
    expect(answer).toMatchObject({ text, language: 'fa', durationInSeconds: 1.5 })
    expect(answer.segments).toEqual([{ text, startSecond: 0, endSecond: 1 }])
  })
})

describe('@openrouter/sdk', () => {
  const client = () =>
    new OpenRouter({
      serverURL: `${at.world.url}/v1`,
      apiKey: at.key.secret,
      retryConfig: { strategy: 'none' },
    })

  test('JSON with input_audio', async () => {
    const inputAudio = { data: sound.toString('base64'), format: 'wav' }
    const answer = await client().stt.createTranscription({
      sttRequest: { model: 'test/words', inputAudio, language: 'fa', user: 'somebody' },
    })
    expect(answer).toMatchObject({ text, usage: { seconds: 2, cost: 0.002 } })
  })

  test('verbose_json with words and speakers by number', async () => {
    hearTwo()
    const inputAudio = { data: sound.toString('base64'), format: 'wav' }
    const answer = await client().stt.createTranscription({
      sttRequest: { model: 'test/voices', inputAudio, responseFormat: 'verbose_json' },
    })
    expect(answer.segments!.map(({ id, start, text: said }) => [id, start, said])).toEqual([
      [0, 0, 'سلام.'],
      [1, 0.6, 'علیک.'],
    ])
  })

  test('a form', async () => {
    const file = new File([new Uint8Array(sound)], 'speech.wav', { type: 'audio/wav' })
    const answer = await client().stt.createTranscriptionMultipart({
      requestBody: {
        model: 'test/words',
        file,
        responseFormat: 'verbose_json',
        timestampGranularities: ['word', 'segment'],
      },
    })
    expect(answer).toMatchObject({ text, duration: 1.5, words: [{ word: 'سلام' }, { word: 'دنیا' }] })
  })
})
