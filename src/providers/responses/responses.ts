/** The client of any upstream that speaks OpenAI's Responses API. */
import type { TextCall, TextProvider } from '#core/spec'
import {
  type ClientCodec,
  generate,
  listModels,
  sameWireBody,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import { readAnswer } from './answer.ts'
import { EventReader, type ReaderOptions } from './events.ts'
import { requestBody } from './request.ts'

export { forwardedFields } from './request.ts'

/** Any upstream that speaks OpenAI's Responses API: OpenAI itself, OpenRouter, and Open Responses servers such as vLLM. */
export function responsesProvider(address: UpstreamAddress & { id: string }): TextProvider & AsyncDisposable {
  const client = new UpstreamClient(address)
  const codec: ClientCodec = {
    path: '/responses',
    body: (call) => requestBody(client.host, call),
    reader: (call) => new EventReader(readerOptionsOf(client, call)),
    readComplete: (body, call) => readAnswer(body, readerOptionsOf(client, call)),
  }
  return {
    wires: ['responses'],
    generate: (call, sink) => generate(client, call, codec, sink),
    ping: (signal) => listModels(client, signal),
    warm: () => client.warm(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** A caller of this wire gets the events unchanged; for a caller of another wire, stop sequences are applied here. */
function readerOptionsOf({ secrets }: UpstreamClient, { turn }: TextCall): ReaderOptions {
  const sameWire = sameWireBody(turn, 'responses') !== undefined
  return { secrets, sameWire, stop: sameWire ? [] : turn.stop }
}
