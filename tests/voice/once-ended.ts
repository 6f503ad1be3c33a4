import type { Seen } from '../harness/client.ts'
import { until } from '../harness/until.ts'

/**
 * Asks for the end of a call until the answer says that it has ended. An answer waits three seconds for the settlement; a call that a busy machine
 * settles later is not ended yet in it, and whoever asks again waits on.
 */
export const onceEnded = (end: () => Promise<Seen>): Promise<Seen> =>
  until(async () => {
    const seen = await end()
    return seen.status === 200 && seen.body.status !== 'ended' ? undefined : seen
  })
