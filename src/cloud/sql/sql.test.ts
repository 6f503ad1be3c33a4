import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CloudKey } from '#cloud/clouds'
import { CloudSql } from './sql.ts'

const cloudOf = (account: string, nth: number): CloudKey => ({
  accountId: account,
  cloudId: `${account}${nth}`,
})

test('an account with many clouds leaves places to others, at their exact number', async () => {
  const running: string[] = []
  const end = Promise.withResolvers<never>()
  const sql = new CloudSql({
    use: ({ cloudId }) => {
      running.push(cloudId)
      return end.promise
    },
  })
  const refusals: Record<string, number> = {}
  const read = (account: string, nth: number): void =>
    void sql.read(cloudOf(account, nth), 'select 1').catch(({ code }: { code?: string }) => {
      refusals[code ?? 'ended'] = (refusals[code ?? 'ended'] ?? 0) + 1
    })
  // Each cloud has three reads: two of a cloud and eight of the account run, 32 wait, and 8 are refused at once.
  for (let nth = 0; nth < 48; nth++) read('a', nth % 16)
  await setImmediate()
  expect(running.toSorted()).toEqual(Array.from({ length: 8 }, (_, nth) => `a${nth}`))
  expect(refusals).toEqual({ SQL_BUSY: 8 })
  for (let nth = 0; nth < 3; nth++) read('b', 0)
  await setImmediate()
  expect(running.slice(8)).toEqual(['b0', 'b0'])
  end.reject(new Error('over'))
  await expect.poll(() => refusals['ended']).toBe(43)
  expect(running.filter((cloud) => cloud.startsWith('b'))).toHaveLength(3)
})
