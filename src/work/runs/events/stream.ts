/** Streams the events of a run as server-sent events: from the beginning, or after the last event that the client has seen. */
import { setTimeout as pause } from 'node:timers/promises'
import { type EventStream, eventStream } from '#platform/http'
import { type RunContext, requireRun, runKeyOf } from '../read.ts'
import { toRunEvent } from '../run-summary.ts'
import { eventsAfter } from './store.ts'

const lookMs = 500
const endTypes = new Set(['succeeded', 'failed', 'cancelled'])

export async function streamEvents(context: RunContext): Promise<EventStream> {
  const { app, language } = context
  const run = await requireRun(context)
  const runKey = runKeyOf(run)
  let lastSeq = lastSeen(context.headers['last-event-id'])
  return eventStream(async (out) => {
    while (!out.gone.aborted) {
      const found = await eventsAfter(app.db, runKey, lastSeq)
      for (const event of found) {
        lastSeq = event.seq
        const shown = toRunEvent(event, language)
        await out.send(JSON.stringify(shown), event.type, String(event.seq))
        if (endTypes.has(event.type)) return
      }
      if (found.length > 0) continue
      // The run has ended, and the client has seen all its events.
      if (await hasEnded()) return
      await pause(lookMs, undefined, { signal: out.gone }).catch(() => undefined)
    }
  })

  /** Whether the run was deleted, or has ended with all its events sent. */
  async function hasEnded(): Promise<boolean> {
    const currentRun = await requireRun(context).catch(() => undefined)
    return currentRun === undefined || (currentRun.ended_at !== null && currentRun.events <= lastSeq)
  }
}

/** The number of the last event that the client has seen, or 0 for the beginning. */
const lastSeen = (header: string | string[] | undefined): number =>
  typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : 0
