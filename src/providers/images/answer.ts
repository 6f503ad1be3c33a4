/**
 * Reads the images of an answer, inline or behind links. Unknown fields are ignored, but only images are accepted; whoever ordered an SVG cleans it.
 */

import { type ImageResult, UpstreamError } from '#core/spec'
import {
  faultOfError,
  isRecord,
  linkedPicture,
  mediaTokens,
  type PictureLinks,
  pictureIn,
  takeFulfilled,
} from '#providers/kit'

const maxPictures = 10

export interface ReadingOptions extends PictureLinks {
  /** Secrets of the upstream, masked in every error. */
  secrets: readonly string[]
}

/** The images that can be read. Throws `UpstreamError` where there is none, always with `executed: true`: the upstream has made the images. */
export async function drawnImagesOf(answer: unknown, options: ReadingOptions): Promise<ImageResult> {
  if (!isRecord(answer)) throw malformed('an answer that is no object')
  if (answer['error'] != null) throw faultOfError(answer['error'], options.secrets)
  const items = Array.isArray(answer['data']) ? answer['data'].filter(isRecord) : []
  if (items.length === 0) throw malformed('an answer without a picture')
  const revisedPrompts = new Map<Uint8Array, string>()
  const drawn = await takeFulfilled(items.slice(0, maxPictures), async (item) => {
    const image = await pictureOf(item, options)
    const { revised_prompt: revised } = item
    if (typeof revised === 'string' && revised !== '') revisedPrompts.set(image, revised)
    return image
  })
  const usage = mediaTokens(answer['usage'])
  return { ...drawn, ...(revisedPrompts.size > 0 && { revisedPrompts }), ...(usage && { usage }) }
}

function pictureOf(item: Record<string, unknown>, options: ReadingOptions): Promise<Uint8Array> {
  const { b64_json: base64, url } = item
  if (typeof base64 === 'string' && base64 !== '') return pictureIn(base64)
  if (typeof url === 'string') return linkedPicture(url, options)
  throw malformed('a picture without data')
}

const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
