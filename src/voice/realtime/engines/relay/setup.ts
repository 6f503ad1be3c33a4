/** The settings of a session at an upstream. */
import type { RealtimeSetup } from '#core/spec'
import type { ResponseOptions, SessionSettings } from '../../parts.ts'
import type { RelayOptions } from './relay.ts'

type Model = RelayOptions['model']

/** The setup of a session. `asked` has the options of one response that differ from the session. */
export function setupOf(model: Model, session: SessionSettings, asked: ResponseOptions = {}): RealtimeSetup {
  const { voices, voice, transcription } = model
  const wanted = session.voice !== undefined && voices.includes(session.voice) ? session.voice : voice
  const { language, prompt } = session.transcription
  return {
    instructions: asked.instructions ?? session.instructions,
    voice: wanted,
    ...(session.speed !== 1 && { speed: session.speed }),
    speaks: (asked.modalities ?? session.modalities).includes('audio'),
    tools: asked.tools ?? session.tools,
    toolChoice: asked.toolChoice ?? session.toolChoice,
    maxOutputTokens: maxOutput(model, session, asked),
    maxInputTokens: model.maxInputTokens,
    ...(transcription && { transcription: { model: transcription.model, language, prompt } }),
  }
}

/** The most tokens of a response. */
export function maxOutput(
  { maxOutputTokens: most }: Model,
  session: SessionSettings,
  asked: ResponseOptions = {},
): number {
  const wanted = asked.maxOutputTokens ?? session.maxOutputTokens
  return wanted === 'inf' ? most : Math.min(most, wanted)
}
