/**
 * The removal of the second factors of a person who has lost them all: asked for by an owner of an account of that person or by the operator, due after
 * three days, and cancelled by the link in its letter or by any sign-in with a factor.
 */
import { audit } from '#account/audit'
import { personLink, queueLetter } from '#account/letters'
import { personById, provenAddresses } from '#account/people'
import type { Config } from '#platform/config'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { randomBase62 } from '#platform/ids'
import { type FactorsApp, job } from './app.ts'
import { removeAllFactors } from './change.ts'
import type { FactorOwner } from './notify.ts'
import * as store from './reset-store.ts'
import { confirmedFactors, lockFactors } from './store.ts'

/** The page that reads the token of a link. */
const linkPage = '/link'

/**
 * Has the factors of the person removed after three days by the clock of the database, and writes to all proven addresses at once. One that waits
 * already stays as it is. Throws NO_SECOND_FACTOR.
 */
export async function requestFactorReset(
  app: Pick<FactorsApp, 'jobs' | 'secrets'> & { config: Pick<Config, 'baseUrl'> },
  tx: Tx,
  person: FactorOwner,
  requestedBy: string | null,
  now: Date,
): Promise<store.FactorReset & { isNew: boolean }> {
  const { personId, locale } = person
  await lockFactors(tx, personId)
  const pending = await store.pendingReset(tx, personId)
  if (pending) return { ...pending, isNew: false }
  if ((await confirmedFactors(tx, personId)).length === 0) fail('NO_SECOND_FACTOR', {})
  const reset = await store.insertReset(tx, personId, requestedBy)
  for (const to of await provenAddresses(tx, personId)) {
    const token = randomBase62(43)
    await store.insertCancelLink(tx, personId, token, reset.dueAt, now)
    const data = { dueAt: reset.dueAt, cancelLink: personLink(app, linkPage, token) }
    await queueLetter(app, tx, { to, personId, locale, kind: 'factor_reset_requested', data }, now)
  }
  return { ...reset, isNew: true }
}

/** Whoever gives a factor has not lost it: a removal that waits is cancelled. */
export async function cancelBySignIn(tx: Tx, personId: string, now: Date): Promise<void> {
  if (!(await store.cancelFactorReset(tx, personId, now))) return
  const entry = {
    accountId: null,
    actor: { kind: 'person' as const, id: personId },
    operation: 'factors.keep',
    target: { kind: 'person', id: personId },
  }
  await audit(tx, entry, now)
}

/** Removals that are due are looked for so often. */
const everyMs = 60_000

/** Carries out the removals that are due, each in one transaction, so that one that was begun when a process died is done by the next. */
export const factorResetJob = job<null>({
  name: 'factors.reset',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs,
  async handle({ app, signal }) {
    for (const personId of await store.dueResets(app.db)) {
      if (signal.aborted) break
      await app.db.tx((tx) => carryOut(app, tx, personId))
    }
    return undefined
  },
})

async function carryOut(app: FactorsApp, tx: Tx, personId: string): Promise<void> {
  const now = new Date(app.clock.nowMs())
  await lockFactors(tx, personId)
  const reset = await store.takeDueReset(tx, personId, now)
  const person = await personById(tx, personId)
  if (!reset || !person) return
  const { requestedBy } = reset
  const accountId = requestedBy === null ? null : await store.accountInCommon(tx, requestedBy, personId)
  // Whoever asked for it and is no owner any more has no say by now.
  if (accountId === undefined) return
  const removed = await removeAllFactors(app, tx, person, now)
  const entry = {
    accountId,
    actor: { kind: 'system' as const, id: null },
    operation: 'factors.reset',
    target: { kind: 'person', id: personId },
    before: { factors: removed.map(({ kind, name }) => ({ kind, name })) },
  }
  await audit(tx, entry, now)
}
