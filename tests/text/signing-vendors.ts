/**
 * Fake vendors that refuse earlier turns as the real ones document it: Anthropic what it has not signed itself, ids of other vendors and an open turn
 * without its thinking; OpenAI what it has not encrypted itself and long ids of calls; DeepSeek, Kimi and GLM a message of the model without its reasoning;
 * Gemini a call without its signature. Each lets its model think, call two tools at once, and answer.
 */
import { type FakeUpstream, fakeUpstream, json, type Script, type UpstreamCall } from '../harness/upstream.ts'
import { call, type ScriptedAnswer, type SpokenWire, says } from './scripted-answer.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of three wires, read as their vendors would
type Wild = any

/** A number in the calls that no double has. */
export const station = '2512292042121000001'

export interface SigningVendor extends AsyncDisposable {
  /** The upstream's name of its model. */
  name: string
  upstream: FakeUpstream
  /** What the vendor refused, in the words of its documents. */
  refusals: string[]
  /** Of each request: whether it asks for thinking, and how many blocks of the vendor's own reasoning came back in its open turn. */
  seen: { thinks: boolean; reasoning: number }[]
  /** The model's signature or encryption of a text. */
  seal: (text: string) => string
  /** Whether a request that says nothing of thinking gets an answer without: so does Claude, and models of other vendors of Messages think. */
  thinksOnRequest: boolean
}

/** `name` makes the vendor's signatures its own; one that is `isUnsigned` signs nothing, and takes back what is not signed. */
export async function signingVendor(
  wire: SpokenWire,
  name: string,
  isUnsigned = false,
): Promise<SigningVendor> {
  const upstream = await fakeUpstream()
  const vendor: SigningVendor = {
    name,
    upstream,
    refusals: [],
    seen: [],
    seal: (text) => (isUnsigned ? '' : `${name}+${Buffer.from(text).toString('base64')}==`),
    thinksOnRequest: name.startsWith('claude'),
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
  upstream.reply((request) => answerOf(wire, vendor, request))
  return vendor
}

function answerOf(wire: SpokenWire, vendor: SigningVendor, request: UpstreamCall): Script {
  const body: Wild = request.body
  const { refusal, reasoning } = readers[wire](body, vendor)
  if (refusal !== undefined) {
    vendor.refusals.push(refusal)
    return json(400, { type: 'error', error: { type: 'invalid_request_error', message: refusal } })
  }
  const thinks = wire === 'messages' ? isOn(body.thinking, vendor) : true
  vendor.seen.push({ thinks, reasoning })
  const turn = vendor.seen.length
  const text = `step ${turn} سنجیده`
  const redacted = wire === 'messages' && vendor.seal('') !== '' && { redacted: vendor.seal('redacted') }
  const thought = { text, ...(wire !== 'chat' && { seal: vendor.seal(text) }), ...redacted }
  const next = nextOf(wire, vendor, body)
  if (isGemini(vendor)) return says(wire, signed(next, vendor.seal(text)), request)
  return says(wire, { ...next, ...(thinks && { thought }) }, request)
}

const isGemini = ({ name }: SigningVendor): boolean => name.startsWith('gemini')

/** Of calls that are made at once the first has the signature. */
const signed = ({ calls: [first, ...others] = [], ...answer }: ScriptedAnswer, signature: string) =>
  first ? { ...answer, calls: [{ ...first, signature }, ...others] } : answer

const isOn = (thinking: Wild, { thinksOnRequest }: SigningVendor): boolean =>
  thinking === undefined ? !thinksOnRequest : thinking.type !== 'disabled'

/** The model's next step: two calls, for a deep question one more, then an answer. */
function nextOf(wire: SpokenWire, { name, seen }: SigningVendor, body: Wild): ScriptedAnswer {
  const ids = idsOf(wire, name, seen.length)
  const { question, results } = openQuestion(wire, body)
  if (results === 0)
    return {
      calls: ids.map((id) => call(id, 'get_weather', { city: 'تهران', station: JSON.rawJSON(station) })),
    }
  if (results === 2 && question.includes('deep'))
    return { calls: [call(ids[0]!, 'get_weather', { city: 'شیراز' })] }
  return { text: 'it is warm' }
}

/**
 * Ids as vendors make them: on chat such that become one where signs are replaced, and the same in each turn, or Mistral's nine letters; on Responses
 * longer than it takes.
 */
function idsOf(wire: SpokenWire, name: string, turn: number): string[] {
  if (name.startsWith('mistral')) return ['a', 'b'].map((end) => `D681Pev${turn % 10}${end}`)
  if (wire === 'chat') return ['functions.get_weather:0', 'functions:get_weather.0']
  const start = wire === 'messages' ? `toolu_01${turn}` : `call_${'x'.repeat(70)}${turn}`
  return [`${start}a`, `${start}b`]
}

function openQuestion(wire: SpokenWire, body: Wild): { question: string; results: number } {
  let results = 0
  for (const item of (body.messages ?? body.input).toReversed()) {
    if (item.role === 'tool' || item.type === 'function_call_output') results += 1
    else if (item.role === 'user') {
      const blocks = typeof item.content === 'string' ? [{ type: 'text', text: item.content }] : item.content
      const found = wire === 'messages' ? blocks.filter(({ type }: Wild) => type === 'tool_result').length : 0
      if (found === 0) return { question: blocks[0].text, results }
      results += found
    }
  }
  throw new Error('a conversation without a question')
}

interface Reading {
  refusal?: string
  reasoning: number
}

const readers: Record<SpokenWire, (body: Wild, vendor: SigningVendor) => Reading> = {
  chat: readChat,
  responses: readResponses,
  messages: readMessages,
}

/** A chat vendor pairs results with calls, and wants reasoning or signatures back, its own. */
function readChat({ messages }: Wild, vendor: SigningVendor): Reading {
  const open: string[] = []
  for (const { tool_calls: calls = [], tool_call_id: id } of messages) {
    open.push(...calls.map((one: Wild) => one.id))
    if (id === undefined) continue
    if (!open.includes(id)) return { refusal: `No tool call found for ${id}`, reasoning: 0 }
    open.splice(open.indexOf(id), 1)
  }
  if (open.length > 0) return { refusal: `No tool output for ${open}`, reasoning: 0 }
  return isGemini(vendor) ? readSignatures(messages, vendor) : readReasoning(messages, vendor)
}

/** Kimi reads only messages with calls, and like DeepSeek takes an empty text for none; a blank one is taken. */
function readReasoning(messages: Wild, { name }: SigningVendor): Reading {
  let reasoning = 0
  for (const [at, { role, tool_calls: calls = [], reasoning_content: text }] of messages.entries()) {
    if (calls.some((one: Wild) => 'extra_content' in one))
      return { refusal: 'unknown field `extra_content`', reasoning }
    if (role === 'user') reasoning = 0
    if (role !== 'assistant') continue
    if (!text && (calls.length > 0 || !name.startsWith('kimi')))
      return {
        refusal: name.startsWith('kimi')
          ? `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`
          : 'The `reasoning_content` in the thinking mode must be passed back to the API.',
        reasoning,
      }
    if (text.trim() !== '') reasoning += 1
  }
  return { reasoning }
}

/** The first call of each step of the current turn has to be signed, and a signature has to be its own, or the one that stands for none. */
function readSignatures(messages: Wild, { name }: SigningVendor): Reading {
  const question = messages.findLastIndex(({ role }: Wild) => role === 'user')
  let reasoning = 0
  for (const [at, { tool_calls: calls = [] }] of messages.entries()) {
    for (const [place, { function: called, extra_content: extra }] of calls.entries()) {
      const signature = extra?.google?.thought_signature
      if (place === 0 && at > question && !signature)
        return {
          refusal: `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${called.name}\` , position ${at}.`,
          reasoning,
        }
      const isOwn = signature?.startsWith(`${name}+`)
      if (signature && !isOwn && signature !== 'skip_thought_signature_validator')
        return { refusal: 'Corrupted thought signature.', reasoning }
      if (isOwn && at > question) reasoning += 1
    }
  }
  return { reasoning }
}

function readResponses({ input }: Wild, vendor: SigningVendor): Reading {
  const open: string[] = []
  let reasoning = 0
  for (const [place, item] of input.entries()) {
    const { type, role, call_id: id, encrypted_content: sealed, summary } = item
    if (role === 'user') reasoning = 0
    if (id?.length > 64)
      return {
        refusal: `Invalid 'input[${place}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`,
        reasoning,
      }
    if (type === 'reasoning') {
      if (sealed !== vendor.seal(summary[0].text))
        return { refusal: `The encrypted content ${sealed} could not be verified.`, reasoning }
      reasoning += 1
    } else if (type === 'function_call') open.push(id)
    else if (type === 'function_call_output') {
      if (!open.includes(id))
        return { refusal: `No tool call found for function call output ${id}`, reasoning }
      open.splice(open.indexOf(id), 1)
    }
  }
  return open.length > 0
    ? { refusal: `No tool output found for function call ${open}`, reasoning }
    : { reasoning }
}

function readMessages(body: Wild, vendor: SigningVendor): Reading {
  const refusal =
    blockRefusal(body.messages, vendor) ?? pairRefusal(body.messages) ?? thinkingRefusal(body, vendor)
  const turn = openTurn(body.messages)
  const reasoning = turn.flatMap(({ content }: Wild) => content).filter(isThinking).length
  return { ...(refusal !== undefined && { refusal }), reasoning }
}

const isThinking = ({ type }: Wild): boolean => /thinking$/.test(type)

function blockRefusal(messages: Wild, vendor: SigningVendor): string | undefined {
  const ids = new Set<string>()
  for (const [at, { role, content }] of messages.entries()) {
    if (content.length === 0)
      return `messages.${at}: all messages must have non-empty content except for the optional final assistant message`
    if (typeof content === 'string') continue
    for (const [place, block] of content.entries()) {
      const here = `messages.${at}.content.${place}`
      const refusal = ofBlock(block, vendor, ids)
      if (refusal !== undefined) return `${here}${refusal}`
    }
    if (role === 'assistant' && isThinking(content.at(-1)))
      return `messages.${at}: The final block in an assistant message cannot be \`thinking\`.`
  }
  return undefined
}

function ofBlock(block: Wild, vendor: SigningVendor, ids: Set<string>): string | undefined {
  const { type, text, thinking, signature, data, id } = block
  if (type === 'text')
    return text.trim() === '' ? ': text content blocks must contain non-whitespace text' : undefined
  if (type === 'thinking') {
    if (signature === undefined) return '.thinking.signature: Field required'
    return signature === vendor.seal(thinking) ? undefined : ': Invalid `signature` in `thinking` block'
  }
  if (type === 'redacted_thinking')
    return data === vendor.seal('redacted') ? undefined : ': Invalid `data` in `redacted_thinking` block'
  if (type !== 'tool_use') return undefined
  if (!/^[a-zA-Z0-9_-]+$/.test(id)) return ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
  if (id.length > 64) return '.tool_use.id: String should have at most 64 characters'
  if (ids.has(id)) return ': `tool_use` ids must be unique'
  ids.add(id)
  return undefined
}

function pairRefusal(messages: Wild): string | undefined {
  for (const [at, { content }] of messages.entries()) {
    const called = usesIn(messages[at - 1]?.content)
    const answered = listOf(content).flatMap(({ tool_use_id: id }: Wild) => id ?? [])
    const missing = called.filter((id) => !answered.includes(id))
    if (missing.length > 0)
      return `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}`
    const unexpected = answered.filter((id: string) => !called.includes(id))
    if (unexpected.length > 0)
      return `messages.${at}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected}`
  }
  return undefined
}

const listOf = (content: Wild): Wild[] => (Array.isArray(content) ? content : [])
const usesIn = (content: Wild): string[] =>
  listOf(content).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))

/** The assistant messages since the last question, if the conversation ends with results. */
function openTurn(messages: Wild): Wild[] {
  const isQuestion = ({ role, content }: Wild): boolean =>
    role === 'user' && !listOf(content).some(({ type }) => type === 'tool_result')
  const start = messages.findLastIndex(isQuestion)
  return messages.slice(start + 1).filter(({ role }: Wild) => role === 'assistant')
}

function thinkingRefusal(
  { messages, thinking, max_tokens: limit, context_management: edits, tool_choice: choice }: Wild,
  vendor: SigningVendor,
): string | undefined {
  const [first, ...others] = openTurn(messages)
  if (thinking && isOn(thinking, vendor) && /^(any|tool)$/.test(choice?.type))
    return 'Thinking may not be enabled when tool_choice forces tool use.'
  if (isOn(thinking, vendor)) {
    if (thinking?.type === 'enabled' && !(thinking.budget_tokens >= 1_024 && thinking.budget_tokens < limit))
      return '`max_tokens` must be greater than `thinking.budget_tokens`.'
    if (thinking && first && !isThinking(first.content[0]))
      return `messages.1.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.content[0].type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`
    return undefined
  }
  if (edits?.edits.some(({ type }: Wild) => type.startsWith('clear_thinking')))
    return '`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive'
  return [first, ...others].some((message) => listOf(message?.content).some(isThinking))
    ? 'When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.'
    : undefined
}
