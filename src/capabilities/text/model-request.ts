import type { App, Caller } from '#app'
import {
  modelFailures,
  payment,
  paymentFailures,
  requireModel,
  setAppliedFields,
  setIgnoredFields,
} from '#capabilities/calls'
import { type PaidOptions, type PaidTurn, startPaidTurn, upstreamFailures } from '#engine/inference'
import type { Model } from '#engine/models'
import type { Turn, Wire } from '#engine/turn'
import type { FailureCode } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import type { FieldReport } from './budget.ts'
import './phrases.ts'

/** What a route that answers with a text model can refuse with. */
export const textFailures: FailureCode[] = [
  ...modelFailures,
  'FEATURE_NOT_SUPPORTED',
  'INPUT_MODALITY_NOT_SUPPORTED',
  'INVALID_MEDIA',
  'LINK_NOT_USABLE',
  'REASONING_BUDGET_CONFLICT',
  'REASONING_EFFORT_CONFLICT',
  'REASONING_NOT_SUPPORTED',
  ...paymentFailures,
  ...upstreamFailures,
]

/** The text model that is asked for, or the default one. Throws MODEL_NOT_FOUND, MODEL_NOT_ALLOWED or MODEL_KIND_MISMATCH. */
export const textModel = (app: App, caller: Caller, id: string | undefined): Model =>
  requireModel({ app, caller }, id ?? app.models.defaultText.id, 'text')

/** Holds the worst case of the turn for the caller of this request, and says in a header which output limit is applied. */
export async function pay(
  context: RequestContext,
  what: Pick<PaidOptions, 'model' | 'turn' | 'tools' | 'showsReasoning' | 'endpoint'>,
): Promise<PaidTurn> {
  const paid = await startPaidTurn(context.app, { ...what, ...payment(context) })
  if (paid.maxOutputTokens !== what.turn.requestedOutputTokens)
    context.setHeader('x-max-output-tokens', String(paid.maxOutputTokens))
  return paid
}

/** Which upstreams hear of a field at all; a field that is not named is heard on every wire. */
export type WireSupport = Readonly<Record<string, readonly Wire[]>>

/**
 * Of what was sent that of which no upstream of the model hears, because it speaks another wire: some fields only travel with the
 * body, and a body only goes to an upstream of its own wire. Where tools run here no body travels at all.
 */
export function unsupportedFields(
  { deployments }: Model,
  { hosted, source }: Turn,
  body: Readonly<Record<string, unknown>>,
  heardOn: WireSupport,
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
export function setFieldHeaders(context: RequestContext, { ignored, clamped, mapped }: FieldReport): void {
  setIgnoredFields(context, ignored)
  setAppliedFields(context, 'x-clamped-fields', clamped)
  setAppliedFields(context, 'x-mapped-fields', mapped)
}
