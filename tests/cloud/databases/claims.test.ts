import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { holdLock } from '#platform/jail'
import { type Claim, Claims } from '../../../src/cloud/databases/local/claims.ts'

const program = path.join(import.meta.dirname, 'hold-claims.ts')

let root: string
beforeEach(async () => {
  root = await mkdtemp('/tmp/kherad-claims-')
})
const opened: Claims[] = []
afterEach(async () => {
  for (const claims of opened.splice(0)) await claims[Symbol.asyncDispose]()
  await rm(root, { recursive: true })
})

/** Of a process of its own: each has a lock of its own. */
function claimsOf(limitBytes: number): Claims {
  const claims = new Claims(root, { tools: { flock: '/usr/bin/flock' }, limitBytes })
  opened.push(claims)
  return claims
}

/** Another process that has taken these, until it is killed. */
async function processWith(refs: readonly string[]) {
  const child = spawn(process.execPath, [program, root, ...refs], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const ended = once(child, 'exit')
  return { kill: async () => void (child.kill('SIGKILL') && (await ended)) }
}

test.runIf(process.platform === 'linux')(
  'two processes that wake at once take no more than there is, to the byte',
  async () => {
    const [ours, theirs] = [claimsOf(100), claimsOf(100)]
    const taken = await Promise.all([
      ...['a', 'b', 'c'].map((ref) => ours.take(ref, 25)),
      ...['c', 'd', 'e', 'f'].map((ref) => theirs.take(ref, 25)),
    ])
    // What both use counts once.
    const refs = new Set((await ours.list()).map(({ ref }) => ref))
    expect(refs.size).toBe(4)
    expect(taken.filter(Array.isArray).length).toBeGreaterThanOrEqual(2)
    expect(await ours.take('g', 1)).toBeInstanceOf(Array)
    expect(await ours.take('g', 0)).toMatchObject({ ref: 'g' })
  },
)

test.runIf(process.platform === 'linux')(
  'while one process counts what is taken, no other one takes anything',
  async () => {
    const [ours, theirs] = [claimsOf(100), claimsOf(100)]
    const taking = await ours.withLock(async () => {
      const theirTurn = theirs.take('a', 25)
      // Takes as long as theirs would, several times.
      for (let nth = 0; nth < 5; nth++) {
        const free = await holdLock({ flock: '/usr/bin/flock' }, `${root}/another.lock`, 0)
        await free?.[Symbol.asyncDispose]()
      }
      expect(await ours.list()).toEqual([])
      return { theirTurn }
    })
    expect(await taking.theirTurn).toMatchObject({ ref: 'a' })
  },
)

test.runIf(process.platform === 'linux')(
  'where there is no room the one that was used longest ago comes first, whoever used it',
  async () => {
    const [ours, theirs] = [claimsOf(3), claimsOf(3)]
    await ours.take('old', 1)
    const busy = (await theirs.take('busy', 1)) as Claim
    await ours.take('busy', 1)
    await theirs.take('new', 1)
    for (const { ref, holder } of await ours.list())
      await utimes(`${root}/awake/${ref}.${holder}.1`, 1_000, { old: 2_000, busy: 1_000, new: 1_500 }[ref]!)
    await theirs.touch(busy)
    const order = (await ours.take('more', 1)) as { ref: string }[]
    expect([...new Set(order.map(({ ref }) => ref))]).toEqual(['new', 'old', 'busy'])
  },
)

test.runIf(process.platform === 'linux')(
  'the last process that gives it back stops it, and what a killed one left is stopped by a sweep',
  async () => {
    const stopped: string[] = []
    const ours = claimsOf(10)
    const stop = async (ref: string) => {
      await ours.runIfUnused(ref, () => stopped.push(ref))
      return true
    }
    const theirs = await processWith(['both', 'lost'])
    const [both, own] = [await ours.take('both', 1), await ours.take('own', 1)] as Claim[]
    await ours.giveBack(both!, stop)
    await ours.sweep(stop)
    expect(stopped).toEqual([])
    await ours.giveBack(own!, stop)
    expect(stopped).toEqual(['own'])
    await theirs.kill()
    await ours.sweep(stop)
    expect(stopped.sort()).toEqual(['both', 'lost', 'own'])
    expect(await ours.list()).toEqual([])
    // Neither of the lock of the killed one nor of its claims is anything left.
    await ours[Symbol.asyncDispose]()
    expect(await readdir(`${root}/awake-processes`)).toEqual([])
  },
)

test.runIf(process.platform === 'linux')(
  'while one server stops others begin, and its memory is free when it has stopped',
  async () => {
    const [ours, theirs] = [claimsOf(2), claimsOf(2)]
    const slow = Promise.withResolvers<boolean>()
    const stopping = ours.giveBack((await ours.take('slow', 1)) as Claim, () => slow.promise)
    expect(await theirs.take('other', 1)).toMatchObject({ ref: 'other' })
    expect(await theirs.take('third', 1)).toMatchObject([{ ref: 'slow' }, { ref: 'other' }])
    // Whoever wants it again meanwhile has it.
    const again = (await theirs.take('slow', 1)) as Claim
    expect(await ours.runIfUnused('slow', () => undefined)).toBe(false)
    await theirs.giveBack(again, async () => true)
    slow.resolve(true)
    await stopping
    expect(await theirs.take('third', 1)).toMatchObject({ ref: 'third' })
    // One that did not stop is swept again.
    await ours.giveBack((await ours.take('other', 1)) as Claim, async () => false)
    expect((await ours.list()).filter(({ holder }) => holder.startsWith('none'))).toHaveLength(1)
    await theirs.sweep(async () => true)
    expect((await ours.list()).filter(({ holder }) => holder.startsWith('none'))).toEqual([])
  },
)
