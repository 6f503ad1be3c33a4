import { readFile } from 'node:fs/promises'
import { requireModel, unknownFields } from '#core/calls'
import { hasAlpha, uprightPicture } from '#core/media'
import { isSameSize } from '#core/models'
import { mediaOf, pictureMedia } from '#core/text'
import type { Media, PixelSize } from '#core/turn'
import { requireMasks } from '#media/images'
import { fail, type Localized } from '#platform/errors'
import type { ContentAnswer, EventStream, JsonText, RequestContext, Upload } from '#platform/http'
import type { ImageRoutesApp } from './app.ts'
import { drawPictures } from './draw.ts'
import { openAiAnswer } from './openai-answer.ts'
import { reasons } from './phrases.ts'
import { EditForm, referenceBytes } from './schema.ts'
import { imageSpecOf, optionsOf } from './wish.ts'

type EditContext = RequestContext<ImageRoutesApp, unknown, unknown, unknown, EditForm>

/** Draws from pictures that come in a form; otherwise the same as generating. */
export async function editImages(context: EditContext): Promise<JsonText | ContentAnswer | EventStream> {
  const upload = context.upload!
  const { fields } = upload
  const model = requireModel(context, fields.model, 'image')
  const maskFile = upload.files.find(({ part }) => part === 'mask')
  if (maskFile) requireMasks(model, 'mask')
  const references = await picturesOf(context, upload)
  const mask = maskFile && (await maskOf(maskFile.path, references[0]!))
  if (mask) references[0] = await uprightPicture(references[0]!)
  const { options, ignored } = optionsOf(model, fields, ['input_fidelity'])
  const places = { references: 'image', action: 'image' }
  return drawPictures(context, {
    model,
    spec: { ...imageSpecOf(fields, references, places), ...(mask && { mask }), action: 'edit', options },
    endpoint: '/v1/images/edits',
    stream: fields.stream === true,
    ignored: [...unknownFields(fields, EditForm), ...ignored],
    event: 'image_edit',
    ...(await openAiAnswer(context, fields)),
  })
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/webp']

/**
 * The pictures of the form, read one after the other from the disk into memory that is reserved for them, and for what those have more that are
 * encoded here.
 */
async function picturesOf(context: EditContext, { files }: Upload): Promise<Media[]> {
  const { accountId } = context.caller
  const pictures = files.filter(({ part }) => part === 'image')
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const media: Media[] = []
  for (const [index, file] of pictures.entries()) {
    const param = pictures.length === 1 ? 'image' : `image.${index}`
    const picture = await pictureMedia(await readFile(file.path), { types: pictureTypes, param, accountId })
    bytes += picture.data!.length - file.bytes
    if (bytes > referenceBytes)
      fail('INVALID_MEDIA', { why: reasons.largeTogether(referenceBytes) }, { param })
    await context.reserveMemory(bytes)
    media.push(picture)
  }
  return media
}

/** The mask, which is held to OpenAI's rules whoever draws: a PNG with an alpha channel, of the size of the first picture. Throws INVALID_MEDIA. */
async function maskOf(path: string, picture: Media): Promise<Media> {
  const mask = mediaOf(await readFile(path), ['image/png'], 'mask')
  const refuse = (why: Localized): never => fail('INVALID_MEDIA', { why }, { param: 'mask' })
  if (!hasAlpha(mask.data!)) return refuse(reasons.noAlpha)
  const [own, other] = [mask, picture] as [PixelSize, PixelSize]
  return isSameSize(own, other) ? mask : refuse(reasons.maskSize(own, other))
}
