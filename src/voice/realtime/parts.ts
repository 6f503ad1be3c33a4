/** The parts of a realtime call and the messages between them. A call has one session; transports, engines and money know nothing of each other. */
import type { Cost } from '#core/models'
import type { RequestPart } from '#core/paid'
import type { HostedToolEntry } from '#core/turn'

export type EndReason =
  | 'client'
  | 'idle'
  | 'expired'
  | 'credits'
  | 'disconnected'
  | 'failed'
  | 'revoked'
  | 'stopped'

/** An event, named as in OpenAI's realtime interface. */
export interface RealtimeEvent {
  type: string
  event_id?: string
  [field: string]: unknown
}

/** How a call reaches its client: WebRTC or a WebSocket. */
export interface Transport {
  readonly kind: 'webrtc' | 'websocket'
  /** Plays 20 ms at 24 kHz, mono, -1 to 1. Called at the pace of the sound; `itemId` names the item of the sound, undefined in silence. */
  play(frame: Float32Array, itemId: string | undefined): void
  send(event: RealtimeEvent): void
  /** Closes the connection: nothing is sent any more. */
  end(reason: EndReason): void
  /** Takes sound that comes in events, in Base64. Absent where sound does not come in events. Throws INVALID_REQUEST. */
  append?(audio: string): void
  /** Sets the formats of sound in events, before the first event and whenever they change. */
  setSoundFormats?(forms: { inputSound: SoundType; outputSound: SoundType }): void
}

/** The format of sound in events. audio/pcm: 16 bits, little-endian, 24,000 samples a second; the others: G.711 at 8,000. */
export type SoundType = 'audio/pcm' | 'audio/pcmu' | 'audio/pcma'

export interface TransportListener {
  /** Takes 20 ms at 16 kHz, mono, in order, gaps concealed. */
  frame(samples: Float32Array): void
  /** Takes an event as it came; only its size is checked, and that it is a JSON object. */
  event(event: RealtimeEvent): void
  gone(): void
}

/** A call at a provider that talks with the caller directly. */
export interface UpstreamCall {
  /** The id of the provider on this server. */
  provider: string
  /** The id of the call at the provider. */
  id: string
}

/** The part that answers in a call: `pipeline` or `relay`; or that transcribes it: `transcription`. */
export interface CallEngine {
  start(): Promise<void>
  frame(samples: Float32Array): void
  /** Handles an event that the session does not answer itself. An error that it throws is sent to the client as the error of this event. */
  event(event: EngineEvent): void
  /** Call when the client has changed the conversation or the settings. */
  changed(): void
  /** Tells the caller something once nobody speaks; engines without a voice of their own leave it out. */
  notify?(notice: CallNotice): void
  /** Stops the engine. Resolves when nothing upstream is open, and each of its steps is done. */
  stop(): Promise<void>
}

/** `credits`: the balance covers no further turn; `expired`: the time of the call is over soon. */
export type CallNotice = 'credits' | 'expired'

/** The checked events of a client that its engine answers. */
export type EngineEvent =
  | { type: 'input_audio_buffer.commit' | 'input_audio_buffer.clear' | 'output_audio_buffer.clear' }
  | { type: 'response.create'; response: ResponseOptions }
  /** Undefined: the response that is under way. */
  | { type: 'response.cancel'; responseId: string | undefined }

/** The options of one response; an undefined one is that of the session. */
export interface ResponseOptions {
  instructions?: string | undefined
  modalities?: readonly ('text' | 'audio')[] | undefined
  tools?: readonly FunctionTool[] | undefined
  /** The hosted tools, which come with `tools`. */
  hosted?: readonly HostedToolEntry[] | undefined
  toolChoice?: SessionSettings['toolChoice'] | undefined
  maxOutputTokens?: number | 'inf' | undefined
  /** `none`: the items of the response do not become part of the conversation. */
  conversation?: 'auto' | 'none' | undefined
  /** The items used in place of the conversation; a string is the id of one of its items. */
  input?: readonly (ConversationItem | string)[] | undefined
  /** Metadata that is returned in `response.created` and `response.done`. */
  metadata?: Record<string, string> | undefined
}

/** The part of a call that its engine uses. */
export interface CallView {
  readonly callId: string
  readonly session: SessionSettings
  readonly conversation: Conversation
  readonly money: CallMoney
  readonly speaker: Speaker
  emit(event: RealtimeEvent): void
  end(reason: EndReason): void
  /** Aborts when the call ends. */
  readonly signal: AbortSignal
}

/** The settings of `session.update`, after it was checked. */
export interface SessionSettings {
  readonly instructions: string
  readonly voice: string | undefined
  readonly modalities: readonly ('text' | 'audio')[]
  readonly transcription: {
    model?: string | undefined
    language?: string | undefined
    prompt?: string | undefined
  }
  /** Null: the client decides when a turn is over (input_audio_buffer.commit, response.create). */
  readonly turnDetection: TurnDetection | null
  readonly speed: number
  readonly tools: readonly FunctionTool[]
  /** The tools that run on this server. */
  readonly hosted: readonly HostedToolEntry[]
  readonly toolChoice: 'auto' | 'none' | 'required' | { name: string }
  readonly maxOutputTokens: number | 'inf'
}

export interface TurnDetection {
  /** `semantic_vad`: a turn ends by the words heard so far; `server_vad`: by silence alone. */
  readonly type: 'semantic_vad' | 'server_vad'
  readonly silenceMs: number | undefined
  readonly prefixMs: number
  /** How loud speech must be, from 0 to 1. */
  readonly threshold: number
  readonly createResponse: boolean
  readonly interruptResponse: boolean
  readonly idleMs: number | undefined
}

export interface FunctionTool {
  name: string
  description: string
  /** The parameters as JSON Schema. */
  parameters: Record<string, unknown>
}

/** The items of a call so far; bounded in number and bytes. */
export interface Conversation {
  readonly items: readonly ConversationItem[]
  /** Adds an item and announces it (conversation.item.added). */
  add(item: ConversationItem, previousId?: string): void
  /** Call when the content of an item is complete (conversation.item.done). */
  done(id: string): void
  get(id: string): ConversationItem | undefined
  remove(id: string): void
}

export interface ConversationItem {
  id: string
  /** `mcp_call`: the call of a hosted tool, in the form that clients of OpenAI know for tools that run at the server. */
  type: 'message' | 'function_call' | 'function_call_output' | 'mcp_call'
  status: 'in_progress' | 'completed' | 'incomplete'
  role?: 'user' | 'assistant' | 'system'
  content: ItemContent[]
  /** The id of a function_call, which its output has too. */
  call_id?: string
  name?: string
  arguments?: string
  /** Null while a hosted tool runs. */
  output?: string | null
  /** The label of the server, for mcp_call. */
  server_label?: string
  error?: { type: 'tool_execution_error'; message: string } | null
}

export type ItemContent =
  | { type: 'input_text' | 'output_text'; text: string }
  | { type: 'input_audio' | 'output_audio'; transcript: string | null }
  | { type: 'input_image'; image_url: string; detail?: string }

/** Plays sound to the client, at the pace at which it is heard. */
export interface Speaker {
  /**
   * Adds sound of an item, 24 kHz mono, a copy of which is played after the waiting sound. `words` is the text of this piece, to which later sound
   * without words belongs. Returns false where it was not taken: more than five minutes would wait, or the item was cut.
   */
  say(itemId: string, samples: Float32Array, words?: string): boolean
  /** Resolves when less than ten seconds wait, or when the waiting sound was cut. Await it before more sound is made. */
  waitForRoom(): Promise<void>
  /** Call when no more sound of this item comes; resolves when the item has been heard or cut. */
  finish(itemId: string): Promise<void>
  /** Lowers the sound by 18 dB, without a click. */
  duck(): void
  unduck(): void
  /** Silences at once. Returns how much of the playing item was heard, and its words up to there; later sound counts as never spoken. */
  cut(): { itemId: string; playedMs: number; heard: string } | undefined
  /** True until the last sound has been heard, by the estimated delay of the way to the client. */
  readonly isPlaying: boolean
}

export type StepKind = 'transcription' | 'text' | 'speech' | 'response' | 'seconds' | 'embedding'

/** The money of a call: one hold that grows and shrinks (docs/decisions/voice/call-money.md). */
export interface CallMoney {
  /** Call before each turn, when speech begins: holds the most that the next turn may cost. Resolves to false where the balance does not cover it. */
  reserve(worst: bigint): Promise<boolean>
  /**
   * Begins a step. Its row is committed when this resolves: only then may the upstream be called. Throws 402 where neither reserve nor balance covers
   * it.
   */
  step(step: NewStep): Promise<OpenStep>
  /** Makes this amount of the hold free for a step. Resolves to false where neither reserve nor balance covers it. */
  ensureFree(worst: bigint): Promise<boolean>
  /** The cost of the steps that are done, in micro-credits. */
  readonly spent: bigint
  /** The present amount of the hold, in micro-credits. */
  readonly held: bigint
}

export interface NewStep {
  kind: StepKind
  model: string
  worst: bigint
  /** The id, a UUID; given where the paid call already has one. */
  stepId?: string | undefined
  /** Whether the upstream begins by itself; if it never does, the step costs nothing. */
  isAhead?: boolean | undefined
}

export interface OpenStep {
  readonly stepId: string
  /**
   * For the one paid call of `#core/paid` that is this step: it holds, charges and settles within the step. Its `requestId` is the id of the step. It
   * may hold more than was taken for the step, where reserve or balance covers that.
   */
  readonly part: RequestPart
  /**
   * Ends the step; call once. `cost` is at most the amount taken; absent where the call of `part` has settled it. `discarded`: the result was paid,
   * and not used.
   */
  done(cost: Cost | undefined, line: StepLine, options?: { discarded?: boolean }): void
}

/** The line of a receipt for a step. */
export interface StepLine {
  quantities: Record<string, number>
  /** The real cost is not known, as when the upstream broke off; it may be more or less. */
  ambiguous?: boolean
}
