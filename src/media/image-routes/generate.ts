import { requireModel, unknownFields } from '#core/calls'
import type { ContentAnswer, EventStream, JsonText, RequestContext } from '#platform/http'
import type { ImageRoutesApp } from './app.ts'
import { drawPictures } from './draw.ts'
import { openAiAnswer } from './openai-answer.ts'
import { GenerationBody } from './schema.ts'
import { imageSpecOf, optionsOf } from './wish.ts'

/** Every error of the request is refused first, then the price is held, then the pictures are ordered, once. */
export async function generateImages(
  context: RequestContext<ImageRoutesApp, GenerationBody>,
): Promise<JsonText | ContentAnswer | EventStream> {
  const { body } = context
  const model = requireModel(context, body.model, 'image')
  const { moderation, style } = body
  const { options, ignored } = optionsOf(model, { moderation, style }, ['moderation', 'style'])
  return drawPictures(context, {
    model,
    spec: { ...imageSpecOf(body, []), options },
    endpoint: '/v1/images/generations',
    stream: body.stream === true,
    ignored: [...unknownFields(body, GenerationBody), ...ignored],
    event: 'image_generation',
    ...(await openAiAnswer(context, body)),
  })
}
