/** The client of any upstream that speaks OpenAI's `/embeddings`. */
import { type EmbeddingCall, type EmbeddingProvider, type EmbeddingResult, maxDimensions } from '#core/spec'
import { type UpstreamAddress, UpstreamClient, vectorsBytes } from '#providers/kit'
import { readEmbeddings } from './answer.ts'

/** Any upstream that speaks OpenAI's `/embeddings`: vendors, vLLM, llama.cpp, Ollama, text-embeddings-inference. */
export function embeddingsProvider(address: UpstreamAddress): EmbeddingProvider & AsyncDisposable {
  const client = new UpstreamClient(address)
  return {
    embed: (call) => embed(client, call),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function embed(client: UpstreamClient, call: EmbeddingCall): Promise<EmbeddingResult> {
  const { order, upstreamModel, attemptId, traceparent, signal, timeouts } = call
  const request = {
    path: '/embeddings',
    body: {
      model: upstreamModel,
      input: order.texts,
      encoding_format: order.encoding,
      ...(order.dimensions !== undefined && { dimensions: order.dimensions }),
    },
    headers: {
      accept: 'application/json',
      'idempotency-key': attemptId,
      ...(traceparent !== undefined && { traceparent }),
    },
    signal,
    timeouts,
  }
  const answer = await client.json(
    request,
    vectorsBytes(order.texts.length, order.dimensions ?? maxDimensions),
  )
  return await readEmbeddings(answer, order, client.secrets)
}
