/** The official OpenAI client against this server: streamed and non-streamed answers. */
import OpenAI from 'openai'
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/core/error'
import { zodResponseFormat } from 'openai/helpers/zod'
import type { ChatCompletionStreamParams } from 'openai/lib/ChatCompletionStream'
import type {
  ChatCompletionCreateParams,
  ChatCompletionCreateParamsNonStreaming,
} from 'openai/resources/chat/completions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chunk, done, stream } from '../harness/upstream.ts'
import { bootOnUpstream, explained, type UpstreamWorld, weather } from '../text/chat-world.ts'
import { mp4, png, wav } from './media-samples.ts'

let at: UpstreamWorld
let client: OpenAI
beforeAll(async () => {
  at = await bootOnUpstream({ timing: { streamOpenMs: 30, streamHeartbeatMs: 40 } })
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret })
})
afterAll(() => at[Symbol.asyncDispose]())

const user = (content: string) => [{ role: 'user' as const, content }]

const asks: [string, ChatCompletionCreateParamsNonStreaming][] = [
  ['an upstream', { model: 'test/model', messages: user('hello') }],
  ['the sandbox', { model: 'sandbox/fast', messages: user('tell me about cats') }],
  ['the sandbox in Persian', { model: 'sandbox/fast', messages: user('سلام، حالت چطور است؟') }],
  [
    'parallel tool calls',
    { model: 'sandbox/fast', messages: user('weather in Paris and in Tehran'), tools: [weather] },
  ],
  ['reasoning', { model: 'sandbox/reasoner', reasoning_effort: 'high', messages: user('why?') }],
  ['a refusal', { model: 'sandbox/fast', messages: user('[[sandbox: refuse]]') }],
  ['a limit', { model: 'sandbox/fast', max_completion_tokens: 3, messages: user('count to 50') }],
]

describe.each(asks)('%s', (_, ask) => {
  test('answers whole, and its receipt is found by the request id that the client shows', async () => {
    const { data, request_id: id } = await client.chat.completions.create(ask).withResponse()
    expect(data.id).toMatch(/^chatcmpl-/)
    expect(data.model).toBe(ask.model)
    expect(data.choices).toHaveLength(1)
    expect(data).toHaveProperty('_request_id', id)
    const receipt = await explained(at.key, id!)
    expect(receipt.details.tokens).toMatchObject({
      input: data.usage?.prompt_tokens,
      output: data.usage?.completion_tokens,
    })
  })

  test('streams the same text', async () => {
    const answer = await client.chat.completions.create(ask)
    let text = ''
    let finish: string | null = null
    for await (const { choices } of await client.chat.completions.create({ ...ask, stream: true })) {
      text += choices[0]?.delta.content ?? ''
      finish = choices[0]?.finish_reason ?? finish
    }
    expect(text).toBe(answer.choices[0]?.message.content ?? '')
    expect(finish).toBe(answer.choices[0]?.finish_reason)
  })

  test('gives the stream helper the same completion as a whole answer', async () => {
    const answer = await client.chat.completions.create(ask)
    const helper = client.chat.completions.stream({
      ...(ask as object),
      stream_options: { include_usage: true },
    } as ChatCompletionStreamParams)
    const final = await helper.finalChatCompletion()
    const reported = (answer: OpenAI.ChatCompletion) => ({
      object: answer.object,
      model: answer.model,
      content: answer.choices[0]?.message.content ?? null,
      refusal: answer.choices[0]?.message.refusal ?? null,
      calls: answer.choices[0]?.message.tool_calls?.map(
        (call) =>
          call.type === 'function' && {
            id: call.id,
            name: call.function.name,
            arguments: call.function.arguments,
          },
      ),
      finish: answer.choices[0]?.finish_reason,
      usage: answer.usage,
    })
    expect(reported(final)).toEqual(reported(answer))
    expect(await helper.totalUsage()).toMatchObject({ total_tokens: answer.usage?.total_tokens })
  })
})

test('the stream helper reports content, tool calls and refusals by its events', async () => {
  const seen: string[] = []
  const reported = client.chat.completions
    .stream({ model: 'sandbox/fast', messages: user('weather in Paris'), tools: [weather] })
    .on('tool_calls.function.arguments.done', ({ name, index }) => seen.push(`${name} ${index}`))
  await reported.done()
  expect(seen).toEqual(['get_weather 0'])
  const spoken: string[] = []
  const text = client.chat.completions
    .stream({ model: 'sandbox/fast', messages: user('count to 3') })
    .on('content.done', ({ content }) => spoken.push(content))
  expect(spoken.concat(await text.finalContent().then(() => []))).toEqual(['1, 2, 3'])
})

test('heartbeats of a long silence do not disturb the client', async () => {
  const release = Promise.withResolvers<void>()
  let comments = 0
  const watched = client.withOptions({
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      const watch = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, out) {
          comments += Buffer.from(bytes).toString().split(': keepalive\n\n').length - 1
          if (comments >= 3) release.resolve()
          out.enqueue(bytes)
        },
      })
      return new Response(response.body!.pipeThrough(watch), response)
    },
  })
  at.upstream.replyOnce(stream([release.promise, chunk({ content: 'late' }), chunk({}, 'stop'), done]))
  const opened = await watched.chat.completions.create({
    model: 'test/model',
    messages: user('hello'),
    stream: true,
  })
  let text = ''
  for await (const { choices } of opened) text += choices[0]?.delta.content ?? ''
  expect(text).toBe('late')
  expect(comments).toBeGreaterThanOrEqual(3)
})

const person = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) })

test('parse() gives an object of the schema, whole and by the stream helper', async () => {
  const ask = {
    model: 'sandbox/fast',
    messages: user('invent a person'),
    response_format: zodResponseFormat(person, 'person'),
  }
  const parsed = (await client.chat.completions.parse(ask)).choices[0]?.message.parsed
  expect(person.parse(parsed)).toEqual(parsed)
  const streamed = (await client.chat.completions.stream(ask).finalChatCompletion()).choices[0]?.message
    .parsed
  expect(streamed).toEqual(parsed)
})

test('parse() says it when an answer was cut or refused instead of giving half an object', async () => {
  const format = zodResponseFormat(person, 'person')
  await expect(
    client.chat.completions.parse({
      model: 'sandbox/fast',
      max_tokens: 2,
      messages: user('a person'),
      response_format: format,
    }),
  ).rejects.toThrow(LengthFinishReasonError)
  await expect(
    client.chat.completions.parse({
      model: 'sandbox/fast',
      messages: user('[[sandbox: refuse]]'),
      response_format: format,
    }),
  ).rejects.toThrow(ContentFilterFinishReasonError)
})

test('json_object gives JSON', async () => {
  const { choices } = await client.chat.completions.create({
    model: 'sandbox/fast',
    messages: user('some JSON'),
    response_format: { type: 'json_object' },
  })
  expect(JSON.parse(choices[0]?.message.content ?? '')).toBeTypeOf('object')
})

test('picture, sound and film are taken by a model that sees and hears, and their properties are known', async () => {
  const video = { type: 'video_url', video_url: { url: `data:video/mp4;base64,${mp4}` } }
  const content = [
    { type: 'text' as const, text: 'what are these?' },
    { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${png}` } },
    { type: 'input_audio' as const, input_audio: { data: wav, format: 'wav' as const } },
    // The client's types know no film; its users send it all the same.
    video as unknown as OpenAI.ChatCompletionContentPartText,
  ]
  const { choices } = await client.chat.completions.create({
    model: 'sandbox/omni',
    messages: [{ role: 'user', content }],
  })
  const text = choices[0]?.message.content ?? ''
  for (const measure of [/1\s?[x×]\s?1\b/, /320\s?[x×]\s?240/, /\b1(\.0+)? ?s/, /\b2(\.0+)? ?s/])
    expect(text).toMatch(measure)
})

test('reasoning is shown in the fields of the field when asked for, in both ways', async () => {
  const ask = {
    model: 'sandbox/reasoner',
    messages: user('why?'),
    reasoning_effort: 'medium' as const,
    include_reasoning: true,
  }
  const answer = await client.chat.completions.create(ask as ChatCompletionCreateParamsNonStreaming)
  const message = answer.choices[0]?.message as { reasoning?: string; reasoning_content?: string } | undefined
  expect(message?.reasoning_content).toBe(message?.reasoning)
  let streamed = ''
  const opened = await client.chat.completions.create({
    ...ask,
    stream: true,
  } as ChatCompletionCreateParams & { stream: true })
  for await (const { choices } of opened)
    streamed += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? ''
  expect(streamed).toBe(message?.reasoning)
  expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0)
})

test('without a model the default one answers', async () => {
  const ask = { messages: user('hello') } as ChatCompletionCreateParamsNonStreaming
  expect((await client.chat.completions.create(ask)).model).toBe('test/model')
})
