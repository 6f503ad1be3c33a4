/** What of a body is applied otherwise than it was sent, and what its caller is told of that. */
import type { Applied } from '#capabilities/calls'
import {
  budgetNews,
  clampTools,
  type FieldReport,
  requireFeatures,
  unsupportedFields,
  type WireSupport,
} from '#capabilities/text'
import type { Model } from '#engine/models'
import type { Turn } from '#engine/turn'
import { fail } from '#platform/errors'
import { forwardedFields } from '#providers/messages'
import { reasons } from './phrases.ts'
import { serviceToolOf } from './request/hosted-tools.ts'
import type { MessagesBody } from './request/schema.ts'

/** The body as it is applied, whatever wire it goes out by. */
export function withinCaps(body: MessagesBody): { body: MessagesBody; clamped: Applied[] } {
  const { tools, clamped } = clampTools(body.tools ?? [], (tool) => serviceToolOf(tool) !== undefined)
  return { body: clamped.length === 0 ? body : { ...body, tools: [...tools] }, clamped }
}

/** The older `output_format` under its present name. Throws FEATURE_NOT_SUPPORTED, and INVALID_REQUEST where both names are there. */
export function inNewWords(body: MessagesBody, model: Model): MessagesBody {
  const { output_format: format, ...rest } = body
  if (format == null) return rest
  const param = 'output_format'
  if (body.output_config?.format) fail('INVALID_REQUEST', { why: reasons.twoFormats }, { param })
  requireFeatures(model, { json_schema: param })
  return { ...rest, output_config: { ...body.output_config, format } }
}

/** What of a message means nothing to a model whose upstream speaks another wire. */
const heardOn: WireSupport = {
  cache_control: ['messages'],
  context_management: ['messages'],
  metadata: ['messages'],
  'output_config.effort': ['messages'],
}

/** Fields that go to no upstream: they would change the price, or rest on what it keeps. */
const ignoredFields = (body: MessagesBody): string[] =>
  Object.keys(body).filter((field) => !forwardedFields.has(field))

/** `body` as it is applied. */
export function fieldReportOf(
  { body, model, turn, clamped }: { body: MessagesBody; model: Model; turn: Turn; clamped: Applied[] },
  maxOutputTokens: number,
): FieldReport {
  // Where a model has efforts, this one is among them and heard on every wire.
  const effort = model.supportedEfforts.length === 0 ? body.output_config?.effort : undefined
  const { thinking } = body
  const budget = budgetNews(model, turn, {
    asked: thinking?.type === 'enabled' ? thinking.budget_tokens : undefined,
    maxOutputTokens,
    param: 'thinking.budget_tokens',
    effortParam: 'output_config.effort',
  })
  return {
    ignored: [
      ...ignoredFields(body),
      ...unsupportedFields(model, turn, { ...body, 'output_config.effort': effort }, heardOn),
      ...budget.ignored,
    ],
    clamped: [...clamped, ...budget.clamped],
    mapped: budget.mapped,
  }
}
