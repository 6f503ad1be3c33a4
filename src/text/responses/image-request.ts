/** The image form of the responses wire → the request to the image engine. Everything that can be refused is refused here or by the plan, before any credits are held. */
import { isBlank } from '#core/calls'
import { measure } from '#core/media'
import { type ImageModel, parsePixelSize } from '#core/models'
import { inlineMedia } from '#core/text'
import type { Media } from '#core/turn'
import type { ImageSetting, ImageSpec } from '#media/images'
import { decodeBase64 } from '#platform/bytes'
import { fail } from '#platform/errors'
import { compile } from '#platform/http'
import { exactly, plainly } from '#platform/json'
import { ImageBody, ImageTool } from './image-schema.ts'
import type { ContentPart, InputItem, MessageItem } from './item-schema.ts'
import { reasons } from './phrases.ts'

/** The most characters of instructions and input together. */
const maxPromptCharacters = 32_000
/** Types of reference pictures that image endpoints accept for edits. */
const referenceTypes = ['image/png', 'image/jpeg', 'image/webp']

const checkBody = compile(ImageBody, 'body')

export interface ImageRequest {
  body: ImageBody
  wish: ImageSpec
  /** Fields that were sent and have no effect. */
  ignored: string[]
}

/**
 * Parses an image request, whose schema says more than that of texts. Throws INVALID_REQUEST, FEATURE_NOT_SUPPORTED, INPUT_MODALITY_NOT_SUPPORTED or
 * INVALID_MEDIA.
 */
export function imageRequestOf(given: Record<string, unknown>, model: ImageModel): ImageRequest {
  const sent = plainly(given)
  refuseUnsupported(sent, model)
  checkBody(sent)
  const body = sent as unknown as ImageBody
  const tool = body.tools?.[0]
  if (tool?.model != null && tool.model !== model.id)
    fail('INVALID_REQUEST', { why: reasons.otherImageModel }, { param: 'tools.0.model' })
  const { prompt, references } = inputOf(body, model)
  return {
    body: { ...body, ...(body.metadata && { metadata: exactly(body.metadata) }) },
    wish: { prompt, references, ...settingsOf(tool) },
    ignored: ignoredIn(sent, body),
  }
}

/** Refuses what this wire has and an image model cannot do: it must not be ignored silently. */
function refuseUnsupported(sent: Record<string, unknown>, model: ImageModel): void {
  for (const field of ['previous_response_id', 'conversation', 'prompt'])
    if (sent[field] != null) fail('INVALID_REQUEST', { why: reasons.keepsNothing(field) }, { param: field })
  if (sent['background'] === true)
    fail('INVALID_REQUEST', { why: reasons.noBackground }, { param: 'background' })
  if (sent['web_search'] === true) refuseFeature(model, 'web_search', 'web_search')
  const tools = Array.isArray(sent['tools']) ? (sent['tools'] as Record<string, unknown>[]) : []
  for (const [index, tool] of tools.entries()) {
    if (tool['type'] !== 'image_generation') refuseFeature(model, String(tool['type']), `tools.${index}.type`)
    // Partial pictures are not sent, and no part of a picture can be masked from an edit.
    for (const field of ['partial_images', 'input_image_mask'])
      if (tool[field] != null && tool[field] !== 0) refuseFeature(model, field, `tools.${index}.${field}`)
  }
}

const refuseFeature = (model: ImageModel, feature: string, param: string): never =>
  fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature }, { param })

function settingsOf(tool: Partial<ImageTool> = {}): Omit<ImageSpec, 'prompt' | 'references'> {
  const size = parsePixelSize(tool.size ?? '')
  const [width, height] = (tool.aspect_ratio ?? '').split(':').map(Number)
  const { quality, background } = tool
  return {
    action: tool.action ?? 'auto',
    count: 1,
    ...(size && { size }),
    ...(width && height && { aspectRatio: width / height }),
    fit: tool.fit ?? 'pad',
    ...(quality && quality !== 'auto' && { quality }),
    format: tool.output_format ?? 'png',
    ...(background && background !== 'auto' && { background }),
    where: paramOf,
  }
}

const paramOf = (setting: ImageSetting): string =>
  setting === 'references' || setting === 'count' ? 'input' : `tools.0.${setting}`

function inputOf(body: ImageBody, model: ImageModel): Pick<ImageSpec, 'prompt' | 'references'> {
  const texts = body.instructions ? [body.instructions] : []
  const references: Media[] = []
  if (typeof body.input === 'string') texts.push(body.input)
  else
    for (const [index, item] of body.input.entries())
      readItem(item, `input.${index}`, { texts, references, model })
  const prompt = texts.filter((text) => !isBlank(text)).join('\n\n')
  if (prompt === '') fail('INVALID_REQUEST', { why: reasons.nothingToDraw }, { param: 'input' })
  if ([...prompt].length > maxPromptCharacters)
    fail('INVALID_REQUEST', { why: reasons.longPrompt(maxPromptCharacters) }, { param: 'input' })
  return { prompt, references }
}

interface InputReading {
  texts: string[]
  references: Media[]
  model: ImageModel
}

function readItem(item: InputItem, param: string, reading: InputReading): void {
  if (item.type === 'image_generation_call') {
    reading.references.push(earlierPicture(item as { result?: unknown }, param, reading.model))
    return
  }
  if (item.type !== undefined && item.type !== 'message')
    refuseFeature(reading.model, item.type, `${param}.type`)
  const { content } = item as MessageItem
  if (typeof content === 'string') reading.texts.push(content)
  else for (const [index, part] of content.entries()) readPart(part, `${param}.content.${index}`, reading)
}

function readPart(part: ContentPart, param: string, { texts, references, model }: InputReading): void {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      texts.push(part.text)
      break
    case 'input_image':
      references.push(inputPicture(part.image_url, param, model))
      break
    case 'input_file':
      refuseModality(model, 'file', param)
      break
    case 'refusal':
      break
  }
}

function inputPicture(url: string | null | undefined, param: string, model: ImageModel): Media {
  if (!model.inputModalities.includes('image')) refuseModality(model, 'image', param)
  if (url == null)
    return fail('INVALID_REQUEST', { why: reasons.nothingInside(param, 'image_url') }, { param })
  return inlineMedia(url, referenceTypes, `${param}.image_url`)
}

/** A picture of an earlier answer, sent back. Nothing is stored here, so it must contain the bytes. */
function earlierPicture({ result }: { result?: unknown }, param: string, model: ImageModel): Media {
  if (!model.inputModalities.includes('image')) refuseModality(model, 'image', param)
  const bytes = typeof result === 'string' ? decodeBase64(result) : undefined
  const media = bytes && measure(bytes)
  if (!media?.mediaType || !referenceTypes.includes(media.mediaType))
    return fail('INVALID_REQUEST', { why: reasons.noPicture }, { param: `${param}.result` })
  return media
}

const refuseModality = (model: ImageModel, modality: string, param: string): never =>
  fail(
    'INPUT_MODALITY_NOT_SUPPORTED',
    { model: model.id, modality, supported: model.inputModalities },
    { param },
  )

function ignoredIn(sent: Record<string, unknown>, { tools }: ImageBody): string[] {
  const top = Object.keys(sent).filter((field) => !(field in ImageBody.properties))
  const inTool = Object.keys(tools?.[0] ?? {}).filter((field) => !(field in ImageTool.properties))
  return [...top, ...inTool.map((field) => `tools.0.${field}`)]
}
