/** The two tools of every agent that answers itself: capturing a contact, and requesting a human. */

import { type HostedTool, toolFailure } from '#core/tools'
import type { HostedToolEntry, ToolResult } from '#core/turn'
import type { AgentEvents } from './agent-events.ts'
import { handoffOf, handoffParameters } from './handoff.ts'
import { leadOf, leadParameters } from './lead.ts'

export const agentToolUses: HostedToolEntry[] = [
  { tool: 'agent:capture_lead', name: 'capture_lead', param: 'model' },
  { tool: 'agent:request_handoff', name: 'request_handoff', param: 'model' },
]

/** An event is durable before the model gets the result of the tool; a disconnect does not undo it. */
export const agentTools = (events: AgentEvents): HostedTool[] => [
  {
    name: 'agent:capture_lead',
    description:
      'Keeps the contact of the person you talk to, so that the team behind you can reach them. Call it only after the person was asked, in one plain sentence, whether their contact may be kept and what for, and has agreed. Needs a telephone number or an e-mail address that the person gave.',
    parameters: leadParameters,
    price: 0n,
    async run(input) {
      const read = leadOf(input)
      if ('wrong' in read) return toolFailure('invalid_tool_input', read.wrong)
      const { lead, consent } = read
      const payload = { lead, consent: { text: consent, given: true } }
      return resultOf(await events.emit('agent.lead', payload, JSON.stringify(lead)), 'The contact is kept.')
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
      if ('wrong' in handoff) return toolFailure('invalid_tool_input', handoff.wrong)
      // One handoff per run, however often the model calls the tool.
      return resultOf(await events.emit('agent.handoff', { handoff }, ''), 'A person was asked to take over.')
    },
  },
]

const resultOf = (isStored: boolean, words: string): ToolResult =>
  isStored
    ? { content: words, results: [] }
    : toolFailure(
        'unavailable',
        'it could not be written down; say so, and ask the person to try again later.',
      )
