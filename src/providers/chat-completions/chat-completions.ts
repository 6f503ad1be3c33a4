/** The client of any upstream that speaks OpenAI's chat completions. */
import type { TextProvider } from '#core/spec'
import { type ClientCodec, generate, listModels, type UpstreamAddress, UpstreamClient } from '#providers/kit'
import { readAnswer } from './answer.ts'
import { ChunkReader } from './chunks.ts'
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
    reader: () => new ChunkReader(client.secrets),
    readComplete: (body) => readAnswer(body, client.secrets),
  }
  return {
    wires: ['chat'],
    generate: (call, sink) => generate(client, call, codec, sink),
    ping: (signal) => listModels(client, signal),
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
