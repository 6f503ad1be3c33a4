/** Why a model refuses, in its own words: they reach callers of every wire from upstreams of every wire. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Seen } from '../harness/client.ts'
import { chunk, done, json, type Script, stream } from '../harness/upstream.ts'
import { chunksOf } from './chat-world.ts'
import { message, upstreamMessage } from './messages-world.ts'
import { eventsIn } from './responses-oracle.ts'
import { type ResponsesWorld, respond, shareOnWires } from './responses-world.ts'
import type { SpokenWire } from './scripted-answer.ts'

const wires = ['chat', 'messages', 'responses'] as const
const words = 'I cannot help with that: it asks for the means of an attack.'

/** As Anthropic writes it, beside `stop_reason: refusal`. */
const details = { type: 'refusal', category: 'cyber', explanation: words }
const ended = { stop_reason: 'refusal', stop_sequence: null, stop_details: details }
const part = { type: 'refusal', refusal: words }
const said = { id: 'msg_up', type: 'message', role: 'assistant', status: 'completed', content: [part] }
const response = { id: 'resp_up', object: 'response', status: 'completed', output: [said] }
const event = (data: Record<string, unknown>) => `event: ${data['type']}\ndata: ${JSON.stringify(data)}\n\n`

const whole: Record<SpokenWire, Script> = {
  chat: json(200, {
    choices: [{ index: 0, finish_reason: 'stop', message: { content: null, refusal: words } }],
  }),
  messages: json(200, upstreamMessage([], ended)),
  responses: json(200, response),
}
const streamed: Record<SpokenWire, Script> = {
  chat: stream([...words.split(/(?= )/).map((refusal) => chunk({ refusal })), chunk({}, 'stop'), done]),
  messages: stream([
    event({ type: 'message_start', message: upstreamMessage([], { stop_reason: null }) }),
    event({ type: 'message_delta', delta: ended, usage: { output_tokens: 9 } }),
    event({ type: 'message_stop' }),
  ]),
  responses: stream([
    ...words.split(/(?= )/).map((delta) => ({ type: 'response.refusal.delta', delta })),
    { type: 'response.completed', response },
  ]),
}

/** The words as a client of this wire reads them, and how its answer ends. */
function read(by: SpokenWire, { text, body }: Seen, isStreamed: boolean): { words: unknown; end: unknown } {
  if (by === 'chat') {
    if (!isStreamed) return { words: body.choices[0].message.refusal, end: body.choices[0].finish_reason }
    const chunks = chunksOf(text).flatMap(({ choices }) => choices)
    return {
      words: chunks.map(({ delta }) => delta['refusal'] ?? '').join(''),
      end: chunks.at(-1)?.finish_reason,
    }
  }
  if (by === 'responses') {
    const final = isStreamed ? eventsIn(text).at(-1)?.['response'] : body
    return { words: final.output[0].content[0].refusal, end: final.status }
  }
  if (!isStreamed)
    return { words: body.stop_details?.explanation ?? body.content[0]?.text, end: body.stop_reason }
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))
  const { delta } = events.find(({ type }) => type === 'message_delta')
  const written = events.map((one) => one.delta?.text ?? '').join('')
  return { words: delta.stop_details?.explanation ?? written, end: delta.stop_reason }
}

describe.each(wires)('the words of an upstream of the wire %s that refuses', (wire) => {
  let at: ResponsesWorld
  beforeAll(async () => {
    at = await shareOnWires(wire)
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test.each(wires)('reach a caller of %s, whole and streamed', async (by) => {
    for (const isStreamed of [false, true]) {
      at.upstream.replyOnce((isStreamed ? streamed : whole)[wire])
      const options = { stream: isStreamed }
      const reply =
        by === 'chat'
          ? await at.key.chat(options)
          : await (by === 'messages' ? message : respond)(at.key, options)
      expect(reply.status, reply.text).toBe(200)
      const { words: heard, end } = read(by, reply, isStreamed)
      expect(heard).toBe(words)
      if (by === 'messages') expect(end).toBe('refusal')
    }
  })
})
