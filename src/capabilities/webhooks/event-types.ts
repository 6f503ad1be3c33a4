import type { EventType } from '#platform/events'

/** Of every event that a room declares: none may be left out. In the order of the contract, section 6. */
const all: Record<EventType, true> = {
  'batch.completed': true,
  'batch.cancelled': true,
  'agent.lead': true,
  'agent.handoff': true,
  'budget.threshold': true,
}

/** What a webhook may be sent. */
export const eventTypes = Object.keys(all) as EventType[]
