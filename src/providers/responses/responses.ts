/** The client of any upstream that speaks OpenAI's Responses API. */
import type { TextCall, TextProvider } from '#core/spec'
import {
  type ClientCodec,
  generate,
  listModels,
  type ReasoningMark,
  reasoningMarks,
  type SigningAddress,
  sameWireBody,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import { readAnswer } from './answer.ts'
import { EventReader, type ReaderOptions } from './events.ts'
import { requestBody } from './request.ts'

export { forwardedFields } from './request.ts'

/** Any upstream that speaks OpenAI's Responses API: OpenAI itself, OpenRouter, and Open Responses servers such as vLLM. */
export function responsesProvider(
  address: UpstreamAddress & SigningAddress & { id: string },
): TextProvider & AsyncDisposable {
  const client = new UpstreamClient(address)
  const markOf = reasoningMarks('responses', address)
  const optionsOf = (call: TextCall): ReaderOptions =>
    readerOptionsOf(client, call, markOf(call.upstreamModel))
  const codec: ClientCodec = {
    path: '/responses',
    body: (call) => requestBody(client.host, call, markOf(call.upstreamModel)),
    reader: (call) => new EventReader(optionsOf(call)),
    readComplete: (body, call) => readAnswer(body, optionsOf(call)),
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
function readerOptionsOf(
  { secrets }: UpstreamClient,
  { turn }: TextCall,
  mark: ReasoningMark,
): ReaderOptions {
  const sameWire = sameWireBody(turn, 'responses') !== undefined
  return { secrets, sameWire, stop: sameWire ? [] : turn.stop, mark }
}
