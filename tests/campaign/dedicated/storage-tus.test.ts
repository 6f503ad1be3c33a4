/** Uploads in parts, spoken as tus-js-client speaks. */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type DedicatedApp, dedicatedApp, type Person } from '../../cloud/dedicated/dedicated-app.ts'
import { dedicatedWorld } from '../../cloud/dedicated/dedicated-world.ts'
import { metadataHeader, partBytes, Tus } from '../../cloud/dedicated/tus-client.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'

const canRun = await hasJail()

describe.runIf(canRun)('uploads in parts', () => {
  let world: World
  let app: DedicatedApp
  let a: Person
  let b: Person
  beforeAll(async () => {
    world = await dedicatedWorld()
    app = await dedicatedApp(world)
    a = await app.person()
    b = await app.person()
    await app.sql(`
      insert into storage.buckets (id, name, file_size_limit, allowed_mime_types) values ('films', 'films', 52428800, '{video/*,text/plain}');
      create policy p1 on storage.objects for insert to authenticated with check ((storage.foldername(name))[1] = auth.uid()::text);
      create policy p2 on storage.objects for select to authenticated using (owner_id = auth.uid()::text);
      create policy p3 on storage.objects for update to authenticated using (owner_id = auth.uid()::text);`)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  // Clients are told to send the session and no key beside it.
  const headersOf = ({ token }: Person) => ({ authorization: `Bearer ${token}` })
  const upload = (
    bytes: Uint8Array<ArrayBuffer>,
    name: string,
    more: {
      by?: Person
      metadata?: Record<string, string>
      withCreation?: boolean
      headers?: Record<string, string>
    } = {},
  ) => {
    const by = more.by ?? a
    return new Tus(bytes, {
      endpoint: `${app.cloud.pathUrl}/storage/v1/upload/resumable`,
      headers: { ...headersOf(by), ...more.headers },
      metadata: {
        bucketName: 'films',
        objectName: `${by.id}/${name}`,
        contentType: 'video/mp4',
        cacheControl: '3600',
        ...more.metadata,
      },
      withCreation: more.withCreation ?? true,
    })
  }
  const bytesOf = async (name: string) => {
    const { data, error } = await a.client.storage.from('films').download(`${a.id}/${name}`)
    expect(error).toBeNull()
    return Buffer.from(await data!.arrayBuffer())
  }
  const parts = async (): Promise<number> => {
    const { rows } = await world.app.db.pool.query(
      'select count(*) as n from buckets.parts where cloud_id = $1',
      [app.cloud.id],
    )
    return Number(rows[0].n)
  }

  test('an object of the largest size arrives in parts of 6 MiB, with its properties; a byte more does not begin', async () => {
    const bytes = randomBytes(52_428_800) as Buffer<ArrayBuffer>
    const before = await app.counted()
    const film = upload(bytes, 'فیلم بلند.mp4', {
      metadata: { metadata: JSON.stringify({ کارگردان: 'مهرجویی' }) },
    })
    expect(await film.send()).toBeUndefined()
    expect((await bytesOf('فیلم بلند.mp4')).equals(bytes)).toBe(true)
    const { data } = await a.client.storage.from('films').info(`${a.id}/فیلم بلند.mp4`)
    expect(data).toMatchObject({
      size: 52_428_800,
      contentType: 'video/mp4',
      cacheControl: 'max-age=3600',
      metadata: { کارگردان: 'مهرجویی' },
    })
    expect(await app.counted()).toEqual({ files: before.files + 1, bytes: before.bytes + 52_428_800 })
    expect(await parts()).toBe(0)
    expect((await film.resume()).headers.get('upload-offset')).toBe('52428800')
    const reply = await fetch(film.options.endpoint, {
      method: 'POST',
      headers: {
        ...headersOf(a),
        'tus-resumable': '1.0.0',
        'upload-length': '52428801',
        'upload-metadata': metadataHeader(film.options.metadata),
      },
    })
    expect(reply.status).toBe(413)
  })

  test('an upload that broke off goes on where it stood, with what had come of the part', async () => {
    const bytes = randomBytes(partBytes + 1_000_000) as Buffer<ArrayBuffer>
    const film = upload(bytes, 'broken.mp4', { withCreation: false })
    expect((await film.create()).status).toBe(201)
    const sent = request(film.url, {
      method: 'PATCH',
      headers: {
        ...headersOf(a),
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
        'content-length': partBytes,
      },
    })
    sent.on('error', () => undefined)
    sent.write(bytes.subarray(0, 2_000_000), () => setImmediate(() => sent.destroy()))
    await until(async () => {
      await film.resume()
      return film.offset > 0
    })
    expect(film.offset).toBeLessThanOrEqual(2_000_000)
    while (film.offset < bytes.length) expect((await film.patch()).status).toBe(204)
    expect((await bytesOf('broken.mp4')).equals(bytes)).toBe(true)
  })

  /** A part of which some has come and no more comes. */
  const drip = async (film: Tus, offset: number, bytes: Uint8Array, length: number) => {
    const sent = request(film.url, {
      method: 'PATCH',
      headers: {
        ...{ ...film.options.headers, 'tus-resumable': '1.0.0', 'upload-offset': String(offset) },
        ...{ 'content-type': 'application/offset+octet-stream', 'content-length': length },
      },
    })
    sent.on('error', () => undefined)
    sent.write(bytes)
    await until(async () => (await leased()) === 1)
    return sent
  }
  const ask = async (text: string): Promise<number> => {
    const { rows } = await world.app.db.pool.query(text, [app.cloud.id])
    return Number(rows[0].n)
  }
  const leased = () =>
    ask('select count(*) as n from buckets.uploads where cloud_id = $1 and leased_until is not null')
  const staged = () =>
    ask(`select count(*) as n from storage.pending_blobs where key like 'bucket-parts/%' || $1 || '%'`)

  test('one request at a time sends to an upload: of others nothing is kept, and the one whose client has come back goes on soon', async () => {
    const bytes = randomBytes(2_000) as Buffer<ArrayBuffer>
    const film = upload(bytes, 'twice.mp4', { withCreation: false })
    await film.create()
    // Whoever has the lease looks now and then whether another one waits: not before all others were refused.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const silent = await drip(film, 0, bytes.subarray(0, 400), 1_000)
    const replies = await Promise.all([
      ...[1, 2, 3].map(() => film.patch(0, bytes.subarray(0, 1_000))),
      film.end(),
    ])
    expect(replies.map(({ status }) => status)).toEqual([423, 423, 423, 423])
    await until(async () => (await staged()) === 1)
    // The one that is silent is cut, and what had come of it counts.
    vi.advanceTimersByTime(2_500)
    vi.useRealTimers()
    await until(async () => (await film.patch(400, bytes.subarray(400, 1_000))).status === 204)
    expect(silent.destroyed).toBe(true)
    const last = await Promise.all([1, 2, 3].map(() => film.patch(1_000, bytes.subarray(1_000))))
    expect(last.filter(({ status }) => status === 204)).toHaveLength(1)
    for (const { status } of last.filter((reply) => !reply.ok)) expect([409, 423]).toContain(status)
    expect((await bytesOf('twice.mp4')).equals(bytes)).toBe(true)
    expect([await parts(), await staged()]).toEqual([0, 0])
    const late = await film.patch(500, bytes.subarray(0, 10))
    expect([late.status, late.headers.get('upload-offset')]).toEqual([409, '2000'])
  })

  test('a part that comes slowly keeps no database awake', async () => {
    const { databases } = world.app
    const use = databases.use.bind(databases)
    let users = 0
    databases.use = async (cloud, work) => {
      users++
      return use(cloud, work).finally(() => users--)
    }
    const film = upload(Buffer.alloc(1_000), 'slow.mp4', { withCreation: false })
    await film.create()
    const slow = await drip(film, 0, film.bytes.subarray(0, 1), 1_000)
    await until(async () => (await staged()) === 1)
    await until(() => users === 0)
    expect(await leased()).toBe(1)
    databases.use = use
    slow.end(film.bytes.subarray(1))
    await until(async () => (await leased()) === 0)
    expect(await bytesOf('slow.mp4')).toHaveLength(1_000)
  })

  test('what is unfinished of one user, of all without a name and of the service key is bounded, to the last one', async () => {
    const c = await app.person()
    await app.sql(`create policy p4 on storage.objects for insert to anon with check (name like 'anybody/%')`)
    const begin = async (by: Record<string, string>, name: string) => {
      const film = upload(Buffer.alloc(1_000), name, { withCreation: false, metadata: { objectName: name } })
      // Who waited too long for a connection has begun nothing.
      return until(async () => {
        const reply = await new Tus(film.bytes, { ...film.options, headers: by }).create()
        return reply.status === 503 ? undefined : reply
      })
    }
    const made = await Promise.all(
      Array.from({ length: 25 }, (_, at) => begin(headersOf(c), `${c.id}/${at}`)),
    )
    expect(made.map(({ status }) => status).toSorted()).toEqual([
      ...Array(20).fill(201),
      ...Array(5).fill(429),
    ])
    const { data } = await c.client.storage.from('films').createSignedUploadUrl(`${c.id}/linked`)
    const linked = new Tus(Buffer.from('x'), {
      endpoint: `${app.cloud.pathUrl}/storage/v1/upload/resumable/sign`,
      headers: { apikey: app.cloud.publicKey, 'x-signature': data!.token },
      metadata: { bucketName: 'films', objectName: `${c.id}/linked`, contentType: 'text/plain' },
    })
    expect((await linked.create()).status).toBe(429)
    expect(await upload(Buffer.from('x'), 'of-another', { by: a }).send()).toBeUndefined()
    for (const [role, most, headers, name] of [
      ['anon', 100, { apikey: app.cloud.publicKey }, 'anybody/x'],
      ['service_role', 1_000, { apikey: app.serviceKey }, 'x'],
    ] as const) {
      await world.app.db.pool.query(
        `insert into buckets.uploads (account_id, cloud_id, upload_id, blob_id, role, bucket_id, name, upsert, properties, bytes, expires_at)
        select $1, $2, gen_random_uuid(), gen_random_uuid(), $3, 'films', 'x', false, '{}', 1, now() + interval '1 day' from generate_series(2, $4)`,
        [world.account, app.cloud.id, role, most],
      )
      const replies = [await begin(headers, name), await begin(headers, name)]
      expect(
        replies.map(({ status }) => status),
        role,
      ).toEqual([201, 429])
      expect(await replies[1]!.json()).toMatchObject({ code: 'UPLOADS_TOO_MANY' })
    }
    await world.app.db.pool.query('delete from buckets.uploads where cloud_id = $1', [app.cloud.id])
  })

  test('an upload that is being finished is ended by nobody, and is whole', async () => {
    const { storage } = world.app
    const put = storage.putUnsized
    const writing = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    storage.putUnsized = async (key, source, maxBytes) => {
      if (key.startsWith('buckets/')) {
        writing.resolve()
        await goOn.promise
      }
      return put(key, source, maxBytes)
    }
    const before = await app.counted()
    const film = upload(randomBytes(500) as Buffer<ArrayBuffer>, 'ended.mp4', { withCreation: false })
    await film.create()
    const last = film.patch()
    await writing.promise
    expect((await film.end()).status).toBe(423)
    goOn.resolve()
    storage.putUnsized = put
    expect((await last).status).toBe(204)
    expect((await bytesOf('ended.mp4')).equals(film.bytes)).toBe(true)
    expect(await app.counted()).toEqual({ files: before.files + 1, bytes: before.bytes + 500 })
    // Of one that is there, only the record ends.
    expect((await film.end()).status).toBe(204)
    expect((await bytesOf('ended.mp4')).equals(film.bytes)).toBe(true)
  })

  test('an upload is of whoever has begun it, and missing for everybody else', async () => {
    const film = upload(Buffer.alloc(100), 'mine.mp4', { withCreation: false })
    await film.create()
    for (const headers of [headersOf(b), { apikey: app.cloud.publicKey }, { apikey: app.serviceKey }]) {
      const other = new Tus(film.bytes, { ...film.options, headers })
      other.url = film.url
      expect([
        (await other.resume()).status,
        (await other.patch(0)).status,
        (await other.end()).status,
      ]).toEqual([404, 404, 404])
    }
    const before = await app.counted()
    expect((await film.end()).status).toBe(204)
    expect(await app.counted()).toEqual({ files: before.files - 1, bytes: before.bytes - 100 })
    expect((await film.resume()).status).toBe(404)
  })

  test('the policies are asked at the beginning and at the end, and what they refuse counts no more', async () => {
    const before = await app.counted()
    const foreign = upload(Buffer.alloc(10), 'x.mp4', { metadata: { objectName: `${b.id}/x.mp4` } })
    expect(await foreign.send()).toBe(403)
    const film = upload(Buffer.alloc(2_000), 'revoked.mp4', { withCreation: false })
    await film.create()
    expect((await film.patch(0, film.bytes.subarray(0, 1_000))).status).toBe(204)
    await app.sql('alter policy p1 on storage.objects with check (false)')
    expect((await film.patch()).status).toBe(403)
    expect(await app.counted()).toEqual(before)
    expect(await parts()).toBe(0)
    expect((await film.resume()).status).toBe(404)
    await app.sql(
      'alter policy p1 on storage.objects with check ((storage.foldername(name))[1] = auth.uid()::text)',
    )
  })

  test('what is not TUS 1.0.0, or too much, is refused and costs nothing', async () => {
    const before = await app.counted()
    const film = upload(Buffer.alloc(10), 'odd.mp4')
    const begin = (headers: Record<string, string | undefined>) =>
      fetch(film.options.endpoint, {
        method: 'POST',
        headers: Object.fromEntries(
          Object.entries({
            ...{ ...headersOf(a), 'tus-resumable': '1.0.0', 'upload-length': '10' },
            ...{ 'upload-metadata': metadataHeader(film.options.metadata), ...headers },
          }).filter((entry): entry is [string, string] => entry[1] !== undefined),
        ),
      })
    const other = await begin({ 'tus-resumable': '0.2.2' })
    expect([other.status, other.headers.get('tus-version')]).toEqual([412, '1.0.0'])
    for (const [status, headers] of [
      [400, { 'upload-length': undefined, 'upload-defer-length': '1' }],
      [400, { 'upload-length': '-1' }],
      [400, { 'upload-length': '1e3' }],
      [400, { 'upload-metadata': undefined }],
      [400, { 'upload-metadata': 'bucketName %%%' }],
      [400, { 'upload-metadata': metadataHeader({ ...film.options.metadata, objectName: `${a.id}/../x` }) }],
      [400, { 'upload-metadata': metadataHeader({ ...film.options.metadata, metadata: '[1]' }) }],
      [404, { 'upload-metadata': metadataHeader({ ...film.options.metadata, bucketName: 'none' }) }],
      [415, { 'upload-metadata': metadataHeader({ ...film.options.metadata, contentType: 'image/png' }) }],
    ] as const)
      expect((await begin(headers)).status, JSON.stringify(headers)).toBe(status)
    expect(await app.counted()).toEqual(before)
    await film.create()
    const long = upload(Buffer.alloc(10), 'long.mp4', { withCreation: false })
    await long.create()
    const tooLong = await long.patch(0, Buffer.alloc(11))
    expect([tooLong.status, await tooLong.json()]).toMatchObject([413, { code: 'UPLOAD_LONGER_THAN_SAID' }])
    expect(await staged()).toBe(0)
    expect((await long.resume()).headers.get('upload-offset')).toBe('0')
    expect((await long.end()).status).toBe(204)
    const options = await fetch(film.options.endpoint, { method: 'OPTIONS' })
    expect([options.status, options.headers.get('tus-version'), options.headers.get('tus-max-size')]).toEqual(
      [204, '1.0.0', '52428800'],
    )
    const preflight = await fetch(film.options.endpoint, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.org',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'tus-resumable,upload-offset',
      },
    })
    expect(preflight.headers.get('access-control-allow-headers')).toContain('upload-offset')
  })

  test('an empty object and one that replaces another are uploads, too', async () => {
    expect(await upload(Buffer.alloc(0), 'empty.mp4', { withCreation: false }).send()).toBeUndefined()
    expect((await bytesOf('empty.mp4')).length).toBe(0)
    expect(await upload(Buffer.from('one'), 'again.mp4').send()).toBeUndefined()
    expect(await upload(Buffer.from('two'), 'again.mp4').send()).toBe(409)
    const before = await app.counted()
    expect(
      await upload(Buffer.from('three'), 'again.mp4', { headers: { 'x-upsert': 'true' } }).send(),
    ).toBeUndefined()
    expect((await bytesOf('again.mp4')).toString()).toBe('three')
    expect(await app.counted()).toEqual({ files: before.files, bytes: before.bytes + 2 })
  })

  test('a link to store serves uploads in parts, of its object alone', async () => {
    const name = `${a.id}/linked.mp4`
    const { data } = await a.client.storage.from('films').createSignedUploadUrl(name)
    const linked = (objectName: string) =>
      new Tus(Buffer.from('by link'), {
        endpoint: `${app.cloud.pathUrl}/storage/v1/upload/resumable/sign`,
        headers: { apikey: app.cloud.publicKey, 'x-signature': data!.token },
        metadata: { bucketName: 'films', objectName, contentType: 'text/plain' },
      })
    expect(await linked(`${a.id}/other.mp4`).send()).toBe(400)
    expect(await linked(name).send()).toBeUndefined()
    expect((await bytesOf('linked.mp4')).toString()).toBe('by link')
  })

  test('a key alone in Authorization is a key, and what is neither key nor session is refused', async () => {
    const ask = async (authorization: string, path = 'storage/v1/bucket') =>
      (await fetch(`${app.cloud.pathUrl}/${path}`, { headers: { authorization } })).status
    expect(await ask(`Bearer ${app.cloud.publicKey}`)).toBe(200)
    expect(await ask(`Bearer ${a.token}`)).toBe(200)
    expect(await ask(`Bearer ${a.token}x`)).toBe(400)
    expect(await ask('')).toBe(400)
    // Elsewhere the key says which app it is.
    expect(await ask(`Bearer ${a.token}`, 'rest/v1/')).toBe(401)
  })
})
