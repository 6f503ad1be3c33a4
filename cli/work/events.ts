/** The events of a run as they come; a broken connection is opened again after the last event that was seen. */
import { setTimeout as pause } from 'node:timers/promises'
import { eventsOf } from '../server/events.ts'
import { requestRecord } from '../server/records.ts'
import { requestReply, type Server } from '../server.ts'

export interface RunEvent {
  id: number
  type: string
  message: string
  percent?: number
}

const ends = new Set(['succeeded', 'failed', 'cancelled'])
const againMs = 500

/** Ends after the event that ends the run, or when a run that has ended has no more events. */
export async function* follow(server: Server, id: string): AsyncGenerator<RunEvent> {
  let seen = 0
  for (;;) {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(seen) }
    const reply = await requestReply(server, 'GET', `/v1/work/${id}/events`, { headers })
    try {
      for await (const data of eventsOf(reply)) {
        const event = JSON.parse(data) as RunEvent
        seen = event.id
        yield event
        if (ends.has(event.type)) return
      }
      const run = await requestRecord<{ ended_at: string | null }>(server, 'GET', `/v1/work/${id}`)
      if (run.ended_at !== null) return
    } catch (error) {
      // undici throws a TypeError when a connection breaks.
      if (!(error instanceof TypeError)) throw error
    }
    await pause(againMs)
  }
}
