import type { PassthroughSetup, RealtimeInput, RealtimeSetup } from '#core/spec'
import type { UpstreamEvent } from '#providers/kit'

/** Whether the host is xAI, which has the fields of the sound at the top of its session. */
const hasFlatSession = (host: string): boolean => /(^|\.)x\.ai$/.test(host)
/** The part of the context that stays when older turns are left out, so that they are not left out at each turn. */
const retention = 0.8

/** The session of a call that is passed on: its upstream decides when a turn is over. */
export const callSession = (setup: PassthroughSetup, upstreamModel: string): UpstreamEvent => ({
  type: 'realtime',
  model: upstreamModel,
  ...promptOf(setup),
  output_modalities: [setup.speaks ? 'audio' : 'text'],
  audio: {
    input: { turn_detection: detectionOf(setup), transcription: transcriptionOf(setup) },
    output: outputOf(setup),
  },
  ...limitsOf(setup),
})

/** The update that restores what decides the cost of such a call. */
export const limitsUpdate = (setup: PassthroughSetup): UpstreamEvent =>
  update({
    type: 'realtime',
    audio: { input: { transcription: transcriptionOf(setup) } },
    ...limitsOf(setup),
  })

/** The update with the whole setup: fields that are left out keep their values. Turn detection is off, since we say when a turn is over. */
export function sessionUpdate(setup: RealtimeSetup, host: string): UpstreamEvent {
  const { voice, speaks } = setup
  const input = { format: pcm, turn_detection: null, transcription: transcriptionOf(setup) }
  const output = { format: pcm, ...outputOf(setup) }
  const common = promptOf(setup)
  if (hasFlatSession(host))
    return update({
      ...common,
      ...(voice !== undefined && { voice }),
      turn_detection: { type: null },
      audio: { input: { format: pcm }, output: { format: pcm } },
    })
  return update({
    type: 'realtime',
    ...common,
    output_modalities: [speaks ? 'audio' : 'text'],
    audio: { input, output },
    ...limitsOf(setup),
  })
}

const promptOf = ({ instructions, tools, toolChoice }: RealtimeSetup) => ({
  instructions,
  tools: tools.map((tool) => ({ type: 'function', ...tool })),
  tool_choice: typeof toolChoice === 'string' ? toolChoice : { type: 'function', ...toolChoice },
})

const outputOf = ({ voice, speed }: RealtimeSetup) => ({
  ...(voice !== undefined && { voice }),
  ...(speed !== undefined && { speed }),
})

const limitsOf = ({ maxOutputTokens, maxInputTokens }: RealtimeSetup) => ({
  max_output_tokens: maxOutputTokens,
  truncation: {
    type: 'retention_ratio',
    retention_ratio: retention,
    token_limits: { post_instructions: maxInputTokens },
  },
})

/** The turn detection of a call. With `semantic_vad` an upstream takes no times and no threshold. */
function detectionOf({ turnDetection }: PassthroughSetup): UpstreamEvent | null {
  if (!turnDetection) return null
  const { type, silenceMs, prefixMs, threshold, createResponse, interruptResponse, idleMs } = turnDetection
  const common = { type, create_response: createResponse, interrupt_response: interruptResponse }
  if (type === 'semantic_vad') return common
  return {
    ...common,
    threshold,
    prefix_padding_ms: prefixMs,
    ...(silenceMs !== undefined && { silence_duration_ms: silenceMs }),
    ...(idleMs !== undefined && { idle_timeout_ms: idleMs }),
  }
}

const pcm = { type: 'audio/pcm', rate: 24_000 } as const

const update = (session: UpstreamEvent): UpstreamEvent => ({ type: 'session.update', session })

function transcriptionOf({ transcription }: RealtimeSetup): UpstreamEvent | null {
  // An upstream chooses no model of transcription by itself.
  if (transcription?.model === undefined) return null
  const { model, language, prompt } = transcription
  return { model, ...(language !== undefined && { language }), ...(prompt !== undefined && { prompt }) }
}

export const itemCreate = (input: RealtimeInput): UpstreamEvent => ({
  type: 'conversation.item.create',
  item: { ...(input.id !== undefined && { id: input.id }), ...itemOf(input) },
})

function itemOf(input: RealtimeInput): UpstreamEvent {
  if (input.type === 'image')
    return message('user', { type: 'input_image', image_url: input.dataUrl, detail: 'auto' })
  if (input.type === 'function_call')
    return { type: 'function_call', call_id: input.callId, name: input.name, arguments: input.arguments }
  if (input.type === 'function_result')
    return { type: 'function_call_output', call_id: input.callId, output: input.output }
  const { role, text } = input
  return message(role, { type: role === 'assistant' ? 'output_text' : 'input_text', text })
}

const message = (role: string, content: UpstreamEvent): UpstreamEvent => ({
  type: 'message',
  role,
  content: [content],
})
