/** The client of any upstream that speaks OpenAI's images endpoints. */
import type { ImageCall, ImageProvider, ImageResult, TextProvider } from '#core/spec'
import type { GuardedClient } from '#platform/net'
import {
  type Form,
  listModels,
  mediaRequest,
  type PictureLinks,
  picturesBytes,
  type UpstreamAddress,
  UpstreamClient,
} from '#providers/kit'
import { drawnImagesOf } from './answer.ts'
import { pictureOfEvents } from './events.ts'
import { formOf, jsonOf } from './request.ts'

/** The address of an upstream that draws, and how pictures that it only links to are fetched. */
export type PictureAddress = UpstreamAddress & { egressOfLinks?: PictureLinks['egress'] }
export type ImageClient = ImageProvider & AsyncDisposable & { ping: TextProvider['ping'] }

interface ImageHttpRequest {
  path: string
  body: Record<string, unknown> | Form
}

/**
 * Any upstream that speaks OpenAI's images endpoints: `/images/generations`, and `/images/edits` for input images. Images behind links are
 * fetched by `net`, which connects to public addresses only.
 */
export const imagesProvider = (address: PictureAddress, net: GuardedClient): ImageClient =>
  imagesLikeClient(address, net, (call) =>
    call.order.references.length > 0
      ? { path: '/images/edits', body: formOf(call) }
      : { path: '/images/generations', body: jsonOf(call) },
  )

/** A client of an upstream that answers as OpenAI's images endpoints do, whatever its requests are. */
export function imagesLikeClient(
  address: PictureAddress,
  net: GuardedClient,
  requestOf: (call: ImageCall) => ImageHttpRequest,
): ImageClient {
  const client = new UpstreamClient(address)
  const web = { net, egress: address.egressOfLinks }
  return {
    draw: (call) => draw(client, web, call, requestOf(call)),
    ping: (signal) => listModels(client, signal),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function draw(
  client: UpstreamClient,
  web: Pick<PictureLinks, 'net' | 'egress'>,
  call: ImageCall,
  { path, body }: ImageHttpRequest,
): Promise<ImageResult> {
  const beganMs = performance.now()
  const httpRequest = mediaRequest(call, path, body)
  const { count, partials = 0 } = call.order
  const answer =
    partials > 0
      ? await pictureOfEvents(client, httpRequest, call.order)
      : await client.json(httpRequest, picturesBytes(count))
  const leftMs = Math.max(1, Math.floor(call.timeouts.totalMs - (performance.now() - beganMs)))
  return drawnImagesOf(answer, { ...web, secrets: client.secrets, signal: call.signal, leftMs })
}
