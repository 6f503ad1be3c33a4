/** Deletes what is over of people: sessions, codes, links, attempts, mails and the like (docs/decisions/account/letters.md). */
import { idleMs } from '#account/people'
import { job } from './app.ts'
import { deleteOld, type OldRows } from './store.ts'

const portion = 500
const dayMs = 24 * 60 * 60 * 1000

/** Rows whose time, in a column of them, is longer ago than the days that they are kept beyond it. */
const kept: readonly (Omit<OldRows, 'before'> & { days: number })[] = [
  { table: 'attempts', column: 'window_ends_at', days: 0 },
  { table: 'challenges', column: 'expires_at', days: 0 },
  { table: 'ceremonies', column: 'expires_at', days: 0 },
  { table: 'codes', column: 'expires_at', days: 0 },
  { table: 'addresses', column: 'retires_at', days: 0 },
  // A link that was used or is over says so for a day more.
  { table: 'links', column: 'expires_at', days: 1 },
  { table: 'sessions', column: 'expires_at', days: 1 },
  { table: 'sessions', column: 'ended_at', days: 1 },
  { table: 'sessions', column: 'last_used_at', days: idleMs / dayMs },
  { table: 'factors', column: 'created_at', days: 1, isUnconfirmed: true },
  { table: 'mails', column: 'created_at', days: 30 },
  { table: 'text_messages', column: 'created_at', days: 7 },
  { table: 'invitations', column: 'expires_at', days: 30 },
  { table: 'text_message_days', column: 'day', days: 90 },
  { table: 'notices', column: 'created_at', days: 90 },
  // As long as the cookie by which a browser is known.
  { table: 'devices', column: 'last_used_at', days: 365 },
]

export const peopleSweepJob = job<null>({
  name: 'people.sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 10 * 60 * 1000,
  async handle({ app, signal }) {
    for (const { days, ...rows } of kept) {
      const before = new Date(app.clock.nowMs() - days * dayMs)
      while (!signal.aborted && (await deleteOld(app.db, { ...rows, before }, portion)) === portion);
    }
    return undefined
  },
})

export const peopleSweep = { name: 'people-sweep', routes: [], jobs: [peopleSweepJob] }
