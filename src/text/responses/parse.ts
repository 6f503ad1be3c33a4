/** The responses wire → a neutral turn. Everything that can be refused is refused here, before any credits are held. */

import { maxToolReadBytes, searchTokens } from '#core/metering'
import type { Model } from '#core/models'
import { budgetOf, effortOf, isForeign, maxUses, reasoningSettings, requireFeatures } from '#core/text'
import type { OutputFormat, Reasoning, Tool, Turn } from '#core/turn'
import { fail } from '#platform/errors'
import { type HostedTools, hostedTools } from './hosted.ts'
import { isOurId } from './item.ts'
import type { FunctionCall, InputItem, ReasoningItem } from './item-schema.ts'
import { withTypesOfBytes } from './links.ts'
import { Conversation } from './messages.ts'
import { reasons } from './phrases.ts'
import type { ResponsesBody } from './schema.ts'
import { chooseTools, Toolbox } from './tools.ts'

export interface ParsedResponse {
  turn: Turn
  tools: Toolbox
  hosted: HostedTools
}

/** `defaultOutputTokens`: the output limit of a call that names none. */
export function turnOf(body: ResponsesBody, model: Model, defaultOutputTokens: number): ParsedResponse {
  refuseStoredState(body)
  const box = new Toolbox(body.tools ?? [], model)
  requireFeatures(model, {
    tools: box.tools.length > 0 ? 'tools' : undefined,
    json_schema: body.text?.format?.type === 'json_schema' ? 'text.format' : undefined,
  })
  const hosted = hostedTools(body, box, model)
  const reasoning = reasoningOf(body, model)
  const conversation = conversationOf(body, model, box)
  const { uses, ...chosen } = chooseTools(box, hosted, body.tool_choice, model)
  const sourceWireOnly = ownWireOf(conversation, hosted)
  const turn: Turn = {
    messages: conversation.messages,
    ...chosen,
    ...(uses.length > 0 && {
      hosted: { tools: uses, atLimit: 'answer', ...optionalField('maxUses', body.max_tool_calls) },
    }),
    ...optionalField('parallelToolCalls', body.parallel_tool_calls),
    output: outputOf(body),
    ...optionalField('verbosity', body.text?.verbosity),
    ...optionalField('requestedOutputTokens', body.max_output_tokens),
    defaultOutputTokens,
    maxOutputTokens: 0,
    stop: [],
    ...optionalField('temperature', body.temperature),
    ...optionalField('topP', body.top_p),
    ...optionalField('presencePenalty', body.presence_penalty),
    ...optionalField('frequencyPenalty', body.frequency_penalty),
    ...(reasoning && { reasoning }),
    stream: body.stream === true,
    ...(sourceWireOnly && { sourceWireOnly }),
    passthroughBytes:
      conversation.passthroughBytes + descriptionBytes(body) + unreadToolBytes(box, chosen.tools),
    source: { wire: 'responses', body: upstreamBody(body, model, { box, hosted, reasoning }) },
  }
  if (hosted.native) {
    turn.upstreamSearches = maxSearches(body)
    turn.upstreamRounds = turn.upstreamSearches
    turn.passthroughBytes =
      (turn.passthroughBytes ?? 0) +
      maxToolReadBytes(turn, Array<number>(turn.upstreamSearches).fill(searchTokens))
  }
  return { turn, tools: box, hosted }
}

/** The most uses of an upstream's own search, which is unbounded unless the request bounds it. */
const maxSearches = ({ max_tool_calls: max }: ResponsesBody): number => Math.min(max ?? maxUses, maxUses)

const ownWireOf = ({ sourceWireOnly }: Conversation, { native }: HostedTools): Turn['sourceWireOnly'] =>
  sourceWireOnly ?? (native && { param: native.path, what: native.name })

const optionalField = <Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { [N in Name]?: Value } =>
  (value === null || value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value }

/** Refuses what needs stored answers or answers in the background (contract section 4: not supported). */
function refuseStoredState(body: ResponsesBody): void {
  const fields = body as Record<string, unknown>
  for (const field of ['previous_response_id', 'conversation', 'prompt'])
    if (fields[field] != null) fail('INVALID_REQUEST', { why: reasons.keepsNothing(field) }, { param: field })
  if (fields['background'] === true)
    fail('INVALID_REQUEST', { why: reasons.noBackground }, { param: 'background' })
}

function conversationOf(body: ResponsesBody, model: Model, box: Toolbox): Conversation {
  const conversation = new Conversation(model, box)
  if (body.instructions) conversation.add(message('system', body.instructions), 'instructions')
  if (typeof body.input === 'string') conversation.add(message('user', body.input), 'input')
  else for (const [index, item] of body.input.entries()) conversation.add(item, `input.${index}`)
  return conversation
}

const message = (role: 'system' | 'user', content: string) => ({ type: 'message', role, content })

function outputOf({ text }: ResponsesBody): OutputFormat {
  const format = text?.format
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' }
  return {
    type: 'json_schema',
    name: format.name,
    schema: format.schema,
    strict: format.strict ?? true,
  }
}

/** Bytes of tools that only an upstream of this wire gets: it is sent every tool with every field, also tools that the choice leaves out. */
const unreadToolBytes = ({ functions }: Toolbox, chosen: Tool[]): number =>
  Math.max(0, Buffer.byteLength(JSON.stringify(functions)) - Buffer.byteLength(JSON.stringify(chosen)))

function descriptionBytes({ text }: ResponsesBody): number {
  const format = text?.format
  return format?.type === 'json_schema' ? Buffer.byteLength(format.description ?? '') : 0
}

/** The reasoning settings, or undefined if the request has none; settings without an effort have no meaning for a model without reasoning. */
function reasoningOf(body: ResponsesBody, model: Model): Reasoning | undefined {
  const effort = effortOf(model, body.reasoning_effort, body.reasoning?.effort)
  const limit = { tokens: body.max_output_tokens ?? undefined, name: 'max_output_tokens' }
  const budget = budgetOf(model, 'responses', body, limit)
  if (effort === undefined && (!body.reasoning || !model.features.includes('reasoning'))) return undefined
  return reasoningSettings(true, effort, budget)
}

/** The body for an upstream of this wire: without the contract's own fields, with the tools under the names that the model sees. */
function upstreamBody(
  body: ResponsesBody,
  model: Model,
  { box, hosted, reasoning }: { box: Toolbox; hosted: HostedTools; reasoning: Reasoning | undefined },
): Record<string, unknown> {
  const { include_reasoning: shows, reasoning_effort: _effort, web_search: _search, ...own } = body
  const { reasoning: requested, tools, tool_choice: choice, max_tool_calls: _most, input, ...rest } = own
  const { native } = hosted
  const summary = requested?.summary ?? (shows && model.features.includes('reasoning') ? 'auto' : undefined)
  const settings = { ...optionalField('effort', reasoning?.effort), ...optionalField('summary', summary) }
  const thinks = reasoning !== undefined || model.features.includes('reasoning')
  return {
    ...rest,
    input:
      typeof input === 'string'
        ? input
        : input.filter(isForUpstream).map((item) => withModelName(withTypesOfBytes(item), box)),
    ...((tools || native) && { tools: [...box.functions, ...(native ? [native.tool] : [])] }),
    ...(native && { max_tool_calls: maxSearches(body) }),
    ...(choice != null && { tool_choice: box.upstreamChoice(choice, native) }),
    ...(body.text && { text: strictText(body.text) }),
    ...(thinks && Object.keys(settings).length > 0 && { reasoning: settings }),
  }
}

/** A `strict` that is left out is sent as true, so that it means the same upstream as here (contract section 4). */
function strictText(text: NonNullable<ResponsesBody['text']>): NonNullable<ResponsesBody['text']> {
  const { format } = text
  if (format?.type !== 'json_schema' || format.strict != null) return text
  return { ...text, format: { ...format, strict: true } }
}

/**
 * False for items that an upstream of this wire cannot use: searches that the platform ran, and reasoning with neither this wire's
 * `encrypted_content` nor plain text, which the upstream would look up among its stored answers.
 */
function isForUpstream(item: InputItem): boolean {
  if (item.type === 'web_search_call') return !isOurId((item as { id?: unknown }).id)
  if (item.type !== 'reasoning') return true
  const { encrypted_content: sealed, content } = item as ReasoningItem
  return sealed == null ? (content?.length ?? 0) > 0 : !isForeign(sealed)
}

/** Gives a call of a function inside a namespace the name that the model knows. */
function withModelName(item: InputItem, box: Toolbox): InputItem {
  if (item.type !== 'function_call') return item
  const { namespace, ...call } = item as FunctionCall & InputItem
  return namespace == null ? item : Object.assign(call, { name: box.modelName(call.name, namespace) })
}
