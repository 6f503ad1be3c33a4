/** What strict parsers of upstreams refuse: half a character, as texts have that were cut by length. It is replaced before an upstream sees it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Seen } from '../harness/client.ts'
import { json, type Script, type UpstreamCall } from '../harness/upstream.ts'
import { weather as weatherOfChat } from './chat-world.ts'
import { message, toolResult, toolUse, weather as weatherOfMessages } from './messages-world.ts'
import { type ResponsesWorld, respond, shareOnWires, weather } from './responses-world.ts'
import { type SpokenWire, says } from './scripted-answer.ts'

const wires = ['chat', 'messages', 'responses'] as const
type Json = Record<string, unknown>

/** Both halves alone, in the wrong order, beside a whole pair, and as text that only looks like one. */
const torn = 'a\ud83d b\ude00 \ude00\ud83d 😀 \\ud83d \\\\ud83d'
const wellFormed = 'a\ufffd b\ufffd \ufffd\ufffd 😀 \\ud83d \\\\ud83d'

/** The refusals of Anthropic and of OpenAI, word for word. */
const refusals: Record<SpokenWire, Json> = {
  messages: {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'The request body is not valid JSON: no low surrogate in string: line 1 column 189 (char 188)',
    },
  },
  chat: { error: { message: 'We could not parse the JSON body of your request.', code: null } },
  responses: { error: { message: 'We could not parse the JSON body of your request.', code: null } },
}

/** Answers 400 to half a character, whether it is an escape or made of bytes that are no UTF-8. */
function strictly(wire: SpokenWire, call: UpstreamCall): Script {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(call.bytes)
  const half = /(?<=(?<!\\)(?:\\\\)*)\\u(?:d[89ab]..(?!\\ud[c-f])|d[c-f])/i
  return half.test(text) ? json(400, refusals[wire]) : says(wire, { text: 'ok' }, call)
}

/** A question with half a character in every text: of the system, of the user, in a call and in its result. */
const asking: Record<SpokenWire, (at: ResponsesWorld) => Promise<Seen>> = {
  chat: ({ key }) =>
    key.chat({
      tools: [weatherOfChat],
      messages: [
        { role: 'system', content: torn },
        { role: 'user', content: [{ type: 'text', text: torn }] },
        {
          role: 'assistant',
          content: torn,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'get_weather', arguments: JSON.stringify({ city: torn }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: torn },
      ],
    }),
  messages: ({ key }) =>
    message(key, {
      system: torn,
      tools: [weatherOfMessages],
      messages: [
        { role: 'user', content: torn },
        {
          role: 'assistant',
          content: [{ type: 'text', text: torn }, toolUse('toolu_1', { city: torn })],
        },
        { role: 'user', content: [toolResult('toolu_1', torn)] },
      ],
    }),
  responses: ({ key }) =>
    respond(key, {
      instructions: torn,
      tools: [weather],
      input: [
        { role: 'user', content: torn },
        { role: 'assistant', content: torn },
        {
          type: 'function_call',
          call_id: 'call_1',
          name: 'get_weather',
          arguments: JSON.stringify({ city: torn }),
        },
        { type: 'function_call_output', call_id: 'call_1', output: torn },
      ],
    }),
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values((value ?? {}) as object).flatMap(textsIn)

/** The input of a call, which is JSON in a text on two of the wires. */
const inputIn = (wire: SpokenWire, body: Json): Json => {
  const { messages, input } = body as Record<string, Json[]>
  const [asked] = (messages ?? input)!
    .flatMap((item) => [
      ...((item['tool_calls'] as Json[]) ?? []),
      ...(Array.isArray(item['content']) ? item['content'] : []),
      item,
    ])
    .filter((one) => one['function'] ?? one['arguments'] ?? one['input']) as [Json]
  if (wire === 'messages') return asked['input'] as Json
  return JSON.parse(String(((asked['function'] as Json) ?? asked)['arguments']))
}

describe.each(wires)('an upstream of the wire %s that parses strictly', (wire) => {
  let at: ResponsesWorld
  beforeAll(async () => {
    at = await shareOnWires(wire)
    at.upstream.reply((call) => strictly(wire, call))
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test.each(wires)('gets U+FFFD for half a character of a caller of the wire %s', async (by) => {
    const first = at.upstream.calls.length
    const reply = await asking[by](at)
    expect(reply.status, reply.text).toBe(200)
    const { body } = await at.upstream.call(first)
    expect(textsIn(body).filter((text) => text === wellFormed).length).toBeGreaterThanOrEqual(4)
    expect(inputIn(wire, body as Json)).toEqual({ city: wellFormed })
  })
})
