/** The release that wrote a folder: an older program has no business in it, and says so before it touches anything. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  kherad,
  paidCall,
  parentFolder,
  readiness,
  recordOf,
  refusedStart,
  start,
} from '../../platform/installation/installations.ts'

/** Every file of the folder with its size and time; but for compiled code, which is the program's. */
async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const all = names
    .filter((name) => !name.startsWith('compile-cache'))
    .map(async (name) => {
      const { size, mtimeMs } = await stat(path.join(folder, name))
      return `${name} ${size} ${mtimeMs}`
    })
  return (await Promise.all(all)).sort()
}

test('a folder of the next release is refused by start, command and doctor with the promised sentence, and nothing of it changes', async () => {
  await using parent = await parentFolder()
  const data = path.join(parent.path, 'data')
  {
    await using server = await start(data)
    await paidCall(server)
    expect(await server.stop()).toBe(0)
  }
  const record = await recordOf(data)
  const { migration } = record.release
  const next = {
    version: '9.9.9',
    migration: `${String(Number(migration.slice(0, 4)) + 1).padStart(4, '0')}-next.sql`,
  }
  await writeFile(path.join(data, 'installation.json'), JSON.stringify({ ...record, release: next }))
  const before = await filesOf(data)
  const sentence = `The data folder ${data} is newer than this program (it has 9.9.9, ${next.migration}, the program ends at ${record.release.version}, ${migration}): start the version of Kherad that wrote it, or a later one. Nothing was changed.`
  const refused = await refusedStart(data)
  expect(refused).toMatch(/^1: /)
  expect(refused).toContain(sentence)
  expect(refused).toContain('از این برنامه تازه‌تر است')
  expect((await kherad(data, 'account', 'list')).text).toContain(sentence)
  // No PostgreSQL was started: it would have written its pid file, its log and more.
  expect(await filesOf(data)).toEqual(before)
  expect((await kherad(data, 'doctor')).text).toContain(sentence)
  // With the record as it was, it starts again.
  await writeFile(path.join(data, 'installation.json'), JSON.stringify(record))
  await using server = await start(data)
  expect(await readiness(server)).toEqual([])
})

test('a start says each migration that it applies, and from which release to which', async () => {
  await using parent = await parentFolder()
  const data = path.join(parent.path, 'data')
  await using server = await start(data)
  const names = (await readdir(path.resolve(import.meta.dirname, '../../../migrations'))).sort()
  const lines = server
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const { version } = JSON.parse(
    await readFile(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8'),
  )
  expect(lines.find(({ msg }) => msg === 'the database is brought to this release')).toMatchObject({
    from: 'an empty database',
    to: `${version}, ${names.at(-1)}`,
    migrations: names.length,
  })
  expect(
    lines.filter(({ msg }) => msg === 'a migration was applied').map(({ migration }) => migration),
  ).toEqual(names)
})
