/** What is moved stays the installation that it was, by whatever it is called now; what comes from another machine has to be said. */
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
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
  run,
  start,
} from '../../platform/installation/installations.ts'

/** Starts at `to` what was made at `from`, and what was queued there is run: it is the installation itself. */
async function movedTo(to: string, { before, work, id }: Made): Promise<void> {
  await using moved = await start(to)
  expect(await readiness(moved)).toEqual([])
  expect(await known(moved, [before])).toEqual([before])
  await until(async () => (await moved.client.get(`/v1/work/${work}`)).body.status === 'succeeded')
  expect(await recordOf(to)).toMatchObject({ id })
  expect(await moved.stop()).toBe(0)
}

interface Made {
  before: string
  work: string
  id: string
}

/** A stopped installation with a paid call and queued work. */
async function made(dataDir: string): Promise<Made> {
  await using server = await start(dataDir, { words: ['--role', 'api'] })
  const before = await paidCall(server)
  const { body } = await server.client.post('/v1/work', {
    kind: 'document',
    input: 'A page about rain in Shiraz.',
  })
  expect(await server.stop()).toBe(0)
  return { before, work: body.id, id: (await recordOf(dataDir)).id }
}

test('a folder that is moved, with its database in it, goes on with all that it had, and says so in one line', async () => {
  await using parent = await parentFolder()
  const [data, moved] = [path.join(parent.path, 'data'), path.join(parent.path, 'elsewhere')]
  const it = await made(data)
  await rename(data, moved)
  await using server = await start(moved)
  expect(await readiness(server)).toEqual([])
  expect(await known(server, [it.before])).toEqual([it.before])
  expect(server.log().match(/the data folder has moved/g)).toHaveLength(1)
  expect(await recordOf(moved)).toMatchObject({ id: it.id, place: { path: moved } })
})

test.runIf(amRoot)('a folder whose database lies elsewhere is moved as any other', async () => {
  await using parent = await parentFolder(0o700)
  const [data, moved] = [path.join(parent.path, 'data'), path.join(parent.path, 'elsewhere')]
  const it = await made(data)
  await rename(data, moved)
  const { cluster } = JSON.parse(await readFile(path.join(moved, 'postgres.location'), 'utf8'))
  try {
    await movedTo(moved, it)
    expect(JSON.parse(await readFile(path.join(moved, 'postgres.location'), 'utf8'))).toMatchObject({
      cluster,
      folder: { path: moved },
    })
  } finally {
    await rm(cluster, { recursive: true })
  }
})

test('a folder of another disk in the place of the old one, as tar brings it back, is the installation', async () => {
  await using parent = await parentFolder()
  const data = path.join(parent.path, 'data')
  const it = await made(data)
  const archive = path.join(parent.path, 'backup.tar')
  await run('tar', ['-C', data, '-cf', archive, '.'])
  await rm(data, { recursive: true })
  await mkdir(data, { mode: 0o711 })
  await run('tar', ['-C', data, '-xpf', archive])
  await movedTo(data, it)
})

test('a symbolic link to the folder is the folder, and the folder is still itself afterwards', async () => {
  await using parent = await parentFolder()
  const [data, link] = [path.join(parent.path, 'data'), path.join(parent.path, 'link')]
  const it = await made(data)
  await symlink(data, link)
  await movedTo(link, it)
  await movedTo(data, it)
})

test('what took the path of the original is the installation, and the original under its new name the copy', async () => {
  await using parent = await parentFolder()
  const [data, old] = [path.join(parent.path, 'data'), path.join(parent.path, 'data.old')]
  const it = await made(data)
  await rename(data, old)
  await copy(old, data)
  await movedTo(data, it)
  await using aside = await start(old)
  expect(await readiness(aside)).toEqual(['copy'])
})

describe.runIf(amRoot)('with mounts', () => {
  test('a folder under another mount is the same one, running or stopped', async () => {
    await using parent = await parentFolder()
    const [data, mount] = [path.join(parent.path, 'data'), path.join(parent.path, 'mount')]
    const it = await made(data)
    await mkdir(mount)
    await run('mount', ['--bind', data, mount])
    try {
      await using original = await start(data)
      {
        // Both use one PostgreSQL, as two processes of one folder do.
        await using second = await start(mount)
        expect(await readiness(second)).toEqual([])
        expect(await known(second, [it.before, await paidCall(original)])).toHaveLength(2)
        expect(await second.stop()).toBe(0)
      }
      expect(await known(original, [await paidCall(original)])).toHaveLength(1)
      expect(await original.stop()).toBe(0)
      await movedTo(mount, it)
      await movedTo(data, it)
    } finally {
      await run('umount', [mount])
    }
  })

  /** A machine with an id of its own. */
  async function machine(parent: string, id: string): Promise<string[]> {
    const file = path.join(parent, id)
    await writeFile(file, `${id.repeat(32)}\n`)
    return ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/machine-id && exec "$@"', file]
  }

  test('on another machine the start is refused, and is a copy or the installation as the operator says', async () => {
    await using parent = await parentFolder()
    const [data, brought] = [path.join(parent.path, 'data'), path.join(parent.path, 'brought')]
    const [one, other] = [await machine(parent.path, 'a'), await machine(parent.path, 'b')]
    let id: string
    {
      await using server: Installation = await start(data, { under: one })
      await paidCall(server)
      expect(await server.stop()).toBe(0)
      id = (await recordOf(data)).id
    }
    await copy(data, brought)
    await rm(data, { recursive: true })
    const refused = await refusedStart(brought, { under: other })
    expect(refused).toMatch(
      /^1: [\s\S]*was last on another machine, at .*: .* run kherad adopt; .* run kherad start --copy\./,
    )
    expect(refused).toContain('روی دستگاه دیگری')
    await copy(brought, `${brought}-2`)
    {
      await using twin = await start(brought, { under: other, words: ['--copy'] })
      expect(await readiness(twin)).toEqual(['copy'])
      expect(await twin.stop()).toBe(0)
    }
    {
      // It is a copy from then on, without the word.
      await using twin = await start(brought, { under: other })
      expect(await readiness(twin)).toEqual(['copy'])
    }
    expect((await kherad(`${brought}-2`, 'adopt')).code).toBe(0)
    await using adopted = await start(`${brought}-2`, { under: other })
    expect(await readiness(adopted)).toEqual([])
    expect(await recordOf(`${brought}-2`)).toMatchObject({ id, place: { machine: 'b'.repeat(32) } })
  })
})
