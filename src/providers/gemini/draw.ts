import { encodeBase64 } from '#engine/media'
import type { PixelSize } from '#engine/turn'
import { mediaAsk, pictureIn, picturesBytes, type UpstreamClient } from '#providers/kit'
import { type Drawn, type ImageCall, UpstreamError } from '#providers/spec'
import { contentOf } from './answer.ts'

/** The shapes that it draws. */
const shapes = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9', '21:9'] as const

/**
 * Asks for each picture once, all at the same time: one call of this wire draws one. Those that were drawn are the answer; where none was,
 * throws the fault that may have cost something, else any.
 */
export async function draw(client: UpstreamClient, call: ImageCall): Promise<Drawn> {
  const asked = await Promise.allSettled(
    Array.from({ length: call.order.count }, () => drawOne(client, call)),
  )
  const drawn = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  const faults: unknown[] = asked.flatMap((one) => (one.status === 'rejected' ? one.reason : []))
  if (drawn.length === 0) throw faults.find((fault) => !didNothing(fault)) ?? faults[0]
  const usages = drawn.flatMap(({ usage }) => usage ?? [])
  const usage = usages.reduce(
    (sum, { input, output }) => ({ input: sum.input + input, output: sum.output + output }),
    { input: 0, output: 0 },
  )
  return { images: drawn.map(({ image }) => image), ...(usages.length > 0 && { usage }) }
}

async function drawOne(client: UpstreamClient, call: ImageCall) {
  const path = `/models/${encodeURIComponent(call.upstreamModel)}:generateContent`
  const answer = await client.json(mediaAsk(call, path, bodyOf(call)), picturesBytes(1))
  const { data, usage } = contentOf(answer, 'a picture', client.secrets)
  return { image: await pictureIn(data[0]!.base64), ...(usage && { usage }) }
}

const didNothing = (error: unknown): boolean => error instanceof UpstreamError && !error.executed

function bodyOf({ order }: ImageCall): Record<string, unknown> {
  const references = order.references.flatMap(({ data, mediaType = 'image/png' }) =>
    data ? [{ inlineData: { mimeType: mediaType, data: encodeBase64(data) } }] : [],
  )
  const imageSize = tierOf(order.size)
  return {
    contents: [{ role: 'user', parts: [{ text: order.prompt }, ...references] }],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: shapeOf(order.size), ...(imageSize && { imageSize }) },
    },
  }
}

/** The shape that is nearest: it takes no pixels. */
function shapeOf({ width, height }: PixelSize): string {
  const wanted = Math.log(width / height)
  const distance = (shape: string): number => {
    const [across = 1, down = 1] = shape.split(':').map(Number)
    return Math.abs(Math.log(across / down) - wanted)
  }
  return shapes.reduce((best, shape) => (distance(shape) < distance(best) ? shape : best))
}

/** Absent for 1K, its default, which is all that some models know. */
function tierOf({ width, height }: PixelSize): '2K' | '4K' | undefined {
  const side = Math.sqrt(width * height)
  return side > 2_896 ? '4K' : side > 1_448 ? '2K' : undefined
}
