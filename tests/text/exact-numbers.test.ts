/** Numbers that no double has keep every digit between a caller and an upstream, over each pair of wires. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client, Seen } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { done, json, type Script, stream } from '../harness/upstream.ts'
import { path as batchesPath, ended } from './batches-world.ts'
import { path as messagesPath, version } from './messages-world.ts'
import { path as responsesPath, shareOnWires } from './responses-world.ts'

type Wire = 'chat' | 'messages' | 'responses'
const wires: Wire[] = ['chat', 'messages', 'responses']

const numbers =
  '{"id":2512292042121000001,"list":[9223372036854775807,-0.12345678901234567890123,1e400,1.0,1E5],"text":"9007199254740993"}'
/** The same where it was parsed on the way: numbers that a double has are spelled as JavaScript spells them. */
const reparsed = numbers.replace('1.0,1E5', '1,100000')
const schema = '{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807}}}'
const quoted = JSON.stringify(numbers)

/** The text contains these numbers, as JSON or in a string of JSON. */
function expectNumbers(text: string): void {
  const plain = text.replaceAll('\\"', '"')
  expect(plain.includes(numbers) || plain.includes(reparsed), text).toBe(true)
}

/** A conversation with an earlier call of a tool. */
const bodies: Record<Wire, string> = {
  chat: `"messages":[{"role":"user","content":"hi"},
    {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":${quoted}}}]},
    {"role":"tool","tool_call_id":"call_1","content":"ok"}],
    "tools":[{"type":"function","function":{"name":"find","parameters":${schema}}}],"max_tokens":500`,
  messages: `"messages":[{"role":"user","content":"hi"},
    {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"find","input":${numbers}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}],
    "tools":[{"name":"find","input_schema":${schema}}],"max_tokens":500`,
  responses: `"input":[{"role":"user","content":"hi"},
    {"type":"function_call","call_id":"call_1","name":"find","arguments":${quoted}},
    {"type":"function_call_output","call_id":"call_1","output":"ok"}],
    "tools":[{"type":"function","name":"find","parameters":${schema}}],"max_output_tokens":500`,
}
const paths: Record<Wire, string> = {
  chat: '/v1/chat/completions',
  messages: messagesPath,
  responses: responsesPath,
}
const send = (key: Client, wire: Wire, more: string): Promise<Seen> =>
  key.request('POST', paths[wire], `{${bodies[wire]}${more}}`, wire === 'messages' ? version : {})

const item = `{"type":"function_call","id":"fc_1","call_id":"call_9","name":"find","arguments":${quoted},"note":${numbers}}`
const response = `{"id":"resp_1","object":"response","model":"m","status":"completed","output":[${item}],
  "usage":{"input_tokens":9,"output_tokens":5,"total_tokens":14}}`
const chatUsage = '"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}'
const chatCall = `{"index":0,"id":"call_9","type":"function","function":{"name":"find","arguments":${numbers}}}`

/** A call of the tool, whole and streamed; its arguments are an object where the wire allows one. */
const answers: Record<Wire, { whole: Script; streamed: Script }> = {
  chat: {
    whole: json(
      200,
      `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls",
        "message":{"role":"assistant","content":null,"note":${numbers},"tool_calls":[${chatCall}]}}],${chatUsage}}`,
    ),
    streamed: stream([
      `data: {"id":"c","choices":[{"index":0,"finish_reason":null,"delta":{"note":${numbers},"tool_calls":[${chatCall}]}}]}\n\n`,
      `data: {"id":"c","choices":[{"index":0,"finish_reason":"tool_calls","delta":{}}],${chatUsage}}\n\n`,
      done,
    ]),
  },
  messages: {
    whole: json(
      200,
      `{"id":"msg_1","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","stop_sequence":null,
        "content":[{"type":"tool_use","id":"toolu_9","name":"find","input":${numbers}}],"usage":{"input_tokens":9,"output_tokens":5}}`,
    ),
    streamed: stream(
      [
        `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}`,
        `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_9","name":"find","input":${numbers}}}`,
        '{"type":"content_block_stop","index":0}',
        '{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":5}}',
        '{"type":"message_stop"}',
      ].map((event) => `event: ${JSON.parse(event).type}\ndata: ${event}\n\n`),
    ),
  },
  responses: {
    whole: json(200, response),
    streamed: stream(
      [
        `{"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}}`,
        `{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_9","name":"find","arguments":""}}`,
        `{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":${quoted}}`,
        `{"type":"response.output_item.done","output_index":0,"item":${item}}`,
        `{"type":"response.completed","response":${response.replaceAll('\n', '')}}`,
      ].map((event) => `event: ${JSON.parse(event).type}\ndata: ${event}\n\n`),
    ),
  },
}

test.each(wires)(
  'a tool’s arguments and schema reach an upstream of %s and come back with every digit',
  async (wire) => {
    await using at = await shareOnWires(wire)
    for (const caller of wires)
      for (const way of ['whole', 'streamed'] as const) {
        at.upstream.reply(answers[wire][way])
        const seen = await send(at.key, caller, way === 'streamed' ? ',"stream":true' : '')
        expect(seen.status, seen.text).toBe(200)
        expectNumbers(seen.text)
        if (caller === wire && wire !== 'messages') expect(seen.text).toContain(`"note":${reparsed}`)
        const asked = at.upstream.calls.at(-1)!.bytes.toString()
        expectNumbers(asked)
        expect(asked).toContain('"maximum":9223372036854775807')
      }
  },
)

test('the OpenAI client gets arguments that an upstream wrote as an object, and sends them back as they were', async () => {
  await using at = await shareOnWires('messages')
  at.upstream.reply(answers.messages.whole)
  const client = new OpenAI({ baseURL: `${at.key.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }]
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: 'function', function: { name: 'find', parameters: { type: 'object' } } },
  ]
  const first = await client.chat.completions.create({ model: 'test/model', messages, tools })
  const { message } = first.choices[0]!
  expectNumbers(JSON.stringify(message.tool_calls))
  const result = { role: 'tool' as const, tool_call_id: message.tool_calls![0]!.id, content: 'ok' }
  await client.chat.completions.create({
    model: 'test/model',
    messages: [...messages, message, result],
    tools,
  })
  expectNumbers(at.upstream.calls.at(-1)!.bytes.toString())
})

test('a row of a batch is asked and answered with every digit', async () => {
  await using at = await shareOnWires('messages')
  at.upstream.reply(answers.messages.whole)
  const rows = `{"requests":[{"custom_id":"a","params":{${bodies.messages}}}]}`
  const made = await at.key.request('POST', batchesPath, rows, version)
  expect(made.status, made.text).toBe(200)
  await ended(at.key, made.body.id)
  const asked = at.upstream.calls.at(-1)!.bytes.toString()
  expectNumbers(asked)
  expect(asked).toContain('"maximum":9223372036854775807')
  expectNumbers((await at.key.get(`${batchesPath}/${made.body.id}/results`)).text)
})

test('two bodies that differ in the nineteenth digit are two for an idempotency key, two spellings of one number are one', async () => {
  await using world = await sharedWorld({ config: '' })
  const key = await world.key()
  const ask = (maximum: string) =>
    key.request(
      'POST',
      paths.chat,
      `{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"find",
        "parameters":{"type":"object","maxProperties":${maximum}}}}]}`,
      { 'idempotency-key': 'digits' },
    )
  const first = await ask('2512292042121000001')
  expect(first.status, first.text).toBe(200)
  expectRefusal(await ask('2512292042121000002'), { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
  const again = await ask('2512292042121000001.0')
  expect(again.text).toBe(first.text)
})

test('a field of our own is a number or refused as ever, and a number without end is refused by its length', async () => {
  await using at = await shareOnWires('chat')
  const ask = (fields: string) =>
    at.key.request('POST', paths.chat, `{"messages":[{"role":"user","content":"hi"}],${fields}}`)
  const refuses = async (field: string, param: string, why: string) => {
    const refused = await ask(field)
    expectRefusal(refused, { status: 400, code: 'INVALID_REQUEST', param })
    expect(refused.body.error.message).toContain(why)
  }
  await refuses('"max_tokens":9007199254740993', 'max_tokens', 'at most 32768')
  await refuses('"seed":9007199254740993', 'seed', 'at most 9007199254740991')
  await refuses('"temperature":1e400', 'temperature', 'at most 2')
  await refuses('"stop":9007199254740993', 'stop', 'a string')
  await refuses('"reasoning":9007199254740993', 'reasoning', 'an object')
  const taken = await ask('"temperature":0.50000000000000000000001,"max_tokens":1e2,"top_k":-0.0e0')
  expect(taken.status, taken.text).toBe(200)
  expect(at.upstream.calls.at(-1)!.body).toMatchObject({ temperature: 0.5, max_tokens: 100 })
  const endless = await ask(`"logit_bias":{"1":${'1'.repeat(1_000_000)}}`)
  expectRefusal(endless, { status: 400, code: 'INVALID_JSON' })
  expect(endless.body.error.message).toContain('more than 10000 digits')
  const many = await ask(`"logit_bias":{"1":[${'9007199254740993,'.repeat(30_001)}1]}`)
  expectRefusal(many, { status: 400, code: 'INVALID_JSON' })
  expect(many.body.error.message).toContain('send them as strings')
})

test('the sandbox reads a schema with such numbers as it reads others', async () => {
  await using world = await sharedWorld({ config: '' })
  const key = await world.key()
  const value = '{"type":"integer","enum":[9223372036854775807]}'
  const reply = await key.request(
    'POST',
    paths.chat,
    `{"model":"sandbox/fast","messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":
      {"name":"a","schema":{"type":"object","properties":{"id":${value}},"required":["id"]}}}}`,
  )
  expect(reply.status, reply.text).toBe(200)
  expect(JSON.parse(reply.body.choices[0].message.content).id).toBe(2 ** 63)
})
