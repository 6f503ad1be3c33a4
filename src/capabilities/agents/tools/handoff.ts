/** A wish for a person, out of what a model wrote; a sentence for the model where it will not do. */
import { member } from '#engine/tools'
import { textOf, type Wrong } from './read-input.ts'

const urgencies = ['low', 'normal', 'high'] as const

export interface Handoff {
  /** Why a person is asked for. */
  reason: string
  /** What was said so far, for the person who takes over. */
  summary: string
  urgency: (typeof urgencies)[number]
}

/** For the model. */
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

export function handoffOf(input: unknown): Handoff | Wrong {
  const reason = textOf(input, 'reason', { least: 1, most: 300 })
  if (typeof reason === 'object') return reason
  const summary = textOf(input, 'summary', { least: 1, most: 2000 })
  if (typeof summary === 'object') return summary
  if (reason === undefined || summary === undefined) return { wrong: 'reason and summary are needed.' }
  const urgency = urgencies.find((one) => one === member(input, 'urgency'))
  return { reason, summary, urgency: urgency ?? 'normal' }
}
