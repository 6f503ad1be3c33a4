import { expect, test } from 'vitest'
import type { Turn } from '#core/turn'
import { reasoningMarks } from '#providers/kit'
import { requestBody } from './request.ts'

/** The body for a vendor's host, on whose name it depends, and which no test server can stand in for. */
function bodyFor(host: string, source: Turn['source'], more: Partial<Turn> = {}): Record<string, unknown> {
  const turn: Turn = {
    messages: [
      { role: 'developer', content: [{ type: 'text', text: 'be brief' }] },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'hm' }],
        toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }],
      },
    ],
    tools: [],
    toolChoice: { type: 'auto' },
    parallelToolCalls: true,
    output: { type: 'text' },
    maxOutputTokens: 64,
    stop: ['END'],
    topK: 3,
    seed: 7,
    stream: true,
    source,
    ...more,
  }
  const timeouts = { connectMs: 1, firstByteMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 }
  const mark = reasoningMarks('responses', { baseUrl: `https://${host}/v1` })('m')
  return requestBody(host, { turn, upstreamModel: 'm', timeouts, attemptId: 'a' }, mark)
}

const chat: Turn['source'] = { wire: 'chat', body: {} }

test.each(['api.openai.com', 'eu.api.openai.com', 'acme.openai.azure.com'])(
  '%s knows a developer, refuses unknown fields, and is given no ids that it never made',
  (host) => {
    expect(bodyFor(host, chat)).toEqual({
      model: 'm',
      input: [
        { type: 'message', role: 'developer', content: 'be brief' },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'hm', annotations: [] }],
        },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      ],
      max_output_tokens: 64,
      stream: true,
      store: false,
    })
    const passed = bodyFor(host, { wire: 'responses', body: { input: 'x', top_k: 3, seed: 7, user: 'u' } })
    expect(Object.keys(passed)).toEqual(['model', 'input', 'user', 'max_output_tokens', 'stream', 'store'])
  },
)

test('other vendors that refuse unknown fields get none', () => {
  for (const host of ['api.groq.com', 'api.mistral.ai', 'generativelanguage.googleapis.com'])
    expect(Object.keys(bodyFor(host, chat))).not.toEqual(expect.arrayContaining(['top_k']))
  expect(bodyFor('openai.com.example.org', chat)).toMatchObject({ top_k: 3, seed: 7, stop: ['END'] })
})

test('a budget of thinking, which only those get who take one, goes alone and leaves room for the answer', () => {
  const reasoningFor = (host: string, reasoning: Turn['reasoning']) =>
    bodyFor(host, chat, reasoning ? { reasoning } : {})['reasoning']
  const budget = { enabled: true, maxTokens: 2_000 }
  expect(reasoningFor('openrouter.ai', budget)).toEqual({ max_tokens: 63, summary: 'auto' })
  expect(reasoningFor('openrouter.ai', { enabled: true, effort: 'low' })).toEqual({
    effort: 'low',
    summary: 'auto',
  })
})
