/** Opens the session of a call that was begun, over any transport. */
import {
  CallSession,
  CallSound,
  type CallSoundOptions,
  KeptCall,
  soundClock,
  type Transport,
} from '#voice/realtime'
import type { CallContext } from './app.ts'
import type { BegunCall } from './begin.ts'
import { openEngine } from './call-engine.ts'
import { hostedToolCheck, transcriptionModelResolver } from './chosen-model.ts'

/** The sound of a transport: the frames due every 20 ms, how far ahead of playback sound is sent, and its delay on the way to the caller. */
export type TransportSound = Pick<CallSoundOptions, 'pull' | 'leadMs' | 'tailMs'>

/** A session, joined with the money of the call; `start` it once it is connected. */
export function openSession(
  context: CallContext,
  begun: BegunCall,
  transport: Transport,
  sound: TransportSound,
): CallSession {
  const { app, language } = context
  const { callId, settings, ignored, money, expiresAtMs } = begun
  const failed = (error: unknown): void => {
    app.log.error({ err: error, call_id: callId }, 'a call broke')
    session.end('failed')
  }
  const kept = keptCall(context, begun)
  const session = new CallSession({
    ...{ callId, settings, ignored, language, money, expiresAtMs, transport },
    transcriptionModel: transcriptionModelResolver(context),
    hasHosted: hostedToolCheck(context, begun.model),
    clock: app.clock,
    log: app.log,
    idleMs: app.config.voice.idleSeconds * 1000,
    words: kept,
    openSound: (play) =>
      new CallSound({
        ...{ ...sound, clock: soundClock, failed },
        play: (frame, itemId) => {
          if (itemId !== undefined) kept?.recordAssistant(frame)
          play(frame, itemId)
        },
        hear: (frame) => {
          kept?.recordCaller(frame)
          session.frame(frame)
        },
      }),
    openEngine: (view) => openEngine(context, begun, view),
    async settle(reason, turns) {
      money.turns = turns
      await kept?.beforeSettlement()
      try {
        await money.end(reason)
      } catch (error) {
        app.log.error({ err: error, call_id: callId }, 'a call was not settled; its sweep does it')
      }
      await kept?.afterSettlement()
    },
  })
  begun.listener.join(session)
  return session
}

/** Keeps the words and the sound of the call; undefined where they are not kept. */
function keptCall(
  { app, caller, requestId }: CallContext,
  { callId, store, expiresAtMs }: BegunCall,
): KeptCall | undefined {
  if (!store) return undefined
  const { accountId, projectId, keyId, keepDays } = caller
  const maxSeconds = Math.max(0, Math.ceil((expiresAtMs - app.clock.nowMs()) / 1000))
  return new KeptCall(app, {
    ...{ accountId, projectId, keyId, callId, receiptId: requestId, maxSeconds },
    keepDays: keepDays ?? app.config.voice.keepDays,
  })
}
