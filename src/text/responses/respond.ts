import type { PaidTurn } from '#core/inference'
import {
  budgetReport,
  payForTurn,
  readMedia,
  respondJson,
  respondStream,
  setFieldHeaders,
  textModel,
  unsupportedFields,
  type WireSupport,
} from '#core/text'
import { requireScope } from '#platform/auth'
import type { ContentAnswer, JsonText, PushReply, RequestContext } from '#platform/http'
import { forwardedFields } from '#providers/responses'
import type { ResponsesApp } from './app.ts'
import { applyCaps, nativeClamped } from './hosted.ts'
import type { ResponseJson } from './item.ts'
import { fillLinks } from './links.ts'
import { type ParsedResponse, turnOf } from './parse.ts'
import { respondImage } from './respond-image.ts'
import type { ResponseSpec } from './response.ts'
import { JsonResponse, ResponseEvents } from './response-answers.ts'
import { ResponsesBody } from './schema.ts'

/** Answers an input with text or, for an image model, with a picture. First the request is checked, then the worst case is held, then the upstream is called. */
export async function respond(
  context: RequestContext<ResponsesApp, ResponsesBody>,
): Promise<JsonText | ContentAnswer | PushReply> {
  const { model: id } = context.body
  const named = id === undefined ? undefined : context.app.models.find(id)
  if (named?.kind === 'image') return respondImage(context, named)
  requireScope(context.caller, 'responses:write')
  const { body, clamped } = applyCaps(context.body)
  const model = textModel(context.app, context.caller, body.model)
  const parsed = turnOf(body, model, defaultOutputTokens(context))
  const turn = await readMedia(context, model, parsed.turn, fillLinks)
  const { showsReasoning } = reasoningVisibility(body)
  const paid = await payForTurn(context, { model, turn, showsReasoning, endpoint: '/v1/responses' })
  const { maxOutputTokens } = paid
  const report = budgetReport(model, turn, { asked: body.reasoning?.max_tokens, maxOutputTokens })
  const ignored = [
    ...ignoredFields(body),
    ...unsupportedFields(model, turn, { ...body, 'text.verbosity': body.text?.verbosity }, wireSupport),
    ...parsed.tools.dropped,
    ...parsed.hosted.ignored,
    ...report.ignored,
  ]
  setFieldHeaders(context, {
    ...report,
    ignored,
    clamped: [...clamped, ...nativeClamped(parsed.hosted, body), ...report.clamped],
  })
  return respondTurn(context, paid, { ...parsed, turn, body })
}

/** The output limit in tokens of a request that names none: the key's setting, else the server's (contract section 4: 2,048). */
export const defaultOutputTokens = ({
  app,
  caller,
}: Pick<RequestContext<Pick<ResponsesApp, 'config'>>, 'app' | 'caller'>): number =>
  caller.responsesMaxOutputTokens ?? app.config.defaults.responsesMaxOutputTokens

export interface AnswerOptions extends ParsedResponse {
  /** The request, parts of which the response repeats. */
  body: ResponsesBody
  /** Fields that replace those of the response. */
  overrides?: () => ResponseJson
}

/** Answers a paid turn as a response, in JSON or as events. */
export function respondTurn(
  context: RequestContext<Pick<ResponsesApp, 'clock' | 'config' | 'log'>>,
  paid: PaidTurn,
  options: AnswerOptions,
): PushReply {
  const spec = specOf(context, options, paid)
  return options.turn.stream
    ? respondStream(context, paid, new ResponseEvents(spec))
    : respondJson(context, paid, new JsonResponse(spec))
}

function reasoningVisibility(
  body: ResponsesBody,
): Pick<ResponseSpec, 'includesReasoning' | 'showsReasoning'> {
  const includesReasoning = body.include_reasoning === true
  return { includesReasoning, showsReasoning: includesReasoning || body.reasoning?.summary != null }
}

const used = new Set([...Object.keys(ResponsesBody.properties), ...forwardedFields])

/** Fields of a responses body that can be sent to upstreams of some wires only. */
const wireSupport: WireSupport = {
  frequency_penalty: ['chat', 'responses'],
  presence_penalty: ['chat', 'responses'],
  'text.verbosity': ['chat', 'responses'],
  min_p: ['responses'],
  prompt_cache_key: ['responses'],
  repetition_penalty: ['responses'],
  safety_identifier: ['responses'],
  seed: ['responses'],
  stop: ['responses'],
  top_k: ['responses'],
  top_logprobs: ['responses'],
  truncation: ['responses'],
  user: ['responses'],
}

/** Fields that were sent and have no effect. */
const ignoredFields = (body: ResponsesBody): string[] => Object.keys(body).filter((field) => !used.has(field))

function specOf(
  { app, requestId, receivedMs }: RequestContext<Pick<ResponsesApp, 'clock'>>,
  { body, tools, hosted, overrides }: AnswerOptions,
  paid: PaidTurn,
): ResponseSpec {
  return {
    body,
    tools,
    hosted,
    ...reasoningVisibility(body),
    searchDetails: {
      sources: body.include?.includes('web_search_call.action.sources') ?? false,
      tool: body.web_search === true,
    },
    hex: requestId.replaceAll('-', ''),
    createdAt: Math.floor(receivedMs / 1000),
    maxOutputTokens: paid.maxOutputTokens,
    model: () => paid.model.id,
    now: () => Math.floor(app.clock.nowMs() / 1000),
    seals: body.include?.includes('reasoning.encrypted_content') ?? false,
    overrides,
  }
}
