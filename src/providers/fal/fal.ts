/** Pictures and videos by fal's queue. */
import { UpstreamError } from '#core/spec'
import type { GuardedClient } from '#platform/net'
import type { ImageClient, PictureAddress } from '#providers/images'
import { type LinkedAddress, pingTimeouts, UpstreamClient, type VideoClient } from '#providers/kit'
import { draw, type PollPace } from './draw.ts'
import { falVideoProvider } from './film.ts'
import { Schemas } from './schema.ts'

/** The pauses between looks at a job; fal's own client looks every 500 ms. */
const usualPace: PollPace = { firstMs: 500, maxMs: 5_000 }
const answerBytes = 64 * 1024
/** The status of a request that never existed, for a ping: fal has no list of models beside its queue. */
const noRequest = '/fal-ai/flux/requests/00000000-0000-0000-0000-000000000000/status'

/**
 * Pictures by fal's queue (fal.ai/docs/api-reference/inference-api): submit, look until it is completed, take the result, and fetch its pictures
 * by `net`. Nothing of a job outlives its call.
 */
export function falImages(
  address: PictureAddress,
  net: GuardedClient,
  pace: PollPace = usualPace,
): ImageClient {
  const client = clientOf(address)
  const web = { net, egress: address.egressOfLinks }
  return {
    draw: (call) => draw(client, web, call, pace),
    ping: (signal) => ping(client, signal),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

const queueHost = 'queue.fal.run'
const published = 'https://fal.ai/api/openapi/queue/openapi.json'

/** Videos by fal's queue. `schemas` is the address where inputs of models are published; only fal's own queue has one by default. */
export function falVideos(address: LinkedAddress, net: GuardedClient, schemas?: string): VideoClient {
  const client = clientOf(address)
  const links = { net, egress: address.egressOfLinks }
  const source = schemas ?? (client.host === queueHost ? published : undefined)
  return {
    ...falVideoProvider(
      client,
      links,
      source === undefined ? undefined : new Schemas({ ...links, address: source }),
    ),
    ping: (signal) => ping(client, signal),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

const clientOf = (address: LinkedAddress): UpstreamClient =>
  new UpstreamClient({ ...address, keyHeader: { name: 'authorization', scheme: 'Key' } })

async function ping(client: UpstreamClient, signal: AbortSignal): Promise<undefined> {
  try {
    await client.bytes({ path: noRequest, signal, timeouts: pingTimeouts }, answerBytes)
  } catch (error) {
    const isKnown = error instanceof UpstreamError && ['not_found', 'invalid_request'].includes(error.fault)
    if (!isKnown) throw error
  }
}
