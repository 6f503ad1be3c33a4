/** The client of any upstream that speaks Anthropic's Messages API. */
import type { TextProvider } from '#core/spec'
import {
  type ClientCodec,
  generate,
  listBytes,
  modelNames,
  pingTimeouts,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import { readAnswer } from './answer.ts'
import { EventReader } from './events.ts'
import { addressWithKey } from './key.ts'
import { betasOf, requestBody } from './request.ts'

export { forwardedFields } from './request.ts'

/** The newest version that every server of this wire knows; later versions only remove fields. */
const version = { 'anthropic-version': '2023-06-01' }

/** Any upstream that speaks Anthropic's Messages API: Anthropic itself, OpenRouter, LiteLLM, vLLM, llama.cpp. */
export function messagesProvider(address: UpstreamAddress & { id: string }): TextProvider & AsyncDisposable {
  const client = new UpstreamClient(addressWithKey(address))
  const usualBetas = address.headers?.['anthropic-beta']
  const codec: ClientCodec = {
    path: '/messages',
    body: requestBody,
    headers: ({ turn }) => {
      const betas = [...(usualBetas === undefined ? [] : [usualBetas]), ...betasOf(turn)]
      return { ...version, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) }
    },
    reader: () => new EventReader(client.secrets),
    readComplete: (body) => readAnswer(body, client.secrets),
  }
  return {
    wires: ['messages'],
    generate: (call, sink) => generate(client, call, codec, sink),
    ping: async (signal) => {
      const ask = { path: '/models?limit=1000', headers: version, signal, timeouts: pingTimeouts }
      return modelNames(await client.json(ask, listBytes))
    },
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
