/** A handoff request, parsed from the input that a model wrote; a sentence for the model if it is invalid. */
import { member } from '#core/tools'
import { type InvalidInput, textOf } from './read-input.ts'

const urgencies = ['low', 'normal', 'high'] as const

export interface Handoff {
  /** Why a person is requested. */
  reason: string
  /** What was said so far, for the person who takes over. */
  summary: string
  urgency: (typeof urgencies)[number]
}

/** The JSON Schema of the tool's input, as the model gets it. */
export const handoffParameters = {
  type: 'object',
  properties: {
    reason: { type: 'string', description: 'Why a person is needed, at most 300 characters.' },
    summary: {
      type: 'string',
      description:
        'What the person who takes over has to know: who asks, what for, what was tried; at most 2000 characters.',
    },
    urgency: { type: 'string', enum: [...urgencies], description: 'normal unless something else is plain.' },
  },
  required: ['reason', 'summary'],
  additionalProperties: false,
}

export function handoffOf(input: unknown): Handoff | InvalidInput {
  const reason = textOf(input, 'reason', { min: 1, max: 300 })
  if (typeof reason === 'object') return reason
  const summary = textOf(input, 'summary', { min: 1, max: 2000 })
  if (typeof summary === 'object') return summary
  if (reason === undefined || summary === undefined) return { wrong: 'reason and summary are needed.' }
  const urgency = urgencies.find((one) => one === member(input, 'urgency'))
  return { reason, summary, urgency: urgency ?? 'normal' }
}
