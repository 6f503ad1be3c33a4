/** The session of a call that was begun, whatever carries it. */
import { CallSession, CallSound, type CallSoundOptions, soundClock, type Transport } from '#engine/realtime'
import type { Asking, BegunCall } from './begin.ts'
import { openEngine } from './call-engine.ts'
import { hostedTools, transcriptionModels } from './chosen-model.ts'

/** How a transport takes and gives sound: frames that are due once each 20 ms, how far ahead of the ear it is sent, and the way from here to it. */
export type TransportSound = Pick<CallSoundOptions, 'pull' | 'leadMs' | 'tailMs'>

/** Joined with the money of the call; `start` it once it is connected. */
export function openSession(
  context: Asking,
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
  const session = new CallSession({
    ...{ callId, settings, ignored, language, money, expiresAtMs, transport },
    transcriptionModel: transcriptionModels(context),
    hasHosted: hostedTools(context, begun.model),
    clock: app.clock,
    log: app.log,
    idleMs: app.config.voice.idleSeconds * 1000,
    openSound: (play) =>
      new CallSound({ ...sound, clock: soundClock, play, failed, hear: (frame) => session.frame(frame) }),
    openEngine: (view) => openEngine(context, begun, view),
    async settle(reason, turns) {
      money.turns = turns
      try {
        await money.end(reason)
      } catch (error) {
        app.log.error({ err: error, call_id: callId }, 'a call was not settled; its sweep does it')
      }
    },
  })
  begun.listener.join(session)
  return session
}
