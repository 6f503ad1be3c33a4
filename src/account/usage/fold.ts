/** Adds what calls have counted to the quarter hours, a while after them. Whoever reads usage adds both, so that it makes no difference when. */
import type { Db } from '#platform/db'
import { job } from './app.ts'

/** So many rows hold their locks for a fraction of a second. */
const rowsAtOnce = 5_000

export const foldJob = job<null>({
  name: 'usage.fold',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 60 * 1000,
  async handle({ app, stopping }) {
    while (!stopping.aborted && (await foldSome(app.db)) === rowsAtOnce);
    return undefined
  },
})

async function foldSome(db: Db): Promise<number> {
  const [row] = await db.query<{ folded: number }>(
    { name: 'usage.fold', text: 'select ledger.fold_usage($1) as folded' },
    [rowsAtOnce],
  )
  return row!.folded
}
