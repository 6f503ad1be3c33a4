import { afterEach, expect, test, vi } from 'vitest'
import { repetitions, steadyClock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import { joinProcesses } from './processes.ts'

const leaseMs = 4_000
const beatMs = leaseMs / 4

afterEach(() => vi.restoreAllMocks())

test('a sweep that fails keeps no other one from what dead processes left', async () => {
  const works = new Map<string, () => Promise<unknown>>()
  vi.spyOn(repetitions, 'every').mockImplementation((everyMs, name, work) => {
    works.set(name, work)
    return { name, everyMs, runIfDue: async () => undefined, stop: async () => undefined }
  })
  let nowMs = 0
  vi.spyOn(steadyClock, 'nowMs').mockImplementation(() => nowMs)
  const warned: unknown[] = []
  const timing = { processLeaseMs: leaseMs, heartbeatMs: beatMs, sweepMs: beatMs }
  await using processes = await joinProcesses({
    db: { query: async () => [{ beat_at: new Date() }] } as unknown as Db,
    log: { warn: ({ err }: { err: Error }) => warned.push(err.message) } as unknown as Log,
    timing,
  })
  let swept = 0
  processes.afterSweep(() => Promise.reject(new Error('one row')))
  processes.afterSweep(async () => void swept++)
  for (; nowMs < 2 * leaseMs; nowMs += beatMs) await works.get('heartbeat')!()
  await works.get('sweep')!()
  expect([swept, warned]).toEqual([1, ['one row']])
})
