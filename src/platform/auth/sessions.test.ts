import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ListenEvents } from '#platform/db'
import type { SessionRecord } from './session-caller.ts'
import { openSessions, type PeopleLookup } from './sessions.ts'

const token = `khb_${'a'.repeat(49)}`
const record: SessionRecord = {
  sessionId: 'session',
  personId: 'person',
  locale: 'en',
  isOperator: false,
  steppedUpAtMs: 0,
  lastUsedAtMs: 0,
  endsAtMs: 1_000,
}

// The check of all connections runs when a test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** Sessions over a database that answers what a test says; changes are announced by `announce`. */
function scene() {
  let events: ListenEvents | undefined
  const answers = { isOpen: true, isAway: false }
  const lookup: PeopleLookup = {
    session: async () => {
      if (answers.isAway) throw new Error('the database is away')
      return answers.isOpen ? record : undefined
    },
    place: async () => ({
      ...{ accountId: 'account', projectId: 'project', role: 'viewer', rights: new Set(['models:read']) },
      ...{ plan: 'standard', isSuspended: false, isClosing: false, keepDays: undefined, keyId: 'key' },
    }),
    openKey: async () => 'key',
    renew: async () => undefined,
    noteUse: async () => {},
  }
  const db = {
    listen: (_: readonly string[], on: ListenEvents) => {
      events = on
      on.up()
      return { [Symbol.asyncDispose]: async () => {} }
    },
  }
  const log = { warn: () => {} }
  const clock = { nowMs: () => 1 }
  const options = { db, log, clock, lookup, installationId: '0-0', idleMs: 1_000 }
  const sessions = openSessions(options as unknown as Parameters<typeof openSessions>[0])
  const end = () => {
    answers.isOpen = false
    events!.message('people_changed', record.personId)
  }
  const callerOf = async () =>
    (await sessions.caller((await sessions.find(token))!, 'project', {
      needsPlan: false,
      needsKey: false,
      reads: true,
      whileClosing: false,
    }))!
  return { sessions, answers, end, callerOf }
}

test('a session that ends between its look-up and the watch of its connection ends the connection all the same', async () => {
  const { sessions, end, callerOf } = scene()
  const { changes } = sessions
  const caller = await callerOf()
  end()
  const isEnded = new Promise<void>((resolve) => sessions.watch(caller, resolve, changes))
  await isEnded
})

test('a connection whose session ended while the database did not answer ends once it does', async () => {
  const { sessions, answers, end, callerOf } = scene()
  const { changes } = sessions
  const caller = await callerOf()
  let isEnded = false
  using _ = sessions.watch(caller, () => (isEnded = true), changes)
  answers.isAway = true
  end()
  await expect.poll(() => sessions.isStillAdmitted(caller).catch(() => 'away')).toBe('away')
  expect(isEnded).toBe(false)
  answers.isAway = false
  await expect.poll(() => isEnded).toBe(true)
})

test('an end that is announced ends the connections of the session, and waits for no check', async () => {
  const { sessions, end, callerOf } = scene()
  const { changes } = sessions
  const caller = await callerOf()
  let isEnded = false
  using _ = sessions.watch(caller, () => (isEnded = true), changes)
  end()
  await turn()
  expect(isEnded).toBe(true)
})

test('an end that no announcement told, as where the listening line is dead, ends the connection within five seconds', async () => {
  const { sessions, answers, callerOf } = scene()
  const caller = await callerOf()
  let isEnded = false
  using _ = sessions.watch(caller, () => (isEnded = true), sessions.changes)
  answers.isOpen = false
  await vi.advanceTimersByTimeAsync(4_999)
  expect(isEnded).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await expect.poll(() => isEnded).toBe(true)
})
