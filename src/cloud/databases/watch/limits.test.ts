import { expect, test } from 'vitest'
import { sessionVerdict } from './limits.ts'

const session = { role: 'app_reader', transactionMs: 0, isIdle: false, idleMs: 0, isExport: false }

test('a session is cancelled beyond the limit of its role and ended two seconds later, and one that is idle is ended after 15 seconds', () => {
  for (const [role, maxMs] of [
    ['app_reader', 600_000],
    ['kherad_aaaaaaaaaaaaaaaaaaaa', 600_000],
    ['authenticator', 30_000],
    ['whoever', 30_000],
  ] as const) {
    const after = (transactionMs: number) => sessionVerdict({ ...session, role, transactionMs })
    expect([maxMs, maxMs + 1, maxMs + 2_000, maxMs + 2_001].map(after), role).toEqual([
      ...['goes on', 'cancelled', 'cancelled', 'ended'],
    ])
  }
  const idle = (idleMs: number) => sessionVerdict({ ...session, isIdle: true, idleMs })
  expect([15_000, 15_001].map(idle)).toEqual(['goes on', 'ended'])
})

test('an export has an hour, also to wait for whoever reads it, and nobody but the reader has it', () => {
  const exported = { ...session, isExport: true, isIdle: true }
  const at = (ms: number) => sessionVerdict({ ...exported, transactionMs: ms, idleMs: ms })
  expect([3_600_000, 3_600_001].map(at)).toEqual(['goes on', 'ended'])
  expect(sessionVerdict({ ...exported, isIdle: false, transactionMs: 3_600_001 })).toBe('cancelled')
  expect(
    sessionVerdict({ ...exported, role: 'kherad_aaaaaaaaaaaaaaaaaaaa_app_reader', idleMs: 16_000 }),
  ).toBe('goes on')
  for (const role of ['postgres', 'authenticator'])
    expect(sessionVerdict({ ...exported, role, idleMs: 15_001 }), role).toBe('ended')
})
