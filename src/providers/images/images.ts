import type { GuardedClient } from '#platform/net'
import {
  listBytes,
  modelNames,
  picturesBytes,
  pingTimeouts,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import type { Drawn, ImageCall, ImageProvider, TextProvider, Timeouts } from '#providers/spec'
import { drawnOf, type ReadingOptions } from './answer.ts'
import { formOf, jsonOf } from './request.ts'

/** A high-quality image may take two minutes, and no byte arrives before it is complete. */
const maxDrawingMs = 180_000

/**
 * Any upstream that speaks OpenAI's images endpoints: `/images/generations`, and `/images/edits` for input images. Images behind links are
 * fetched by `net`, which connects to public addresses only.
 */
export function imagesProvider(
  address: UpstreamAddress & { egressOfLinks?: ReadingOptions['egress'] },
  net: GuardedClient,
): ImageProvider & AsyncDisposable & { ping: TextProvider['ping'] } {
  const client = new UpstreamClient(address)
  return {
    draw: (call) => draw(client, { net, egress: address.egressOfLinks }, call),
    ping: async (signal) =>
      modelNames(await client.json({ path: '/models', signal, timeouts: pingTimeouts }, listBytes)),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function draw(
  client: UpstreamClient,
  web: Pick<ReadingOptions, 'net' | 'egress'>,
  call: ImageCall,
): Promise<Drawn> {
  const edits = call.order.references.length > 0
  const beganMs = performance.now()
  const ask = {
    path: edits ? '/images/edits' : '/images/generations',
    body: edits ? formOf(call) : jsonOf(call),
    headers: {
      accept: 'application/json',
      'idempotency-key': call.attemptId,
      ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    },
    signal: call.signal,
    ...timeoutsFor(call.timeouts),
  }
  const answer = await client.json(ask, picturesBytes(call.order.count))
  const leftMs = Math.max(1, Math.floor(call.timeouts.totalMs - (performance.now() - beganMs)))
  return drawnOf(answer, { ...web, secrets: client.secrets, signal: call.signal, leftMs })
}

const timeoutsFor = (timeouts: Timeouts): { timeouts: Timeouts; firstByteMs: number } => ({
  timeouts,
  firstByteMs: Math.min(timeouts.totalMs, timeouts.firstByteMs + maxDrawingMs),
})
