import type { Localized } from '#platform/errors'
import { recordEvent } from './events/store.ts'
import type { RunLease } from './run-lease.ts'
import { changeRun, lockLeased } from './store.ts'

/** The number of events of a run from which on progress adds none; further reports only update the run. */
const maxEvents = 1_000

/** Records progress. The percentage never falls, and an unchanged report is ignored; 100 is reserved for the end. */
export async function recordProgress(lease: RunLease, percent: number, words: Localized): Promise<void> {
  const { app, leaseKey } = lease
  lease.requireOpen()
  const now = lease.now()
  await lease.persist(() =>
    app.db.tx(async (tx) => {
      const run = await lockLeased(tx, leaseKey)
      const further = Math.max(run.percent, Math.min(99, Math.max(0, Math.floor(percent))))
      if (further === run.percent && run.words?.en === words.en && run.words.fa === words.fa) return
      await changeRun(tx, leaseKey, { percent: further, words })
      if (run.events < maxEvents)
        await recordEvent(tx, leaseKey, 'progress', { percent: further, words }, now)
    }),
  )
}
