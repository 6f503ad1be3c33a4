import type { Seen } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { Refused } from './socket-call.ts'

/**
 * Asks for a call until a process takes it. One that a busy machine keeps from answering within three seconds is passed by, as if its place were
 * taken, and whoever is refused so is told to ask again.
 */
export const onceTaken = (ask: () => Promise<Seen>): Promise<Seen> =>
  until(async () => {
    const seen = await ask()
    return seen.body?.error?.code === 'VOICE_BUSY' ? undefined : seen
  })

/** The same over a WebSocket. */
export const onceOpened = <Call>(connect: () => Promise<Call>): Promise<NonNullable<Call>> =>
  until(() =>
    connect().catch((error: unknown) => {
      if (error instanceof Refused && error.body.error.code === 'VOICE_BUSY') return undefined
      throw error
    }),
  )
