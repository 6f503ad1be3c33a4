import {
  modelFailures,
  payer,
  paymentFailures,
  requireModel,
  setAppliedFields,
  setIgnoredFields,
} from '#core/calls'
import { type PaidTurn, type PaidTurnOptions, startPaidTurn, upstreamFailures } from '#core/inference'
import type { Model } from '#core/models'
import type { Turn, Wire } from '#core/turn'
import type { Caller } from '#platform/auth'
import type { FailureCode } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import type { ModelRequestApp } from './app.ts'
import type { FieldReport } from './budget.ts'
import './phrases.ts'

/** Error codes of every route that answers with a text model. */
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

/** The text model that the request names, or the default one. Throws MODEL_NOT_FOUND, MODEL_NOT_ALLOWED or MODEL_KIND_MISMATCH. */
export const textModel = (
  app: Pick<ModelRequestApp, 'models'>,
  caller: Caller,
  id: string | undefined,
): Model => requireModel({ app, caller }, id ?? app.models.defaults.text.id, 'text')

/** Holds the worst case of the turn for the caller of this request, and reports the applied output limit in the header `X-Max-Output-Tokens` if it differs from the requested one. */
export async function payForTurn(
  context: RequestContext<Pick<ModelRequestApp, 'turns'>>,
  what: Pick<PaidTurnOptions, 'model' | 'turn' | 'tools' | 'showsReasoning' | 'endpoint'>,
): Promise<PaidTurn> {
  const paid = await startPaidTurn(context.app.turns, { ...what, ...payer(context) })
  if (paid.maxOutputTokens !== what.turn.requestedOutputTokens)
    context.setHeader('x-max-output-tokens', String(paid.maxOutputTokens))
  return paid
}

/** The wires on which a field can be sent to an upstream; a field that is not listed can be sent on every wire. */
export type WireSupport = Readonly<Record<string, readonly Wire[]>>

/**
 * The fields of the body that reach no upstream of the model because those upstreams speak other wires: some fields are sent only as
 * part of the caller's body, and the body is sent only to upstreams of the same wire. If hosted tools run here, the caller's body is
 * not sent at all.
 */
export function unsupportedFields(
  { deployments }: Model,
  { hosted, source }: Turn,
  body: Readonly<Record<string, unknown>>,
  wireSupport: WireSupport,
): string[] {
  const travels = (wire: Wire, wires: readonly Wire[]) =>
    wires.includes(wire) && !(hosted && wires.length === 1 && wire === source.wire)
  const isSent = (wires: readonly Wire[]) =>
    // The sandbox lists no wires: it accepts every body and uses what it can.
    deployments.some((deployment) => deployment.wires?.some((wire) => travels(wire, wires)) ?? true)
  const unsupported: string[] = []
  for (const field in wireSupport)
    if (body[field] != null && body[field] !== false && !isSent(wireSupport[field]!)) unsupported.push(field)
  return unsupported
}

/** Reports in headers what was not applied as it was sent: `X-Ignored-Fields`, `X-Clamped-Fields`, `X-Mapped-Fields`. */
export function setFieldHeaders(
  context: Pick<RequestContext<unknown>, 'setHeader'>,
  { ignored, clamped, mapped }: FieldReport,
): void {
  setIgnoredFields(context, ignored)
  setAppliedFields(context, 'x-clamped-fields', clamped)
  setAppliedFields(context, 'x-mapped-fields', mapped)
}
