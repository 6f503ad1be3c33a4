/** What a caller did not say about tools is not said for him: models that think refuse `parallel_tool_calls`, and some servers `tool_choice`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Seen } from '../harness/client.ts'
import { json, type Script, type UpstreamCall } from '../harness/upstream.ts'
import { weather as weatherOfChat } from './chat-world.ts'
import { message, weather as weatherOfMessages } from './messages-world.ts'
import { type ResponsesWorld, respond, shareOnWires, weather } from './responses-world.ts'
import { type SpokenWire, says } from './scripted-answer.ts'

type Json = Record<string, unknown>
const callers = ['chat', 'messages', 'responses'] as const

const ask = (by: SpokenWire, { key }: ResponsesWorld, more: Json = {}): Promise<Seen> => {
  if (by === 'chat') return key.chat({ tools: [weatherOfChat], ...more })
  if (by === 'messages') return message(key, { tools: [weatherOfMessages], ...more })
  return respond(key, { tools: [weather], ...more })
}

/** What each wire says when the caller does say it. */
const said: Record<SpokenWire, (parallel: boolean) => Json> = {
  chat: (parallel) => ({ tool_choice: 'required', parallel_tool_calls: parallel }),
  responses: (parallel) => ({ tool_choice: 'required', parallel_tool_calls: parallel }),
  messages: (parallel) => ({ tool_choice: { type: 'any', disable_parallel_tool_use: !parallel } }),
}

/** OpenAI's refusal, word for word. */
const refusalOf = (param: string): Script =>
  json(400, {
    error: {
      message: `Unsupported parameter: '${param}' is not supported with this model.`,
      type: 'invalid_request_error',
      param,
      code: 'unsupported_parameter',
    },
  })

describe.each(callers)('an upstream of the wire %s', (wire) => {
  let at: ResponsesWorld
  beforeAll(async () => {
    at = await shareOnWires(wire)
  })
  afterAll(() => at[Symbol.asyncDispose]())

  const strictly = (call: UpstreamCall): Script => {
    const told = ['parallel_tool_calls', 'tool_choice'].find((name) => name in (call.body ?? {}))
    return told === undefined ? says(wire, { text: 'ok' }, call) : refusalOf(told)
  }

  test.each(callers)(
    'hears nothing of it from a caller of %s who says nothing, and all that is said',
    async (by) => {
      at.upstream.reply(strictly)
      const silent = await ask(by, at)
      expect(silent.status, silent.text).toBe(200)
      at.upstream.reply((call) => says(wire, { text: 'ok' }, call))
      for (const parallel of [true, false]) {
        expect((await ask(by, at, said[by](parallel))).status).toBe(200)
        expect(at.upstream.calls.at(-1)!.body).toMatchObject(
          // Calls at once are what Messages means by no word of them.
          wire === 'messages' && parallel ? { tool_choice: { type: 'any' } } : said[wire](parallel),
        )
      }
    },
  )
})
