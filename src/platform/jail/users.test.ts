import { expect, test } from 'vitest'
import { openUsers } from './users.ts'

test('no two jails have the same user, neither of one server nor of two on one machine', () => {
  const servers = [openUsers(true, 7), openUsers(true, 8)]
  const ids = servers.flatMap((users) => Array.from({ length: 256 }, () => users.take().id))
  expect(new Set(ids).size).toBe(512)
})

test('a user is given to the next jail once it is given back, and the one beyond the last to none', () => {
  const users = openUsers(true, 7)
  const [first] = Array.from({ length: 256 }, () => users.take())
  expect(() => users.take()).toThrow('all users of jails are taken')
  first![Symbol.dispose]()
  expect(users.take().id).toBe(first!.id)
})

test('users are far above those that systems give, and below what programs count to', () => {
  // The highest process number of Linux.
  const users = openUsers(true, 4_194_304)
  const ids = Array.from({ length: 256 }, () => users.take().id!)
  expect(Math.min(...ids)).toBeGreaterThan(1_000_000_000)
  expect(Math.max(...ids)).toBeLessThan(2 ** 31)
  expect(openUsers(false, 7).take().id).toBeUndefined()
})
