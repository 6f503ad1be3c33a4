import { dataUrl } from '#core/media'
import type { ImageCall, ImageResult } from '#core/spec'
import {
  isRecord,
  linkedPicture,
  mediaRequest,
  mediaTokens,
  nearestShape,
  type PictureLinks,
  picturesBytes,
  sizeTier,
  type UpstreamClient,
} from '#providers/kit'
import { choiceOf, malformed } from './choice.ts'

/** The shapes of OpenRouter's `image_config`. */
const shapes = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']

/** Draws one picture, whatever the order's count: the wire has no field for a number. */
export async function draw(
  client: UpstreamClient,
  web: Pick<PictureLinks, 'net' | 'egress'>,
  call: ImageCall,
): Promise<ImageResult> {
  const beganMs = performance.now()
  const body = pictureRequest(client.host, call)
  const answer = await client.json(mediaRequest(call, '/chat/completions', body), picturesBytes(1))
  if (!isRecord(answer)) throw malformed('an answer that is no object')
  const choice = choiceOf(answer, client.secrets)
  if (!choice) throw malformed('an answer without choices')
  const url = pictureOf(choice.message)
  if (url === undefined) throw malformed('an answer without a picture')
  const leftMs = Math.max(1, Math.floor(call.timeouts.totalMs - (performance.now() - beganMs)))
  const image = await linkedPicture(url, { ...web, signal: call.signal, leftMs })
  const usage = mediaTokens(answer['usage'])
  return { images: [image], ...(usage && { usage }) }
}

/** The request for a picture. Only OpenRouter documents a field for the size (`image_config`); elsewhere the model draws in its own. */
export function pictureRequest(
  host: string,
  { order, upstreamModel }: Pick<ImageCall, 'order' | 'upstreamModel'>,
): Record<string, unknown> {
  const references = order.references.flatMap(({ data, mediaType = 'image/png' }) =>
    data ? [{ type: 'image_url', image_url: { url: dataUrl({ data, mediaType }) } }] : [],
  )
  const content = references.length > 0 ? [{ type: 'text', text: order.prompt }, ...references] : order.prompt
  const imageSize = sizeTier(order.size)
  return {
    model: upstreamModel,
    modalities: ['image', 'text'],
    messages: [{ role: 'user', content }],
    stream: false,
    ...(order.seed !== undefined && { seed: order.seed }),
    ...(host === 'openrouter.ai' && {
      image_config: {
        aspect_ratio: nearestShape(order.size, shapes),
        ...(imageSize && { image_size: imageSize }),
      },
    }),
  }
}

/** The first picture, which stands beside the text in `images` or as a part of it. */
function pictureOf({ images, content }: Record<string, unknown>): string | undefined {
  const found = [images, content].flatMap((list) => (Array.isArray(list) ? list : [])).flatMap(urlOf)
  return found[0]
}

function urlOf(part: unknown): string[] {
  if (!isRecord(part)) return []
  const { image_url: image } = part
  const url = isRecord(image) ? image['url'] : image
  return typeof url === 'string' && url !== '' ? [url] : []
}
