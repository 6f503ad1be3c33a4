import type { EventType } from '#platform/events'

/** Every event type that a room declares, in the order of the contract, section 6; the compiler refuses a missing one. */
const all: Record<EventType, true> = {
  'batch.completed': true,
  'batch.cancelled': true,
  'agent.lead': true,
  'agent.handoff': true,
  'budget.threshold': true,
  'video.completed': true,
  'video.failed': true,
  'realtime.ended': true,
}

/** The event types that a webhook may subscribe to. */
export const eventTypes = Object.keys(all) as EventType[]
