import type { PaidTurn } from '#core/inference'
import {
  budgetReport,
  type ModelRequestApp,
  payForTurn,
  readMedia,
  respondJson,
  respondStream,
  setFieldHeaders,
  textModel,
  unsupportedFields,
  type WireSupport,
} from '#core/text'
import type { JsonText, PushReply, RequestContext } from '#platform/http'
import { forwardedFields } from '#providers/chat-completions'
import { ChatChunks } from './chunks.ts'
import { CollectedAnswer, type CompletionHeading, completionOf } from './completion.ts'
import { fillLinks } from './links.ts'
import { turnOf } from './parse.ts'
import { showsReasoning } from './reasoning-details.ts'
import { ChatBody } from './schema.ts'

/** Answers a chat. First the request is checked, then the worst case is held, then the upstream is called. */
export async function complete(
  context: RequestContext<ModelRequestApp, ChatBody>,
): Promise<JsonText | PushReply> {
  const { body } = context
  const model = textModel(context.app, context.caller, body.model)
  const turn = await readMedia(context, model, turnOf(body, model), fillLinks)
  const isShown = showsReasoning(body)
  const paid = await payForTurn(context, {
    model,
    turn,
    showsReasoning: isShown,
    endpoint: '/v1/chat/completions',
  })
  const { maxOutputTokens } = paid
  const report = budgetReport(model, turn, { asked: body.reasoning?.max_tokens, maxOutputTokens })
  const ignored = [
    ...ignoredFields(body),
    ...unsupportedFields(model, turn, body, wireSupport),
    ...report.ignored,
  ]
  setFieldHeaders(context, { ...report, ignored })
  const heading = headingOf(context, paid)
  if (!turn.stream) {
    const collected = new CollectedAnswer(isShown)
    return respondJson(context, paid, {
      add: (part) => collected.add(part),
      body: (bill) => completionOf(heading(), collected, bill),
    })
  }
  const withUsage = body.stream_options?.include_usage === true
  return respondStream(context, paid, new ChatChunks(heading, { showReasoning: isShown, withUsage }))
}

const used = new Set([...Object.keys(ChatBody.properties), ...forwardedFields])

const both = ['chat', 'responses'] as const
/** Fields of a chat body that can be sent to upstreams of some wires only. */
const wireSupport: WireSupport = {
  seed: both,
  frequency_penalty: both,
  presence_penalty: both,
  repetition_penalty: both,
  verbosity: both,
  logprobs: ['chat'],
  top_logprobs: ['chat'],
  logit_bias: ['chat'],
  min_p: ['chat'],
  top_a: ['chat'],
  chat_template_kwargs: ['chat'],
  prompt_cache_key: ['chat'],
  safety_identifier: ['chat'],
  user: ['chat'],
}

/** Fields that were sent and have no effect. */
const ignoredFields = (body: ChatBody): string[] => Object.keys(body).filter((field) => !used.has(field))

function headingOf(context: RequestContext<unknown>, paid: PaidTurn): () => CompletionHeading {
  const id = `chatcmpl-${context.requestId.replaceAll('-', '')}`
  const created = Math.floor(context.receivedMs / 1000)
  return () => ({ id, created, model: paid.model.id })
}
