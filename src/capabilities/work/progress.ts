import type { Localized } from '#platform/errors'
import { tellRun } from './events/store.ts'
import type { RunLease } from './run-lease.ts'
import { changeRun, lockHeld } from './store.ts'

/** What is told of one run at most: a pipeline that tells more is still right, and only says less. */
const maxEvents = 1_000

/** Never back, and nothing twice; 100 is for the end. */
export async function tellProgress(shift: RunLease, percent: number, words: Localized): Promise<void> {
  const { app, held } = shift
  shift.requireOpen()
  const now = shift.now()
  await shift.persist(() =>
    app.db.tx(async (tx) => {
      const run = await lockHeld(tx, held)
      const further = Math.max(run.percent, Math.min(99, Math.max(0, Math.floor(percent))))
      if (further === run.percent && run.words?.en === words.en && run.words.fa === words.fa) return
      await changeRun(tx, held, { percent: further, words })
      if (run.events < maxEvents) await tellRun(tx, held, 'progress', { percent: further, words }, now)
    }),
  )
}
