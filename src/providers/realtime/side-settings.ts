/** Reads the settings of a call as an upstream reports them. */

import type { SideSettings } from '#core/spec'
import { isRecord } from '#providers/kit'

export const limitIn = (value: unknown): number | 'inf' | undefined =>
  value === 'inf' || typeof value === 'number' ? value : undefined

export function settingsIn(session: unknown): SideSettings {
  const { model, instructions, tools, max_output_tokens, truncation, audio } = isRecord(session)
    ? session
    : {}
  const input = isRecord(audio) ? audio['input'] : undefined
  return {
    model: typeof model === 'string' ? model : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    tools: Array.isArray(tools) ? tools : undefined,
    maxOutputTokens: limitIn(max_output_tokens),
    maxInputTokens: truncation == null ? undefined : inputLimitIn(truncation),
    transcriptionModel: isRecord(input) ? transcriptionIn(input['transcription']) : undefined,
  }
}

/** The limit of the input. With `auto` and `disabled` it is as long as the model takes. */
function inputLimitIn(truncation: unknown): number | 'inf' {
  const limits = isRecord(truncation) ? truncation['token_limits'] : undefined
  const inputLimit = isRecord(limits) ? limits['post_instructions'] : undefined
  return typeof inputLimit === 'number' ? inputLimit : 'inf'
}

function transcriptionIn(transcription: unknown): string | null | undefined {
  if (transcription === null) return null
  const model = isRecord(transcription) ? transcription['model'] : undefined
  return typeof model === 'string' ? model : undefined
}
