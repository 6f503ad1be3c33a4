import { expect, test } from 'vitest'
import { HashingTurns, isPasswordHash } from './hashing.ts'

const refuse = (): never => {
  throw new Error('busy')
}

test('a hash fits its password alone, and nobody has the password of a missing hash', async () => {
  const hashing = new HashingTurns().hashingFor('people', refuse)
  const hash = await hashing.hash('one', 'a right password')
  expect(isPasswordHash(hash)).toBe(true)
  expect(isPasswordHash(hash.replace('m=19456', 'm=99999'))).toBe(false)
  expect(await hashing.matches('one', 'a right password', hash)).toBe(true)
  expect(await hashing.matches('one', 'a wrong password', hash)).toBe(false)
  expect(await hashing.matches('one', 'a right password', null)).toBe(false)
})

test('32 wait for one subject and no more, others take turns with them, and each kind has its own bound', async () => {
  const turns = new HashingTurns()
  const [people, clouds] = [turns.hashingFor('people', refuse), turns.hashingFor('clouds', refuse)]
  const done: string[] = []
  const note = (name: string, made: Promise<unknown>) => made.then(() => done.push(name))
  const flood = Array.from({ length: 34 }, () => note('flood', people.hash('flood', 'x')))
  await expect(people.hash('flood', 'x')).rejects.toThrow('busy')
  const others = [note('other', people.hash('other', 'x')), note('cloud', clouds.hash('flood', 'x'))]
  await Promise.all([...flood, ...others])
  expect(done.indexOf('other')).toBeLessThan(7)
  expect(done.indexOf('cloud')).toBeLessThan(7)
})

test('of the 512 who wait for a kind the last 64 are known ones', async () => {
  const instead = async () => Buffer.alloc(32, 1)
  const hashing = new HashingTurns(instead).hashingFor('people', refuse)
  const waiting = Array.from({ length: 450 }, (_, at) => hashing.hash(`network ${at >> 4}`, 'x'))
  await expect(hashing.matches('one more network', 'x', null)).rejects.toThrow('busy')
  expect(await hashing.matches('a known browser', 'x', null, { isKnown: true })).toBe(false)
  await Promise.all(waiting)
})
