/** The two tools of every agent that answers itself: somebody leaves a contact, and somebody wants a person. */

import { failed, type HostedTool } from '#engine/tools'
import type { HostedUse, ToolResult } from '#engine/turn'
import { handoffOf, handoffParameters } from './handoff.ts'
import { leadOf, leadParameters } from './lead.ts'
import type { Raised } from './raise.ts'

export const agentUses: HostedUse[] = [
  { tool: 'agent:capture_lead', name: 'capture_lead', param: 'model' },
  { tool: 'agent:request_handoff', name: 'request_handoff', param: 'model' },
]

/** What is told is durable before the model hears that it is; nobody's leaving undoes it. */
export const agentTools = (raised: Raised): HostedTool[] => [
  {
    name: 'agent:capture_lead',
    description:
      'Keeps the contact of the person you talk to, so that the team behind you can reach them. Call it only after the person was asked, in one plain sentence, whether their contact may be kept and what for, and has agreed. Needs a telephone number or an e-mail address that the person gave.',
    parameters: leadParameters,
    price: 0n,
    async run(input) {
      const read = leadOf(input)
      if ('wrong' in read) return failed('invalid_tool_input', read.wrong)
      const { lead, consent } = read
      const said = { lead, consent: { text: consent, given: true } }
      return heard(await raised.raise('agent.lead', said, JSON.stringify(lead)), 'The contact is kept.')
    },
  },
  {
    name: 'agent:request_handoff',
    description:
      'Asks for a person of the team to take over this conversation. Call it when the person you talk to wants a human, or when you cannot help.',
    parameters: handoffParameters,
    price: 0n,
    async run(input) {
      const handoff = handoffOf(input)
      if ('wrong' in handoff) return failed('invalid_tool_input', handoff.wrong)
      // One run asks for a person once, however often the model does.
      return heard(await raised.raise('agent.handoff', { handoff }, ''), 'A person was asked to take over.')
    },
  },
]

const heard = (isTold: boolean, words: string): ToolResult =>
  isTold
    ? { content: words, results: [] }
    : failed('unavailable', 'it could not be written down; say so, and ask the person to try again later.')
