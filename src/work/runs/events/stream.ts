/** What happens to a run, as server-sent events: from its beginning, or after the last one that the reader has seen. */
import { setTimeout as pause } from 'node:timers/promises'
import { type EventStream, eventStream } from '#platform/http'
import { type RunContext, requireRun, runKeyOf } from '../read.ts'
import { toRunEvent } from '../run-summary.ts'
import { eventsAfter } from './store.ts'

const lookMs = 500
const ends = new Set(['succeeded', 'failed', 'cancelled'])

export async function streamEvents(context: RunContext): Promise<EventStream> {
  const { app, language } = context
  const run = await requireRun(context)
  const runKey = runKeyOf(run)
  let seen = lastSeen(context.headers['last-event-id'])
  return eventStream(async (out) => {
    while (!out.gone.aborted) {
      const found = await eventsAfter(app.db, runKey, seen)
      for (const event of found) {
        seen = event.seq
        const shown = toRunEvent(event, language)
        await out.send(JSON.stringify(shown), event.type, String(event.seq))
        if (ends.has(event.type)) return
      }
      if (found.length > 0) continue
      // Nothing after the end: the reader had seen it.
      if (await hasEnded()) return
      await pause(lookMs, undefined, { signal: out.gone }).catch(() => undefined)
    }
  })

  /** A run that was deleted meanwhile has ended too. */
  async function hasEnded(): Promise<boolean> {
    const now = await requireRun(context).catch(() => undefined)
    return now === undefined || (now.ended_at !== null && now.events <= seen)
  }
}

/** What is no place in the stream means its beginning. */
const lastSeen = (header: string | string[] | undefined): number =>
  typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : 0
