/** Pictures, videos and transcription by OpenRouter's own endpoints. */
import { dataUrl } from '#core/media'
import { sizeName } from '#core/models'
import type { ImageCall } from '#core/spec'
import type { GuardedClient } from '#platform/net'
import { type ImageClient, imagesLikeClient, type PictureAddress } from '#providers/images'
import { type LinkedAddress, listModels, UpstreamClient, type VideoClient } from '#providers/kit'
import { videoJobs } from './video.ts'

export { openRouterTranscription } from './transcribe.ts'

/** OpenRouter's `POST /images`, with references as data URLs in its JSON; the answer is like that of OpenAI's endpoint. */
export const openRouterImages = (address: PictureAddress, net: GuardedClient): ImageClient =>
  imagesLikeClient(address, net, (call) => ({ path: '/images', body: bodyOf(call) }))

export function openRouterVideos(address: LinkedAddress, net: GuardedClient): VideoClient {
  const client = new UpstreamClient(address)
  return {
    ...videoJobs(client, { net, egress: address.egressOfLinks }),
    ping: (signal) => listModels(client, signal),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

function bodyOf({ order, upstreamModel }: ImageCall): Record<string, unknown> {
  const references = order.references.flatMap(({ data, mediaType = 'image/png' }) =>
    data ? [{ type: 'image_url', image_url: { url: dataUrl({ data, mediaType }) } }] : [],
  )
  return {
    model: upstreamModel,
    prompt: order.prompt,
    n: order.count,
    size: sizeName(order.size),
    ...(order.quality && { quality: order.quality }),
    ...(order.format && { output_format: order.format }),
    ...(order.background && { background: order.background }),
    ...(order.seed !== undefined && { seed: order.seed }),
    ...(references.length > 0 && { input_references: references }),
    // The model decides how many unfinished pictures come.
    ...(order.partials && { stream: true }),
  }
}
