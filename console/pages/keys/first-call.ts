/** Which call a new key makes first, what that can cost at most, and the same call in several languages. */

export interface ModelOfCall {
  id: string
  /** Prices in USD per million tokens, and what a dollar is worth. */
  pricing: Readonly<Record<string, unknown>>
}

interface Model extends ModelOfCall {
  aliases: readonly string[]
  kind: string
  default: boolean
}

export type FirstCall =
  | { name: 'chat'; model: ModelOfCall }
  | { name: 'models' }
  | { name: 'balance' }
  /** Nothing that a page could try without knowing more, such as a file or a back-end. */
  | { name: 'none' }

/** What a key may use: the scopes, and the models by id or alias; null: all of them. */
export interface KeyOfCall {
  scopes: readonly string[]
  models: readonly string[] | null
}

/** The output that the first call asks for at most. */
export const maxTokens = 1_000

/** A chat where the key may ask a text model, else the free call of what it may do. */
export function firstCallOf({ scopes, models: allowed }: KeyOfCall, models: readonly Model[]): FirstCall {
  const model = scopes.includes('responses:write') ? textModelOf(allowed, models) : undefined
  if (model) return { name: 'chat', model }
  if (scopes.includes('models:read')) return { name: 'models' }
  return { name: scopes.includes('usage:read') ? 'balance' : 'none' }
}

/** The default model of texts where the key may use it, else the first that it may. */
function textModelOf(allowed: readonly string[] | null, models: readonly Model[]): ModelOfCall | undefined {
  const usable = models
    .filter(({ kind }) => kind === 'text')
    .filter(({ id, aliases }) => allowed === null || [id, ...aliases].some((name) => allowed.includes(name)))
  return usable.find((model) => model.default) ?? usable[0]
}

/** A server counts two bytes of the prompt as a token, with room for the template of a chat. */
const templateBytes = 96
/** Where writing to a cache costs more than reading a prompt, writing for an hour costs 1.6 times as much again. */
const hourOfCache = 1.6

/**
 * The most micro-credits that a chat of one message can cost, rounded up: the prompt at the highest of its prices, and the answer, which another
 * deployment may have to read before it completes it.
 */
export function mostMicrocredits({ pricing }: ModelOfCall, message: string): bigint {
  const price = (name: string): number => (typeof pricing[name] === 'number' ? pricing[name] : 0)
  const [read, write] = [price('input_per_million'), price('cache_write_per_million')]
  const input = Math.max(read, write > read ? write * hourOfCache : write)
  const tokens = Math.ceil((templateBytes + new TextEncoder().encode(message).length) / 2)
  const usd = tokens * input + maxTokens * (price('output_per_million') + input)
  return BigInt(Math.ceil(Number((usd * price('credits_per_usd')).toPrecision(12))))
}

export interface Sample {
  language: string
  code: string
}

interface Filled {
  /** As `https://kherad.example.ir`, without a path. */
  origin: string
  secret: string
  message: string
}

const quoted = (text: string): string => JSON.stringify(text)
/** A text within single quotes of a shell. */
const inShell = (text: string): string => text.replaceAll("'", "'\\''")

/** The call in each language that can make it, with origin, key and model filled in; every sample runs as it stands. */
export function samplesOf(call: FirstCall, filled: Filled): Sample[] {
  if (call.name === 'chat') return chatSamples(call.model.id, filled)
  if (call.name === 'models') return modelsSamples(filled)
  if (call.name === 'balance') return [{ language: 'curl', code: curlOf('/v1/balance', filled) }]
  return []
}

const curlOf = (path: string, { origin, secret }: Filled): string =>
  `curl ${origin}${path} \\\n  -H "Authorization: Bearer ${secret}"`

function chatSamples(model: string, filled: Filled): Sample[] {
  const { origin, secret, message } = filled
  return [
    {
      language: 'curl',
      code: `${curlOf('/v1/chat/completions', filled)} \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": ${inShell(quoted(model))},
    "max_tokens": ${maxTokens},
    "messages": [{"role": "user", "content": ${inShell(quoted(message))}}]
  }'`,
    },
    {
      language: 'OpenAI',
      code: `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${quoted(`${origin}/v1`)},
  apiKey: ${quoted(secret)},
})
const answer = await client.chat.completions.create({
  model: ${quoted(model)},
  max_tokens: ${maxTokens},
  messages: [{ role: 'user', content: ${quoted(message)} }],
})
console.log(answer.choices[0].message.content)`,
    },
    {
      language: 'Anthropic',
      code: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: ${quoted(origin)},
  apiKey: ${quoted(secret)},
})
const answer = await client.messages.create({
  model: ${quoted(model)},
  max_tokens: ${maxTokens},
  messages: [{ role: 'user', content: ${quoted(message)} }],
})
console.log(answer.content.find((part) => part.type === 'text')?.text)`,
    },
    {
      language: 'AI SDK',
      code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const kherad = createOpenAICompatible({
  name: 'kherad',
  baseURL: ${quoted(`${origin}/v1`)},
  apiKey: ${quoted(secret)},
})
const { text } = await generateText({
  model: kherad(${quoted(model)}),
  maxOutputTokens: ${maxTokens},
  prompt: ${quoted(message)},
})
console.log(text)`,
    },
    {
      language: 'Python',
      code: `from openai import OpenAI

client = OpenAI(
    base_url=${quoted(`${origin}/v1`)},
    api_key=${quoted(secret)},
)
answer = client.chat.completions.create(
    model=${quoted(model)},
    max_tokens=${maxTokens},
    messages=[{"role": "user", "content": ${quoted(message)}}],
)
print(answer.choices[0].message.content)`,
    },
  ]
}

function modelsSamples(filled: Filled): Sample[] {
  const { origin, secret } = filled
  return [
    { language: 'curl', code: curlOf('/v1/models', filled) },
    {
      language: 'OpenAI',
      code: `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${quoted(`${origin}/v1`)},
  apiKey: ${quoted(secret)},
})
for await (const model of client.models.list()) console.log(model.id)`,
    },
    {
      language: 'Anthropic',
      code: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: ${quoted(origin)},
  apiKey: ${quoted(secret)},
})
for await (const model of client.models.list()) console.log(model.id)`,
    },
    {
      language: 'Python',
      code: `from openai import OpenAI

client = OpenAI(
    base_url=${quoted(`${origin}/v1`)},
    api_key=${quoted(secret)},
)
for model in client.models.list():
    print(model.id)`,
    },
  ]
}
