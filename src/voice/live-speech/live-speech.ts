/**
 * Paid transcription and speech within a call, whose sound is in memory and whose results are not stored. Each call to an upstream is a step of its
 * own, which the holder of the call's money opens. Nothing here knows HTTP or a vendor.
 */
import type { RequestPart } from '#core/paid'
import type { Caller } from '#platform/auth'
import type { TraceContext } from '#platform/trace'

/** The payer, and the signal that the result is no longer needed. */
export interface LiveCall {
  caller: Caller
  /** The endpoint that the receipt names. */
  endpoint: string
  signal: AbortSignal
  trace?: TraceContext | undefined
}

/** One step of a call's hold: the call to the upstream holds, charges and settles within it. */
export interface LiveStep {
  readonly stepId: string
  readonly part: RequestPart
}

export {
  planUtterance,
  type UtterancePlan,
  type UtteranceTranscript,
  worstCaseOfUtterance,
} from './hear-live.ts'
export {
  canTranscribeLive,
  maxStreamSeconds,
  planStream,
  type SpeechStream,
  type StreamCost,
  type StreamPlan,
} from './hear-stream.ts'
export {
  type LiveSpeechPlan,
  type LiveSpeechResult,
  liveSpeechSampleRate,
  planLiveSpeech,
} from './speak-live.ts'
export { type WarmedModels, warmModels } from './warm.ts'
