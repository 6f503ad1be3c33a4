import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, utimes } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Claim, Claims } from '../../../src/engine/databases/local/claims.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp('/tmp/kherad-claims-')
})
afterEach(() => rm(root, { recursive: true }))

const claimsOf = (limitBytes: number, self?: string) =>
  new Claims(root, { tools: { flock: '/usr/bin/flock' }, limitBytes, ...(self && { self }) })

/** Another process, as this one sees it. */
async function other() {
  const child = spawn('/bin/sleep', ['60'])
  await once(child, 'spawn')
  const about = await readFile(`/proc/${child.pid}/stat`, 'latin1')
  const holder = `${child.pid}-${about.slice(about.lastIndexOf(')') + 2).split(' ')[19]}`
  return { holder, [Symbol.dispose]: () => void child.kill('SIGKILL'), child }
}

test.runIf(process.platform === 'linux')(
  'two processes that wake at once take no more than there is, to the byte',
  async () => {
    using process = await other()
    const [ours, theirs] = [claimsOf(100), claimsOf(100, process.holder)]
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
  'where there is no room the one that was used longest ago comes first, whoever used it',
  async () => {
    using process = await other()
    const [ours, theirs] = [claimsOf(3), claimsOf(3, process.holder)]
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
    const stop = async (ref: string) => void stopped.push(ref)
    using process = await other()
    const [ours, theirs] = [claimsOf(10), claimsOf(10, process.holder)]
    for (const ref of ['both', 'lost']) await theirs.take(ref, 1)
    const [both, own] = [await ours.take('both', 1), await ours.take('own', 1)] as Claim[]
    await ours.giveBack(both!, () => stop('both'))
    await ours.sweep(stop)
    expect(stopped).toEqual([])
    await ours.giveBack(own!, () => stop('own'))
    expect(stopped).toEqual(['own'])
    process.child.kill('SIGKILL')
    await once(process.child, 'exit')
    await ours.sweep(stop)
    expect(stopped.sort()).toEqual(['both', 'lost', 'own'])
    expect(await ours.list()).toEqual([])
  },
)
