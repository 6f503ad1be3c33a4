/** One answer of a model in the words of each wire, whole or streamed as it was asked: for upstreams that are scripted by what is said. */
import { chunk, done, json, type Script, type Step, stream, type UpstreamCall } from '../harness/upstream.ts'

type Json = Record<string, unknown>
export type SpokenWire = 'chat' | 'responses' | 'messages'

interface ScriptedCall {
  id: string
  name: string
  arguments: Json
  /** Gemini's, on the chat wire. */
  signature?: string
}

export interface ScriptedAnswer {
  /** What the model thinks before it answers: `seal` is its signature or encryption, `redacted` a block of Messages that nobody else reads. */
  thought?: { text: string; seal?: string; redacted?: string }
  text?: string
  calls?: ScriptedCall[]
  /** 10 and 5 when absent. */
  tokens?: { input: number; output: number }
}

/** A call of a tool. */
export const call = (id: string, name: string, input: Json): ScriptedCall => ({ id, name, arguments: input })

/** The script of this answer, as the call asks for it. */
export const says = (wire: SpokenWire, answer: ScriptedAnswer, { body }: UpstreamCall): Script => {
  const streamed = body?.['stream'] === true
  if (wire === 'chat') return streamed ? stream(chatSteps(answer)) : json(200, chatBody(answer))
  if (wire === 'responses') return streamed ? stream(responseSteps(answer)) : json(200, responseBody(answer))
  return streamed ? stream(messageSteps(answer)) : json(200, messageBody(answer))
}

const tokensOf = ({ tokens = { input: 10, output: 5 } }: ScriptedAnswer) => tokens

/** Streams bring text in pieces that cut words and marks. */
const pieces = (text: string): string[] => text.match(/.{1,7}/gsu) ?? []

function chatUsage(answer: ScriptedAnswer) {
  const { input, output } = tokensOf(answer)
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}
const chatCalls = ({ calls = [] }: ScriptedAnswer) =>
  calls.map(({ id, name, arguments: input, signature }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
    ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
  }))
const chatFinish = ({ calls = [] }: ScriptedAnswer): string => (calls.length > 0 ? 'tool_calls' : 'stop')
const chatBody = (answer: ScriptedAnswer) => ({
  choices: [
    {
      index: 0,
      finish_reason: chatFinish(answer),
      message: {
        role: 'assistant',
        ...(answer.thought && { reasoning_content: answer.thought.text }),
        content: answer.text ?? null,
        tool_calls: chatCalls(answer),
      },
    },
  ],
  usage: chatUsage(answer),
})
const chatSteps = (answer: ScriptedAnswer): Step[] => [
  ...pieces(answer.thought?.text ?? '').map((piece) => chunk({ reasoning_content: piece })),
  ...pieces(answer.text ?? '').map((piece) => chunk({ content: piece })),
  ...chatCalls(answer).map((one) => chunk({ tool_calls: [one] })),
  chunk({}, chatFinish(answer)),
  { choices: [], usage: chatUsage(answer) },
  done,
]

function responseBody(answer: ScriptedAnswer): Json {
  const { input, output } = tokensOf(answer)
  const message = {
    type: 'message',
    id: 'msg_up',
    role: 'assistant',
    content: [{ type: 'output_text', text: answer.text ?? '', annotations: [] }],
  }
  const { text, seal } = answer.thought ?? {}
  const thought = {
    type: 'reasoning',
    id: 'rs_up',
    summary: [{ type: 'summary_text', text }],
    encrypted_content: seal,
  }
  const calls = (answer.calls ?? []).map(({ id, name, arguments: given }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(given),
  }))
  return {
    id: 'resp_up',
    object: 'response',
    status: 'completed',
    output: [...(answer.thought ? [thought] : []), ...(answer.text ? [message] : []), ...calls],
    usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  }
}
function responseSteps(answer: ScriptedAnswer): Step[] {
  const body = responseBody(answer)
  const output = body['output'] as Json[]
  return [
    { type: 'response.created', response: { ...body, status: 'in_progress', output: [], usage: null } },
    ...pieces(answer.text ?? '').map((delta) => ({
      type: 'response.output_text.delta',
      item_id: 'msg_up',
      output_index: answer.thought ? 1 : 0,
      content_index: 0,
      delta,
    })),
    ...output.map((item, index) => ({ type: 'response.output_item.done', output_index: index, item })),
    { type: 'response.completed', response: body },
  ]
}

const thoughtBlocks = ({ thought }: ScriptedAnswer): Json[] => [
  ...(thought ? [{ type: 'thinking', thinking: thought.text, signature: thought.seal ?? '' }] : []),
  ...(thought?.redacted ? [{ type: 'redacted_thinking', data: thought.redacted }] : []),
]
const messageBlocks = (answer: ScriptedAnswer): Json[] => [
  ...thoughtBlocks(answer),
  ...(answer.text ? [{ type: 'text', text: answer.text }] : []),
  ...(answer.calls ?? []).map(({ id, name, arguments: input }) => ({
    type: 'tool_use',
    id,
    name,
    input,
    caller: { type: 'direct' },
  })),
]
function messageBody(answer: ScriptedAnswer): Json {
  const { input, output } = tokensOf(answer)
  return {
    id: 'msg_up',
    type: 'message',
    role: 'assistant',
    model: 'upstream-model',
    content: messageBlocks(answer),
    stop_reason: answer.calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  }
}
function messageSteps(answer: ScriptedAnswer): Step[] {
  const { content, stop_reason: reason, usage, ...message } = messageBody(answer)
  const events: Json[] = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
    ...(content as Json[]).flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`)
}
function blockEvents(block: Json, index: number): Json[] {
  const { empty, deltas } = streamedBlock(block)
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...empty } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}
function streamedBlock({ type, text, thinking, signature, input }: Json): { empty: Json; deltas: Json[] } {
  switch (type) {
    case 'text':
      return {
        empty: { text: '' },
        deltas: pieces(String(text)).map((piece) => ({ type: 'text_delta', text: piece })),
      }
    case 'thinking':
      return {
        empty: { thinking: '', signature: '' },
        deltas: [
          ...pieces(String(thinking)).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
          ...(signature === '' ? [] : [{ type: 'signature_delta', signature }]),
        ],
      }
    case 'tool_use':
      return {
        empty: { input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
      }
    default:
      return { empty: {}, deltas: [] }
  }
}
