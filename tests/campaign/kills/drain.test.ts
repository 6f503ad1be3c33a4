/** A stop waits for pictures that were ordered, for as long as the operator says; for everything else it does not. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import { upstreamConfig } from '../../harness/config-text.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { chunk, json, type Script, stream } from '../../harness/upstream.ts'

const price = 40_000_000n
const painter = `  - id: test/painter
    kind: image
    deployments: [{ provider: fake, model: painter-1 }]
    image: { sizes: [64x64] }
    pricing: { per_image: 0.04 }`

interface Drawing {
  site: Site
  server: ServerProcess
  person: Person
  /** Gives the picture that was ordered. */
  release: () => void
  /** Orders one, and resolves when the upstream has the order. */
  order(signal?: AbortSignal): Promise<{ reply: Promise<Response> }>
}

async function openDrawing(site: Site, env: Record<string, string> = {}): Promise<Drawing> {
  const file = path.join(site.dataDir, 'drain.yaml')
  const text = upstreamConfig(site.upstream.url, { model: painter })
  await writeFile(file, text.replace('dialects: [chat]', 'dialects: [chat, images]'))
  const server = await site.start(undefined, { KHERAD_CONFIG: file, ...env })
  const person = await site.person()
  const made = Promise.withResolvers<void>()
  const drawn = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const picture: Script = json(200, { data: [{ b64_json: drawn.toString('base64') }] })
  site.upstream.reply(async ({ path: asked }) => {
    if (!asked.startsWith('/v1/images')) return endless
    await made.promise
    return picture
  })
  return {
    ...{ site, server, person, release: made.resolve },
    async order(signal) {
      const before = site.upstream.calls.length
      const body = JSON.stringify({ model: 'test/painter', prompt: 'a cat' })
      const reply = site.client(server, person).raw('POST', '/v1/studio/image', body, {}, signal)
      await site.upstream.call(before)
      return { reply }
    },
  }
}

const endless: Script = stream([
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'half' }),
  new Promise(() => undefined),
])

const isStopping = ({ url }: ServerProcess): Promise<boolean> =>
  fetch(`${url}/health/live`).then(
    ({ status }) => status === 503,
    () => true,
  )

const storedFiles = (site: Site) =>
  site.db.query<{ file_id: string }>({ text: 'select file_id from files.files' }, [])

describe.concurrent('a server that is told to stop while a picture is drawn', () => {
  test('cuts a stream after its 8 s, refuses what is new, and answers the picture, stored and charged, before it ends', async () => {
    await using site = await openSite()
    const { server, person, order, release } = await openDrawing(site)
    const { reply } = await order()
    const chat = JSON.stringify({
      stream: true,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hello' }],
    })
    const streamed = await site.client(server, person).raw('POST', '/v1/chat/completions', chat)
    const whole = streamed.text().then(
      () => 'whole',
      () => 'cut',
    )
    const ended = server.stop()
    await until(() => isStopping(server))
    expect(await whole).toBe('cut')
    // Longer than a process that hangs may take.
    await pause(3_000)
    expect(server.child.exitCode, server.log()).toBeNull()
    release()
    const answer = await reply
    const body = (await answer.json()) as { outputs: { data: string }[] }
    expect([answer.status, body.outputs.length]).toEqual([200, 1])
    expect(await ended).toBe(0)
    expect(await storedFiles(site)).toEqual([{ file_id: answer.headers.get('x-file-ids') }])
    const receipts = await site.receipts(person)
    expect(receipts.map(({ charged }) => charged)).toContain(price)
    await site.healed()
  })

  test('stores and charges it though its caller has left', async () => {
    await using site = await openSite()
    const { server, person, order, release } = await openDrawing(site)
    const leaving = new AbortController()
    const { reply } = await order(leaving.signal)
    leaving.abort()
    await expect(reply).rejects.toThrow()
    const ended = server.stop()
    await pause(4_000)
    expect(server.child.exitCode, server.log()).toBeNull()
    release()
    expect(await ended).toBe(0)
    expect(await storedFiles(site)).toHaveLength(1)
    expect(await site.receipts(person)).toMatchObject([{ charged: price, state: 'completed' }])
    await site.healed()
  })

  test('waits no longer than KHERAD_DRAIN_SECONDS: what is lost then is free', async () => {
    await using site = await openSite()
    const { server, person, order } = await openDrawing(site, { KHERAD_DRAIN_SECONDS: '2' })
    const { reply } = await order()
    const cut = reply.then(
      () => 'answered',
      () => 'cut',
    )
    expect(await server.stop()).toBe(0)
    expect(await cut).toBe('cut')
    expect(await storedFiles(site)).toEqual([])
    expect(await site.receipts(person)).toMatchObject([{ charged: 0n, state: 'failed' }])
    await site.healed()
  })

  test('ends at once at a second Ctrl-C', async () => {
    await using site = await openSite()
    const { server, order } = await openDrawing(site)
    const { reply } = await order()
    const cut = reply.then(
      () => 'answered',
      () => 'cut',
    )
    server.child.kill('SIGINT')
    // Two that are sent before the first is taken are one to the system.
    await until(() => isStopping(server))
    await pause(1_500)
    expect(server.child.exitCode, server.log()).toBeNull()
    server.child.kill('SIGINT')
    await until(async () => server.child.exitCode === 130)
    expect(await cut).toBe('cut')
  })
})

test('a server without an order stops at once', async () => {
  await using site = await openSite()
  const { server } = await openDrawing(site, { KHERAD_DRAIN_SECONDS: '3600' })
  expect(await server.stop()).toBe(0)
})
