/** The chat wire → a neutral turn. Everything that can be refused is refused here, before any credits are held. */

import type { Model } from '#core/models'
import {
  budgetOf,
  effortOf,
  fileModality,
  reasoningSettings,
  reasons,
  requireFeatures,
  requireModality,
} from '#core/text'
import type { Message, MessageContent, Modality, OutputFormat, Reasoning, ToolChoice, Turn } from '#core/turn'
import { fail } from '#platform/errors'
import { contentOf, upstreamParts, withTypesOfBytes } from './media.ts'
import {
  reasoningOf as earlierReasoning,
  extraReasoningBytes,
  withWholeDetails,
} from './reasoning-details.ts'
import type { ChatBody, ChatContentPart, ChatMessage } from './schema.ts'

export function turnOf(sent: ChatBody, model: Model): Turn {
  const body = { ...sent, messages: withWholeDetails(sent.messages) }
  const files: ReadFiles = new Map()
  const messages = body.messages.map((message, index) =>
    messageOf(message, `messages.${index}`, model, files),
  )
  requireFeatures(model, {
    tools: body.tools && body.tools.length > 0 ? 'tools' : undefined,
    json_schema: body.response_format?.type === 'json_schema' ? 'response_format' : undefined,
  })
  const limit = limitOf(body)
  const reasoning = reasoningOf(body, model, limit)
  return {
    messages,
    tools: (body.tools ?? []).map(({ function: tool }) => ({
      name: tool.name,
      parameters: tool.parameters,
      ...(tool.description !== undefined && { description: tool.description }),
      ...(typeof tool.strict === 'boolean' && { strict: tool.strict }),
    })),
    toolChoice: toolChoiceOf(body),
    ...optionalField('parallelToolCalls', body.parallel_tool_calls),
    output: outputOf(body),
    ...verbosityOf(body),
    ...(limit !== undefined && { requestedOutputTokens: limit }),
    maxOutputTokens: 0,
    stop: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []),
    ...optionalField('temperature', body.temperature),
    ...optionalField('topP', body.top_p),
    ...optionalField('topK', body.top_k),
    ...optionalField('seed', body.seed),
    ...optionalField('frequencyPenalty', body.frequency_penalty),
    ...optionalField('presencePenalty', body.presence_penalty),
    ...optionalField('repetitionPenalty', body.repetition_penalty),
    ...(reasoning && { reasoning }),
    stream: body.stream === true,
    passthroughBytes: passthroughBytes(body),
    source: { wire: 'chat', body: upstreamBody(body, files) },
  }
}

/** What was read of the `file` parts of a body that are no PDFs. */
type ReadFiles = Map<ChatContentPart, MessageContent>

/**
 * The body for an upstream of this wire, in which media are what their bytes are, and files stand as upstreams know them. A `strict` that is left out is
 * sent as true, so that it means the same there as here (contract section 4).
 */
function upstreamBody(sent: ChatBody, files: ReadFiles): Record<string, unknown> {
  const messages = withTypesOfBytes(sent.messages.map((message) => withFiles(message, files)))
  const body = { ...sent, messages }
  const format = body.response_format
  if (format?.type !== 'json_schema' || format.json_schema.strict != null) return body
  return { ...body, response_format: { ...format, json_schema: { ...format.json_schema, strict: true } } }
}

const withFiles = (message: ChatMessage, files: ReadFiles): ChatMessage =>
  Array.isArray(message.content)
    ? { ...message, content: message.content.flatMap((part) => upstreamParts(part, files.get(part))) }
    : message

/** `verbosity` is not a field of the contract, so the schema has not checked it. */
function verbosityOf(body: ChatBody): Pick<Turn, 'verbosity'> {
  const { verbosity } = body as { verbosity?: unknown }
  return typeof verbosity === 'string' ? { verbosity } : {}
}

const optionalField = <Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { [N in Name]?: Value } =>
  (value === null || value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value }

const neutralFields = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'tool_calls',
  'tool_call_id',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
])

/** Bytes that are sent upstream unchanged although no neutral field holds them: a model may read them, so the hold must cover them. */
function passthroughBytes(body: ChatBody): number {
  let bytes = jsonBytes(body['chat_template_kwargs' as keyof ChatBody])
  if (body.response_format?.type === 'json_schema')
    bytes += jsonBytes(body.response_format.json_schema.description)
  for (const message of body.messages) {
    for (const name in message)
      if (!neutralFields.has(name)) bytes += jsonBytes(message[name as keyof ChatMessage])
    bytes += extraReasoningBytes(message)
    if (Array.isArray(message.content)) {
      for (const part of message.content) if (part.type === 'refusal') bytes += jsonBytes(part.refusal)
    }
    for (const { id, type, function: called, ...rest } of message.tool_calls ?? []) bytes += jsonBytes(rest)
  }
  return bytes
}

const jsonBytes = (value: unknown): number =>
  value === undefined || value === null
    ? 0
    : Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))

function limitOf(body: ChatBody): number | undefined {
  const limits = [body.max_tokens, body.max_completion_tokens].filter((limit) => typeof limit === 'number')
  return limits.length === 0 ? undefined : Math.min(...limits)
}

function messageOf(message: ChatMessage, param: string, model: Model, files: ReadFiles): Message {
  return {
    role: message.role,
    content: [...earlierReasoning(message), ...contentsOf(message, param, model, files)],
    ...optionalField('name', message.name),
    ...optionalField('refusal', message.refusal),
    ...optionalField('toolCallId', message.tool_call_id),
    ...(message.tool_calls && {
      toolCalls: message.tool_calls.map((call) => ({
        id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
      })),
    }),
  }
}

function contentsOf(message: ChatMessage, param: string, model: Model, files: ReadFiles): Message['content'] {
  const { content } = message
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.flatMap((part, index) => {
    const at = `${param}.content.${index}`
    const modality = modalityOf[part.type]
    if (modality !== undefined) {
      requireUser(message, modality, at)
      requireModality(model, neededFor(part, modality), at)
    }
    const contents = contentOf(part, at)
    const [first] = contents
    if (part.type === 'file' && first && !isPdf(first)) files.set(part, first)
    return contents
  })
}

const isPdf = (content: MessageContent): boolean => content.type === 'document' && 'media' in content

const modalityOf: Record<string, Modality | undefined> = {
  image_url: 'image',
  input_audio: 'audio',
  video_url: 'video',
  file: 'file',
}

/** A file needs what it holds: a text is read by every model. */
const neededFor = (part: ChatContentPart, modality: Modality): Modality =>
  part.type === 'file' ? fileModality(part.file.file_data) : modality

function requireUser({ role }: ChatMessage, modality: Modality, param: string): void {
  if (role === 'user') return
  fail('INVALID_REQUEST', { why: reasons.onlyUsersCarry(param, modality, role) }, { param })
}

function toolChoiceOf(body: ChatBody): ToolChoice {
  const choice = body.tool_choice ?? 'auto'
  if (typeof choice === 'string') {
    if (choice === 'required') requireTools(body)
    return { type: choice }
  }
  requireTools(body)
  const { name } = choice.function
  if (!body.tools?.some((tool) => tool.function.name === name)) {
    fail('INVALID_REQUEST', { why: reasons.noSuchTool(name) }, { param: 'tool_choice.function.name' })
  }
  return { type: 'tool', name }
}

function requireTools(body: ChatBody): void {
  if (!body.tools?.length) fail('INVALID_REQUEST', { why: reasons.noTools }, { param: 'tool_choice' })
}

function outputOf(body: ChatBody): OutputFormat {
  const format = body.response_format
  if (format?.type === 'json_schema') {
    const { name, schema, strict } = format.json_schema
    return { type: 'json_schema', name, schema, strict: strict ?? true }
  }
  return { type: format?.type ?? 'text' }
}

function reasoningOf(body: ChatBody, model: Model, limit: number | undefined): Reasoning | undefined {
  const effort = effortOf(model, body.reasoning_effort, body.reasoning?.effort)
  const name = body.max_tokens === limit ? 'max_tokens' : 'max_completion_tokens'
  const budget = budgetOf(model, 'chat', body, { tokens: limit, name })
  // Reasoning settings have no meaning for a model without reasoning, and its upstreams refuse them.
  if (effort === undefined && (!body.reasoning || !model.features.includes('reasoning'))) return undefined
  return reasoningSettings(body.reasoning?.enabled ?? true, effort, budget)
}
