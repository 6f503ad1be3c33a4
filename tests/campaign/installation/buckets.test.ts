/** The bucket of an installation: a copy reads what lies in it, and neither writes nor deletes. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { fakeS3 } from '../../harness/fake-s3.ts'
import { copy, parentFolder, readiness, start } from '../../platform/installation/installations.ts'

test('a copy orders no picture that it could not store, deletes nothing, and reads what its original has stored', async () => {
  await using s3 = await fakeS3()
  await using parent = await parentFolder()
  const [data, twin] = [path.join(parent.path, 'data'), path.join(parent.path, 'copy')]
  await using original = await start(data, { config: s3.config })
  const picture = { model: 'sandbox/image', prompt: 'a flower in the rain' }
  const drawn = await original.client.post('/v1/images/generations', picture)
  const id = drawn.headers.get('x-file-ids') ?? ''
  expect((await original.client.get(`/v1/files/${id}`)).status).toBe(200)
  await copy(data, twin)
  await using second = await start(twin, { config: s3.config })
  expect(await readiness(second)).toEqual(['copy'])
  const before = [...s3.objects.keys()].sort()
  const calls = s3.calls.length
  const balance = (await second.client.get('/v1/balance')).body
  const refused = await second.client.post('/v1/images/generations', picture)
  expect([refused.status, refused.body.error.code]).toEqual([503, 'INSTALLATION_COPY'])
  expect(refused.headers.get('x-should-retry')).toBe('false')
  expect((await second.client.get('/v1/balance')).body).toEqual(balance)
  expect((await second.client.get(`/v1/files/${id}`)).status).toBe(200)
  // Text goes on.
  expect((await second.client.chat({ model: 'sandbox/fast', max_tokens: 8 })).status).toBe(200)
  expect((await second.client.request('DELETE', `/v1/files/${id}`)).status).toBe(200)
  expect(await second.stop()).toBe(0)
  expect([...s3.objects.keys()].sort()).toEqual(before)
  expect(s3.calls.slice(calls).every((call) => call.startsWith('GET '))).toBe(true)
  // The original has its file, and draws on.
  expect((await original.client.get(`/v1/files/${id}`)).status).toBe(200)
  expect((await original.client.post('/v1/images/generations', picture)).status).toBe(200)
})
