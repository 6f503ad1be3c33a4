/** The messages of a conversation as one vendor of this wire takes them. */
import { type CallIdRule, CallIds, isOurs, isRecord, wellFormedArguments } from '#providers/kit'
import { type ChatVendor, openRouter } from './vendors.ts'

/** Vendors that refuse other ids of tool calls. */
const callIdRules: readonly (CallIdRule & { host: RegExp })[] = [
  { host: /(^|\.)(openai|azure)\.com$/, accepted: /^.{1,40}$/su, maxLength: 40 },
  { host: /^api\.mistral\.ai$/, accepted: /^[a-zA-Z0-9]{9}$/, maxLength: 9 },
]

/** Earlier reasoning, by the names under which answers of this wire show it. Of the vendors that refuse unknown fields, two take one of them. */
const reasoningFields: ReadonlySet<string> = new Set(['reasoning', 'reasoning_content', 'reasoning_details'])
const takesReasoning: ReadonlySet<string> = new Set(['api.groq.com', 'api.cerebras.ai'])

/** In place of reasoning that did not come back. Kimi and DeepSeek take an empty text for none, and each other text is read by the model. */
const noReasoning = ' '

/** In place of a signature that did not come back (ai.google.dev/gemini-api/docs/thought-signatures). */
const noSignature = { google: { thought_signature: 'skip_thought_signature_validator' } }

type WireMessage = Record<string, unknown>

/**
 * The messages with ids and arguments of calls that the vendor takes, with reasoning and signatures if it needs them back, and without those that it
 * refuses or that a vendor of another wire has signed. The same objects where nothing has to change. What is put in place of something missing stands in
 * old messages too, so that the beginning of a conversation stays the same, and its cache valid.
 */
export function vendorMessages(vendor: ChatVendor, messages: readonly unknown[]): unknown[] {
  const rule = callIdRules.find((one) => one.host.test(vendor.host))
  const ids = rule && new CallIds(rule)
  return messages.map((message) => {
    if (!isRecord(message)) return message
    const readable = withVendorCalls(withVendorReasoning(message, vendor), vendor)
    return ids ? withIds(readable, ids) : readable
  })
}

function withVendorReasoning(message: WireMessage, vendor: ChatVendor): WireMessage {
  if (vendor.isStrict) return withoutReasoning(message, vendor.host)
  const readable = withoutSigned(message)
  return vendor.needsReasoning && message['role'] === 'assistant'
    ? withReasoningContent(readable, vendor.host)
    : readable
}

function withoutReasoning(message: WireMessage, host: string): WireMessage {
  const isRefused = (name: string) =>
    reasoningFields.has(name) && !(name === 'reasoning' && takesReasoning.has(host))
  if (!Object.keys(message).some(isRefused)) return message
  return Object.fromEntries(Object.entries(message).filter(([name]) => !isRefused(name)))
}

/** OpenRouter hands signatures on to their vendor, which does not know those with a mark of ours. */
function withoutSigned(message: WireMessage): WireMessage {
  const { reasoning_details: details } = message
  if (!Array.isArray(details)) return message
  const kept = details.filter(
    (detail: unknown) => !isRecord(detail) || !(isOurs(detail['signature']) || isOurs(detail['data'])),
  )
  return kept.length === details.length ? message : { ...message, reasoning_details: kept }
}

function withReasoningContent(message: WireMessage, host: string): WireMessage {
  const { reasoning_content: content, reasoning, reasoning_details: details } = message
  if (isFilled(content)) return message
  const text = isFilled(reasoning) ? reasoning : textOf(details)
  // OpenRouter reads all three by itself.
  if (host === openRouter && text !== '') return message
  return { ...message, reasoning_content: text === '' ? noReasoning : text }
}

function textOf(details: unknown): string {
  if (!Array.isArray(details)) return ''
  return details
    .map((detail: unknown) => (isRecord(detail) ? (detail['text'] ?? detail['summary']) : undefined))
    .filter((text) => typeof text === 'string')
    .join('')
}

function withVendorCalls(message: WireMessage, vendor: ChatVendor): WireMessage {
  const unsigned = vendor.callSignatures === 'refused' ? withoutSignature(message) : message
  const { tool_calls: calls } = unsigned
  if (!Array.isArray(calls)) return unsigned
  const tool_calls = calls.map((call: unknown, place) =>
    isRecord(call) ? vendorCall(call, place === 0, vendor) : call,
  )
  return tool_calls.every((call, place) => call === calls[place]) ? unsigned : { ...unsigned, tool_calls }
}

function vendorCall(call: WireMessage, isFirst: boolean, { callSignatures }: ChatVendor): WireMessage {
  const wellFormed = withWellFormedArguments(call)
  if (callSignatures === 'refused') return withoutSignature(wellFormed)
  const { extra_content: extra } = wellFormed
  if (callSignatures === 'taken' || !isFirst || thoughtSignature(extra) !== undefined) return wellFormed
  return { ...wellFormed, extra_content: isRecord(extra) ? { ...extra, ...noSignature } : noSignature }
}

function withWellFormedArguments(call: WireMessage): WireMessage {
  const { function: called } = call
  if (!isRecord(called) || typeof called['arguments'] !== 'string') return call
  const text = wellFormedArguments(called['arguments'])
  return text === called['arguments'] ? call : { ...call, function: { ...called, arguments: text } }
}

/** A message or a call without Gemini's signature, which no other vendor gets. */
function withoutSignature(signed: WireMessage): WireMessage {
  if (thoughtSignature(signed['extra_content']) === undefined) return signed
  const { extra_content: _, ...rest } = signed
  return rest
}

/** The signature in the fields that Gemini adds to a call (`google`, at Vertex also under another name). */
export function thoughtSignature(extra: unknown): string | undefined {
  if (!isRecord(extra)) return undefined
  for (const fields of Object.values(extra)) {
    const signature = isRecord(fields) ? fields['thought_signature'] : undefined
    if (isFilled(signature)) return signature
  }
  return undefined
}

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''

function withIds(message: WireMessage, ids: CallIds): WireMessage {
  const { tool_calls: calls, tool_call_id: answered } = message
  if (typeof answered === 'string') return { ...message, tool_call_id: ids.resultId(answered) }
  if (!Array.isArray(calls)) return message
  const tool_calls = calls.map((call: unknown) =>
    isRecord(call) && typeof call['id'] === 'string' ? { ...call, id: ids.callId(call['id']) } : call,
  )
  return { ...message, tool_calls }
}
