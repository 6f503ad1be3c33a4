/** The settings of a session at an upstream. */
import type { RealtimeSetup } from '#core/spec'
import type { ResponseOptions, SessionSettings } from '../../parts.ts'
import type { RelayedModel } from './of-model.ts'

/** The setup of a session. `responseOptions` has the options of one response that differ from the session. */
export function setupOf(
  model: RelayedModel,
  session: SessionSettings,
  responseOptions: ResponseOptions = {},
): RealtimeSetup {
  const { voices, voice, transcription } = model
  const wanted = session.voice !== undefined && voices.includes(session.voice) ? session.voice : voice
  const { language, prompt } = session.transcription
  return {
    instructions: responseOptions.instructions ?? session.instructions,
    voice: wanted,
    ...(session.speed !== 1 && { speed: session.speed }),
    speaks: (responseOptions.modalities ?? session.modalities).includes('audio'),
    tools: responseOptions.tools ?? session.tools,
    toolChoice: responseOptions.toolChoice ?? session.toolChoice,
    maxOutputTokens: maxResponseTokens(model, session, responseOptions),
    maxInputTokens: model.maxInputTokens,
    ...(transcription && { transcription: { model: transcription.model, language, prompt } }),
  }
}

/** The most tokens of a response. */
export function maxResponseTokens(
  { maxOutputTokens: most }: RelayedModel,
  session: SessionSettings,
  responseOptions: ResponseOptions = {},
): number {
  const wanted = responseOptions.maxOutputTokens ?? session.maxOutputTokens
  return wanted === 'inf' ? most : Math.min(most, wanted)
}

/** Whether a response has options for which the session needs another setup. */
export const hasOwnOptions = ({
  instructions,
  modalities,
  tools,
  toolChoice,
  maxOutputTokens,
}: ResponseOptions): boolean =>
  [instructions, modalities, tools, toolChoice, maxOutputTokens].some((one) => one !== undefined)
