import type { ThresholdOf } from '#account/letters'
import { job } from './app.ts'
import { notify } from './notify.ts'
import { claimNotice, hasHappened, namesOf, type SpenderNames } from './store.ts'

/** The data of the event `budget.threshold`, as the functions of the ledger write it; sums in whole credits. */
interface Threshold {
  scope: 'account' | 'project' | 'key'
  scope_id: string
  /** `total`, or the month as `2026-11`. */
  period: string
  threshold_percent: number
  cap_credits: number
  spent_credits: number
}

/**
 * Tells of a threshold. The job is queued by a trigger (migrations/0039-people.sql) in the transaction of the event. Where one call has passed several
 * thresholds, only the highest is told.
 */
export const thresholdJob = job<{ once_key: string; event: Threshold }>({
  name: 'notices.threshold',
  limits: () => ({ perAccount: 1, perProcess: 2 }),
  async handle({ app, accountId, data: { once_key: onceKey, event } }) {
    const now = new Date(app.clock.nowMs())
    await app.db.tx(async (tx) => {
      if (await hasHappened(tx, accountId, higherKeys(onceKey, event.threshold_percent))) return
      const names = await namesOf(tx, { accountId, scope: event.scope, scopeId: event.scope_id })
      if (!names || !(await claimNotice(tx, { accountId, onceKey, now }))) return
      const { threshold_percent: percent, spent_credits: spent, cap_credits: cap } = event
      const amounts = { percent, spent: BigInt(spent), cap: BigInt(cap) }
      const data = { account: names.account, of: ofThreshold(event, names), ...amounts }
      const { project_id: projectId, person_id: personId } = names
      await notify(app, tx, { accountId, projectId, personId }, { kind: 'threshold_reached', data }, now)
    })
    return undefined
  },
})

/** The keys of the events of higher thresholds of the same cap; the percentage stands last in each. */
function higherKeys(onceKey: string, percent: number): string[] {
  const cap = onceKey.slice(0, onceKey.lastIndexOf(':') + 1)
  return Array.from({ length: 100 - percent }, (_, at) => `${cap}${percent + 1 + at}`)
}

function ofThreshold({ scope, period }: Threshold, names: SpenderNames): ThresholdOf {
  const of = { period: period === 'total' ? 'total' : 'month' } as const
  if (scope === 'account') return { ...of, scope, name: names.account }
  if (scope === 'project') return { ...of, scope, name: names.project ?? '' }
  if (names.key_kind === 'api') return { ...of, scope: 'key', name: names.key ?? '' }
  return { ...of, scope: 'member', name: names.person ?? '' }
}
