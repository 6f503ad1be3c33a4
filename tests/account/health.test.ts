/** What `/health/ready` says of the sealing key, of the folder of stored files, and of whose server answers. */
import { randomUUID } from 'node:crypto'
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { examineFolder } from '#core/files'
import { instanceHeader, readInstance } from '#platform/installation'
import { expectRefusal } from '../contract/refusal.ts'
import { Client, type Seen } from '../harness/client.ts'
import { formOf } from '../harness/form.ts'
import { until } from '../harness/until.ts'
import { boot, type World } from '../harness/world.ts'
import { temporaryFolder } from '../platform/db/cluster-world.ts'

const ready = ({ url }: World): Promise<Seen> => new Client(url, '', '').get('/health/ready')

/** Codes of what is told, after `status`. */
const told = async (world: World): Promise<unknown[]> => {
  const { status, body } = await ready(world)
  return [
    status,
    ...(body.warnings?.map(({ code }: { code: string }) => code) ?? body.error?.details.problems ?? []),
  ]
}
const becomes = (world: World, ...expected: unknown[]) =>
  until(async () => JSON.stringify(await told(world)) === JSON.stringify(expected))

async function openData() {
  const folder = await temporaryFolder('health-')
  const dataDir = path.join(folder.path, 'data')
  return {
    dataDir,
    of: (name: string) => path.join(dataDir, name),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

const upload = async (world: World): Promise<string> => {
  const { body, headers } = formOf({ bytes: Buffer.from('a,b\n1,2\n'), name: 'a.csv', type: 'text/csv' })
  const seen = await (await world.key()).request('POST', '/v1/files', body, headers)
  expect(seen.status, seen.text).toBe(201)
  return seen.body.id
}

test('a key file that is gone or another one warns while the process still has the key, in both languages, and heals', async () => {
  await using data = await openData()
  await using world = await boot({ env: { KHERAD_DATA: data.dataDir } })
  const sealed = await world.app.secrets.seal('a word', 'its row')
  const [file, kept] = [data.of('secret.key'), data.of('kept.key')]
  expect(await told(world)).toEqual([200])
  await rename(file, kept)
  await becomes(world, 200, 'sealing_key_file')
  const persian = await new Client(world.url, '', '').get('/health/ready', { 'accept-language': 'fa' })
  expect(persian.body.warnings[0].message).toMatch(/فایل secret\.key/)
  expect(await world.app.secrets.open(sealed, 'its row')).toBe('a word')
  await writeFile(file, 'another-key-than-the-one-of-this-database')
  await until(async () => /holds another key/.test((await ready(world)).body.warnings[0].message))
  await rename(kept, file)
  await becomes(world, 200)
})

test('a process that cannot open what its database has sealed is not ready', async () => {
  await using world = await boot()
  await world.app.secrets.seal('a word', 'its row')
  const run = (text: string) => world.app.db.query({ text }, [])
  const [{ proof } = { proof: '' }] = (await run('select proof from secrets.seal')) as { proof: string }[]
  // The id alone is not believed: the text itself has to open.
  await run(`update secrets.seal set proof = overlay(proof placing 'AAAA' from 30 for 4)`)
  await becomes(world, 503, 'sealing_key')
  expectRefusal(await ready(world), { status: 503, code: 'NOT_READY' })
  await run(`update secrets.seal set proof = '${proof}'`)
  await becomes(world, 200)
})

test('the folder of stored files bears the id of its database, and one that goes away while a server runs is told', async () => {
  await using data = await openData()
  await using world = await boot({ env: { KHERAD_DATA: data.dataDir } })
  const [{ store_id: storeId } = { store_id: '' }] = await world.app.db.query<{ store_id: string }>(
    { text: 'select store_id from storage.identity' },
    [],
  )
  const marker = path.join(data.of('files'), 'database.id')
  expect((await readFile(marker, 'utf8')).trim()).toBe(storeId)
  await upload(world)
  // An installation of an earlier release: no marker, and its files are there.
  await rm(marker)
  await becomes(world, 200)
  await until(() =>
    stat(marker).then(
      () => true,
      () => false,
    ),
  )
  await rename(data.of('files'), data.of('elsewhere'))
  await becomes(world, 503, 'files_gone')
  expect((await ready(world)).text).not.toContain(data.dataDir)
  // Nothing is taken that would be hidden once the folder is back, and no picture is ordered for it.
  const key = await world.key()
  const picture = () => key.post('/v1/images/generations', { model: 'sandbox/image', prompt: 'a flower' })
  await until(async () => (await picture()).body.error?.code === 'STORAGE_UNWRITABLE')
  const balance = await world.balance()
  expectRefusal(await picture(), { status: 503, code: 'STORAGE_UNWRITABLE' })
  expect(await world.balance()).toEqual(balance)
  await expect(upload(world)).rejects.toThrow()
  await expect(stat(data.of('files'))).rejects.toThrow('ENOENT')
  // That a new folder came into being makes it no better.
  await mkdir(data.of('files'))
  const { db, storage } = world.app
  const seen = await examineFolder({ db, storage, folder: data.of('files') })
  expect(seen.state).toBe('gone')
  await rm(data.of('files'), { recursive: true })
  await rename(data.of('elsewhere'), data.of('files'))
  await becomes(world, 200)
  // Another installation's: none of ours, and files of its own.
  await rename(data.of('files'), data.of('elsewhere'))
  await mkdir(data.of('files/files/theirs'), { recursive: true })
  await writeFile(marker, randomUUID())
  await becomes(world, 503, 'files_of_another_database')
})

test('a server starts on no folder of another database, on a new one for a new database, and only warns where files were never here', async () => {
  await using data = await openData()
  await using world = await boot({ env: { KHERAD_DATA: data.dataDir } })
  await upload(world)
  await using other = await openData()
  await mkdir(other.of('files/files/theirs'), { recursive: true })
  await writeFile(path.join(other.of('files'), 'database.id'), randomUUID())
  const url = world.app.config.databaseUrl!
  for (const DATABASE_URL of [{ DATABASE_URL: url }, {}])
    await expect(boot({ env: { KHERAD_DATA: other.dataDir, ...DATABASE_URL } })).rejects.toMatchObject({
      name: 'StartRefused',
      message: expect.stringMatching(/belong to another database.*KHERAD_DATA or DATABASE_URL/),
    })
  await using beside = await openData()
  await using second = await boot({ env: { KHERAD_DATA: beside.dataDir, DATABASE_URL: url } })
  expect(await told(second)).toEqual([200, 'files_gone'])
})

test('a dump that was restored into the database of a first start, and files that come before or after it, are no other installation', async () => {
  await using data = await openData()
  await using world = await boot({ env: { KHERAD_DATA: data.dataDir } })
  await upload(world)
  const DATABASE_URL = world.app.config.databaseUrl!
  await using restored = await openData()
  const marker = path.join(restored.of('files'), 'database.id')
  const env = { KHERAD_DATA: restored.dataDir, DATABASE_URL }
  // As the first start on an empty folder wrote it, whose database the dump then replaced.
  await mkdir(restored.of('files'), { recursive: true })
  await writeFile(marker, randomUUID())
  {
    await using early = await boot({ env })
    expect(await told(early)).toEqual([200, 'files_gone'])
    await cp(data.of('files/files'), restored.of('files/files'), { recursive: true })
    await becomes(early, 200)
  }
  expect(await readFile(marker, 'utf8')).toBe(await readFile(data.of('files/database.id'), 'utf8'))
})

test('a server says of which data folder it is to who can read that folder; a copy of it is another', async () => {
  await using data = await openData()
  await using world = await boot({ env: { KHERAD_DATA: data.dataDir } })
  const said = (await ready(world)).headers.get(instanceHeader)
  expect(said).toBe(await readInstance(data.dataDir))
  expect(said).not.toContain(JSON.parse(await readFile(data.of('installation.json'), 'utf8')).id)
  await cp(data.of('installation.json'), data.of('copy/installation.json'), { recursive: true })
  expect(await readInstance(data.of('copy'))).not.toBe(said)
  expect(await readInstance(data.of('nowhere'))).toBeUndefined()
})
