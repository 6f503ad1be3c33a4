/** Buckets of a dedicated cloud, as apps use them. */
import { expect } from 'vitest'
import { ok, type Scenario, scenario } from '../../cloud/supabase-js/scenarios.ts'

const text = (words: string): Blob => new Blob([words], { type: 'text/plain' })

export const buckets: Scenario[] = [
  scenario(
    'the service key makes, shows, changes, empties and deletes buckets',
    'storage.createBucket storage.getBucket storage.listBuckets storage.updateBucket storage.emptyBucket storage.deleteBucket storage.purgeBucketCache',
    async (app) => {
      const { storage } = app.service()
      const name = `pictures-${crypto.randomUUID()}`
      await ok(storage.createBucket(name, { public: false, allowedMimeTypes: ['text/plain'] }))
      await ok(storage.updateBucket(name, { public: true, fileSizeLimit: 1_000 }))
      expect(await ok(storage.getBucket(name))).toMatchObject({ public: true, file_size_limit: 1_000 })
      expect((await ok(storage.listBuckets())).map(({ id }: { id: string }) => id)).toContain(name)
      await ok(storage.from(name).upload('a.txt', text('a')))
      expect((await storage.deleteBucket(name)).error).not.toBeNull()
      await ok(storage.purgeBucketCache(name))
      await ok(storage.emptyBucket(name))
      await ok(storage.deleteBucket(name))
      expect((await storage.getBucket(name)).error).not.toBeNull()
    },
  ),
  scenario(
    'a user stores an object, reads it, replaces it and deletes it',
    'storage.from().upload storage.from().download storage.from().info storage.from().exists storage.from().update storage.from().purgeCache storage.from().remove',
    async (app) => {
      const { client, id } = await app.person()
      const files = client.storage.from(await app.bucket())
      const name = `${id}/یادداشت.txt`
      await ok(files.upload(name, text('سلام')))
      expect(await (await ok(files.download(name))).text()).toBe('سلام')
      expect(await ok(files.info(name))).toMatchObject({ size: 8, contentType: 'text/plain' })
      await ok(files.update(name, text('درود بر تو')))
      expect(await (await ok(files.download(name))).text()).toBe('درود بر تو')
      await ok(files.purgeCache(name))
      expect(await ok(files.exists(name))).toBe(true)
      expect(await ok(files.remove([name]))).toHaveLength(1)
      expect((await files.exists(name)).data).toBe(false)
    },
  ),
  scenario(
    'a user lists objects, moves one and copies it',
    'storage.from().list storage.from().listV2 storage.from().move storage.from().copy',
    async (app) => {
      const { client } = await app.person()
      const files = client.storage.from(await app.bucket())
      for (const name of ['یک/a.txt', 'یک/b.txt', 'c.txt']) await ok(files.upload(name, text(name)))
      await ok(files.move('یک/b.txt', 'یک/d.txt'))
      await ok(files.copy('یک/a.txt', 'e.txt'))
      const names = (rows: { name: string }[]) => rows.map(({ name }) => name).toSorted()
      expect(names(await ok(files.list('یک')))).toEqual(['a.txt', 'd.txt'])
      const { objects } = await ok(files.listV2({ limit: 10 }))
      expect(names(objects)).toEqual(['c.txt', 'e.txt', 'یک/a.txt', 'یک/d.txt'])
    },
  ),
  scenario(
    'links let in whoever has them, to read one object or to store it',
    'storage.from().createSignedUrl storage.from().createSignedUrls storage.from().createSignedUploadUrl storage.from().uploadToSignedUrl',
    async (app) => {
      const { client } = await app.person()
      const bucket = await app.bucket()
      const files = client.storage.from(bucket)
      const { token } = await ok(files.createSignedUploadUrl('a.txt'))
      await ok(app.client().storage.from(bucket).uploadToSignedUrl('a.txt', token, text('سلام')))
      const { signedUrl } = await ok(files.createSignedUrl('a.txt', 60))
      expect(await (await app.fetch(signedUrl)).text()).toBe('سلام')
      const [first, second] = await ok(files.createSignedUrls(['a.txt', 'none.txt'], 60))
      expect(await (await app.fetch(first.signedUrl)).text()).toBe('سلام')
      expect(second.error).not.toBeNull()
      expect((await app.client().storage.from(bucket).download('a.txt')).error).not.toBeNull()
    },
  ),
]
