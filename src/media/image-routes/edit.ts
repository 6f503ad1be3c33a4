import { readFile } from 'node:fs/promises'
import { requireModel, unknownFields } from '#core/calls'
import { mediaOf } from '#core/text'
import type { Media } from '#core/turn'
import { fail, type Localized } from '#platform/errors'
import type { ContentAnswer, EventStream, JsonText, RequestContext, Upload } from '#platform/http'
import type { ImageRoutesApp } from './app.ts'
import { drawPictures } from './draw.ts'
import { openAiAnswer } from './openai-answer.ts'
import { reasons } from './phrases.ts'
import { EditForm } from './schema.ts'
import { imageSpecOf } from './wish.ts'

/** Draws from pictures that come in a form; otherwise the same as generating. */
export async function editImages(
  context: RequestContext<ImageRoutesApp, unknown, unknown, unknown, EditForm>,
): Promise<JsonText | ContentAnswer | EventStream> {
  const upload = context.upload!
  const { fields } = upload
  const model = requireModel(context, fields.model, 'image')
  requireKnownWays(upload)
  const places = { references: 'image', action: 'image' }
  return drawPictures(context, {
    model,
    spec: { ...imageSpecOf(fields, await picturesOf(upload), places), action: 'edit' },
    endpoint: '/v1/images/edits',
    stream: fields.stream === true,
    ignored: unknownFields(fields, EditForm),
    event: 'image_edit',
    ...(await openAiAnswer(context, fields)),
  })
}

/** Refuses the settings that would change the picture and that no model supports. */
function requireKnownWays({ fields, files }: Upload<EditForm>): void {
  const refuse = (why: Localized, param: string) => fail('INVALID_REQUEST', { why }, { param })
  const mask = files.find(({ part }) => part !== 'image')
  if (mask) refuse(reasons.noMask, mask.part)
  if (fields.input_fidelity === 'high') refuse(reasons.lowFidelity, 'input_fidelity')
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/webp']

/** The pictures of the form, read one after the other from the disk into memory that is reserved for them. */
async function picturesOf({ files }: Upload): Promise<Media[]> {
  const media: Media[] = []
  for (const [index, { path }] of files.entries())
    media.push(mediaOf(await readFile(path), pictureTypes, files.length === 1 ? 'image' : `image.${index}`))
  return media
}
