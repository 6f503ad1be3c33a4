import { encodeBase64 } from '#core/media'
import type { ImageCall, ImageResult } from '#core/spec'
import {
  mediaRequest,
  nearestShape,
  pictureIn,
  picturesBytes,
  sizeTier,
  type UpstreamClient,
} from '#providers/kit'
import { contentOf } from './answer.ts'

/** The shapes that the models draw. */
const shapes = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']

/** Draws one picture, whatever the order's count: the wire has no field for a number. */
export async function draw(client: UpstreamClient, call: ImageCall): Promise<ImageResult> {
  const path = `/models/${encodeURIComponent(call.upstreamModel)}:generateContent`
  const answer = await client.json(mediaRequest(call, path, bodyOf(call)), picturesBytes(1))
  const { data, usage } = contentOf(answer, 'a picture', client.secrets)
  return { images: [await pictureIn(data[0]!.base64)], ...(usage && { usage }) }
}

function bodyOf({ order }: ImageCall): Record<string, unknown> {
  const references = order.references.flatMap(({ data, mediaType = 'image/png' }) =>
    data ? [{ inlineData: { mimeType: mediaType, data: encodeBase64(data) } }] : [],
  )
  const imageSize = sizeTier(order.size)
  return {
    contents: [{ role: 'user', parts: [{ text: order.prompt }, ...references] }],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: nearestShape(order.size, shapes), ...(imageSize && { imageSize }) },
      ...(order.seed !== undefined && { seed: order.seed }),
    },
  }
}
