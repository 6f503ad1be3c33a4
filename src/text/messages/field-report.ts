/** Which fields of a body are not applied as they were sent, and the report of them in headers. */
import type { AppliedField } from '#core/calls'
import type { Model } from '#core/models'
import {
  budgetReport,
  clampTools,
  type FieldReport,
  requireFeatures,
  unsupportedFields,
  type WireSupport,
} from '#core/text'
import type { Turn } from '#core/turn'
import { fail } from '#platform/errors'
import { forwardedFields } from '#providers/messages'
import { reasons } from './phrases.ts'
import { serviceToolOf } from './request/hosted-tools.ts'
import type { MessagesBody } from './request/schema.ts'

/** The body with the caps of hosted tools applied, and the values that were lowered. */
export function applyCaps(body: MessagesBody): { body: MessagesBody; clamped: AppliedField[] } {
  const { tools, clamped } = clampTools(body.tools ?? [], (tool) => serviceToolOf(tool) !== undefined)
  return { body: clamped.length === 0 ? body : { ...body, tools: [...tools] }, clamped }
}

/** Moves the older field `output_format` to its current name, `output_config.format`. Throws FEATURE_NOT_SUPPORTED, and INVALID_REQUEST if both are present. */
export function withCurrentNames(body: MessagesBody, model: Model): MessagesBody {
  const { output_format: format, ...rest } = body
  if (format == null) return rest
  const param = 'output_format'
  if (body.output_config?.format) fail('INVALID_REQUEST', { why: reasons.twoFormats }, { param })
  requireFeatures(model, { json_schema: param })
  return { ...rest, output_config: { ...body.output_config, format } }
}

/** Fields of a messages body that can be sent to upstreams of some wires only. */
const wireSupport: WireSupport = {
  cache_control: ['messages'],
  context_management: ['messages'],
  metadata: ['messages'],
  'output_config.effort': ['messages'],
}

/** Fields that are sent to no upstream, because they would change the price or need data stored there. */
const ignoredFields = (body: MessagesBody): string[] =>
  Object.keys(body).filter((field) => !forwardedFields.has(field))

/** The report for a request; `body` is the body as it is applied. */
export function fieldReportOf(
  { body, model, turn, clamped }: { body: MessagesBody; model: Model; turn: Turn; clamped: AppliedField[] },
  maxOutputTokens: number,
): FieldReport {
  // If the model has efforts, the requested one has been checked to be among them, and it can be sent on every wire.
  const effort = model.supportedEfforts.length === 0 ? body.output_config?.effort : undefined
  const { thinking } = body
  const budget = budgetReport(model, turn, {
    asked: thinking?.type === 'enabled' ? thinking.budget_tokens : undefined,
    maxOutputTokens,
    param: 'thinking.budget_tokens',
    effortParam: 'output_config.effort',
  })
  return {
    ignored: [
      ...ignoredFields(body),
      ...unsupportedFields(model, turn, { ...body, 'output_config.effort': effort }, wireSupport),
      ...budget.ignored,
    ],
    clamped: [...clamped, ...budget.clamped],
    mapped: budget.mapped,
  }
}
