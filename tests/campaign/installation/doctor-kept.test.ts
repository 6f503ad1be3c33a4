/** What the doctor finds of the sealing key, of stored files, of disks and of whose server answers, by having tried. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { kherad } from '../../cli/command-line.ts'
import { fakeS3 } from '../../harness/fake-s3.ts'
import { formOf } from '../../harness/form.ts'
import { fillDisk, smallDisk } from '../../harness/small-disk.ts'
import { boot, type World } from '../../harness/world.ts'
import { temporaryFolder } from '../../platform/db/cluster-world.ts'

/** State and message of these checks. */
async function examine(env: Record<string, string>, ...names: string[]) {
  const ran = await kherad({ KHERAD_PORT: '0', KHERAD_LOCALE: 'en', ...env }, 'doctor', '--json')
  const checks: { name: string; state: string; message: string }[] = ran.json.checks
  return names.map((name) => {
    const { state, message } = checks.find((one) => one.name === name)!
    return `${state}: ${message}`
  })
}

const upload = async (world: World): Promise<void> => {
  const { body, headers } = formOf({ bytes: Buffer.from('a,b\n1,2\n'), name: 'a.csv', type: 'text/csv' })
  const seen = await (await world.key()).request('POST', '/v1/files', body, headers)
  expect(seen.status, seen.text).toBe(201)
}

/** A data folder, a running server on it, and what the doctor is told of both. */
async function openServer(more: Record<string, string> = {}) {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder('doctor-kept-'))
  const dataDir = path.join(folder.path, 'data')
  const world = stack.use(await boot({ env: { KHERAD_DATA: dataDir, ...more } }))
  const open = stack.move()
  return {
    world,
    env: { KHERAD_DATA: dataDir, DATABASE_URL: world.app.config.databaseUrl!, ...more },
    of: (name: string) => path.join(dataDir, name),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

test('the sealing key is green where it opened what is sealed, and red where the start would be refused', async () => {
  await using at = await openServer()
  const look = async (more: Record<string, string> = {}) =>
    (await examine({ ...at.env, ...more }, 'sealing_key'))[0]
  expect(await look()).toBe('ok: Nothing in the database is sealed yet.')
  await at.world.app.secrets.seal('a word', 'its row')
  expect(await look()).toBe('ok: It opened what is sealed in the database.')
  const [file, kept] = [at.of('secret.key'), at.of('kept.key')]
  const other = /^broken: The secrets in this database were sealed by another key: set KHERAD_SECRET/
  expect(await look({ KHERAD_SECRET: 'another-secret-of-more-than-32-characters' })).toMatch(other)
  await rename(file, kept)
  expect(await look()).toBe(
    `broken: ${file} is gone and KHERAD_SECRET is not set, so that the next start would be refused: bring the file back from a backup, or set KHERAD_SECRET.`,
  )
  await writeFile(file, 'another-key-than-the-one-of-this-database')
  expect(await look()).toMatch(other)
  expect(await look({ KHERAD_SECRET: (await readFile(kept, 'utf8')).trim() })).toMatch(/^ok/)
})

test('stored files are green where some were read back, and red where they are gone, changed or of another database', async () => {
  await using at = await openServer()
  const look = async () => (await examine(at.env, 'stored_files'))[0]
  expect(await look()).toBe('ok: No file is stored yet.')
  await upload(at.world)
  expect(await look()).toBe('ok: 1 file read back, byte for byte.')
  const [files, kept, marker] = [at.of('files'), at.of('kept'), at.of('files/database.id')]
  const storeId = (await readFile(marker, 'utf8')).trim()

  await rename(files, kept)
  expect(await look()).toMatch(
    new RegExp(`^broken: The files of this database are not in ${files}: .*write ${storeId} into ${marker}`),
  )
  // As the sentence says: the loss is accepted, and each file says so.
  await mkdir(files)
  await writeFile(marker, storeId)
  expect(await look()).toMatch(/^broken: The bytes of 1 of 1 files that were tried are gone or changed/)
  await mkdir(path.join(files, 'files', 'theirs'), { recursive: true })
  await writeFile(marker, randomUUID())
  expect(await look()).toMatch(new RegExp(`^broken: The files in ${files} belong to another database`))
  await rm(files, { recursive: true })
  await rename(kept, files)
  const [{ key } = { key: '' }] = await at.world.app.db.query<{ key: string }>(
    { text: `select 'files/' || account_id || '/' || file_id as key from files.files` },
    [],
  )
  await rm(path.join(files, key))
  await writeFile(path.join(files, key), 'a,b\n1,3\n')
  expect(await look()).toMatch(/^broken: The bytes of 1 of 1 files/)
})

test('an S3 store is written, read back and deleted', async () => {
  await using s3 = await fakeS3()
  await using folder = await temporaryFolder('doctor-s3-')
  const file = path.join(folder.path, 'kherad.config.yaml')
  await writeFile(file, s3.config)
  await using at = await openServer()
  const look = async () => (await examine({ ...at.env, KHERAD_CONFIG: file }, 'stored_files'))[0]
  expect(await look()).toBe('ok: No file is stored yet.')
  expect(s3.calls.map((call) => call.replace(/[0-9a-f-]{36}/, 'id'))).toEqual([
    'PUT doctor/id',
    'GET doctor/id',
    'DELETE doctor/id',
  ])
  expect(s3.objects.size).toBe(0)
  s3.failNext(403)
  expect(await look()).toMatch(/^broken: .*AccessDenied/)
})

test('each folder is written, and a disk below its floor is named with its place', async ({ skip }) => {
  await using disk = await smallDisk('80m')
  if (!disk) return skip('this user may mount no disk')
  await using folder = await temporaryFolder('doctor-disk-')
  const dataDir = path.join(folder.path, 'data')
  await mkdir(dataDir)
  await symlink(disk.path, path.join(dataDir, 'spool'))
  const env = { KHERAD_DATA: dataDir, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  expect((await examine(env, 'data_folder', 'disk')).map((one) => one.slice(0, 3))).toEqual(['ok:', 'ok:'])
  await fillDisk(path.join(disk.path, 'filler'))
  const spool = path.join(dataDir, 'spool')
  expect(await examine(env, 'data_folder', 'disk')).toEqual([
    expect.stringContaining(`broken: ${spool} cannot be written (ENOSPC)`),
    `broken: ${spool} (spool) has only 0 MB free and needs 64 MB: make room; until then the server takes no new orders.`,
  ])
})

test("the server on the port is ours only where it is of this data folder: another one's is red", async () => {
  await using at = await openServer()
  await using other = await temporaryFolder('doctor-other-')
  const port = String(at.world.app.config.port)
  expect(await examine({ ...at.env, KHERAD_PORT: port }, 'port')).toEqual([
    expect.stringMatching(/^ok: Kherad is running and ready/),
  ])
  const another = /^broken: At 127\.0\.0\.1:\d+ another installation's server answers/
  const elsewhere = { ...at.env, KHERAD_DATA: path.join(other.path, 'data'), KHERAD_PORT: port }
  expect((await examine(elsewhere, 'port'))[0]).toMatch(another)
  // A copy of the folder is another folder.
  await mkdir(elsewhere.KHERAD_DATA)
  await writeFile(
    path.join(elsewhere.KHERAD_DATA, 'installation.json'),
    await readFile(at.of('installation.json')),
  )
  expect((await examine(elsewhere, 'port'))[0]).toMatch(another)
})
