/** Objects of buckets as the unchanged client of the field asks for them. */
import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootApp, type DedicatedApp, type Person } from '../../cloud/dedicated/dedicated-app.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import type { World } from '../../harness/world.ts'

const canRun = await hasJail()

/** A white square of one bit a pixel, which is what its header says. */
async function vastPng(side: number): Promise<Buffer<ArrayBuffer>> {
  const chunk = (name: string, data: Buffer): Buffer => {
    const [named, around] = [Buffer.concat([Buffer.from(name), data]), Buffer.alloc(8)]
    around.writeUInt32BE(data.length)
    around.writeUInt32BE(crc32(named), 4)
    return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)])
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  header.writeUInt32BE(side)
  header.writeUInt32BE(side, 4)
  const rows = await promisify(deflate)(Buffer.alloc((side / 8 + 1) * side))
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([magic, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}
/** Of this world alone: the system's is that of all worlds. */
const clock = { aheadMs: 0, nowMs: () => Date.now() + clock.aheadMs }

describe.runIf(canRun)('buckets of a dedicated cloud', () => {
  let world: World
  let app: DedicatedApp
  let a: Person
  let b: Person
  beforeAll(async () => {
    app = await bootApp(
      `
      insert into storage.buckets (id, name, public) values ('avatars', 'avatars', true), ('papers', 'papers', false);
      create policy "own folder" on storage.objects for insert to authenticated
        with check (bucket_id in ('avatars', 'papers') and (storage.foldername(name))[1] = auth.uid()::text);
      create policy "own objects seen" on storage.objects for select to authenticated
        using (bucket_id in ('avatars', 'papers') and owner_id = auth.uid()::text);
      create policy "own objects changed" on storage.objects for update to authenticated
        using (owner_id = auth.uid()::text) with check (owner_id = auth.uid()::text);
      create policy "own objects deleted" on storage.objects for delete to authenticated
        using (owner_id = auth.uid()::text);`,
      { clock },
    )
    world = app.world
    a = await app.person()
    b = await app.person()
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  test('buckets are made, shown, changed, emptied and deleted with the service key, and by no policy of nobody', async () => {
    const { storage } = app.service
    expect(
      await storage.createBucket('عکس‌ها', {
        public: false,
        fileSizeLimit: '1MB',
        allowedMimeTypes: ['image/*'],
      }),
    ).toEqual({
      data: { name: 'عکس‌ها' },
      error: null,
    })
    expect(await storage.createBucket('عکس‌ها')).toMatchObject({
      error: { statusCode: '409', code: 'ResourceAlreadyExists' },
    })
    expect((await storage.getBucket('عکس‌ها')).data).toMatchObject({
      id: 'عکس‌ها',
      public: false,
      file_size_limit: 1_048_576,
      allowed_mime_types: ['image/*'],
    })
    expect((await storage.listBuckets()).data!.map(({ id }) => id).toSorted()).toEqual([
      'avatars',
      'papers',
      'عکس‌ها',
    ])
    expect((await storage.listBuckets({ search: 'عکس', limit: 1 })).data).toHaveLength(1)
    expect((await storage.updateBucket('عکس‌ها', { public: true })).error).toBeNull()
    expect((await storage.getBucket('عکس‌ها')).data).toMatchObject({
      public: true,
      file_size_limit: 1_048_576,
    })
    await storage.from('عکس‌ها').upload('a.png', new Blob(['x'], { type: 'image/png' }))
    expect(await storage.deleteBucket('عکس‌ها')).toMatchObject({ error: { statusCode: '409' } })
    const before = await app.counted()
    expect((await storage.emptyBucket('عکس‌ها')).error).toBeNull()
    expect(await app.counted()).toEqual({ files: before.files - 1, bytes: before.bytes - 1 })
    expect((await storage.deleteBucket('عکس‌ها')).error).toBeNull()
    expect(await storage.getBucket('عکس‌ها')).toMatchObject({ error: { statusCode: '404' } })
    expect(await app.anon.storage.createBucket('mine')).toMatchObject({ error: { statusCode: '403' } })
    expect((await app.anon.storage.listBuckets()).data).toEqual([])
    for (const name of ['', '..', 'a/b', ' a', 'x'.repeat(101)])
      expect((await storage.createBucket(name)).error, name).toMatchObject({ statusCode: '400' })
    for (const fileSizeLimit of [0, 52_428_801, 'much'])
      expect((await storage.createBucket('limit', { public: false, fileSizeLimit })).error).toMatchObject({
        statusCode: '400',
      })
    expect(
      (await storage.createBucket('limit', { public: false, fileSizeLimit: 52_428_800 })).error,
    ).toBeNull()
  })

  test('an object whose bytes are gone from the store says so, and one that was deleted does not exist', async () => {
    const { storage } = app.service
    const put = (name: string) => storage.from('papers').upload(name, new Blob(['x'], { type: 'text/plain' }))
    expect((await put('lost.txt')).error).toBeNull()
    expect((await put('deleted.txt')).error).toBeNull()
    await storage.from('papers').remove(['deleted.txt'])
    const folder = path.join(world.app.config.dataDir, 'files', 'buckets')
    const kept = `${folder}-kept`
    await rename(folder, kept)
    const lost = await storage.from('papers').download('lost.txt')
    const deleted = await storage.from('papers').download('deleted.txt')
    await rename(kept, folder)
    expect(lost.error).toMatchObject({ statusCode: '410', code: 'FILE_LOST' })
    expect(deleted.error).toMatchObject({ statusCode: '404' })
    expect((await storage.from('papers').download('lost.txt')).error).toBeNull()
  })

  test('an object comes back byte for byte under its Persian name, in parts too, with the headers that it was stored with', async () => {
    const bytes = randomBytes(70_000)
    const name = `${a.id}/پوشهٔ من/گزارش ي و ی (۱).pdf`
    const files = a.client.storage.from('avatars')
    const stored = await files.upload(name, new Blob([bytes], { type: 'application/pdf' }), {
      cacheControl: '120',
      metadata: { عنوان: 'نهایی' },
    })
    expect(stored.error).toBeNull()
    expect(stored.data).toMatchObject({ path: name, fullPath: `avatars/${name}` })
    const back = await files.download(name)
    expect(Buffer.from(await back.data!.arrayBuffer()).equals(bytes)).toBe(true)
    const address = files.getPublicUrl(name).data.publicUrl
    const whole = await fetch(address)
    expect(whole.status).toBe(200)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '70000',
      'cache-control': 'max-age=120',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'last-modified': expect.stringMatching(/GMT$/),
    })
    const part = await fetch(address, { headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/70000'])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true)
    expect((await fetch(address, { headers: { range: 'bytes=70000-' } })).status).toBe(416)
    const etag = whole.headers.get('etag')!
    expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect(
      (await fetch(address, { headers: { 'if-modified-since': whole.headers.get('last-modified')! } }))
        .status,
    ).toBe(304)
    const head = await fetch(address, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '70000', ''])
    const saved = await fetch(`${address}?download=${encodeURIComponent('خروجی.pdf')}`)
    expect(saved.headers.get('content-disposition')).toMatch(
      /^attachment; filename="khroji\.pdf"; filename\*=UTF-8''%D8/,
    )
    const info = await files.info(name)
    expect(info.data).toMatchObject({
      name,
      size: 70_000,
      contentType: 'application/pdf',
      metadata: { عنوان: 'نهایی' },
    })
    expect((await files.exists(name)).data).toBe(true)
    expect((await files.exists(`${a.id}/none`)).data).toBe(false)
    // Another spelling of the same characters is the same name.
    expect((await files.info(name.normalize('NFD'))).data).toMatchObject({ name })
  })

  test('what a browser would run leaves as text, drawings as what they are, all of it in a sandbox', async () => {
    const files = a.client.storage.from('avatars')
    for (const [type, sent] of [
      ['text/html', 'text/plain; charset=utf-8'],
      ['application/xhtml+xml', 'text/plain; charset=utf-8'],
      ['text/xml', 'text/plain; charset=utf-8'],
      ['image/svg+xml', 'image/svg+xml'],
      ['text/plain', 'text/plain; charset=utf-8'],
      ['text/csv; charset=windows-1256', 'text/csv; charset=windows-1256'],
      ['text/html; charset=windows-1256', 'text/plain; charset=windows-1256'],
    ] as const) {
      const name = `${a.id}/page-${type.replace(/\W/g, '-')}`
      await files.upload(name, Buffer.from('<script>1</script>'), { contentType: type })
      const reply = await fetch(files.getPublicUrl(name).data.publicUrl)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('content-type'), type).toBe(sent)
      expect(reply.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      )
    }
    // A blob comes in a form, and its type with it.
    const page = `${a.id}/page.html`
    await files.upload(page, new Blob(['<p>'], { type: 'text/html;charset=windows-1256' }))
    expect((await files.info(page)).data?.contentType).toBe('text/html;charset=windows-1256')
    const sent = await fetch(files.getPublicUrl(page).data.publicUrl)
    expect(sent.headers.get('content-type')).toBe('text/plain; charset=windows-1256')
    const name = `${a.id}/متن.txt`
    await files.upload(name, new Blob(['سلام'], { type: 'text/plain' }), { contentType: 'text/plain' })
    expect(await (await files.download(name)).data?.text()).toBe('سلام')
    // What is stored is what was stated.
    expect((await files.info(name)).data?.contentType).toBe('text/plain')
  })

  test('raw bytes, replacing and updating: the bytes that are replaced are gone and count no more', async () => {
    const files = a.client.storage.from('papers')
    const name = `${a.id}/raw.bin`
    const before = await app.counted()
    const stored = await files.upload(name, randomBytes(1_000), {
      contentType: 'application/x-thing',
      metadata: { n: 1 },
    })
    expect(stored.error).toBeNull()
    expect(await files.upload(name, randomBytes(10))).toMatchObject({
      error: { statusCode: '409', message: expect.stringContaining('already exists') },
    })
    const replaced = await files.upload(name, randomBytes(500), { upsert: true })
    expect([replaced.error, replaced.data?.id]).toEqual([null, stored.data!.id])
    expect((await files.update(name, randomBytes(300))).error).toBeNull()
    expect(await app.counted()).toEqual({ files: before.files + 1, bytes: before.bytes + 300 })
    expect((await (await files.download(name)).data!.arrayBuffer()).byteLength).toBe(300)
    const { rows } = await world.app.db.pool.query(
      `select count(*) as n from buckets.blobs where cloud_id = $1 and due_at is not null`,
      [app.cloud.id],
    )
    expect(Number(rows[0].n)).toBe(0)
    expect((await files.remove([name])).data).toMatchObject([{ name }])
    expect(await app.counted()).toEqual(before)
  })

  test('moving keeps the bytes, copying makes others, and both obey the policies', async () => {
    const files = a.client.storage.from('papers')
    const [from, to, second] = ['from.txt', 'moved/to.txt', 'copy.txt'].map((name) => `${a.id}/${name}`) as [
      string,
      string,
      string,
    ]
    await files.upload(from, new Blob(['متن'], { type: 'text/plain' }), { metadata: { k: 'v' } })
    const before = await app.counted()
    expect((await files.move(from, to)).error).toBeNull()
    expect((await files.exists(from)).data).toBe(false)
    expect(await (await files.download(to)).data!.text()).toBe('متن')
    expect(await app.counted()).toEqual(before)
    expect((await files.copy(to, second)).data).toEqual({ path: `papers/${second}` })
    expect(await (await files.download(second)).data!.text()).toBe('متن')
    expect(await app.counted()).toEqual({ files: before.files + 1, bytes: before.bytes + 6 })
    expect((await files.info(second)).data).toMatchObject({ metadata: { k: 'v' } })
    expect((await files.copy(to, second)).error).toMatchObject({ statusCode: '409' })
    expect(
      (await files.copy(to, `${a.id}/in-avatars.txt`, { destinationBucket: 'avatars' })).error,
    ).toBeNull()
    expect((await b.client.storage.from('papers').move(to, `${b.id}/stolen`)).error).toMatchObject({
      statusCode: '404',
    })
    expect((await files.copy(to, `${b.id}/given`)).error).toMatchObject({ statusCode: '403' })
    expect((await files.move(to, second)).error).toMatchObject({ statusCode: '409' })
    expect((await files.move(`${a.id}/none`, `${a.id}/x`)).error).toMatchObject({ statusCode: '404' })
  })

  test('lists show folders and files as sorted, searched and cut, and only what the caller may see', async () => {
    const files = b.client.storage.from('papers')
    for (const name of ['d/1.txt', 'd/2.txt', 'd/e/3.txt', 'ب.txt', 'ا.txt', '_x.txt'])
      expect((await files.upload(`${b.id}/${name}`, new Blob(['1']))).error).toBeNull()
    const names = (rows: { name: string }[] | null) => rows!.map(({ name }) => name)
    expect(names((await files.list(b.id)).data)).toEqual(['_x.txt', 'd', 'ا.txt', 'ب.txt'])
    expect((await files.list(b.id)).data!.find(({ name }) => name === 'd')).toMatchObject({
      id: null,
      metadata: null,
    })
    expect(names((await files.list(`${b.id}/d`)).data)).toEqual(['1.txt', '2.txt', 'e'])
    expect(
      names(
        (await files.list(b.id, { sortBy: { column: 'name', order: 'desc' }, limit: 2, offset: 1 })).data,
      ),
    ).toEqual(['ا.txt', 'd'])
    // A percent sign and an underscore are themselves.
    expect(names((await files.list(b.id, { search: '_' })).data)).toEqual(['_x.txt'])
    expect(names((await files.list(b.id, { search: '%' })).data)).toEqual([])
    expect((await a.client.storage.from('papers').list(b.id)).data).toEqual([])
    expect((await app.anon.storage.from('papers').list(b.id)).data).toEqual([])
    const first = await files.listV2({ prefix: `${b.id}/`, with_delimiter: true, limit: 3 })
    expect([
      first.data!.hasNext,
      first.data!.folders.map(({ key }) => key),
      names(first.data!.objects as never),
    ]).toEqual([true, [`${b.id}/d`], [`${b.id}/_x.txt`, `${b.id}/ا.txt`]])
    const next = await files.listV2({
      prefix: `${b.id}/`,
      with_delimiter: true,
      limit: 3,
      cursor: first.data!.nextCursor!,
    })
    expect([next.data!.hasNext, names(next.data!.objects as never)]).toEqual([false, [`${b.id}/ب.txt`]])
    const flat = await files.listV2({ prefix: `${b.id}/d/`, sortBy: { column: 'created_at', order: 'desc' } })
    expect(names(flat.data!.objects as never)).toEqual(
      ['d/e/3.txt', 'd/2.txt', 'd/1.txt'].map((name) => `${b.id}/${name}`),
    )
    expect((await files.list(b.id, { limit: 1_001 })).error).toMatchObject({ statusCode: '400' })
    expect((await files.list(b.id, { sortBy: { column: 'owner; drop', order: 'asc' } })).error).toMatchObject(
      { statusCode: '400' },
    )
    expect((await files.listV2({ cursor: 'x' })).error).toMatchObject({ statusCode: '400' })
  })

  test('a link lets in whoever has it, to one object, for its time, and to nothing else', async () => {
    const files = a.client.storage.from('papers')
    const name = `${a.id}/پیوند.txt`
    await files.upload(name, new Blob(['linked'], { type: 'text/plain' }))
    const { data } = await files.createSignedUrl(name, 60, { download: 'نام.txt' })
    const reply = await fetch(data!.signedUrl)
    expect([reply.status, await reply.text()]).toEqual([200, 'linked'])
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment/)
    const other = `${a.id}/other.txt`
    await files.upload(other, new Blob(['other']))
    const moved = data!.signedUrl.replace(encodeURI('پیوند.txt'), 'other.txt')
    expect(moved).not.toBe(data!.signedUrl)
    expect(await (await fetch(moved)).json()).toMatchObject({ statusCode: '400', code: 'InvalidSignature' })
    expect((await fetch(data!.signedUrl.replace(/token=./, 'token=A'))).status).toBe(400)
    const many = await files.createSignedUrls([name, `${a.id}/none`], 60)
    expect(many.data).toMatchObject([
      { error: null, path: name },
      { path: `${a.id}/none`, signedUrl: null },
    ])
    expect(await (await fetch(many.data![0]!.signedUrl!)).text()).toBe('linked')
    expect((await b.client.storage.from('papers').createSignedUrl(name, 60)).error).toMatchObject({
      statusCode: '404',
    })
    expect((await files.createSignedUrl(name, 0)).error).toMatchObject({ statusCode: '400' })
    const past = await files.createSignedUrl(name, 1)
    clock.aheadMs += 2_000
    expect((await fetch(past.data!.signedUrl)).status).toBe(400)
  })

  test('a link to store lets in one object, which is of whoever has made it', async () => {
    const files = a.client.storage.from('papers')
    const name = `${a.id}/by link.txt`
    const { data } = await files.createSignedUploadUrl(name)
    const stored = await app.anon.storage
      .from('papers')
      .uploadToSignedUrl(name, data!.token, new Blob(['by link']))
    expect(stored).toMatchObject({ error: null, data: { path: name } })
    expect(await (await files.download(name)).data!.text()).toBe('by link')
    const anon = app.anon.storage.from('papers')
    expect((await anon.uploadToSignedUrl(name, data!.token, new Blob(['x']))).error).toMatchObject({
      statusCode: '409',
    })
    expect((await anon.uploadToSignedUrl(`${a.id}/x`, data!.token, new Blob(['x']))).error).toMatchObject({
      statusCode: '400',
    })
    expect((await files.createSignedUploadUrl(`${b.id}/x`)).error).toMatchObject({ statusCode: '403' })
    const read = await files.createSignedUrl(name, 60)
    const token = new URL(read.data!.signedUrl).searchParams.get('token')!
    expect(
      (await anon.uploadToSignedUrl(name, token, new Blob(['x']), { upsert: true })).error,
    ).toMatchObject({ statusCode: '400' })
  })

  test('a picture is rendered within bounds, upright and no larger than it is', async () => {
    const picture = await sharp({ create: { width: 400, height: 200, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer()
    const files = a.client.storage.from('avatars')
    const name = `${a.id}/picture.jpg`
    await files.upload(name, new Blob([picture], { type: 'image/jpeg' }))
    const sizeOf = async (transform: object, headers = {}) => {
      const { publicUrl } = files.getPublicUrl(name, { transform }).data
      const reply = await fetch(publicUrl, { headers })
      const { width, height, format } = await sharp(await reply.arrayBuffer()).metadata()
      return [reply.headers.get('content-type'), format, width, height]
    }
    expect(await sizeOf({ width: 100 })).toEqual(['image/jpeg', 'jpeg', 100, 50])
    expect(await sizeOf({ width: 100, height: 100 })).toEqual(['image/jpeg', 'jpeg', 100, 100])
    expect(await sizeOf({ width: 100, height: 100, resize: 'contain' }, { accept: 'image/webp' })).toEqual([
      'image/webp',
      'webp',
      100,
      50,
    ])
    expect(await sizeOf({ width: 2_500, resize: 'contain' })).toEqual(['image/jpeg', 'jpeg', 400, 200])
    for (const transform of [
      { width: 2_501 },
      { width: 10, quality: 19 },
      { width: 10, resize: 'x' as never },
    ])
      expect((await fetch(files.getPublicUrl(name, { transform }).data.publicUrl)).status).toBe(400)
    const linked = await files.createSignedUrl(name, 60, { transform: { width: 30, height: 30 } })
    const reply = await fetch(`${linked.data!.signedUrl}&width=400`)
    expect(await sharp(await reply.arrayBuffer()).metadata()).toMatchObject({ width: 30, height: 30 })
    expect((await fetch(linked.data!.signedUrl.replace('/render/image/', '/object/'))).status).toBe(400)
    const own = await files.download(name, { transform: { width: 20 } })
    expect(await sharp(await own.data!.arrayBuffer()).metadata()).toMatchObject({ width: 20 })
    await files.upload(`${a.id}/not.png`, new Blob(['no picture'], { type: 'image/png' }))
    expect(
      (await fetch(files.getPublicUrl(`${a.id}/not.png`, { transform: { width: 5 } }).data.publicUrl)).status,
    ).toBe(400)
  })

  test('a hostile picture costs little: a bomb is refused by its header, a film is one picture, and an SVG is decoded by no name', async () => {
    const files = a.client.storage.from('avatars')
    const render = async (name: string, bytes: Buffer<ArrayBuffer>, type: string) => {
      const path = `${a.id}/${name}`
      expect((await files.upload(path, new Blob([bytes], { type }))).error).toBeNull()
      const reply = await fetch(files.getPublicUrl(path, { transform: { width: 8 } }).data.publicUrl)
      return { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()) }
    }
    const said = async (...picture: Parameters<typeof render>) => {
      const { status, bytes } = await render(...picture)
      return [status, JSON.parse(String(bytes)).message]
    }
    // 900 megapixels in 110 KB.
    expect(await said('bomb.png', await vastPng(30_000), 'image/png')).toEqual([
      400,
      expect.stringContaining('25000000 pixels'),
    ])
    const [side, frames] = [16, 10_000]
    const raw = { width: side, height: side * frames, channels: 3, pageHeight: side } as const
    const pixels = Buffer.alloc(side * side * frames * 3)
    // No frame is like the one before.
    for (let at = 0; at < pixels.length; at++) pixels[at] = Math.floor(at / (side * side * 3)) % 2 ? 255 : 0
    for (const format of ['gif', 'webp'] as const) {
      const film = (await sharp(pixels, { raw })
        .toFormat(format, { effort: 1 })
        .toBuffer()) as Buffer<ArrayBuffer>
      expect((await sharp(film, { animated: true }).metadata()).pages).toBe(frames)
      const { status, bytes } = await render(`film.${format}`, film, `image/${format}`)
      expect([status, await sharp(bytes, { animated: true }).metadata()]).toMatchObject([
        200,
        { width: 8, height: 8 },
      ])
    }
    // Its size would be that of everything in it, and there are ten million of them.
    const groups = Array.from(
      { length: 7 },
      (_, at) => `<g id="g${at + 1}">${`<use href="#g${at}"/>`.repeat(10)}</g>`,
    )
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><defs><rect id="g0" width="1" height="1"/>${groups.join('')}</defs><use href="#g7"/></svg>`
    for (const type of ['image/png', 'image/svg+xml'])
      expect(await said(`svg-${type.length}`, Buffer.from(svg), type)).toEqual([
        400,
        expect.stringContaining('only JPEG'),
      ])
    const avif = (await sharp({ create: { width: 20, height: 20, channels: 3, background: 'red' } })
      .avif()
      .toBuffer()) as Buffer<ArrayBuffer>
    expect((await render('picture.avif', avif, 'image/avif')).status).toBe(200)
  })

  test('what is not offered is said', async () => {
    const { storage } = app.service
    for (const { error } of [
      await storage.getBucketLifecycle('papers'),
      await storage.createBucket('v', { public: false, versioningStatus: 'ENABLED' }),
      await storage.createBucket('v', { public: false, type: 'ANALYTICS' }),
      await storage.vectors.listBuckets(),
      await storage.analytics.listBuckets(),
      await storage.from('papers').download('a', { versionId: 'x' }),
    ])
      expect(error).toMatchObject({ message: expect.stringMatching(/not offered here/) })
    expect((await storage.purgeBucketCache('papers')).error).toBeNull()
    expect((await storage.from('papers').purgeCache('a.txt')).error).toBeNull()
  })
})
