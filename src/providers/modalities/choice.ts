/** Reads the one choice of an answer, and why there may be none. What the model wrote is never part of an error. */

import { UpstreamError } from '#core/spec'
import { faultOfError, isRecord } from '#providers/kit'

const filtered: ReadonlySet<unknown> = new Set(['content_filter', 'safety', 'prohibited_content', 'refusal'])

export interface Choice {
  /** The message, or what a chunk adds to it. */
  message: Record<string, unknown>
  /** True once the finish reason has come. */
  isFinished: boolean
}

/** The choice; undefined for an answer or a chunk without choices. Throws `UpstreamError`, always with `executed: true`, for errors and refusals. */
export function choiceOf(answer: Record<string, unknown>, secrets: readonly string[]): Choice | undefined {
  if (answer['error'] != null) throw faultOfError(answer['error'], secrets)
  const choice: unknown = Array.isArray(answer['choices']) ? answer['choices'][0] : undefined
  if (!isRecord(choice)) return undefined
  if (choice['error'] != null) throw faultOfError(choice['error'], secrets)
  const message = [choice['message'], choice['delta']].find(isRecord) ?? {}
  const { refusal } = message
  const reason = String(choice['finish_reason'] ?? '').toLowerCase()
  if (filtered.has(reason) || (typeof refusal === 'string' && refusal !== ''))
    throw new UpstreamError('content_refused', { detail: 'The model refused the content.' })
  if (reason === 'length') throw new UpstreamError('cut', { detail: 'the limit of tokens was reached' })
  return { message, isFinished: reason !== '' }
}

export const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
