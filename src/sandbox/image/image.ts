import { setTimeout as pause } from 'node:timers/promises'
import { type ImageCall, type ImageProvider, type ImageResult, UpstreamError } from '#core/spec'
import { type Directives, readDirectives } from '../directives.ts'
import { raise } from '../faults.ts'
import { Pacer, realClock } from '../pace.ts'
import { loadTokenizer } from '../tokens.ts'
import { draw } from './draw.ts'

const maxPictures = 10

/**
 * Draws every prompt as a poster of its own words, in exactly the requested size and format; input images become the backdrop, and with a mask only
 * what it has transparent is drawn. The directives for faults and pace are those of the text models (`directives.ts`).
 */
export function sandboxImages(): ImageProvider {
  return { draw: (call) => drawAll(call) }
}

async function drawAll(call: ImageCall): Promise<ImageResult> {
  const { order, upstreamModel, signal } = call
  if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
  if (!/^(sandbox\/)?image(:|$)/.test(upstreamModel)) {
    const detail = `The sandbox has no image model "${upstreamModel}".`
    throw new UpstreamError('not_found', { status: 404, executed: false, param: 'model', detail })
  }
  const { text: prompt, directives } = readDirectives(order.prompt)
  const pacerTimeouts = { ...call.timeouts, firstTokenMs: call.timeouts.totalMs }
  const pacer = new Pacer(directives, pacerTimeouts, { signal, clock: realClock, run: { paused: undefined } })
  const { fault, after = 0, on } = directives
  const hasFault = fault !== undefined && (on === undefined || on === upstreamModel)
  if (hasFault && after === 0) await raise(fault, directives, pacer)
  if (directives.refuse) {
    const detail = 'The sandbox was ordered to refuse.'
    throw new UpstreamError('content_refused', { status: 400, executed: false, detail })
  }
  await pacer.next()
  const images = await drawEach(prompt, directives, call)
  await showUnfinished(images[0]!, call)
  pacer.check()
  if (hasFault) await raise(fault, directives, pacer)
  const { count } = await loadTokenizer()
  return {
    images: images.map((bytes) => corruptBytes(bytes, directives)),
    usage: { input: count(prompt), output: 0 },
  }
}

async function drawEach(
  prompt: string,
  { pictures }: Directives,
  { order, signal }: ImageCall,
): Promise<Uint8Array[]> {
  const { size, quality, background, seed, format = 'png' } = order
  const mask = order.mask?.data
  const references = order.references.flatMap(({ data }) => (data ? [data] : []))
  const length = pictures === undefined ? order.count : Math.min(maxPictures, Math.max(1, pictures))
  const posters = Array.from({ length }, (_, index) =>
    draw({ prompt, size, quality, background, seed, format, references, mask, index }),
  )
  try {
    return await Promise.all(posters)
  } catch (cause) {
    if (signal.aborted) throw new UpstreamError('aborted', { cause })
    const detail = 'The sandbox cannot draw with what it was given.'
    throw new UpstreamError('invalid_request', { status: 400, executed: false, detail, cause })
  }
}

/** The pause between two unfinished pictures, in ms. */
const partialMs = 100

/** Shows the picture in ever smaller blocks, as if it were being drawn. */
async function showUnfinished(image: Uint8Array, { order, signal }: ImageCall): Promise<void> {
  const { partials = 0, onPartial, size, format } = order
  if (partials === 0 || !onPartial || format === 'svg') return
  const { default: sharp } = await import('sharp')
  for (let index = 0; index < partials && !signal.aborted; index++) {
    const block = Math.max(1, Math.min(size.width, size.height) >> (index + 3))
    const coarse = await sharp(image)
      .resize(Math.max(1, Math.floor(size.width / block)), Math.max(1, Math.floor(size.height / block)))
      .png()
      .toBuffer()
    onPartial(
      await sharp(coarse)
        .resize({ ...size, kernel: 'nearest', fit: 'fill' })
        .toFormat(format ?? 'png')
        .toBuffer(),
    )
    await pause(partialMs, undefined, { signal }).catch(() => undefined)
  }
}

/** The bytes as a proxy's error page, or as they are where a connection broke. */
function corruptBytes(image: Uint8Array, { bytes }: Directives): Uint8Array {
  if (bytes === 'wrong') return Buffer.from('<!DOCTYPE html><title>502 Bad Gateway</title>')
  return bytes === 'cut' ? image.subarray(0, Math.floor(image.length * 0.6)) : image
}
