/** `kherad video`: the real command against a real server, with a vendor of videos and with the sandbox. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { measure } from '#core/media'
import { revokeKey } from '#platform/auth'
import { ended, launcher, type Ran, start } from '../../cli/command-line.ts'
import type { Client } from '../../harness/client.ts'
import { compileCache } from '../../harness/compile-cache.ts'
import { until } from '../../harness/until.ts'
import { videoFixture } from '../../harness/video-upstream.ts'
import { whileHere } from '../../harness/while-here.ts'
import { bootVideos, type VideoWorld } from '../../media/videos/video-world.ts'

let at: VideoWorld
let key: Client
let folder: string
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  at = stack.use(await bootVideos({ credits: 1_000_000 }))
  key = await at.world.key()
  // Nobody of these tests can move the clock while a command waits. It goes five times as fast as time: the 45 minutes that a video has at
  // most are nine of the machine, in which its bytes are fetched.
  const timer = setInterval(() => at.clock.moveMs(100), 20)
  stack.defer(() => clearInterval(timer))
})
afterAll(() => stack.disposeAsync())
beforeEach(async () => {
  at.vendor.plan({})
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-cli-video-'))
  return () => rm(folder, { recursive: true, force: true })
})

const env = (locale: 'fa' | 'en' = 'en') => ({
  KHERAD_KEY: key.secret,
  KHERAD_LOCALE: locale,
  KHERAD_BASE_URL: at.world.url,
})

const begin = (words: readonly string[], locale: 'fa' | 'en' = 'en') =>
  start(env(locale), words, { cwd: folder })
const run = (words: readonly string[], locale: 'fa' | 'en' = 'en'): Promise<Ran> =>
  ended(begin(words, locale), words)

const refusal = ({ out, err, code }: Ran) => {
  expect(out).toBe('')
  return { exit: code, ...JSON.parse(err).error }
}
const names = async (): Promise<string[]> => (await readdir(folder)).sort()
const saved = (name: string): Promise<Buffer> => readFile(path.join(folder, name))

const film = ['--model', 'test/film']

/** Stands before the server, and stops in the middle of the bytes of a video. */
async function relay(): Promise<AsyncDisposable & { url: string; sent: () => number }> {
  let sent = 0
  const server = createServer(
    whileHere(async (request, answer) => {
      const { authorization = '', 'content-type': type } = request.headers
      const body = await buffer(request)
      const reply = await fetch(`${at.world.url}${request.url}`, {
        method: request.method!,
        headers: { authorization, ...(type && { 'content-type': type }) },
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      })
      const bytes = Buffer.from(await reply.arrayBuffer())
      const isVideo = request.url!.endsWith('/content')
      answer.writeHead(reply.status, {
        'content-type': reply.headers.get('content-type')!,
        'content-length': bytes.length,
      })
      if (!isVideo) return answer.end(bytes)
      sent = bytes.length >> 1
      return answer.write(bytes.subarray(0, sent))
    }),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('kherad video', () => {
  test('orders, waits and saves under the first words of its prompt, and prints its path and nothing else', async () => {
    at.vendor.plan({ states: ['queued', 'processing', 'completed'] })
    const words = ['video', 'گربه‌ای روی بام، زیر باران', ...film, '--duration', '۴', '--resolution', '720p']
    const { code, out, err } = await run(words, 'fa')
    expect([code, out], err).toEqual([0, 'گربه-ای-روی-بام-زیر-باران.mp4\n'])
    expect((await saved(out.trim())).equals(videoFixture('720p-4s-sound'))).toBe(true)
    expect(err).toMatch(
      /^سفارش پذیرفته شد: [0-9a-f-]{36} · ۴۰۰ اعتبار کنار گذاشته شد\.\n[۰-۹٫]+ ثانیه ویدیو ۱۲۸۰×۷۲۰ · test\/film · هزینه: ۴۰۰ اعتبار\n$/,
    )
    expect(await names()).toEqual([out.trim()])
  })

  test('of the sandbox makes a video that can be read, offline', async () => {
    const words = ['video', 'موج دریا', '--model', 'sandbox/video', '--duration', '1', '--resolution', '480p']
    const { code, out, err } = await run([...words, '--aspect', '1:1', '--no-audio', '--out', 'sea.mp4'])
    expect([code, out], err).toEqual([0, 'sea.mp4\n'])
    expect(measure(await saved('sea.mp4'))).toMatchObject({ mediaType: 'video/mp4', width: 480, height: 480 })
  })

  test('--json is one line with what was saved, the exact charge, the job and its receipt', async () => {
    const ran = await run(['video', 'a cat', ...film, '--no-audio', '--json'])
    expect([ran.code, ran.err], ran.err).toEqual([0, ''])
    expect(ran.json).toEqual({
      saved: [path.join(folder, 'a-cat.mp4')],
      model: 'test/film',
      microcredits: '200000000',
      request_id: expect.any(String),
      idempotency_key: expect.any(String),
      job: expect.any(String),
      files: [expect.any(String)],
    })
    const receipt = await key.get(`/v1/requests/${ran.json.request_id}`)
    expect(receipt.body).toMatchObject({ microcredits: '200000000', details: { files: ran.json.files } })
    expect(at.vendor.jobs.at(-1)!.order).toMatchObject({ generate_audio: false })
  })

  test('sends frames, or references, and refuses both before anything is sent', async () => {
    const picture = await sharp({ create: { width: 16, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    await writeFile(path.join(folder, 'a.png'), picture)
    const words = ['video', 'a cat', ...film]
    const frames = await run([...words, '--frame', 'a.png', '--frame', 'a.png', '--out', 'frames.mp4'])
    expect(frames.code, frames.err).toBe(0)
    expect(at.vendor.jobs.at(-1)!.order['frame_images']).toHaveLength(2)
    const guided = await run([...words, '--reference', 'a.png', '--out', 'guided.mp4'])
    expect(guided.code, guided.err).toBe(0)
    expect(at.vendor.jobs.at(-1)!.order['input_references']).toHaveLength(1)
    const jobs = at.vendor.jobs.length
    const cases: [string[], RegExp][] = [
      [['--frame', 'a.png', '--reference', 'a.png'], /--frame and --reference/],
      [['--frame', 'a.png', '--frame', 'a.png', '--frame', 'a.png'], /twice/],
      [['--audio', '--no-audio'], /--audio and --no-audio/],
      [['--duration', '31'], /--duration/],
      [['--frame', 'none.png'], /none\.png/],
      [['--job', '01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f'], /one only/],
    ]
    for (const [more, said] of cases) {
      const { code, err } = await run([...words, ...more])
      expect([code === 0, err]).toEqual([false, expect.stringMatching(said)])
    }
    expect(at.vendor.jobs).toHaveLength(jobs)
  })

  test('a video that fails says why with its job, and leaves no file', async () => {
    at.vendor.plan({ states: ['refused'] })
    const { exit, code, message, job } = refusal(await run(['video', 'a cat', ...film, '--json']))
    expect({ exit, code, job }).toEqual({
      exit: 1,
      code: 'CONTENT_REFUSED',
      job: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(message).toMatch(/refused to make this video/)
    const persian = await run(['video', 'a cat', ...film], 'fa')
    expect(persian.err).toMatch(/مدل از ساختن این ویدیو خودداری کرد.*\(CONTENT_REFUSED\)\n$/s)
    expect(await names()).toEqual([])
  })

  test('Ctrl-C and --timeout end it and say how to wait again, which orders and costs nothing', async () => {
    at.vendor.plan({ states: ['processing'] })
    const jobs = at.vendor.jobs.length
    const words = ['video', 'a cat', ...film]
    const child = begin(words)
    let said = ''
    child.stderr!.on('data', (piece) => {
      said += piece
    })
    const running = ended(child, words)
    await until(async () => at.vendor.jobs.length > jobs)
    await until(async () => at.vendor.jobs.at(-1)!.looks > 0)
    // It has read that its order was accepted.
    await until(() => said.includes('credits are held'))
    child.kill('SIGINT')
    const stopped = await running
    expect([stopped.code, stopped.out]).toEqual([130, ''])
    const id = /kherad video --job ([0-9a-f-]{36})/.exec(stopped.err)![1]!
    const late = refusal(await run(['video', '--job', id, '--timeout', '1', '--json']))
    expect(late).toMatchObject({ exit: 1, code: 'TIMED_OUT', job: id })
    at.vendor.jobs.at(-1)!.states = ['completed']
    const { code, out, err } = await run(['video', '--job', id, '--out', 'cat.mp4'])
    expect([code, out], err).toEqual([0, 'cat.mp4\n'])
    expect(at.vendor.jobs).toHaveLength(jobs + 1)
    for (const wrong of [
      ['--job', 'x'],
      ['--job', id, '--model', 'test/film'],
      ['--job', id, '--no-audio'],
      ['--job', id, '--frame', 'a.png'],
    ])
      expect((await run(['video', ...wrong])).code).toBe(2)
    const unknown = refusal(await run(['video', '--job', '01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f', '--json']))
    expect(unknown).toMatchObject({ exit: 1, code: 'NOT_FOUND' })
    const named = await run(['video', '--job', id, '--out', 'cat.mp4', '--json'])
    expect(refusal(named)).toMatchObject({ exit: 1, code: 'EXISTS' })
  })

  test('a refusal while it waits names the job, with which it goes on', async () => {
    at.vendor.plan({ states: ['processing'] })
    const jobs = at.vendor.jobs.length
    const own = await at.world.key()
    const words = ['video', 'a cat', ...film, '--json']
    const running = ended(start({ ...env(), KHERAD_KEY: own.secret }, words, { cwd: folder }), words)
    await until(async () => at.vendor.jobs.length > jobs && at.vendor.jobs.at(-1)!.looks > 0)
    await at.world.app.db.tx((tx) => revokeKey(tx, own.keyId, new Date()))
    const { exit, code, message, job } = refusal(await running)
    expect({ exit, code }).toEqual({ exit: 1, code: expect.stringMatching(/KEY|AUTH/) })
    expect(message).toContain(`kherad video --job ${job}`)
    at.vendor.jobs.at(-1)!.states = ['completed']
    const again = await run(['video', '--job', job, '--out', 'late.mp4'])
    expect([again.code, again.out], again.err).toEqual([0, 'late.mp4\n'])
    expect(at.vendor.jobs).toHaveLength(jobs + 1)
  })

  test('a repeat with its idempotency key waits for the same video', async () => {
    const words = ['video', 'a cat', ...film, '--json', '--idempotency-key', 'cli-video']
    const first = await run([...words, '--out', 'one.mp4'])
    const jobs = at.vendor.jobs.length
    const again = await run([...words, '--out', 'two.mp4'])
    expect(again.code, again.err).toBe(0)
    expect(again.json.job).toBe(first.json.job)
    expect(at.vendor.jobs).toHaveLength(jobs)
    expect(await saved('two.mp4')).toEqual(await saved('one.mp4'))
  })

  test('its bytes go to the disk as they come; Ctrl-C in the middle leaves no file, and --job has it whole', async () => {
    const words = ['video', 'a cat', ...film, '--out', 'cat.mp4']
    await using between = await relay()
    const child = start({ ...env(), KHERAD_BASE_URL: between.url }, words, { cwd: folder })
    const running = ended(child, words)
    // Half of them are on the disk while the rest is still to come.
    const part = await until(async () => {
      const [name] = await names()
      return name && (await saved(name)).length === between.sent() && between.sent() > 0 ? name : undefined
    })
    expect(part).toMatch(/^\.kherad-.*\.part$/)
    child.kill('SIGINT')
    const stopped = await running
    expect([stopped.code, stopped.out]).toEqual([130, ''])
    expect(await names()).toEqual([])
    const id = /kherad video --job ([0-9a-f-]{36})/.exec(stopped.err)![1]!
    const { code, out, err } = await run(['video', '--job', id, '--out', 'cat.mp4'])
    expect([code, out], err).toEqual([0, 'cat.mp4\n'])
    expect(await names()).toEqual(['cat.mp4'])
    expect((await saved('cat.mp4')).equals(videoFixture('720p-4s-sound'))).toBe(true)
  })

  test('says how it stands on one line of a terminal, which goes when it ends; elsewhere it writes no such line', async () => {
    at.vendor.plan({ states: ['processing'] })
    const jobs = at.vendor.jobs.length
    const words = ['video', 'a cat', ...film]
    const typed = [process.execPath, launcher, ...words].map((word) => `'${word}'`).join(' ')
    // It gives the command a terminal, and shows what the command writes there.
    const child = spawn('script', ['-qefc', typed, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], SHELL: '/bin/sh', TERM: 'xterm', ...compileCache, ...env() },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let shown = ''
    child.stdout.on('data', (piece: Buffer) => {
      shown += piece.toString().replaceAll('\x1b[K', '<clear>')
    })
    const exit = once(child, 'exit')
    const line = /\r<clear>\d+ s · being made/g
    await until(() => [...shown.matchAll(line)].length >= 2)
    at.vendor.jobs.at(-1)!.states = ['completed']
    expect((await exit)[0], shown).toBe(0)
    expect(at.vendor.jobs).toHaveLength(jobs + 1)
    const [ordered, progress] = shown.split(/credits are held\.\r?\n/) as [string, string]
    expect(ordered).not.toContain('<clear>')
    // Written over each other, until the last of them is cleared; the answer stands on lines of its own.
    const lines = progress.split(/\r?\n/)
    expect(lines[0]).toMatch(/^(\r<clear>\d+ s · [^\r<]+)+\r<clear>[^<]*$/)
    expect(lines.slice(1).join('')).not.toContain('<clear>')
    expect(progress).toContain('a-cat.mp4')
    at.vendor.plan({ states: ['processing', 'processing', 'completed'] })
    const quiet = await run(words)
    expect([quiet.code, quiet.err.includes('\x1b'), quiet.err.includes(' s · being made')]).toEqual([
      0,
      false,
      false,
    ])
  })

  test('its help is whole in both languages', async () => {
    for (const locale of ['fa', 'en'] as const) {
      const { code, out } = await run(['video', '--help'], locale)
      expect(code).toBe(0)
      for (const option of [
        '--duration',
        '--resolution',
        '--aspect',
        '--no-audio',
        '--frame',
        '--reference',
        '--job',
      ])
        expect(out).toContain(option)
    }
  })
})
