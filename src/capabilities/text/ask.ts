import { Type } from 'typebox'
import type { App, Caller } from '#app'
import {
  type PaidAsk,
  type PaidTurn,
  startPaidTurn,
  type Turn,
  upstreamFailures,
  type Wire,
} from '#engine/inference'
import type { Model } from '#engine/models'
import type { PaidCall } from '#engine/paid'
import { type FailureCode, fail } from '#platform/errors'
import type { Ask } from '#platform/http'
import type { News } from './budget.ts'
import { nameApplied, nameClamped } from './clamp.ts'
import { reasons } from './words.ts'

/** `X-Customer-ID` and `X-Reference-ID`. */
export const Reference = Type.String({
  maxLength: 120,
  description: 'Your own mark on the receipt and in the usage report; nothing personal.',
  'x-description-fa': 'نشان خودتان روی رسید و گزارش مصرف؛ دادهٔ شخصی نباشد.',
})

export const referenceHeaders = { 'X-Customer-ID': Reference, 'X-Reference-ID': Reference }

/** What a route that answers with a text model can refuse with. */
export const textFailures: FailureCode[] = [
  'MODEL_NOT_FOUND',
  'MODEL_NOT_ALLOWED',
  'MODEL_KIND_MISMATCH',
  'FEATURE_NOT_SUPPORTED',
  'INPUT_MODALITY_NOT_SUPPORTED',
  'INVALID_MEDIA',
  'LINK_NOT_USABLE',
  'REASONING_BUDGET_CONFLICT',
  'REASONING_EFFORT_CONFLICT',
  'REASONING_NOT_SUPPORTED',
  'INSUFFICIENT_CREDITS',
  'BUDGET_EXCEEDED',
  'RATE_LIMITED',
  'CONCURRENCY_LIMITED',
  ...upstreamFailures,
]

/** The text model that is asked for, or the default one. Throws MODEL_NOT_FOUND, MODEL_NOT_ALLOWED or MODEL_KIND_MISMATCH. */
export function textModel(app: App, caller: Caller, id: string | undefined): Model {
  const model = id === undefined ? app.models.defaultText : app.models.find(id)
  if (!model) return fail('MODEL_NOT_FOUND', { model: String(id) }, { param: 'model' })
  if (caller.models && !caller.models.has(model.id))
    fail('MODEL_NOT_ALLOWED', { model: model.id }, { param: 'model' })
  if (model.kind !== 'text')
    fail('MODEL_KIND_MISMATCH', { model: model.id, kind: model.kind }, { param: 'model' })
  return model
}

/** Holds the worst case of the turn for the caller of this request, and says in a header which output limit is applied. */
export async function pay(
  ask: Ask,
  what: Pick<PaidAsk, 'model' | 'turn' | 'tools' | 'showsReasoning' | 'endpoint'>,
): Promise<PaidTurn> {
  const paid = await startPaidTurn(ask.app, { ...what, ...payment(ask) })
  if (paid.maxOutputTokens !== what.turn.requestedOutputTokens)
    ask.setHeader('x-max-output-tokens', String(paid.maxOutputTokens))
  return paid
}

/** Of this request: who pays, under which marks, and who waits. */
export const payment = (ask: Ask): Omit<PaidCall, 'endpoint'> => ({
  caller: ask.caller,
  requestId: ask.requestId,
  receivedMs: ask.receivedMs,
  claim: ask.claim,
  customerId: reference(ask, 'X-Customer-ID'),
  referenceId: reference(ask, 'X-Reference-ID'),
  gone: ask.gone,
  trail: ask.trail,
})

/** Customer and reference ids, at most 120 characters each; UTF-8 is read as such. */
export function reference(
  ask: Pick<Ask, 'headers'>,
  name: keyof typeof referenceHeaders,
): string | undefined {
  const value = ask.headers[name.toLowerCase()]
  if (typeof value !== 'string' || value === '') return undefined
  const text = Buffer.from(value, 'latin1').toString('utf8')
  if ([...text].length > 120) fail('INVALID_REQUEST', { why: reasons.longReference(name) }, { param: name })
  return text
}

/** Which upstreams hear of a field at all; a field that is not named is heard on every wire. */
export type HeardOn = Readonly<Record<string, readonly Wire[]>>

/**
 * Of what was sent that of which no upstream of the model hears, because it speaks another wire: some fields only travel with the
 * body, and a body only goes to an upstream of its own wire. Where tools run here no body travels at all.
 */
export function unheard(
  { deployments }: Model,
  { hosted, source }: Turn,
  body: Readonly<Record<string, unknown>>,
  heardOn: HeardOn,
): string[] {
  const travels = (wire: Wire, wires: readonly Wire[]) =>
    wires.includes(wire) && !(hosted && wires.length === 1 && wire === source.wire)
  const heard = (wires: readonly Wire[]) =>
    // The sandbox names no wires: it takes every body, and does with it what it can.
    deployments.some((deployment) => deployment.wires?.some((wire) => travels(wire, wires)) ?? true)
  return Object.entries(heardOn).flatMap(([field, wires]) =>
    body[field] == null || body[field] === false || heard(wires) ? [] : [field],
  )
}

/** Tells in headers what was not applied as it was sent: `X-Ignored-Fields`, `X-Clamped-Fields`, `X-Mapped-Fields`. */
export function tellNews(ask: Ask, { ignored, clamped, mapped }: News): void {
  nameIgnored(ask, ignored)
  nameClamped(ask, clamped)
  nameApplied(ask, 'x-mapped-fields', mapped)
}

/** Names what was sent and has no effect in the header `X-Ignored-Fields` (decisions §4). */
export function nameIgnored(ask: Ask, fields: readonly string[]): void {
  const named = fields.map((field) => field.replace(/[^\w.-]/g, '?').slice(0, 60)).slice(0, 50)
  if (named.length > 0) ask.setHeader('x-ignored-fields', named.join(', '))
}
