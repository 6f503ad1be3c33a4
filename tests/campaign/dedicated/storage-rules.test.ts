/** Who may do what with objects, what is bounded, what counts, and what is left. */
import { randomBytes, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sweepBlobs, sweepUploads } from '#cloud/buckets'
import { setCloudLimits } from '#cloud/clouds'
import { deletePendingBlobs } from '#platform/storage'
import {
  type AppClient,
  bootApp,
  type DedicatedApp,
  dedicatedApp,
  type Person,
} from '../../cloud/dedicated/dedicated-app.ts'
import { Tus } from '../../cloud/dedicated/tus-client.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { expectNoHold } from '../../cost/cost.ts'
import { until } from '../../harness/until.ts'
import { MovableClock, type World } from '../../harness/world.ts'

const canRun = await hasJail()
const going = { aborted: false }
const minuteMs = 60 * 1000

describe.runIf(canRun)('objects of a dedicated cloud', () => {
  const clock = new MovableClock()
  let world: World
  let app: DedicatedApp
  let a: Person
  let b: Person
  beforeAll(async () => {
    app = await bootApp(
      `
      insert into storage.buckets (id, name, public) values ('open', 'open', true), ('closed', 'closed', false);
      create policy p1 on storage.objects for insert to authenticated with check ((storage.foldername(name))[1] = auth.uid()::text);
      create policy p2 on storage.objects for select to authenticated using (owner_id = auth.uid()::text);
      create policy p3 on storage.objects for update to authenticated using (owner_id = auth.uid()::text);
      create policy p4 on storage.objects for delete to authenticated using (owner_id = auth.uid()::text);`,
      { clock },
    )
    world = app.world
    a = await app.person()
    b = await app.person()
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  const key = () => ({ accountId: world.account, cloudId: app.cloud.id })
  const blobs = async () => {
    const { rows } = await world.app.db.pool.query(
      'select blob_id, bytes, due_at from buckets.blobs where cloud_id = $1',
      [app.cloud.id],
    )
    return rows as { blob_id: string; bytes: bigint; due_at: Date | null }[]
  }
  const isStored = async (blobId: string) => {
    const found = await world.app.storage.get(`buckets/${world.account}/${app.cloud.id}/${blobId}`)
    found?.destroy()
    return found !== undefined
  }

  /** When bytes that nothing names any more are deleted. */
  const pending = async (blobId: string): Promise<Date[]> => {
    const { rows } = await world.app.db.pool.query(
      'select due_at from storage.pending_blobs where key like $1',
      [`buckets/%/${blobId}`],
    )
    return rows.map((row) => row.due_at)
  }
  /** As if that time had come. */
  const sweepPending = async (blobId: string) => {
    const now = new Date(clock.nowMs())
    await world.app.db.pool.query('update storage.pending_blobs set due_at = $2 where key like $1', [
      `buckets/%/${blobId}`,
      now,
    ])
    await deletePendingBlobs(world.app)
  }

  test('where the disk below the database is full, nothing is stored and the app is told to try again later', async () => {
    await app.sql(`create function public.full_disk() returns boolean language plpgsql as $$ begin
        raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create policy full_disk on storage.objects as restrictive for insert with check (public.full_disk())`)
    const before = await blobs()
    const { error } = await a.client.storage.from('open').upload(`${a.id}/late.txt`, new Blob(['1']))
    expect(error).toMatchObject({ status: 503, message: expect.stringContaining('no room') })
    await app.sql('drop function public.full_disk cascade')
    expect((await blobs()).filter(({ due_at }) => due_at === null)).toEqual(
      before.filter(({ due_at }) => due_at === null),
    )
    expect((await a.client.storage.from('open').upload(`${a.id}/late.txt`, new Blob(['1']))).error).toBe(null)
    await a.client.storage.from('open').remove([`${a.id}/late.txt`])
  })

  /** What links of user A do in the hands of this one: to read, and to store. */
  const byLinks = async (client: AppClient, bucket: string, who: string): Promise<string[]> => {
    const own = a.client.storage.from(bucket)
    const name = `${a.id}/linked-${who}`
    const { data: upload } = await own.createSignedUploadUrl(name)
    const stored = await client.storage.from(bucket).uploadToSignedUrl(name, upload!.token, new Blob(['1']))
    const { data: link } = await own.createSignedUrl(name, 60)
    const read = await fetch(link!.signedUrl)
    return [stored.error ? 'refused' : 'done', (await read.text()) === '1' ? 'done' : 'refused']
  }
  /** An upload in parts begun under the name of user A; then one that user A has begun: asked for, sent and ended. */
  const inParts = async (who: string, bucket: string): Promise<string[]> => {
    const headersOf = (one: string): Record<string, string> => {
      const token = { a, b }[one]?.token
      if (token) return { apikey: app.cloud.publicKey, authorization: `Bearer ${token}` }
      return { apikey: one === 'service' ? app.serviceKey : app.cloud.publicKey }
    }
    const upload = (one: string, name: string) =>
      new Tus(Buffer.from('12'), {
        endpoint: `${app.cloud.pathUrl}/storage/v1/upload/resumable`,
        headers: headersOf(one),
        metadata: { bucketName: bucket, objectName: `${a.id}/${name}` },
      })
    const mine = upload(who, `parts-${who}`)
    const begun = await mine.create()
    const theirs = upload('a', `parts-of-a-${who}`)
    expect((await theirs.create()).status).toBe(201)
    const same = upload(who, '')
    same.url = theirs.url
    const replies = [await same.resume(), await same.patch(0, Buffer.from('1')), await same.end()]
    for (const left of [mine, theirs]) if (left.url) await left.end()
    return [begun, ...replies].map(({ status }) => String(status))
  }

  test.each(['open', 'closed'])(
    'bucket %s: of anon, user A, user B and the service each does what the policies say',
    async (bucket) => {
      const said = (error: { statusCode?: string | undefined } | null): string =>
        error ? error.statusCode! : 'done'
      const outcome: Record<string, string[]> = {}
      const clients: Record<string, AppClient> = {
        anon: app.anon,
        a: a.client,
        b: b.client,
        service: app.service,
      }
      for (const [who, client] of Object.entries(clients)) {
        const name = `${a.id}/${bucket}-${who}.txt`
        expect(
          (await app.service.storage.from(bucket).upload(`${a.id}/own`, new Blob(['x']), { upsert: true }))
            .error,
        ).toBeNull()
        await app.sql(
          `update storage.objects set owner_id = '${a.id}', owner = '${a.id}' where name = '${a.id}/own'`,
        )
        const files = client.storage.from(bucket)
        outcome[who] = [
          said((await files.upload(name, new Blob(['1']))).error),
          said((await files.upload(`${a.id}/own`, new Blob(['2']), { upsert: true })).error),
          said((await files.download(`${a.id}/own`)).error),
          said((await files.info(`${a.id}/own`)).error),
          said((await files.createSignedUrl(`${a.id}/own`, 60)).error),
          said((await files.createSignedUploadUrl(`${a.id}/new-${who}`)).error),
          said((await files.copy(`${a.id}/own`, `${a.id}/copy-${who}`)).error),
          said((await files.move(`${a.id}/own`, `${a.id}/own-${who}`)).error),
          String((await files.list(a.id, { search: `own-${who}` })).data!.length),
          String((await files.remove([`${a.id}/own`, `${a.id}/own-${who}`])).data!.length),
          String((await fetch(files.getPublicUrl(`${a.id}/own`).data.publicUrl)).status),
          ...(await byLinks(client, bucket, who)),
          ...(await inParts(who, bucket)),
        ]
      }
      // Whoever has a link needs nothing else.
      const links = ['done', 'done']
      const none = [
        ...['403', '403', '404', '404', '404', '403', '404', '404', '0', '0'],
        ...[bucket === 'open' ? '200' : '400', ...links, '403', '404', '404', '404'],
      ]
      const all = [
        ...['done', 'done', 'done', 'done', 'done', 'done', 'done', 'done', '1', '1'],
        ...['400', ...links, '201'],
      ]
      // An upload in parts is its own user's alone, whatever policies say: the service key has none of it, either.
      const [own, others] = [
        ['200', '204', '204'],
        ['404', '404', '404'],
      ]
      expect(outcome).toEqual({ anon: none, a: [...all, ...own], b: none, service: [...all, ...others] })
    },
  )

  test('size and type are held to the bucket at their exact edges, declared or not', async () => {
    const { storage } = app.service
    await storage.createBucket('small', {
      public: false,
      fileSizeLimit: 1_000,
      allowedMimeTypes: ['image/png', 'text/*'],
    })
    const files = storage.from('small')
    const options = { contentType: 'text/plain' }
    expect((await files.upload('exact', randomBytes(1_000), options)).error).toBeNull()
    expect((await files.upload('over', randomBytes(1_001), options)).error).toMatchObject({
      statusCode: '413',
      code: 'EntityTooLarge',
    })
    expect(
      (await files.upload('exact-form', new Blob([randomBytes(1_000)], { type: 'text/css' }))).error,
    ).toBeNull()
    expect(
      (await files.upload('over-form', new Blob([randomBytes(1_001)], { type: 'text/css' }))).error,
    ).toMatchObject({ statusCode: '413' })
    const chunked = (bytes: number) =>
      app.ask(`/storage/v1/object/small/chunked-${bytes}`, {
        method: 'POST',
        key: app.serviceKey,
        headers: { 'content-type': 'text/plain' },
        body: new Blob([randomBytes(bytes)]).stream(),
        duplex: 'half',
      } as RequestInit & { key: string })
    expect((await chunked(1_000)).status).toBe(200)
    expect(await (await chunked(1_001)).json()).toMatchObject({ statusCode: '413' })
    for (const type of ['image/gif', 'application/json'])
      expect((await files.upload('t', new Blob(['x'], { type }))).error).toMatchObject({ statusCode: '415' })
    expect((await files.upload('t', new Blob(['x'], { type: 'image/png; a=b' }))).error).toBeNull()
    expect((await files.copy('t', 'x', { destinationBucket: 'none' })).error).toMatchObject({
      statusCode: '404',
    })
    expect((await files.upload('empty', new Blob([], { type: 'text/plain' }))).error).toBeNull()
    expect((await (await files.download('empty')).data!.arrayBuffer()).byteLength).toBe(0)
  })

  test('names that nobody could mean are refused, and cost nothing', async () => {
    const before = await app.counted()
    for (const path of [
      'a/../b',
      './a',
      'a//b',
      'a%00b',
      'a%0ab',
      '%ff',
      '%ed%a0%80',
      `${'x'.repeat(1_025)}`,
      encodeURIComponent('ف'.repeat(513)),
      '..%2f..%2fetc',
    ]) {
      const reply = await new Promise<number>((resolve, reject) => {
        // fetch would straighten the path.
        const sent = request(
          `${app.cloud.pathUrl}/storage/v1/object/open/`,
          {
            method: 'POST',
            path: `${new URL(app.cloud.pathUrl).pathname}/storage/v1/object/open/${path}`,
            headers: { apikey: app.serviceKey },
          },
          (message) => {
            message.resume()
            resolve(message.statusCode!)
          },
        )
        sent.on('error', reject)
        sent.end('x')
      })
      expect(reply, path.slice(0, 30)).toBe(400)
    }
    const long = 'x'.repeat(1024)
    expect((await app.service.storage.from('open').upload(long, new Blob(['x']))).error).toBeNull()
    expect((await app.service.storage.from('open').remove([long])).data).toHaveLength(1)
    const files = app.service.storage.from('open')
    expect((await files.remove(Array.from({ length: 10_000 }, (_, n) => `n${n}`))).error).toMatchObject({
      statusCode: '400',
    })
    expect((await files.remove(Array.from({ length: 1_000 }, (_, n) => `n${n}`))).data).toEqual([])
    expect((await files.remove(['x'.repeat(1_000_000)])).error).toMatchObject({ statusCode: '400' })
    expect((await files.move('a', 'x'.repeat(1_000_000))).error).toMatchObject({ statusCode: '400' })
    expect(
      (await files.upload('m', new Blob(['x']), { metadata: { a: 'x'.repeat(17_000) } })).error,
    ).toMatchObject({ statusCode: '400' })
    expect(await app.counted()).toEqual(before)
  })

  test('a body that never ends is cut, and nothing of it is left', async () => {
    const before = await app.counted()
    const sent = request(`${app.cloud.pathUrl}/storage/v1/object/small/endless`, {
      method: 'POST',
      headers: { apikey: app.serviceKey, 'content-type': 'text/plain' },
    })
    const ended = new Promise<string>((resolve) => {
      sent.on('response', (message) => resolve(String(message.statusCode)))
      sent.on('error', () => resolve('cut'))
    })
    const chunk = Buffer.alloc(1024 * 1024)
    const pour = (): void => {
      while (!sent.destroyed && sent.write(chunk));
      if (!sent.destroyed) sent.once('drain', pour)
    }
    pour()
    expect(await ended).toBe('cut')
    sent.destroy()
    expect(await app.counted()).toEqual(before)
  })

  test('what all files and objects may take is exact, and what was deleted by SQL is free again', async () => {
    const { bytes, files } = await app.counted()
    await setCloudLimits(world.app, key(), { file_total_bytes: bytes + 1_000, files: files + 10 })
    await world.app.clouds.refresh(key())
    const own = app.service.storage.from('open')
    const sent = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        own.upload(`full-${n}`, randomBytes(300), { contentType: 'text/plain' }),
      ),
    )
    const refused = sent.filter(({ error }) => error !== null)
    expect(refused.map(({ error }) => (error as { statusCode?: string }).statusCode)).toEqual([
      '403',
      '403',
      '403',
    ])
    expect(await app.counted()).toEqual({ bytes: bytes + 900, files: files + 3 })
    expect((await own.upload('last', randomBytes(100), { contentType: 'text/plain' })).error).toBeNull()
    expect((await own.upload('none', randomBytes(1), { contentType: 'text/plain' })).error).toMatchObject({
      statusCode: '403',
    })
    const [gone] = (await blobs()).filter((blob) => blob.bytes === 100n)
    await app.sql(`delete from storage.objects where name = 'last'`)
    // Compared no more often than every ten minutes.
    clock.moveMs(11 * minuteMs)
    expect((await own.upload('again', randomBytes(100), { contentType: 'text/plain' })).error).toBeNull()
    expect(await isStored(gone!.blob_id)).toBe(false)
    await own.remove(['again', ...Array.from({ length: 6 }, (_, n) => `full-${n}`)])
    expect(await app.counted()).toEqual({ bytes, files })
    await setCloudLimits(world.app, key(), { file_total_bytes: null, files: null })
    await world.app.clouds.refresh(key())
  })

  test('after a kill at any point the sweep keeps what a row names and deletes the rest', async () => {
    const own = app.service.storage.from('open')
    await own.upload('kept', new Blob(['kept'], { type: 'text/plain' }))
    const { data } = await own.info('kept')
    const before = await app.counted()
    const reserved = randomUUID()
    const due = new Date(clock.nowMs() - 1)
    // Killed after the row, and killed before it.
    await world.app.db.pool.query('update buckets.blobs set due_at = $2 where blob_id = $1', [
      data!.version,
      due,
    ])
    await world.app.db.pool.query(
      `with counted as (update app_files.counts set files = files + 1, bytes = bytes + 7 where cloud_id = $2)
      insert into buckets.blobs (account_id, cloud_id, blob_id, bytes, due_at) values ($1, $2, $3, 7, $4)`,
      [world.account, app.cloud.id, reserved, due],
    )
    await world.app.storage.put(
      `buckets/${world.account}/${app.cloud.id}/${reserved}`,
      Buffer.from('1234567'),
    )
    await sweepBlobs(world.app, going)
    expect(await app.counted()).toEqual(before)
    // Whoever reserved them may be writing them still.
    expect(await pending(reserved)).toEqual([new Date(clock.nowMs() + 60 * minuteMs)])
    await until(async () => {
      await sweepPending(reserved)
      return !(await isStored(reserved))
    })
    expect((await blobs()).find((blob) => blob.blob_id === data!.version)).toMatchObject({ due_at: null })
    expect(await (await own.download('kept')).data!.text()).toBe('kept')
  })

  test('a row that the developer writes names no bytes of another cloud, and what it says of them harms its own app alone', async () => {
    const other = await dedicatedApp(world)
    await other.service.storage.createBucket('secret')
    await other.service.storage.from('secret').upload('s', new Blob(['secret']))
    const { data } = await other.service.storage.from('secret').info('s')
    for (const [at, version] of [data!.version, `../${other.cloud.id}/${data!.version}`, 'x', ''].entries())
      await app.sql(`insert into storage.objects (bucket_id, name, version, metadata)
        values ('open', 'forged-${at}', '${version}', '{"size": 6, "mimetype": "text/plain\\r\\nx: y", "cacheControl": "a\\nb"}')`)
    for (const at of [0, 1, 2, 3])
      expect((await app.service.storage.from('open').download(`forged-${at}`)).error).toMatchObject({
        status: 400,
      })
    expect(
      (await app.service.storage.from('open').remove(['forged-0', 'forged-1', 'forged-2', 'forged-3'])).data,
    ).toHaveLength(4)
    expect(await (await other.service.storage.from('secret').download('s')).data!.text()).toBe('secret')
    await other.sql(
      `update storage.objects set metadata = '{"size": 6, "mimetype": "text/html\\r\\nx: y", "cacheControl": "a\\nb"}'`,
    )
    const lied = await other.ask('/storage/v1/object/secret/s', { key: other.serviceKey })
    expect([
      lied.status,
      lied.headers.get('content-type'),
      lied.headers.get('x'),
      lied.headers.get('cache-control'),
    ]).toEqual([200, 'text/plain; charset=utf-8', null, 'private, no-cache'])
    // One more is on its way when the app is deleted, and arrives when nothing of it is left.
    const { storage } = world.app
    const put = storage.putStream
    const writing = Promise.withResolvers<string>()
    const goOn = Promise.withResolvers<void>()
    storage.putStream = async (key, source) => {
      writing.resolve(key)
      await goOn.promise
      await put(key, source)
    }
    const late = other.service.storage.from('secret').upload('late', new Blob(['late']))
    const lateKey = await writing.promise
    storage.putStream = put
    const deleted = await other.cloud.client.request(
      'DELETE',
      `/v1/cloud/${other.cloud.id}`,
      JSON.stringify({ confirm: 'نوبت' }),
    )
    expect(deleted.status, deleted.text).toBeLessThan(300)
    await until(async () => (await other.cloud.client.get(`/v1/cloud/${other.cloud.id}`)).status === 404)
    const left = await world.app.storage.get(`buckets/${world.account}/${other.cloud.id}/${data!.version}`)
    expect(left).toBeUndefined()
    goOn.resolve()
    expect((await late).error).not.toBeNull()
    const lateId = lateKey.split('/').at(-1)!
    expect(await pending(lateId)).toHaveLength(1)
    await until(async () => {
      await sweepPending(lateId)
      return (await world.app.storage.get(lateKey)) === undefined
    })
  })

  test('the tables stay, and code of the developer runs as whoever asks', async () => {
    const refused = async (query: string) => (await app.cloud.write(query)).body.error?.message ?? 'done'
    expect(await refused('drop table storage.objects')).toMatch(/cannot be dropped/)
    expect(await refused('alter table storage.objects drop column version')).toMatch(/cannot be dropped/)
    await app.sql(`
      create table public.seen (who text, is_super text);
      grant all on public.seen to anon, authenticated, service_role;
      create function public.see() returns trigger language plpgsql as $$
        begin
          insert into public.seen select current_user, current_setting('is_superuser');
          return coalesce(new, old);
        end $$;
      create trigger see before insert or update or delete on storage.objects for each row execute function public.see();
      create trigger see before insert or update or delete on storage.buckets for each row execute function public.see();`)
    const own = a.client.storage.from('open')
    await own.upload(`${a.id}/t`, new Blob(['1']))
    await own.upload(`${a.id}/t`, new Blob(['2']), { upsert: true })
    await own.move(`${a.id}/t`, `${a.id}/u`)
    await own.remove([`${a.id}/u`])
    await app.service.storage.createBucket('seen')
    await sweepBlobs(world.app, going)
    const seen = await app.cloud.read('select distinct who, is_super from public.seen order by who')
    expect(JSON.stringify(seen.body)).toMatch(/authenticated/)
    expect(JSON.stringify(seen.body)).toMatch(/service_role/)
    expect(JSON.stringify(seen.body)).not.toMatch(/storage_admin|postgres|kherad|"on"/)
    await app.sql(
      `create or replace function public.see() returns trigger language plpgsql as $$ begin raise exception 'نه، %', 'این نه'; end $$`,
    )
    expect((await own.upload(`${a.id}/v`, new Blob(['1']))).error).toMatchObject({
      statusCode: '400',
      message: expect.stringContaining('نه، این نه'),
    })
    // Whatever it says, in whatever code, the platform has not failed; and it sees the request as it does for tables.
    for (const [body, said] of [
      ["raise sqlstate '57P01' using message = 'as if it were away'", 'as if it were away'],
      ["raise notice '%', repeat('x', 5000000); return new", 'more than 4 MiB'],
      ["raise exception '%', repeat('پ', 100000)", `${'پ'.repeat(2_000)}…`],
      [
        "raise exception '% %', current_setting('request.method'), current_setting('request.headers')::jsonb ? 'apikey'",
        'POST f',
      ],
    ] as const) {
      await app.sql(
        `create or replace function public.see() returns trigger language plpgsql as $$ begin ${body}; end $$`,
      )
      const { error } = await own.upload(`${a.id}/v`, new Blob(['1']))
      expect(error).toMatchObject({ statusCode: '400', message: expect.stringContaining(said) })
      expect(error!.message.length).toBeLessThan(2_100)
    }
    await app.sql('drop trigger see on storage.objects; drop trigger see on storage.buckets')
  })

  test('the developer makes a bucket by the contract, once for a key, and sees files and objects', async () => {
    const path = `/v1/cloud/${app.cloud.id}/storage`
    const { client } = app.cloud
    const headers = { 'idempotency-key': randomUUID() }
    const made = await client.post(path, { name: 'shop', file_size_limit: 52_428_800 }, headers)
    expect([made.status, made.body]).toMatchObject([
      201,
      { id: 'shop', name: 'shop', public: false, file_size_limit: 52_428_800 },
    ])
    expect((await client.post(path, { name: 'shop', file_size_limit: 52_428_800 }, headers)).text).toBe(
      made.text,
    )
    expect((await client.post(path, { name: 'shop' })).body.error).toMatchObject({ code: 'BUCKET_EXISTS' })
    expect((await client.post(path, { name: 'shop-2' })).body).toMatchObject({ file_size_limit: 10_485_760 })
    for (const body of [
      { name: 'x', file_size_limit: 52_428_801 },
      { name: 'x', file_size_limit: 0 },
      { name: 'a/b' },
      {},
    ])
      expect((await client.post(path, body)).status).toBe(400)
    const headersOfFile = {
      apikey: app.cloud.publicKey,
      authorization: `Bearer ${a.token}`,
      'content-type': 'application/json',
    }
    const file = await fetch(`${app.cloud.pathUrl}/files`, {
      method: 'POST',
      headers: headersOfFile,
      body: JSON.stringify({ name: 'f', content_base64: 'eA==' }),
    })
    expect(file.status).toBe(201)
    await app.service.storage.from('shop').upload('1', new Blob(['1']))
    clock.moveMs(1)
    await app.service.storage.from('shop').upload('2', new Blob(['22']))
    const seen: { name: string; bucket: string | null }[] = []
    for (let after = ''; ; ) {
      const { body } = await client.get(`${path}?limit=1${after && `&after_id=${after}`}`)
      expect(body.buckets.map(({ id }: { id: string }) => id)).toContain('shop')
      seen.push(...body.data)
      if (!body.has_more) break
      after = body.last_id
    }
    expect(seen[0]).toMatchObject({ name: 'f', bucket: null, user_id: a.id })
    expect(seen.filter(({ bucket }) => bucket === 'shop')).toMatchObject([
      { name: '2', bytes: 2 },
      { name: '1', bytes: 1 },
    ])
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(seen.length)
    const { rows } = await world.app.db.pool.query(
      'select count(*) as n from buckets.blobs where cloud_id = $1',
      [app.cloud.id],
    )
    expect(seen).toHaveLength(Number(rows[0].n) + 1)
  })

  // Uploads of this file end here: sweeping moves the clock.
  test('what is uploaded in parts and left is gone after a day', async () => {
    const before = await app.counted()
    const reply = await app.ask('/storage/v1/upload/resumable', {
      method: 'POST',
      key: app.serviceKey,
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '100',
        'upload-metadata': `bucketName ${btoa('open')},objectName ${btoa('left')}`,
        'content-type': 'application/offset+octet-stream',
      },
      body: 'part',
    })
    expect([reply.status, reply.headers.get('upload-offset')]).toEqual([201, '4'])
    expect(await app.counted()).toEqual({ files: before.files + 1, bytes: before.bytes + 100 })
    const { rows } = await world.app.db.pool.query(
      'select storage_key from buckets.parts where storage_key like $1',
      [`%${app.cloud.id}%`],
    )
    expect(rows).toHaveLength(1)
    clock.moveMs(25 * 60 * minuteMs)
    // The clock has woken the sweep of the background too, and what it is in the midst of, this one passes over.
    await until(async () => {
      await sweepUploads(world.app, going)
      await sweepBlobs(world.app, going)
      return (await world.app.storage.get(rows[0].storage_key)) === undefined
    })
    await until(async () => isDeepStrictEqual(await app.counted(), before))
  })

  test('rows that the developer has written as large as they like are read up to 64 KiB of a value, and 4 MiB in all', async () => {
    const files = app.service.storage.from('open')
    expect((await files.upload('large', new Blob(['x']))).error).toBeNull()
    const get = (path: string) => app.ask(`/storage/v1${path}`, { key: app.serviceKey })
    const codeOf = async (path: string) => ((await (await get(path)).json()) as { code?: string }).code
    // As text an object has a blank behind the colon.
    const sized = (bytes: number) =>
      app.sql(`update storage.objects set user_metadata = jsonb_build_object('a', repeat('x', ${bytes - 9}))
        where name = 'large'`)
    await sized(64 * 1024)
    expect((await get('/object/public/open/large')).status).toBe(200)
    await sized(64 * 1024 + 1)
    expect(await codeOf('/object/public/open/large')).toBe('OBJECT_ROW_TOO_LARGE')
    await sized(20 * 1024 * 1024)
    expect(await codeOf('/object/public/open/large')).toBe('OBJECT_ROW_TOO_LARGE')
    expect(await codeOf('/object/info/open/large')).toBe('OBJECT_ROW_TOO_LARGE')
    await app.sql(`update storage.objects set user_metadata = '[1]', metadata = '"text"', updated_at = 'infinity', created_at = '-infinity'
      where name = 'large'`)
    expect((await files.info('large')).data).toMatchObject({ size: 0 })

    await app.sql(
      `update storage.buckets set allowed_mime_types = array[null, 'text/plain'] where id = 'closed'`,
    )
    expect((await app.service.storage.getBucket('closed')).data).toMatchObject({
      allowed_mime_types: ['text/plain'],
    })
    await app.sql(`update storage.buckets set allowed_mime_types = null where id = 'closed';
      insert into storage.buckets (id, name, allowed_mime_types)
      select 'many' || n, 'many' || n, array[repeat('x', 60000)] from generate_series(1, 100) n`)
    const listed = (path: string) => codeOf(path).then((code) => expect(code).toBe('OBJECT_STATEMENT_FAILED'))
    await listed('/bucket')
    const own = await app.cloud.client.get(`/v1/cloud/${app.cloud.id}/storage`)
    expect(own.body.error).toMatchObject({ code: 'OBJECT_STATEMENT_FAILED' })
    expect((await get('/bucket?limit=10&sortColumn=id&search=many')).status).toBe(200)
    await app.sql(`update storage.buckets set allowed_mime_types = array(select m || 'x' || substr(id, 5) from generate_series(1, 5500) m)
      where id ~ '^many[1-6]'; delete from storage.buckets where id ~ '^many[7-9]'`)
    await expectNoHold('types of buckets', async () => {
      const reply = await get('/bucket')
      expect(reply.status).toBe(200)
      await reply.bytes()
    })
    await app.sql(
      `delete from storage.buckets where id like 'many%'; delete from storage.objects where name = 'large'`,
    )
  })

  test('metadata is as deep as the developer has made it, no deeper than a body where an app states it, and holds up nobody', async () => {
    const files = app.service.storage.from('open')
    const upload = (levels: number) =>
      files.upload('deep/0', new Blob(['deep']), {
        metadata: { a: JSON.parse('['.repeat(levels - 1) + ']'.repeat(levels - 1)) },
        upsert: true,
      })
    expect((await upload(100)).error).toBeNull()
    expect((await upload(101)).error).toMatchObject({
      statusCode: '400',
      message: expect.stringMatching(/100/),
    })
    const head = JSON.stringify({ a: 0 }).replace('0', '['.repeat(5_000) + ']'.repeat(5_000))
    const stated = await app.ask('/storage/v1/object/open/deep/1', {
      method: 'POST',
      body: 'deep',
      headers: { 'x-metadata': btoa(head), 'content-type': 'text/plain' },
      key: app.serviceKey,
    })
    expect(stated.status).toBe(400)

    const digits = '2512292042121000001'
    const exact = JSON.stringify({ id: JSON.rawJSON(digits) })
    const withMetadata = (text: string) =>
      app.ask('/storage/v1/object/open/exact', {
        method: 'POST',
        body: 'exact',
        headers: { 'x-metadata': btoa(text), 'content-type': 'text/plain', 'x-upsert': 'true' },
        key: app.serviceKey,
      })
    for (const long of ['1e20000', '1e999999999'])
      expect((await withMetadata(`{"a":${long}}`)).status).toBe(400)
    expect((await withMetadata(exact)).status).toBe(200)
    const info = await app.ask('/storage/v1/object/info/open/exact', { key: app.serviceKey })
    expect(await info.text()).toContain(`"metadata":{"id": ${digits}}`)
    const { rows } = await app.sql(
      `select user_metadata->>'id' as id from storage.objects where bucket_id = 'open' and name = 'exact'`,
    )
    expect(rows).toEqual([{ id: digits }])

    const deep = 6_000
    const nested = '['.repeat(deep) + ']'.repeat(deep)
    await app.sql(`update storage.objects set user_metadata = jsonb_build_object('a', '${nested}'::jsonb),
      metadata = metadata || jsonb_build_object('a', '${nested}'::jsonb) where name = 'deep/0'`)
    const ask = async (path: string, body?: object, method = body ? 'POST' : 'GET') => {
      const reply = await app.ask(`/storage/v1/object${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        key: app.serviceKey,
      })
      return [reply.status, await reply.text()] as const
    }
    const holds = (text: string) => [200, expect.stringContaining(text)]
    expect(await ask('/list/open', { prefix: 'deep' })).toEqual(holds(nested))
    expect(await ask('/list-v2/open', { prefix: 'deep/' })).toEqual(holds(nested))
    expect(await ask('/info/open/deep/0')).toEqual(holds(nested))
    const copying = { bucketId: 'open', sourceKey: 'deep/0', destinationKey: 'deep/copy' }
    expect((await ask('/copy', copying))[0]).toBe(200)
    expect(await ask('/info/open/deep/copy')).toEqual(holds(nested))
    expect(await ask('/open', { prefixes: ['deep/copy'] }, 'DELETE')).toEqual(holds(nested))

    await app.sql(`insert into storage.objects (bucket_id, name, version, metadata)
      select 'open', 'deep/' || n, gen_random_uuid(), jsonb_build_object('a',
        (select jsonb_agg(jsonb_build_object(n || 'x' || m, 1)) from generate_series(1, 3200) m))
      from generate_series(1, 50) n`)
    await expectNoHold('metadata of fifty objects', async () => {
      expect((await ask('/list/open', { prefix: 'deep', limit: 1_000 }))[0]).toBe(200)
      expect((await app.cloud.client.get(`/v1/cloud/${app.cloud.id}/storage`)).status).toBe(200)
    })
    await app.sql(`delete from storage.objects where name like 'deep/%'`)
  })

  test('who has no key wakes a database only by the name of a bucket that is public', async () => {
    const files = app.service.storage.from('open')
    await files.upload('seen.txt', new Blob(['seen']), { upsert: true })
    const strange = async (bucket: string, form = 'object') => {
      const use = vi.spyOn(world.app.databases, 'use')
      const reply = await fetch(`${app.cloud.pathUrl}/storage/v1/${form}/public/${bucket}/seen.txt`)
      const wakes = use.mock.calls.length > 0
      use.mockRestore()
      return [reply.status, wakes]
    }
    // Work of the hour, which other tests have moved the clock to, uses the database, too.
    await until(async () => {
      const text = `select from jobs.queue where singleton_key = 'recurring' or process_id is not null`
      return (await world.app.db.query({ text }, [])).length === 0
    })
    // Nothing is known of a cloud that was restored.
    await world.app.db.pool.query('delete from buckets.public_buckets where cloud_id = $1', [app.cloud.id])
    expect(await strange('none')).toEqual([400, true])
    expect(await strange('none')).toEqual([400, false])
    expect(await strange('closed')).toEqual([400, false])
    expect(await strange('closed', 'render/image')).toEqual([400, false])
    expect(await strange('open')).toEqual([200, true])
    await app.cloud.write(`update storage.buckets set public = not public where id in ('open', 'closed')`)
    expect(await strange('open')).toEqual([400, false])
    expect(await strange('closed')).toEqual([400, true])
    await app.service.storage.updateBucket('open', { public: true })
    await app.service.storage.updateBucket('closed', { public: false })
    expect(await strange('open')).toEqual([200, true])
    expect(await strange('closed')).toEqual([400, false])
    // By code of the app: what is public no longer is found out by the first request.
    await app.sql(`update storage.buckets set public = false where id = 'open'`)
    expect(await strange('open')).toEqual([400, true])
    expect(await strange('open')).toEqual([400, false])
    // And what has become public by one that has a key.
    await app.sql(`update storage.buckets set public = true where id = 'open'`)
    expect(await strange('open')).toEqual([400, false])
    expect((await app.ask('/storage/v1/object/public/open/seen.txt')).status).toBe(200)
    expect(await strange('open')).toEqual([200, true])
  })
})
