/** A data folder that is copied beside its original: each has its own database, and the original its jobs, bucket and vendors. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
import { postmasterPid } from '../../platform/db/cluster-world.ts'
import {
  amRoot,
  copy,
  type Installation,
  kherad,
  known,
  paidCall,
  parentFolder,
  readiness,
  recordOf,
  refusedStart,
  start,
  ways,
} from '../../platform/installation/installations.ts'

const cluster = (dataDir: string) => path.join(dataDir, 'postgres')

/** Calls at both, in turn, over connections that are new in part: who has been taken over answers from the other's books. */
async function callsInTurn(one: Installation, other: Installation): Promise<void> {
  const own: string[] = []
  const others: string[] = []
  for (let round = 0; round < 2; round++) {
    own.push(...(await Promise.all([paidCall(one), paidCall(one), paidCall(one)])))
    others.push(...(await Promise.all([paidCall(other), paidCall(other)])))
    await kherad(one.dataDir, 'account', 'list')
  }
  expect(await known(one, [...own, ...others])).toEqual(own)
  expect(await known(other, [...own, ...others])).toEqual(others)
}

/** What the doctor says of the books of a folder. */
async function ledgerOf(dataDir: string): Promise<string | undefined> {
  const { text } = await kherad(dataDir, 'doctor', '--json')
  const { checks } = JSON.parse(text) as { checks: { name: string; state: string }[] }
  return checks.find(({ name }) => name === 'ledger')?.state
}

describe.each(ways)('$name', (way) => {
  test('a copy of a running folder is started beside it: each answers from its own books, whichever stops first', async () => {
    await using parent = await parentFolder(way.mode)
    const [data, twin] = [path.join(parent.path, 'data'), path.join(parent.path, 'copy')]
    await using original = await start(data, { way })
    const before = await paidCall(original)
    await copy(data, twin)
    for (const first of ['copy', 'original'] as const) {
      await using second = await start(twin, { way })
      await callsInTurn(original, second)
      expect(await known(second, [before])).toEqual([before])
      expect(await readiness(second)).toEqual(['copy'])
      expect(await readiness(original)).toEqual([])
      if (first === 'original') expect(await original.stop()).toBe(0)
      else expect(await second.stop()).toBe(0)
      const left = first === 'original' ? second : original
      expect(await known(left, [await paidCall(left)])).toHaveLength(1)
      expect(await readiness(left)).toEqual(first === 'original' ? ['copy'] : [])
    }
    expect(await ledgerOf(data)).toBe('ok')
    expect(await ledgerOf(twin)).toBe('ok')
    // Started again, the original has what was its own, and is no copy.
    await using again = await start(data, { way })
    expect(await readiness(again)).toEqual([])
    expect(await known(again, [before])).toEqual([before])
  })

  test('after kill -9 of all, copy and original recover each its own data, whichever is started first', async () => {
    await using parent = await parentFolder(way.mode)
    const [data, twin] = [path.join(parent.path, 'data'), path.join(parent.path, 'copy')]
    const original = await start(data, { way })
    const before = await paidCall(original)
    const pid = await postmasterPid(cluster(data))
    await copy(data, twin)
    await original.kill()
    process.kill(pid, 'SIGKILL')
    // The socket folder that both name lies there, with nobody in it.
    await using second = await start(twin, { way })
    await using first = await start(data, { way })
    await callsInTurn(first, second)
    expect([await readiness(first), await readiness(second)]).toEqual([[], ['copy']])
    expect(await known(second, [before])).toEqual([before])
  })
})

describe.runIf(amRoot)('root, cluster elsewhere', () => {
  test('a copy that has only the way to the database of its original does not join it, running or stopped, and becomes one of its own as the sentence says', async () => {
    await using parent = await parentFolder(0o700)
    const [data, twin] = [path.join(parent.path, 'data'), path.join(parent.path, 'copy')]
    const original = await start(data)
    const before = await paidCall(original)
    await copy(data, twin)
    const refused = await refusedStart(twin)
    expect(refused).toMatch(/^1: .*[\s\S]*is a copy of .*\/data, and its database, .*, lies outside of it/)
    const joined = await kherad(twin, 'account', 'list')
    expect([joined.code, joined.text]).toEqual([1, expect.stringContaining('is a copy of')])
    expect(await known(original, [await paidCall(original)])).toHaveLength(1)
    expect(await original.stop()).toBe(0)
    expect(await refusedStart(twin)).toBe(refused)
    // The commands of the sentence.
    const [, from = '', to = ''] = /cp -a (\S+) (\S+-copy)\)/.exec(refused) ?? []
    const [, record = '', file = ''] = /write (\{.*\}) into (\S+)\. If/.exec(refused) ?? []
    await copy(from, to)
    await writeFile(file, record)
    try {
      await using second = await start(twin)
      await using again = await start(data)
      await callsInTurn(again, second)
      expect(await readiness(second)).toEqual(['copy'])
      expect(await known(second, [before])).toEqual([before])
    } finally {
      await rm(to, { recursive: true })
      await rm(from, { recursive: true })
    }
  })
})

test('work that waits in a copy is run by nobody but the original, until the copy is adopted', async () => {
  await using parent = await parentFolder()
  const [data, twin] = [path.join(parent.path, 'data'), path.join(parent.path, 'copy')]
  // It accepts, and runs nothing.
  const original = await start(data, { words: ['--role', 'api'] })
  const { body } = await original.client.post('/v1/work', {
    kind: 'document',
    input: 'A page about rain in Shiraz.',
  })
  const statusAt = async ({ client }: Installation) => (await client.get(`/v1/work/${body.id}`)).body.status
  expect(await statusAt(original)).toBe('queued')
  expect(await original.stop()).toBe(0)
  await copy(data, twin)
  {
    await using second = await start(twin)
    // A server that works takes what is queued before it answers its first requests.
    for (let round = 0; round < 30; round++) await paidCall(second)
    expect(await statusAt(second)).toBe('queued')
    expect(second.out()).toContain('A copy of ')
  }
  const early = await kherad(twin, 'adopt')
  expect([early.code, early.text]).toEqual([1, expect.stringContaining('The original is still at')])
  const { id } = await recordOf(data)
  await rm(data, { recursive: true })
  const doctor = await kherad(twin, 'doctor', '--json')
  expect(doctor.text).toContain('This is a copy of')
  expect((await kherad(twin, 'adopt')).code).toBe(0)
  await using adopted = await start(twin)
  expect(await readiness(adopted)).toEqual([])
  expect(await recordOf(twin)).toMatchObject({ id })
  expect(await recordOf(twin)).not.toHaveProperty('copy')
  await until(async () => (await statusAt(adopted)) === 'succeeded')
})

test('a folder of a release without records is known to be a copy by what PostgreSQL noted of its original', async () => {
  await using parent = await parentFolder()
  const [data, twin] = [path.join(parent.path, 'data'), path.join(parent.path, 'copy')]
  await using original = await start(data)
  await copy(data, twin)
  await rm(path.join(twin, 'installation.json'))
  await rm(path.join(data, 'installation.json'))
  await using second = await start(twin)
  expect(await readiness(second)).toEqual(['copy'])
  expect((await stat(data)).ino).not.toBe((await stat(twin)).ino)
  expect(await readiness(original)).toEqual([])
  expect(await readFile(path.join(twin, 'installation.json'), 'utf8')).toContain(data)
})
