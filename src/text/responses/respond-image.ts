/** The image form of the responses wire: one picture, as JSON or as events. */
import {
  answerStored,
  Base64Bytes,
  payment,
  requireMayUse,
  setIgnoredFields,
  settleStored,
} from '#core/calls'
import { type ImageModel, sizeName } from '#core/models'
import { type PaidImage, startPaidImage } from '#media/images'
import { requireScope } from '#platform/auth'
import { errorBody } from '#platform/errors'
import {
  type ContentAnswer,
  type EventStream,
  type EventWriter,
  eventStream,
  type JsonText,
  type RequestContext,
} from '#platform/http'
import type { ResponsesApp } from './app.ts'
import { imageRequestOf } from './image-request.ts'
import {
  drawnItem,
  type ImageOutcome,
  type ImageResponseSpec,
  imageResponse,
  imageUsage,
  itemOf,
} from './image-response.ts'
import type { ImageBody } from './image-schema.ts'
import type { ResponseJson } from './item.ts'

export async function respondImage(
  context: RequestContext<ResponsesApp, Record<string, unknown>>,
  model: ImageModel,
): Promise<JsonText | ContentAnswer | EventStream> {
  const { app, caller } = context
  requireScope(caller, 'studio:write')
  requireMayUse(caller, model)
  const { body, wish, ignored } = imageRequestOf(context.body, model)
  const stream = body.stream === true
  const paid = await startPaidImage(app.images, {
    ...payment(context),
    model,
    spec: wish,
    stream,
    keepDays: 0,
    endpoint: '/v1/responses',
  })
  setIgnoredFields(context, ignored)
  const spec = specOf(context, body, paid)
  return stream
    ? eventStream((out) => streamEvents(context, paid, spec, out))
    : jsonResponse(context, paid, spec)
}

function specOf(
  { app, requestId, receivedMs }: RequestContext<Pick<ResponsesApp, 'clock'>>,
  body: ImageBody,
  paid: PaidImage,
): ImageResponseSpec {
  return {
    body,
    hex: requestId.replaceAll('-', ''),
    createdAt: Math.floor(receivedMs / 1000),
    model: () => paid.model.id,
    settings: () => {
      const { action, format, quality, background, frame, order } = paid.plan
      return {
        action,
        output_format: format,
        quality: quality ?? 'auto',
        background: background ?? 'auto',
        size: sizeName(frame ?? order.size),
      }
    },
    now: () => Math.floor(app.clock.nowMs() / 1000),
  }
}

const jsonResponse = (
  context: RequestContext<unknown>,
  paid: PaidImage,
  spec: ImageResponseSpec,
): Promise<JsonText | ContentAnswer> =>
  answerStored(context, paid, async () => {
    const drawn = await paid.pictures()
    const item = drawnItem(spec, drawn, (bytes) => new Base64Bytes(bytes))
    const outcome = { status: 'completed', item, usage: imageUsage(drawn) } as const
    return { body: imageResponse(spec, outcome), files: drawn.files }
  })

/** The first events are sent at once, since drawing takes long and the client should see progress. */
async function streamEvents(
  context: RequestContext<Pick<ResponsesApp, 'log'>>,
  paid: PaidImage,
  spec: ImageResponseSpec,
  out: EventWriter,
): Promise<void> {
  const events = new ImageEvents(spec, out)
  const drawing = paid.pictures()
  // The promise is awaited below; until then its rejection must not count as unhandled.
  drawing.catch(() => undefined)
  await events.begin()
  const { done, failure } = await settleStored(context, paid, async () => {
    const drawn = await drawing
    return { status: 'completed', item: drawnItem(spec, drawn), usage: imageUsage(drawn) } as const
  })
  if (!failure) return events.complete(done)
  const { code, message } = errorBody(failure, context.requestId, context.language).error
  await events.fail({ code, message })
}

/** Numbers the events without gaps; the last is `[DONE]`. */
class ImageEvents {
  readonly #spec: ImageResponseSpec
  readonly #out: EventWriter
  #sequence = 0

  constructor(spec: ImageResponseSpec, out: EventWriter) {
    this.#spec = spec
    this.#out = out
  }

  async begin(): Promise<void> {
    await this.#response('created', { status: 'in_progress' })
    await this.#response('in_progress', { status: 'in_progress' })
    await this.#send('output_item.added', { output_index: 0, item: itemOf(this.#spec, 'in_progress') })
    await this.#call('in_progress')
    await this.#call('generating')
  }

  async complete(outcome: Extract<ImageOutcome, { status: 'completed' }>): Promise<void> {
    await this.#call('completed')
    await this.#send('output_item.done', { output_index: 0, item: outcome.item })
    await this.#response('completed', outcome)
    await this.#out.send('[DONE]')
  }

  async fail(error: { code: string; message: string }): Promise<void> {
    await this.#response('failed', { status: 'failed', item: itemOf(this.#spec, 'failed'), error })
    await this.#out.send('[DONE]')
  }

  #call(step: string): Promise<void> {
    const item = { item_id: `ig_${this.#spec.hex}`, output_index: 0 }
    return this.#send(`image_generation_call.${step}`, item)
  }

  #response(name: string, outcome: ImageOutcome): Promise<void> {
    return this.#send(name, { response: imageResponse(this.#spec, outcome) })
  }

  async #send(name: string, fields: ResponseJson): Promise<void> {
    if (this.#out.gone.aborted) return
    const type = `response.${name}`
    await this.#out.send(JSON.stringify({ type, sequence_number: this.#sequence++, ...fields }), type)
  }
}
