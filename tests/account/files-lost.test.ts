/** Files whose bytes are gone from the store say so, wherever they are read, and never that they did not exist. */
import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { signUp } from '../cloud/app/sign-up.ts'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client, Seen } from '../harness/client.ts'
import { fakeS3 } from '../harness/fake-s3.ts'
import { formOf } from '../harness/form.ts'
import { until } from '../harness/until.ts'
import { boot, type World } from '../harness/world.ts'
import { temporaryFolder } from '../platform/db/cluster-world.ts'
import { page, publish } from '../sites/published.ts'
import { visit } from '../sites/visitor.ts'
import { bootWork, create, ended, fileOf, input, keep, whole } from '../work/work-world.ts'

const upload = async (key: Client): Promise<string> => {
  const { body, headers } = formOf({ bytes: Buffer.from('a,b\n1,2\n'), name: 'a.csv', type: 'text/csv' })
  const seen = await key.request('POST', '/v1/files', body, headers)
  expect(seen.status, seen.text).toBe(201)
  return seen.body.id
}

/** How often bytes of this kind were missed, by the metric. */
const missed = async ({ url }: World, kind: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`kherad_files_lost_total\\{kind="${kind}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
}

const lost = { status: 410, code: 'FILE_LOST' }
function expectLost(seen: Seen, about?: string): void {
  expectRefusal(seen, lost, about)
  expect(seen.headers.get('x-should-retry')).toBe('false')
}

/** A store of which a test can delete all bytes of a kind, behind the back of the server. */
async function openStore(kind: 'disk' | 's3') {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder('lost-'))
  const s3 = kind === 's3' ? stack.use(await fakeS3()) : undefined
  const files = path.join(folder.path, 'data', 'files')
  const open = stack.move()
  return {
    options: { env: { KHERAD_DATA: path.join(folder.path, 'data') }, ...(s3 && { config: s3.config }) },
    async lose(name: string): Promise<void> {
      if (!s3) {
        expect(await readdir(path.join(files, name))).not.toEqual([])
        return rm(path.join(files, name), { recursive: true })
      }
      const keys = [...s3.objects.keys()].filter((key) => key.includes(`${name}/`))
      expect(keys).not.toEqual([])
      for (const key of keys) s3.objects.delete(key)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

test.for(['disk', 's3'] as const)(
  'on %s a file is 410 where its bytes are gone and 404 where it was deleted, by its id, by its link and as an input',
  async (kind) => {
    await using store = await openStore(kind)
    await using world = await boot(store.options)
    const key = await world.key()
    const [id, deleted] = [await upload(key), await upload(key)]
    const link = new URL((await key.post(`/v1/files/${id}/links`, {})).body.url).pathname
    const drawn = await key.post('/v1/studio/image', { model: 'sandbox/image', prompt: 'a cat' })
    expect(drawn.status, drawn.text).toBe(200)
    const made = drawn.headers.get('x-file-ids')!
    await world.settled()
    const before = await world.balance()
    await store.lose('files')
    await key.request('DELETE', `/v1/files/${deleted}`)

    for (const one of [`/v1/files/${id}`, link, `/v1/files/${made}`]) expectLost(await key.get(one), one)
    expectLost(await key.get(`/v1/files/${id}`, { range: 'bytes=0-1' }), 'a part')
    const persian = await key.get(`/v1/files/${id}`, { 'accept-language': 'fa' })
    expect(persian.body.error.message).toMatch(/از دست رفته/)
    const heard = await key.post('/v1/audio/transcriptions', { model: 'sandbox/transcribe', file_id: id })
    expectLost(heard, 'transcription')
    expectRefusal(await key.get(`/v1/files/${deleted}`), { status: 404, code: 'NOT_FOUND', param: 'id' })
    expect(await world.balance()).toEqual(before)
    expect(await missed(world, 'files')).toBe(6)
    // The row is there: it is listed, and can be deleted.
    expect((await key.get('/v1/files')).body.data.map((one: { id: string }) => one.id)).toContain(id)
    expect((await key.request('DELETE', `/v1/files/${id}`)).status).toBeLessThan(300)
  },
)

test('files of a run are 410, one by one and packed together', async () => {
  await using store = await openStore('disk')
  await using at = await bootWork(store.options)
  at.play(input, async (context) => {
    await keep(context, 'a.md', 'text')
    return whole
  })
  const run = (await create(at.key)).body.id
  await ended(at.key, run)
  await store.lose('work')
  for (const query of ['path=a.md', 'bundle=1']) {
    const reply = await fileOf(at.key, run, query)
    expect([reply.status, ((await reply.json()) as Seen['body']).error.code], query).toEqual([
      410,
      'FILE_LOST',
    ])
  }
  expect(await missed(at.world, 'work')).toBe(2)
})

test('a visitor of a site whose files are lost is told to come back, since search engines shall not forget it, and the operator is told of the loss', async () => {
  await using store = await openStore('disk')
  await using world = await boot(store.options)
  const key = await world.key()
  const large = { path: 'large.bin', content: randomBytes(300_000).toString('base64'), encoding: 'base64' }
  const site = await publish(key, { name: 'lost', confirm_public: true, files: [page('hello'), large] })
  await store.lose('sites')
  for (const asked of ['/', '/large.bin']) {
    const answer = await visit(site.url.replace(/\/$/, ''), asked)
    expect([answer.status, answer.headers['cache-control']], asked).toEqual([503, 'no-store'])
    expect(answer.text).toMatch(/این سایت اکنون در دسترس نیست[\s\S]*This site is not available right now/)
  }
  expect(await missed(world, 'sites')).toBe(2)
})

test('a private file of an app is 410 for its user', async () => {
  await using store = await openStore('disk')
  await using world = await boot(store.options)
  const cloud = await world.cloud()
  const user = await signUp(cloud)
  const headers = { ...user.headers, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'a.bin', content_base64: 'aGVsbG8=' })
  const stored = await fetch(`${cloud.pathUrl}/files`, { method: 'POST', headers, body })
  const { id } = (await stored.json()) as { id: string }
  await store.lose('app-files')
  const reply = await fetch(`${cloud.pathUrl}/files/${id}`, { headers: user.headers })
  expect([reply.status, ((await reply.json()) as Seen['body']).error.code]).toEqual([410, 'FILE_LOST'])
  expect(await missed(world, 'app-files')).toBe(1)
})

test('a source of knowledge whose bytes are gone before they are read says that they are lost', async () => {
  await using store = await openStore('disk')
  const roles = { api: true, worker: false, voice: false }
  await using world = await boot({ ...store.options, roles })
  const key = await world.key()
  const knowledge = (await key.post('/v1/knowledge', { name: 'k' })).body.id
  const added = await key.post(`/v1/knowledge/${knowledge}/sources`, {
    type: 'text',
    text: 'The sun is a star.',
  })
  expect(added.status, added.text).toBe(201)
  await store.lose('knowledge')
  const url = world.app.config.databaseUrl!
  await using _worker = await boot({ env: { ...store.options.env, DATABASE_URL: url } })
  const source = await until(async () => {
    const { body } = await key.get(`/v1/knowledge/${knowledge}/sources/${added.body.id}`)
    return body.state === 'failed' ? body : undefined
  })
  expect(source.problem).toMatchObject({ code: 'file_lost', message: expect.stringMatching(/lost/) })
})
