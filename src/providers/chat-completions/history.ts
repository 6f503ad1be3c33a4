/** The messages of a conversation as one vendor of this wire takes them. */
import { type CallIdRule, CallIds, isOurs, isRecord } from '#providers/kit'

/** Vendors that refuse other ids of tool calls. */
const callIdRules: readonly (CallIdRule & { host: RegExp })[] = [
  { host: /(^|\.)(openai|azure)\.com$/, accepted: /^.{1,40}$/su, maxLength: 40 },
  { host: /^api\.mistral\.ai$/, accepted: /^[a-zA-Z0-9]{9}$/, maxLength: 9 },
]

/** Earlier reasoning, by the names under which answers of this wire show it. Of the vendors that refuse unknown fields, Groq takes one of them. */
const reasoningFields: ReadonlySet<string> = new Set(['reasoning', 'reasoning_content', 'reasoning_details'])
const groq = 'api.groq.com'

type WireMessage = Record<string, unknown>

/**
 * The messages with ids of calls that the vendor takes. A vendor that refuses unknown fields gets no earlier reasoning, and none gets reasoning that a
 * vendor of another wire has signed. The same objects where nothing has to change.
 */
export function vendorMessages(host: string, isStrict: boolean, messages: readonly unknown[]): unknown[] {
  const rule = callIdRules.find((one) => one.host.test(host))
  const ids = rule && new CallIds(rule)
  return messages.map((message) => {
    if (!isRecord(message)) return message
    const readable = isStrict ? withoutReasoning(message, host) : withoutSigned(message)
    return ids ? withIds(readable, ids) : readable
  })
}

function withoutReasoning(message: WireMessage, host: string): WireMessage {
  const isRefused = (name: string) => reasoningFields.has(name) && !(host === groq && name === 'reasoning')
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

function withIds(message: WireMessage, ids: CallIds): WireMessage {
  const { tool_calls: calls, tool_call_id: answered } = message
  if (typeof answered === 'string') return { ...message, tool_call_id: ids.resultId(answered) }
  if (!Array.isArray(calls)) return message
  const tool_calls = calls.map((call: unknown) =>
    isRecord(call) && typeof call['id'] === 'string' ? { ...call, id: ids.callId(call['id']) } : call,
  )
  return { ...message, tool_calls }
}
