/**
 * A vendor that answers every chat at once, with as many tokens as the question names: `tokens 3200 410`, of which `cached 1200` came from its cache.
 * It is overloaded for a question that says so, and at its first address alone for one that says `busy`.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface SampleUpstream extends AsyncDisposable {
  url: string
}

/** `passMs` lets the time of the sample pass while a call is answered. */
export async function openUpstream(passMs: (ms: number) => void): Promise<SampleUpstream> {
  const server = createServer(async (request, reply) => {
    const asked = await text(request)
    reply.setHeader('content-type', 'application/json')
    const isBusy = asked.includes('busy') && request.url?.startsWith('/first/')
    if (isBusy || asked.includes('overloaded')) {
      passMs(340)
      reply.statusCode = 503
      return reply.end(JSON.stringify({ error: { message: 'overloaded', type: 'server_error' } }))
    }
    const [, input = '1', output = '1'] = /tokens (\d+) (\d+)/.exec(asked) ?? []
    passMs(600 + Number(output) * 3)
    const [, cached = '0'] = /cached (\d+)/.exec(asked) ?? []
    const usage = {
      prompt_tokens: Number(input),
      completion_tokens: Number(output),
      prompt_tokens_details: { cached_tokens: Number(cached) },
    }
    const content = 'سفارش شما فردا می‌رسد. '.repeat(Number(output) / 4)
    const message = { role: 'assistant', content }
    return reply.end(
      JSON.stringify({
        ...{ id: 'sample', object: 'chat.completion', created: 1, model: 'sample' },
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Models with the prices of an installation, all answered by this vendor. */
export const modelsConfig = (url: string): string => `
providers:
  - { id: openrouter, base_url: "${url}/first", api_key: sample, dialects: [chat] }
  - { id: avalai, base_url: "${url}/second", api_key: sample, dialects: [chat] }
models:
${(
  [
    ['anthropic/claude-sonnet-5', 200_000, 3, 0.3, 15],
    ['openai/gpt-5-mini', 400_000, 0.25, 0.025, 2],
    ['google/gemini-3.8-flash', 1_000_000, 0.3, 0.03, 2.5],
    ['deepseek/deepseek-v4', 128_000, 0.27, 0.027, 1.1],
  ] as const
)
  .map(
    ([id, context, input, cached, output]) => `  - id: ${id}
    kind: text
    deployments: [{ provider: openrouter, model: ${id} }, { provider: avalai, model: ${id}, priority: 1 }]
    context_length: ${context}
    max_output_tokens: 16384
    input_modalities: [text, image]
    features: [tools, json_schema]
    pricing: { input_per_million: ${input}, cached_input_per_million: ${cached}, output_per_million: ${output} }`,
  )
  .join('\n')}
defaults: { text_model: openai/gpt-5-mini }
`
