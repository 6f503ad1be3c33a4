import { microcreditsPerCredit } from '#platform/ledger'
import { job } from './app.ts'
import { notify } from './notify.ts'
import { followBalances, lowAccounts, markLow } from './store.ts'

const everyMs = 10 * 60 * 1000
const portion = 100

/**
 * Tells that a balance is nearly spent: a tenth remains of the highest that was seen since it last ran low. It is told again only after credits have
 * more than doubled what was left. Settlements are not slowed by this, so it may be told ten minutes late.
 */
export const balanceJob = job<null>({
  name: 'notices.balance',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs,
  async handle({ app, stopping }) {
    await followBalances(app.db, new Date(app.clock.nowMs()))
    for (;;) {
      const low = await lowAccounts(app.db, portion)
      for (const accountId of low) {
        if (stopping.aborted) return undefined
        const now = new Date(app.clock.nowMs())
        await app.db.tx(async (tx) => {
          const marked = await markLow(tx, accountId)
          if (!marked) return
          const data = { account: marked.name, balance: marked.balance / microcreditsPerCredit }
          await notify(app, tx, { accountId }, { kind: 'balance_low', data }, now)
        })
      }
      if (low.length < portion) return undefined
    }
  },
})
