/** A vendor that answers every chat at once, with as many tokens as the question names: `tokens 3200 410`. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface SampleUpstream extends AsyncDisposable {
  url: string
}

export async function openUpstream(): Promise<SampleUpstream> {
  const server = createServer(async (request, reply) => {
    const asked = await text(request)
    reply.setHeader('content-type', 'application/json')
    if (asked.includes('overloaded')) {
      reply.statusCode = 503
      return reply.end(JSON.stringify({ error: { message: 'overloaded', type: 'server_error' } }))
    }
    const [, input = '1', output = '1'] = /tokens (\d+) (\d+)/.exec(asked) ?? []
    const usage = { prompt_tokens: Number(input), completion_tokens: Number(output) }
    const message = { role: 'assistant', content: 'سفارش شما فردا می‌رسد.' }
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
  - { id: openrouter, base_url: ${url}, api_key: sample, dialects: [chat] }
models:
${[
  ['anthropic/claude-sonnet-5', 200_000, 3, 15],
  ['openai/gpt-5-mini', 400_000, 0.25, 2],
  ['google/gemini-3.8-flash', 1_000_000, 0.3, 2.5],
  ['deepseek/deepseek-v4', 128_000, 0.27, 1.1],
]
  .map(
    ([id, context, input, output]) => `  - id: ${id}
    kind: text
    deployments: [{ provider: openrouter, model: ${id} }]
    context_length: ${context}
    max_output_tokens: 16384
    input_modalities: [text, image]
    features: [tools, json_schema]
    pricing: { input_per_million: ${input}, output_per_million: ${output} }`,
  )
  .join('\n')}
defaults: { text_model: openai/gpt-5-mini }
`
