/** Any text at any place of an upstream's answer, on all three wires, is read in linear time. */
import { afterAll, beforeAll, describe, test } from 'vitest'
import { costOfAwaited, expectLinear, expectNoHold } from '../../cost/cost.ts'
import { chunk, done, json, type Script, stream } from '../../harness/upstream.ts'
import { bootOnUpstream, type UpstreamWorld } from '../../text/chat-world.ts'

let at: UpstreamWorld
beforeAll(async () => {
  at = await bootOnUpstream()
})
afterAll(() => at[Symbol.asyncDispose]())

const units = [
  ' ',
  '<',
  '"',
  '\\',
  '[',
  '{',
  '{"a":',
  '\n',
  '\r',
  ',',
  'a ',
  '\u200c',
  'ي',
  'data: x\n',
  'event: a\n',
  ': \n',
  '![](',
  '`',
  '&',
]
const max = 128_000

const usage = { prompt_tokens: 5, completion_tokens: 100, total_tokens: 105 }
const whole = (message: Record<string, unknown>, finish = 'stop'): Script =>
  json(200, {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'upstream-model',
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
    usage,
  })
const call = (name: string, args: string) => ({
  id: 'call_1',
  type: 'function',
  function: { name, arguments: args },
})

/** What stands where the text is. */
const answers: Record<string, { script: (text: string) => Script; streams?: boolean }> = {
  'an error page': { script: (text) => json(400, text) },
  'an error message': { script: (text) => json(400, { error: { message: text, code: text } }) },
  'a body': { script: (text) => json(200, text) },
  'a message': { script: (text) => whole({ content: text }) },
  'the reasoning of a message': { script: (text) => whole({ content: 'a', reasoning_content: text }) },
  'arguments of a tool': { script: (text) => whole({ tool_calls: [call('f', text)] }, 'tool_calls') },
  'a name of a tool': { script: (text) => whole({ tool_calls: [call(text, '{}')] }, 'tool_calls') },
  'bytes of a stream': { script: (text) => stream([text, '\n\n', done]), streams: true },
  'a line of a stream': { script: (text) => stream([`data: ${text}\n\n`, done]), streams: true },
  'a delta': {
    script: (text) => stream([chunk({ content: text }), chunk({}, 'stop', { usage }), done]),
    streams: true,
  },
  'many deltas': {
    script: (text) =>
      stream([
        ...(text.match(/[\s\S]{1,200}/g) ?? []).map((content) => chunk({ content })),
        chunk({}, 'stop', { usage }),
        done,
      ]),
    streams: true,
  },
  'arguments in deltas': {
    script: (text) =>
      stream([
        chunk({ tool_calls: [{ index: 0, ...call('f', '') }] }),
        ...(text.match(/[\s\S]{1,200}/g) ?? []).map((piece) =>
          chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
        ),
        chunk({}, 'tool_calls', { usage }),
        done,
      ]),
    streams: true,
  },
}

const tool = { name: 'f', parameters: { type: 'object', properties: {} } }
const doors: Record<string, [path: string, body: Record<string, unknown>]> = {
  chat: [
    '/v1/chat/completions',
    {
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 4_000,
      tools: [{ type: 'function', function: tool }],
    },
  ],
  responses: [
    '/v1/responses',
    { input: 'hi', max_output_tokens: 4_000, tools: [{ type: 'function', ...tool }] },
  ],
  messages: [
    '/v1/messages',
    {
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 4_000,
      model: 'test/model',
      tools: [{ name: 'f', input_schema: tool.parameters }],
    },
  ],
}

describe.each(Object.entries(doors))('over %s', (_door, [path, body]) => {
  test.each(Object.entries(answers))(
    '%s of any repeated text is read in linear time',
    { timeout: 900_000 },
    async (_name, { script, streams = false }) => {
      const ask = (text: string) => {
        at.upstream.reply(script(text))
        return at.key.post(path, { ...body, stream: streams }, { 'anthropic-version': '2023-06-01' })
      }
      for (const unit of units) {
        const textOf = (length: number) => `a${unit.repeat(Math.floor(length / unit.length))}b`
        const cost = (length: number) => costOfAwaited(() => ask(textOf(length)))
        await expectLinear(JSON.stringify(unit), cost, { from: max / 4, to: max })
        await expectNoHold(JSON.stringify(unit), () => ask(textOf(max)))
      }
    },
  )
})
