/** The order that all images routes share: its answer is one JSON body, or events of which the last one has the picture. */
import { answerStored, payment, setIgnoredFields, setMissingOutputs, settleStored } from '#core/calls'
import { encodeBase64 } from '#core/media'
import type { ImageModel } from '#core/models'
import {
  type ImageSpec,
  type PaidImage,
  type PaidPictures,
  type Picture,
  type ShowPartial,
  startPaidImage,
} from '#media/images'
import { errorBody } from '#platform/errors'
import {
  type ContentAnswer,
  type EventStream,
  type EventWriter,
  eventStream,
  type JsonText,
  type RequestContext,
} from '#platform/http'
import type { ImageRoutesApp } from './app.ts'

export interface ImageReplyOptions {
  model: ImageModel
  spec: ImageSpec
  endpoint: string
  stream: boolean
  /** Fields of the request that have no effect. */
  ignored: readonly string[]
  /** The answer as one body. */
  bodyOf(paid: PaidImage, drawn: PaidPictures): unknown
  /** The type of the events. */
  event: 'image_generation' | 'image_edit'
  /** The event of an unfinished picture, without the bytes and its index. */
  partialOf(paid: PaidImage, picture: Picture): object
  /** The last event, without the bytes. */
  lastOf(paid: PaidImage, drawn: PaidPictures): object
}

export async function drawPictures(
  context: RequestContext<Pick<ImageRoutesApp, 'images' | 'log'>>,
  options: ImageReplyOptions,
): Promise<JsonText | ContentAnswer | EventStream> {
  const { model, spec, stream, endpoint, ignored, bodyOf } = options
  const paid = await startPaidImage(context.app.images, {
    ...payment(context),
    model,
    spec,
    stream,
    endpoint,
  })
  setIgnoredFields(context, ignored)
  if (stream) return eventStream((out) => sendEvents(context, paid, options, out))
  return answerStored(context, paid, async () => {
    const drawn = await paid.pictures()
    setMissingOutputs(context, spec.count - drawn.pictures.length)
    return { body: bodyOf(paid, drawn), files: drawn.files }
  })
}

/** Sends the events. Unfinished pictures are sent where the upstream gives any; none is made up. */
async function sendEvents(
  context: RequestContext<Pick<ImageRoutesApp, 'log'>>,
  paid: PaidImage,
  { event, partialOf, lastOf }: ImageReplyOptions,
  out: EventWriter,
): Promise<void> {
  const show: ShowPartial = (picture, index) => {
    const type = `${event}.partial_image`
    const partial = { type, b64_json: encodeBase64(picture.bytes), partial_image_index: index }
    // The sending is not awaited: a caller who reads slowly holds nothing up.
    void out.send(JSON.stringify({ ...partial, ...partialOf(paid, picture) }), type)
  }
  const { done, failure } = await settleStored(context, paid, () => paid.pictures(show))
  if (failure) {
    const { error } = errorBody(failure, context.requestId, context.language)
    return out.send(JSON.stringify({ type: 'error', error }), 'error')
  }
  const type = `${event}.completed`
  const [picture] = done.pictures
  const last = { type, b64_json: encodeBase64(picture!.bytes), ...lastOf(paid, done) }
  await out.send(JSON.stringify(last), type)
}
