/** The parts of a realtime call and what each says to the others. A call has one session; transports, engines and money know nothing of each other. */
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

/** As OpenAI's realtime interface names them. */
export interface RealtimeEvent {
  type: string
  event_id?: string
  [field: string]: unknown
}

/** How a call reaches its client: WebRTC or a WebSocket. */
export interface Transport {
  readonly kind: 'webrtc' | 'websocket'
  /** 20 ms at 24 kHz, mono, -1 to 1. Called at the pace of the sound; `itemId` is of whom it is, undefined in silence. */
  play(frame: Float32Array, itemId: string | undefined): void
  send(event: RealtimeEvent): void
  /** Nothing is sent any more. */
  end(reason: EndReason): void
  /** Sound that comes in events, in Base64. Absent where sound comes by itself. Throws INVALID_REQUEST. */
  append?(audio: string): void
  /** The forms of sound in events, before the first and whenever they change. */
  use?(forms: { inputSound: SoundType; outputSound: SoundType }): void
}

/** Of sound in events. audio/pcm: 16 bits, little-endian, 24,000 a second; the others: G.711 at 8,000. */
export type SoundType = 'audio/pcm' | 'audio/pcmu' | 'audio/pcma'

export interface TransportListener {
  /** 20 ms at 16 kHz, mono, in order, gaps concealed. */
  frame(samples: Float32Array): void
  /** As it came, unchecked but for its size and that it is a JSON object. */
  event(event: RealtimeEvent): void
  gone(): void
}

/** A call that a provider has with its caller directly. */
export interface UpstreamCall {
  /** Id of the provider here. */
  provider: string
  /** Of the call there. */
  id: string
}

/** What answers in a call: `pipeline` or `relay`; or what writes it down: `transcription`. */
export interface CallEngine {
  start(): Promise<void>
  frame(samples: Float32Array): void
  /** What the session does not answer itself. What it throws is told to the client as the error of this event. */
  event(event: EngineEvent): void
  /** The conversation or the settings were changed by the client. */
  changed(): void
  /** Something to say to the caller once nobody speaks; engines without a voice of their own leave it out. */
  notify?(notice: CallNotice): void
  /** Nothing upstream is open, and each of its steps is done, when this resolves. */
  stop(): Promise<void>
}

/** `credits`: the balance bears no further turn; `expired`: its time is over soon. */
export type CallNotice = 'credits' | 'expired'

/** Events of a client that its engine answers, checked. */
export type EngineEvent =
  | { type: 'input_audio_buffer.commit' | 'input_audio_buffer.clear' | 'output_audio_buffer.clear' }
  | { type: 'response.create'; response: ResponseOptions }
  /** Undefined: whichever is under way. */
  | { type: 'response.cancel'; responseId: string | undefined }

/** Of one response; what is undefined is as in the session. */
export interface ResponseOptions {
  instructions?: string | undefined
  modalities?: readonly ('text' | 'audio')[] | undefined
  tools?: readonly FunctionTool[] | undefined
  /** Come with `tools`. */
  hosted?: readonly HostedToolEntry[] | undefined
  toolChoice?: SessionSettings['toolChoice'] | undefined
  maxOutputTokens?: number | 'inf' | undefined
  /** `none`: its items do not become part of the conversation. */
  conversation?: 'auto' | 'none' | undefined
  /** In place of the conversation; a text is the id of an item of it. */
  input?: readonly (ConversationItem | string)[] | undefined
  /** Goes back in `response.created` and `response.done`. */
  metadata?: Record<string, string> | undefined
}

/** A call as its engine sees it. */
export interface CallView {
  readonly callId: string
  readonly session: SessionSettings
  readonly conversation: Conversation
  readonly money: CallMoney
  readonly speaker: Speaker
  emit(event: RealtimeEvent): void
  end(reason: EndReason): void
  /** Aborted when the call ends. */
  readonly signal: AbortSignal
}

/** Of `session.update`, after it was checked. */
export interface SessionSettings {
  readonly instructions: string
  readonly voice: string | undefined
  readonly modalities: readonly ('text' | 'audio')[]
  readonly transcription: {
    model?: string | undefined
    language?: string | undefined
    prompt?: string | undefined
  }
  /** Null: the client says when a turn is over (input_audio_buffer.commit, response.create). */
  readonly turnDetection: TurnDetection | null
  readonly speed: number
  readonly tools: readonly FunctionTool[]
  /** Tools that run here. */
  readonly hosted: readonly HostedToolEntry[]
  readonly toolChoice: 'auto' | 'none' | 'required' | { name: string }
  readonly maxOutputTokens: number | 'inf'
}

export interface TurnDetection {
  /** `semantic_vad`: by the words heard so far; `server_vad`: by silence alone. */
  readonly type: 'semantic_vad' | 'server_vad'
  readonly silenceMs: number | undefined
  readonly prefixMs: number
  /** 0 to 1: how loud speech must be. */
  readonly threshold: number
  readonly createResponse: boolean
  readonly interruptResponse: boolean
  readonly idleMs: number | undefined
}

export interface FunctionTool {
  name: string
  description: string
  /** JSON Schema. */
  parameters: Record<string, unknown>
}

/** What was said so far; bounded in items and bytes. */
export interface Conversation {
  readonly items: readonly ConversationItem[]
  /** Announces it (conversation.item.added). */
  add(item: ConversationItem, previousId?: string): void
  /** Its content is complete (conversation.item.done). */
  done(id: string): void
  get(id: string): ConversationItem | undefined
  remove(id: string): void
}

export interface ConversationItem {
  id: string
  /** `mcp_call`: a hosted tool, as clients of OpenAI know tools that run at the server. */
  type: 'message' | 'function_call' | 'function_call_output' | 'mcp_call'
  status: 'in_progress' | 'completed' | 'incomplete'
  role?: 'user' | 'assistant' | 'system'
  content: ItemContent[]
  /** Of function_call and its output. */
  call_id?: string
  name?: string
  arguments?: string
  /** Null while a hosted tool runs. */
  output?: string | null
  /** Of mcp_call. */
  server_label?: string
  error?: { type: 'tool_execution_error'; message: string } | null
}

export type ItemContent =
  | { type: 'input_text' | 'output_text'; text: string }
  | { type: 'input_audio' | 'output_audio'; transcript: string | null }
  | { type: 'input_image'; image_url: string; detail?: string }

/** The sound that goes to the client, at the pace at which it is heard. */
export interface Speaker {
  /**
   * Sound of an item, 24 kHz mono, a copy of which is played after what waits. `words` is what this piece says, and what follows without words belongs
   * to it. False where it was not taken: more than five minutes would wait, or the item was cut.
   */
  say(itemId: string, samples: Float32Array, words?: string): boolean
  /** Resolves when less than ten seconds wait, which is also where they were cut: what makes more sound awaits it first. */
  room(): Promise<void>
  /** No more of this item comes; resolves when it has been heard or cut. */
  finish(itemId: string): Promise<void>
  /** Lower, by 18 dB, without a click. */
  duck(): void
  unduck(): void
  /** Silence at once. What was heard of the item that was playing, and the words of it; what waited behind it is as if it had never been said. */
  cut(): { itemId: string; playedMs: number; heard: string } | undefined
  /** Until the last of it has been heard, by what is known of the way to the client. */
  readonly isPlaying: boolean
}

export type StepKind = 'transcription' | 'text' | 'speech' | 'response' | 'seconds' | 'embedding'

/** The money of a call: one hold that grows and shrinks (docs/decisions/0087). */
export interface CallMoney {
  /** Before each turn, when speech begins: takes what the next turn may cost at most. False where the balance does not bear it. */
  reserve(worst: bigint): Promise<boolean>
  /** Its row is committed when this resolves: only then may the upstream be called. Throws 402 where neither reserve nor balance bear it. */
  step(step: NewStep): Promise<OpenStep>
  /** Makes so much of the hold free for a step. False where neither reserve nor balance bear it. */
  spare(worst: bigint): Promise<boolean>
  /** Of what is done, in micro-credits. */
  readonly spent: bigint
  /** What the hold promises now, in micro-credits. */
  readonly held: bigint
}

export interface NewStep {
  kind: StepKind
  model: string
  worst: bigint
  /** UUID; where its call was given one before. */
  stepId?: string | undefined
  /** Its upstream begins by itself; where it never does, the step costs nothing. */
  isAhead?: boolean | undefined
}

export interface OpenStep {
  readonly stepId: string
  /**
   * For the one paid call of `#core/paid` that is this step: it holds, charges and settles within it. Its `requestId` is the id of the
   * step. It may hold more than was taken for the step, where reserve or balance bear that.
   */
  readonly part: RequestPart
  /**
   * Once. `cost` is at most what was taken; absent where the call of `part` has settled it. `discarded`: it was paid, and not used.
   */
  done(cost: bigint | undefined, line: StepLine, options?: { discarded?: boolean }): void
}

/** What a receipt tells of a step. */
export interface StepLine {
  quantities: Record<string, number>
  /** It may have cost more or less than is known: its process died. */
  ambiguous?: boolean
}
