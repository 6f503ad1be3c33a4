/** The client of any upstream that speaks Anthropic's Messages API. */
import type { TextCall, TextProvider } from '#core/spec'
import {
  type ClientCodec,
  generate,
  listBytes,
  modelNames,
  pingTimeouts,
  reasoningMarks,
  type SigningAddress,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import { readAnswer } from './answer.ts'
import { EventReader, type ReaderOptions } from './events.ts'
import { addressWithKey } from './key.ts'
import { betasOf, requestOf } from './request.ts'

export { forwardedFields } from './request.ts'

/** The newest version that every server of this wire knows; later versions only remove fields. */
const version = { 'anthropic-version': '2023-06-01' }

/** Any upstream that speaks Anthropic's Messages API: Anthropic itself, OpenRouter, LiteLLM, vLLM, llama.cpp. */
export function messagesProvider(
  address: UpstreamAddress & SigningAddress & { id: string },
): TextProvider & AsyncDisposable {
  const client = new UpstreamClient(addressWithKey(address))
  const markOf = reasoningMarks('messages', address)
  /** The calls that go without the thinking that they ask for. */
  const callsWithoutThinking = new WeakSet<TextCall>()
  const optionsOf = (call: TextCall): ReaderOptions => ({
    secrets: client.secrets,
    mark: markOf(call.upstreamModel),
    skipsThinking: callsWithoutThinking.has(call),
  })
  const usualBetas = address.headers?.['anthropic-beta']
  const codec: ClientCodec = {
    path: '/messages',
    body: (call) => {
      const { body, skipsThinking } = requestOf(call, markOf(call.upstreamModel))
      if (skipsThinking) callsWithoutThinking.add(call)
      return body
    },
    headers: ({ turn }) => {
      const betas = [...(usualBetas === undefined ? [] : [usualBetas]), ...betasOf(turn)]
      return { ...version, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) }
    },
    reader: (call) => new EventReader(optionsOf(call)),
    readComplete: (body, call) => readAnswer(body, optionsOf(call)),
    skipsReasoning: (call) => callsWithoutThinking.has(call),
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
