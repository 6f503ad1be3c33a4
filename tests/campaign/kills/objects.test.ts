/** A process that dies while an object is stored, whole or in parts, leaves neither a wrong count nor, before long, a byte too many or too few. */
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { givePackage } from '#cloud/clouds'
import { platformAccount } from '#platform/jobs'
import { Tus } from '../../cloud/dedicated/tus-client.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import { type FakeS3, fakeS3 } from '../../harness/fake-s3.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { startMs, until } from '../../harness/until.ts'
import { dedicatedConfig } from '../../harness/world.ts'

const canRun = await hasJail()

describe.runIf(canRun)('a process that is killed while an object is stored', () => {
  const stack = new AsyncDisposableStack()
  let s3: FakeS3
  let site: Site
  let person: Person
  let server: ServerProcess
  let cloud: { id: string; ref: string }
  let serviceKey: string
  const client = (): Client => site.client(server, person)
  const url = () => `${server.appsUrl}/_cloud/${cloud.ref}/storage/v1`
  const headers = () => ({ apikey: serviceKey })

  beforeAll(async () => {
    s3 = stack.use(await fakeS3())
    site = stack.use(await openSite({ settings: dedicatedConfig + s3.config }))
    person = await site.person()
    server = await site.successor()
    const given = { accountId: person.account, packageId: undefined, offer: 'small', paidUntil: null }
    await givePackage({ db: site.db, clock: { nowMs: Date.now } as never }, given)
    const made = await client().post('/v1/cloud', { name: 'test', plan: 'dedicated' })
    expect(made.status, made.text).toBe(202)
    cloud = made.body
    await until(async () => (await client().get(`/v1/cloud/${cloud.id}`)).body.status === 'ready', startMs)
    serviceKey = (await client().post(`/v1/cloud/${cloud.id}/keys`, { kind: 'service' })).body.secret
    await sql(`
      insert into storage.buckets (id, name) values ('box', 'box');
      create sequence public.writes;
      grant all on sequence public.writes to service_role;
      create function public.wait() returns trigger language plpgsql as $$
        begin
          -- The first rows only ask whether they might be.
          if nextval('public.writes') = tg_argv[0]::int then perform pg_sleep(8); end if;
          return new;
        end $$;`)
  })
  // The last process stops the database of the cloud with itself.
  afterAll(async () => {
    await server?.stop()
    await stack.disposeAsync()
  })

  async function sql(query: string): Promise<void> {
    const reply = await client().post(`/v1/cloud/${cloud.id}/database`, {
      query,
      read_only: false,
      confirm_write: true,
    })
    expect(reply.status, reply.text).toBeLessThan(300)
  }
  /** The row that is written as the nth of all takes its time. */
  const waitAt = (nth: number) =>
    sql(`drop trigger if exists wait on storage.objects; alter sequence public.writes restart;
      create trigger wait before insert on storage.objects for each row execute function public.wait(${nth})`)
  const isWaiting = async (nth: number) => {
    const reply = await client().post(`/v1/cloud/${cloud.id}/database`, {
      query: 'select last_value from public.writes',
    })
    return Number(reply.body.rows?.[0]?.[0]) === nth
  }
  const counts = async () => {
    const [row] = await site.db.query<{ files: bigint; bytes: bigint }>(
      { text: 'select files, bytes from app_files.counts' },
      [],
    )
    return [Number(row?.files ?? 0), Number(row?.bytes ?? 0)]
  }
  const stored = () => [...s3.objects.keys()].filter((key) => key.includes(cloud.id)).length
  /** As if the time of all that is unresolved had come. */
  async function sweep(): Promise<void> {
    await site.db.query({ text: 'update buckets.blobs set due_at = now() where due_at is not null' }, [])
    await run('clouds.objects')
  }
  /** Those of requests whose process was killed: they last ten seconds. */
  const endUploadLeases = () => site.db.query({ text: 'update buckets.uploads set leased_until = now()' }, [])
  /** As if that of bytes which nothing names had come, too. */
  const untilStored = (count: number) =>
    until(async () => {
      await site.db.query({ text: 'update storage.pending_blobs set due_at = now()' }, [])
      await run('files.tidy')
      return stored() === count
    })
  const run = (job: string) =>
    site.db.query(
      {
        text: `insert into jobs.queue (account_id, job_id, name, data, run_at) values ($1, $2, $3, 'null', now())`,
      },
      [platformAccount, randomUUID(), job],
    )

  test('before its row, the object was never there, its name is free, and it counts until the sweep has decided', async () => {
    await waitAt(3)
    const store = (name: string) =>
      fetch(`${url()}/object/box/${name}`, { method: 'POST', headers: headers(), body: randomBytes(5_000) })
    const lost = store('a').catch(() => undefined)
    await until(() => isWaiting(3))
    await server.kill()
    await lost
    server = await site.successor()
    expect([await counts(), stored()]).toEqual([[1, 5_000], 1])
    expect((await fetch(`${url()}/object/box/a`, { headers: headers() })).status).toBe(400)
    await sweep()
    await untilStored(0)
    expect(await counts()).toEqual([0, 0])
    expect((await store('a')).status).toBe(200)
    await sweep()
    expect([await counts(), stored()]).toEqual([[1, 5_000], 1])
  })

  test('with its last part, an upload goes on there, and the object is whole and counted once', async () => {
    const before = await counts()
    const bytes = randomBytes(3_000) as Buffer<ArrayBuffer>
    const film = () =>
      new Tus(bytes, {
        endpoint: `${url()}/upload/resumable`,
        headers: headers(),
        metadata: { bucketName: 'box', objectName: 'film' },
      })
    await waitAt(2)
    const first = film()
    await first.create()
    expect((await first.patch(0, bytes.subarray(0, 2_000))).status).toBe(204)
    const lost = first.patch().catch(() => undefined)
    await until(() => isWaiting(2))
    await server.kill()
    await lost
    server = await site.successor()
    const again = film()
    again.url = `${url()}/upload/resumable/${first.url.split('/').at(-1)}`
    await again.resume()
    expect(again.offset).toBe(2_000)
    await endUploadLeases()
    expect((await again.patch()).status).toBe(204)
    const reply = await fetch(`${url()}/object/box/film`, { headers: headers() })
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
    expect(await counts()).toEqual([before[0]! + 1, before[1]! + 3_000])
    await sweep()
    await untilStored(2)
    expect(await counts()).toEqual([before[0]! + 1, before[1]! + 3_000])
  })

  test('with some of its bytes at the store, an upload is whole in the end, a copy never was, and the store keeps nothing of either attempt', async () => {
    await sql('drop trigger wait on storage.objects')
    // More than the store is sent at once.
    const bytes = randomBytes(9_000_000) as Buffer<ArrayBuffer>
    const options = {
      endpoint: `${url()}/upload/resumable`,
      headers: headers(),
      metadata: { bucketName: 'box', objectName: 'long' },
    }
    const first = new Tus(bytes, options)
    await first.create()
    expect((await first.patch(0, bytes.subarray(0, 5_000_000))).status).toBe(204)
    await fetch(`${url()}/object/box/source`, { method: 'POST', headers: headers(), body: bytes })
    const before = [await counts(), stored()] as const
    const isFirstPart = /\/buckets\/.*partNumber=1/
    s3.hangAfter('PUT', isFirstPart)
    const copied = fetch(`${url()}/object/copy`, {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json' },
      body: JSON.stringify({ bucketId: 'box', sourceKey: 'source', destinationKey: 'copy' }),
    }).catch(() => undefined)
    await until(() => s3.hung === 1)
    s3.hangAfter('PUT', isFirstPart)
    const finished = first.patch(5_000_000, bytes.subarray(5_000_000)).catch(() => undefined)
    await until(() => s3.hung === 2)
    expect([...s3.uploads.values()].map(({ key }) => key.split('/')[0])).toEqual(['buckets', 'buckets'])
    await server.kill()
    await Promise.all([copied, finished])
    server = await site.successor()
    await endUploadLeases()
    const again = new Tus(bytes, { ...options, headers: headers() })
    again.url = `${url()}/upload/resumable/${first.url.split('/').at(-1)}`
    await again.resume()
    expect((await again.patch(5_000_000, bytes.subarray(5_000_000))).status).toBe(204)
    const reply = await fetch(`${url()}/object/box/long`, { headers: headers() })
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
    expect(s3.uploads.size).toBe(1)
    await sweep()
    await until(async () => String(await counts()) === String(before[0]))
    await untilStored(before[1])
    await until(() => s3.uploads.size === 0)
  })
})
