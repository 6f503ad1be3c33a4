import type { App, Caller } from '#app'
import { type PaidTurn, type Part, startPaidTurn } from '#engine/inference'
import type { Model } from '#engine/models'
import { asFailure, errorBody, fail } from '#platform/errors'
import { type Ask, type EventStream, type EventWriter, eventStream, JsonText } from '#platform/http'
import { replayLimitBytes } from '#platform/idempotency'
import { forwardedFields } from '#providers/chat-completions'
import { Chunks } from './chunks.ts'
import { completionOf, Gathered, type Heading } from './completion.ts'
import { turnOf } from './parse.ts'
import { ChatBody } from './schema.ts'
import { reasons } from './words.ts'

/** Answers a chat: everything wrong is refused first, then the worst case is held, then the upstream is asked. */
export async function complete(ask: Ask<ChatBody>): Promise<JsonText | EventStream> {
  const { app, body } = ask
  const model = modelFor(app, ask.caller, body.model)
  const turn = turnOf(body, model)
  const paid = await startPaidTurn(app, {
    caller: ask.caller,
    model,
    turn,
    showsReasoning: showsReasoning(body),
    endpoint: '/v1/chat/completions',
    requestId: ask.requestId,
    receivedMs: ask.receivedMs,
    claim: ask.claim,
    customerId: reference(ask, 'x-customer-id'),
    referenceId: reference(ask, 'x-reference-id'),
    gone: ask.gone,
    trail: ask.trail,
  })
  if (paid.maxOutputTokens !== turn.requestedOutputTokens)
    ask.setHeader('x-max-output-tokens', String(paid.maxOutputTokens))
  const ignored = ignoredFields(body)
  if (ignored.length > 0) ask.setHeader('x-ignored-fields', ignored.join(', '))
  return turn.stream ? answerInChunks(ask, paid) : answerWhole(ask, paid)
}

function modelFor(app: App, caller: Caller, id: string | undefined): Model {
  const model = id === undefined ? app.models.defaultText : app.models.find(id)
  if (!model) return fail('MODEL_NOT_FOUND', { model: String(id) }, { param: 'model' })
  if (caller.models && !caller.models.has(model.id))
    fail('MODEL_NOT_ALLOWED', { model: model.id }, { param: 'model' })
  if (model.kind !== 'text')
    fail('MODEL_KIND_MISMATCH', { model: model.id, kind: model.kind }, { param: 'model' })
  return model
}

/** Customer and reference ids, at most 120 characters each; UTF-8 is read as such. */
function reference(ask: Ask, header: 'x-customer-id' | 'x-reference-id'): string | undefined {
  const value = ask.headers[header]
  if (typeof value !== 'string' || value === '') return undefined
  const text = Buffer.from(value, 'latin1').toString('utf8')
  const name = header === 'x-customer-id' ? 'X-Customer-ID' : 'X-Reference-ID'
  if ([...text].length > 120) fail('INVALID_REQUEST', { why: reasons.longReference(name) }, { param: name })
  return text
}

const used = new Set([...Object.keys(ChatBody.properties), ...forwardedFields])

/** Fields that were sent and have no effect, for the header that names them. */
const ignoredFields = (body: ChatBody): string[] =>
  Object.keys(body)
    .filter((field) => !used.has(field))
    .map((field) => field.replace(/[^\w.-]/g, '?').slice(0, 60))
    .slice(0, 50)

const headingOf = (ask: Ask<ChatBody>, paid: PaidTurn): Heading => ({
  id: `chatcmpl-${ask.requestId.replaceAll('-', '')}`,
  created: Math.floor(ask.receivedMs / 1000),
  model: paid.model.id,
})

const showsReasoning = ({ include_reasoning: include, reasoning }: ChatBody): boolean =>
  include === true && reasoning?.exclude !== true

async function answerWhole(ask: Ask<ChatBody>, paid: PaidTurn): Promise<JsonText> {
  const gathered = new Gathered(showsReasoning(ask.body))
  try {
    for await (const part of paid.parts()) gathered.add(part)
  } catch (error) {
    const failure = asFailure(error)
    await paid.finish({ statusCode: failure.status, failure, undelivered: true })
    throw failure
  }
  const text = JSON.stringify(completionOf(headingOf(ask, paid), gathered, paid.usage()))
  const settled = paid.finish({
    statusCode: 200,
    ...(Buffer.byteLength(text) < replayLimitBytes && { reply: text }),
  })
  // A repeat that follows the answer must find it stored; others need not wait for their settlement.
  if (ask.claim) await settled
  return new JsonText(text)
}

async function answerInChunks(ask: Ask<ChatBody>, paid: PaidTurn): Promise<EventStream> {
  const withUsage = ask.body.stream_options?.include_usage === true
  const { id, created } = headingOf(ask, paid)
  const chunks = new Chunks(() => ({ id, created, model: paid.model.id }), {
    showReasoning: showsReasoning(ask.body),
    withUsage,
  })
  const texts = chunkTexts(paid.parts(), chunks)
  const first = texts.next()
  try {
    // A failure before there is anything to show is still an HTTP error with its own status.
    await Promise.race([first, delay(ask.app.config.timing.streamOpenMs, first)])
  } catch (error) {
    const failure = asFailure(error)
    await paid.finish({ statusCode: failure.status, failure, undelivered: true })
    throw failure
  }
  return eventStream((out) => writeChunks(ask, paid, chunks, first, texts, out))
}

/** The chunks that the caller is to see, of all the parts there are. */
async function* chunkTexts(
  parts: AsyncIterable<Part>,
  chunks: Chunks,
): AsyncGenerator<string, void, undefined> {
  for await (const part of parts) {
    const chunk = chunks.of(part)
    if (chunk !== undefined) yield chunk
  }
}

function delay(ms: number, unless: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const stop = (): void => clearTimeout(timer)
    unless.then(stop, stop)
  })
}

type Next = IteratorResult<string, void>

async function writeChunks(
  ask: Ask<ChatBody>,
  paid: PaidTurn,
  chunks: Chunks,
  first: Promise<Next>,
  texts: AsyncGenerator<string, void, undefined>,
  out: EventWriter,
): Promise<void> {
  try {
    for (let next = await first; !next.done; next = await texts.next()) {
      if (out.gone.aborted) continue
      const slow = out.send(next.value)
      if (slow) await slow
    }
    await out.send(chunks.end())
    if (chunks.withUsage) await out.send(chunks.usage(paid.usage()))
    await out.send('[DONE]')
    void paid.finish({ statusCode: 200 })
  } catch (error) {
    const failure = asFailure(error)
    if (failure.code === 'INTERNAL')
      ask.app.log.error({ err: failure.cause, request_id: ask.requestId }, 'a chat stream broke')
    await out.send(JSON.stringify(streamError(ask, failure)))
    await out.send('[DONE]')
    void paid.finish({ statusCode: failure.status, failure, undelivered: !chunks.opened })
  }
}

/** The dialect's error event; `param` is always present there. */
function streamError(ask: Ask<ChatBody>, failure: ReturnType<typeof asFailure>): Record<string, unknown> {
  const { error } = errorBody(failure, ask.requestId, ask.language)
  return { error: { ...error, param: error.param ?? null } }
}
