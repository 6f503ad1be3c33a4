/** Voice calls: their sessions, sound, turns, engines, records and money (docs/decisions/voice/call-money.md). */

export { findAnyCall, listAnyCalls } from './all-calls-store.ts'
export type { PassthroughApp } from './app.ts'
export { beginCall, type NewCall } from './begin.ts'
export { callIdOf, callName } from './call-id.ts'
export { CallSound, type CallSoundOptions } from './call-sound.ts'
export { soundClock } from './clock.ts'
export { type CallCodecs, Codecs } from './codecs.ts'
export { createHangUp } from './engines/passthrough/pass-offer.ts'
export { PassthroughCall } from './engines/passthrough/passthrough.ts'
export { modelsOfPipeline, type PipelineModels } from './engines/pipeline/models.ts'
export { Pipeline, type PipelineOptions } from './engines/pipeline/pipeline.ts'
export type { PipelineSettings } from './engines/pipeline/settings.ts'
export { worstCaseOfPipelineTurn } from './engines/pipeline/worst.ts'
export { relayModelOf, upstreamsOf, worstCaseOfRelayTurn } from './engines/relay/of-model.ts'
export { Relay, type RelayOptions } from './engines/relay/relay.ts'
export {
  Transcription,
  type TranscriptionOptions,
  worstCaseOfCaptionTurn,
} from './engines/transcription/transcription.ts'
export { readClientEvent } from './events/client-events.ts'
export { errorEvent, newId, sessionFields } from './events/server-events.ts'
export { type CallSettings, freshSettings, updateSession } from './events/session-update.ts'
export { namesHosted } from './events/tools.ts'
export { OpusSound } from './hear/opus-sound.ts'
export { type PcmFormat, PcmSound } from './hear/pcm-sound.ts'
export { realtimeHolding } from './holding.ts'
export {
  HostLinks,
  HostLost,
  headersFor,
  hostHeaders,
  hostKey,
  hostRefusals,
  hostVersion,
  type RemoteVoiceHost,
} from './host-links.ts'
export { deleteCallsBefore, deleteKeptContent } from './keep/forget.ts'
export { KeptCall, type KeptCallOptions } from './keep/kept-call.ts'
export { readTranscript, type TranscriptRow } from './keep/transcript-store.ts'
export { realtimeSeries } from './metrics.ts'
export { firstHoldSeconds } from './money/call-time.ts'
export { CallOver } from './money/over.ts'
export type { MoneyListener, RunningCall } from './money/running-call.ts'
export type { RunningMoney } from './money/running-money.ts'
export { connectedSeconds } from './money/settle.ts'
export { spentOf } from './money/step-store.ts'
export type * from './parts.ts'
export { type FreeProcess, freeProcesses } from './process-store.ts'
export type { AddedCall } from './registered-call.ts'
export { openRealtimeCalls, RealtimeCalls, type RegistryOptions } from './registry.ts'
export {
  type ClientSecretRow,
  consumeSecretCall,
  findClientSecret,
  insertClientSecret,
} from './secret-store.ts'
export { CallSession, type SessionOptions, type SessionWords } from './session.ts'
export { OpusVoice } from './speak/opus-voice.ts'
export { PcmVoice } from './speak/pcm-voice.ts'
export {
  type CallKey,
  type CallRow,
  type CallStatus,
  type EngineName,
  listCalls,
  readCall,
  requestCallEnd,
  runningCallCount,
  type SoundState,
  writeConnected,
} from './store.ts'
