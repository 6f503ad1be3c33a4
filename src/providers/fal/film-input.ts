/**
 * The input of a model of videos. Seconds are `5`, `"5"` or `"5s"`, and the first frame has five names: the model's own schema says which. Without a
 * schema the input is what most of the models take.
 */
import { dataUrl } from '#core/media'
import { UpstreamError } from '#core/spec'
import type { Media, VideoOrder } from '#core/turn'
import type { InputField, InputFields } from './schema.ts'

const firstFrames = [
  'first_frame_url',
  'start_image_url',
  'image_url',
  'first_frame_image_url',
  'input_image_url',
]
const lastFrames = ['last_frame_url', 'end_image_url', 'tail_image_url', 'last_frame_image_url']
const guides = ['reference_image_urls', 'image_urls', 'reference_images']
const sounds = ['generate_audio', 'generate_audio_switch', 'enable_audio']

/** The input of an order. Throws `invalid_request` where the model has no field or no value for it: nothing was ordered yet. */
export function videoInput(order: VideoOrder, fields: InputFields | undefined): Record<string, unknown> {
  const pictures = order.references.flatMap(urlOf)
  return fields ? knownInput(order, pictures, fields) : defaultInput(order, pictures)
}

const urlOf = ({ data, mediaType = 'image/png' }: Media) => (data ? [dataUrl({ data, mediaType })] : [])

function defaultInput(order: VideoOrder, pictures: readonly string[]): Record<string, unknown> {
  const { prompt, seconds, resolution, aspectRatio, withAudio, seed, referenceMode } = order
  const [first, last] = pictures
  return {
    prompt,
    duration: String(seconds),
    resolution,
    aspect_ratio: aspectRatio,
    ...(withAudio !== undefined && { generate_audio: withAudio }),
    ...(seed !== undefined && { seed }),
    ...(referenceMode === 'frames' && {
      ...(first !== undefined && { image_url: first }),
      ...(last !== undefined && { end_image_url: last }),
    }),
    ...(referenceMode === 'guide' && { image_urls: pictures }),
  }
}

function knownInput(
  order: VideoOrder,
  pictures: readonly string[],
  fields: InputFields,
): Record<string, unknown> {
  const { prompt, seconds, resolution, aspectRatio, withAudio, seed } = order
  const chosen = (name: string, values: readonly unknown[]): Record<string, unknown> => {
    const field = fields.get(name)
    // A model without the field makes only one kind of videos.
    return field ? { [name]: choose(name, field, values) } : {}
  }
  const sound = sounds.find((name) => fields.has(name))
  return {
    prompt,
    ...chosen('duration', durationsOf(fields.get('duration'), seconds)),
    ...chosen('resolution', [resolution, resolution.toUpperCase(), resolution.replace('p', '')]),
    ...chosen('aspect_ratio', [aspectRatio]),
    ...(withAudio !== undefined && sound !== undefined && { [sound]: withAudio }),
    ...(seed !== undefined && fields.has('seed') && { seed }),
    ...picturesIn(order, pictures, fields),
  }
}

/** The forms of a length, the field's own type first. */
function durationsOf(field: InputField | undefined, seconds: number): unknown[] {
  const isNumber = field?.types.some((type) => type === 'integer' || type === 'number')
  return isNumber ? [seconds, String(seconds), `${seconds}s`] : [String(seconds), `${seconds}s`, seconds]
}

function choose(name: string, { choices }: InputField, values: readonly unknown[]): unknown {
  if (!choices) return values[0]
  const found = values.find((value) => choices.includes(value))
  if (found === undefined) throw unable(`This model takes ${name} of ${choices.join(', ')}.`, name)
  return found
}

function picturesIn(
  { referenceMode }: VideoOrder,
  pictures: readonly string[],
  fields: InputFields,
): Record<string, unknown> {
  if (pictures.length === 0) return {}
  const named = (names: readonly string[], what: string): string => {
    const name = names.find((one) => fields.has(one))
    if (name === undefined) throw unable(`This model has no field for ${what}.`, 'references')
    return name
  }
  if (referenceMode === 'guide') return { [named(guides, 'pictures to guide it')]: pictures }
  const [first, last] = pictures
  return {
    [named(firstFrames, 'a first frame')]: first,
    ...(last !== undefined && { [named(lastFrames, 'a last frame')]: last }),
  }
}

const unable = (detail: string, param: string): UpstreamError =>
  new UpstreamError('invalid_request', { executed: false, detail, param })
