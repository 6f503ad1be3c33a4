import { dataUrl, paintedMask } from '#core/media'
import { type ImageCall, type ImageResult, UpstreamError } from '#core/spec'
import {
  faultOfError,
  isRecord,
  linkedPicture,
  type PictureLinks,
  picturesBytes,
  takeFulfilled,
  type UpstreamClient,
} from '#providers/kit'
import { FalJob, type PollPace } from './job.ts'
import { malformed, submitJob } from './queue.ts'

export type { PollPace } from './job.ts'

/** Draws all pictures of the order by one job; those that can be fetched are the answer. */
export async function draw(
  client: UpstreamClient,
  web: Pick<PictureLinks, 'net' | 'egress'>,
  call: ImageCall,
  pace: PollPace,
): Promise<ImageResult> {
  const beganMs = performance.now()
  const { upstreamModel, signal, timeouts, traceparent } = call
  const headers = traceparent === undefined ? {} : { traceparent }
  const body = { ...inputOf(call), ...(await maskOf(call)) }
  const id = await submitJob(client, upstreamModel, { body, headers, signal, timeouts })
  const job = new FalJob(client, call, { id, beganMs, pace })
  const urls = picturesOf(await job.result(picturesBytes(call.order.count)), call, client.secrets)
  const links = { ...web, signal: call.signal, leftMs: Math.max(1, job.leftMs) }
  return takeFulfilled(urls, (url) => linkedPicture(url, links))
}

/**
 * The input in the names of fal's own models (docs.fal.ai/documentation/model-apis/model-arguments). Models that edit know one picture or a list of
 * them.
 */
function inputOf({ order }: ImageCall): Record<string, unknown> {
  const references = order.references.flatMap(({ data, mediaType = 'image/png' }) =>
    data ? [dataUrl({ data, mediaType })] : [],
  )
  return {
    prompt: order.prompt,
    num_images: order.count,
    image_size: order.size,
    ...(order.quality && { quality: order.quality }),
    ...(order.format && { output_format: order.format }),
    ...(order.background && { background: order.background }),
    ...(order.seed !== undefined && { seed: order.seed }),
    ...(references.length === 1 && { image_url: references[0] }),
    ...(references.length > 0 && { image_urls: references }),
  }
}

/** The mask for fal's inpainting models, which change what is white in `mask_url` (fal.ai/models/fal-ai/flux-lora/inpainting). */
async function maskOf({ order: { mask } }: ImageCall): Promise<Record<string, string>> {
  if (!mask?.data) return {}
  const data = await paintedMask(mask.data).catch((cause) => {
    const detail = 'The mask cannot be read.'
    throw new UpstreamError('invalid_request', { status: 400, executed: false, detail, cause })
  })
  return { mask_url: dataUrl({ data, mediaType: 'image/png' }) }
}

/** The links or data URLs of the pictures. A flagged picture is black, and nobody ordered it: it is left out. */
function picturesOf(answer: unknown, { order }: ImageCall, secrets: readonly string[]): string[] {
  if (!isRecord(answer)) throw malformed('a result that is no object')
  if (answer['error'] != null) throw faultOfError(answer['error'], secrets)
  const { images, image, has_nsfw_concepts: flags } = answer
  const all = (Array.isArray(images) ? images : [image]).flatMap((one: unknown) =>
    isRecord(one) && typeof one['url'] === 'string' ? [one['url']] : [],
  )
  if (all.length === 0) throw malformed('an answer without a picture')
  const fit = all.filter((_, index) => !(Array.isArray(flags) && flags[index] === true))
  if (fit.length === 0)
    throw new UpstreamError('content_refused', { detail: 'The model flagged the content.' })
  return fit.slice(0, order.count)
}
