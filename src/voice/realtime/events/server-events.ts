/** The events that a call sends to its client, beside those of its engine. */
import type { HostedToolEntry } from '#core/turn'
import { asFailure, declarationOf, errorType, type Failure, type Language } from '#platform/errors'
import { randomBase62 } from '#platform/ids'
import { callName } from '../call-id.ts'
import type { RealtimeEvent, SoundType, TurnDetection } from '../parts.ts'
import { type CallSettings, rateOf } from './session-update.ts'

/** A new id: `event_…`, `item_…`, `sess_…`, with 21 random characters. */
export const newId = (kind: 'event' | 'item' | 'sess' | 'resp'): string => `${kind}_${randomBase62(21)}`

/** The event `error`. It names a client's event by its own `event_id`. An unexpected error is sent as INTERNAL, without its message. */
export function errorEvent(error: unknown, language: Language, eventId?: string): RealtimeEvent {
  const failure = asFailure(error)
  return {
    type: 'error',
    error: {
      ...errorObject(failure, language),
      param: failure.more.param ?? null,
      event_id: eventId ?? null,
    },
  }
}

/** The `error` of events that report a failure. */
export const errorObject = ({ code, status, detail }: Failure, language: Language) => ({
  type: errorType(status),
  code,
  message: declarationOf(code)[language](detail),
})

export interface SessionObject {
  sessionId: string
  callId: string
  settings: CallSettings
  /** The end of the call in Unix milliseconds. */
  expiresAtMs: number
  /** The ignored fields of the last update. */
  ignored: readonly string[]
}

/** The `session` of session.created, session.updated and a client secret. */
export const sessionObject = ({ sessionId, callId, settings, expiresAtMs, ignored }: SessionObject) => ({
  object: settings.type === 'transcription' ? 'realtime.transcription_session' : 'realtime.session',
  id: sessionId,
  ...sessionFields(settings),
  expires_at: Math.floor(expiresAtMs / 1000),
  kherad: { call_id: callName(callId), ignored },
})

/** The settings under the names of the wire: fields that a client could send again. */
export const sessionFields = (settings: CallSettings): Record<string, unknown> =>
  settings.type === 'transcription'
    ? { type: settings.type, audio: { input: inputOf(settings) }, include: null }
    : realtimeFields(settings)

const inputOf = (settings: CallSettings) => ({
  format: formatOf(settings.inputSound),
  transcription: transcriptionOf(settings.transcription),
  noise_reduction: null,
  turn_detection: settings.turnDetection && detectionOf(settings.turnDetection),
})

const realtimeFields = (settings: CallSettings) => ({
  type: settings.type,
  model: settings.model,
  output_modalities: settings.modalities,
  instructions: settings.instructions,
  audio: {
    input: inputOf(settings),
    output: {
      format: formatOf(settings.outputSound),
      ...(settings.voice !== undefined && { voice: settings.voice }),
      speed: settings.speed,
    },
  },
  tools: [
    ...settings.tools.map((tool) => ({ type: 'function', ...tool })),
    ...settings.hosted.map(hostedField),
  ],
  tool_choice:
    typeof settings.toolChoice === 'string'
      ? settings.toolChoice
      : { type: 'function', name: settings.toolChoice.name },
  max_output_tokens: settings.maxOutputTokens,
  tracing: null,
  truncation: 'auto',
  prompt: null,
  include: null,
})

const hostedField = ({ tool, allowedDomains, blockedDomains }: HostedToolEntry) => ({
  type: `kherad:${tool}`,
  ...(allowedDomains && { allowed_domains: allowedDomains }),
  ...(blockedDomains && { blocked_domains: blockedDomains }),
})

const formatOf = (sound: SoundType) =>
  sound === 'audio/pcm' ? { type: sound, rate: rateOf(sound) } : { type: sound }

const transcriptionOf = ({ model, language, prompt }: CallSettings['transcription']) =>
  model === undefined && language === undefined && prompt === undefined
    ? null
    : {
        ...(model !== undefined && { model }),
        ...(language !== undefined && { language }),
        ...(prompt !== undefined && { prompt }),
      }

const detectionOf = (turns: TurnDetection) => ({
  type: turns.type,
  ...(turns.silenceMs !== undefined && { silence_duration_ms: turns.silenceMs }),
  prefix_padding_ms: turns.prefixMs,
  threshold: turns.threshold,
  create_response: turns.createResponse,
  interrupt_response: turns.interruptResponse,
  idle_timeout_ms: turns.idleMs ?? null,
})
