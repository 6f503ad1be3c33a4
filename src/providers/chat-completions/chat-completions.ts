/** The client of any upstream that speaks OpenAI's chat completions. */
import type { TextProvider } from '#core/spec'
import { type ClientCodec, listModels, type UpstreamAddress, UpstreamClient } from '#providers/kit'
import { readAnswer } from './answer.ts'
import { ChunkReader } from './chunks.ts'
import { generateLimited, LimitNames } from './limit-name.ts'
import { requestBody } from './request.ts'

export { forwardedFields } from './request.ts'

/** Any upstream that speaks OpenAI's chat completions: OpenAI itself, OpenRouter, vLLM, llama.cpp, Ollama, LM Studio, Gemini's compatible endpoint. */
export function chatCompletionsProvider(
  address: UpstreamAddress & { id: string },
): TextProvider & AsyncDisposable {
  const client = new UpstreamClient(address)
  const codec: ClientCodec = {
    path: '/chat/completions',
    body: (call) => requestBody(client.host, call),
    reader: ({ endMark }) => new ChunkReader(client.secrets, endMark),
    readComplete: (body) => readAnswer(body, client.secrets),
  }
  const limited = { client, codec, names: new LimitNames(client.host) }
  return {
    wires: ['chat'],
    generate: (call, sink) => generateLimited(limited, call, sink),
    ping: (signal) => listModels(client, signal),
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
