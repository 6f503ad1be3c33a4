import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { answer } from '../harness/upstream.ts'
import { ask, bootWork, cut, keep, type WorkWorld, whole } from '../work/work-world.ts'
import { ended, kherad, refused, start } from './command-line.ts'
import { breakableLine } from './lines.ts'

let at: WorkWorld
let folder: string
beforeAll(async () => {
  at = await bootWork()
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-cli-work-'))
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const env = (locale: 'fa' | 'en' = 'en') => ({ KHERAD_KEY: at.key.secret, KHERAD_LOCALE: locale })

test('work research shows live progress over a connection that breaks, and saves the files', async () => {
  await using line = await breakableLine(at.world.url)
  const broken = Promise.withResolvers<void>()
  at.play('گزارشی دربارهٔ خورشید', async (context) => {
    await context.progress(20, { fa: 'پرسش‌ها', en: 'Questions' })
    await broken.promise
    await context.progress(60, { fa: 'نوشتن', en: 'Writing' })
    await keep(context, 'report.md', '# خورشید')
    await keep(context, 'charts/یک.svg', '<svg/>', 'image/svg+xml')
    return whole
  })
  const out = path.join(folder, 'solar')
  const running = kherad(
    env('fa'),
    'work',
    'research',
    'گزارشی دربارهٔ خورشید',
    '--title',
    'خورشید',
    '--url',
    line.url,
    '--out',
    out,
  )
  await until(async () => {
    const { body } = await at.key.get('/v1/work')
    return body.data[0]?.progress.percent === 20
  })
  line.breakAll()
  broken.resolve()
  const { code, out: printed, err } = await running
  expect(code, err).toBe(0)
  const lines = err.trim().split('\n')
  expect(lines[0]).toContain('کار پذیرفته شد')
  // Each once and in order, though the stream was taken up again.
  expect(lines.slice(1).map((text) => text.trim().split('  ')[1])).toEqual([
    'در نوبت.',
    'در حال انجام.',
    'پرسش‌ها',
    'نوشتن',
    'report.md آماده شد.',
    'charts/یک.svg آماده شد.',
    'آماده است.',
  ])
  expect(lines.at(-1)).toContain('۱۰۰٪')
  expect(printed).toContain('آماده است. هزینه: ۰ اعتبار.')
  expect(await readFile(path.join(out, 'report.md'), 'utf8')).toBe('# خورشید')
  expect(await readFile(path.join(out, 'charts/یک.svg'), 'utf8')).toBe('<svg/>')
  expect(JSON.parse(await readFile(path.join(out, 'manifest.json'), 'utf8')).files).toHaveLength(2)
})

test('work watch follows what was asked for before; a failed run ends with 1, and what there is is saved', async () => {
  at.play(
    'what cannot be done',
    async (context) => {
      await keep(context, 'notes.md', 'so far')
      await ask(context, 'draft', 'x'.repeat(5_000))
      return cut
    },
    { asks: [] },
  )
  const made = await at.key.post('/v1/work', { kind: 'data', input: 'what cannot be done' })
  const out = path.join(folder, 'watched')
  const { code, err, json } = await kherad(
    env(),
    'work',
    'watch',
    made.body.id,
    '--url',
    at.world.url,
    '--out',
    out,
    '--json',
  )
  expect([code, err]).toEqual([1, ''])
  expect(json).toMatchObject({
    id: made.body.id,
    status: 'failed',
    error: { code: 'WORK_OUT_OF_CREDITS' },
    saved: [path.join(out, 'notes.md'), path.join(out, 'manifest.json')],
  })
  expect(await readFile(path.join(out, 'notes.md'), 'utf8')).toBe('so far')
})

test('Ctrl-C ends it at once, while the work goes on at the server', async () => {
  const release = Promise.withResolvers<void>()
  at.play('a task that takes its time', async (context) => {
    await context.progress(20, { fa: 'پرسش‌ها', en: 'Questions' })
    await release.promise
    return whole
  })
  const words = ['work', 'code', 'a task that takes its time', '--url', at.world.url]
  const child = start(env(), words)
  const running = ended(child, words)
  await until(async () => (await at.key.get('/v1/work')).body.data[0]?.progress.percent === 20)
  child.kill('SIGINT')
  expect((await running).code).toBe(130)
  release.resolve()
  await until(async () => (await at.key.get('/v1/work')).body.data[0]?.status === 'succeeded')
})

test('a server that does not answer yet is waited for, and that is said; its address may end with /v1', async () => {
  await using line = await breakableLine(at.world.url, 3)
  at.play('a task for a late server', async (context) => {
    await keep(context, 'a.md', 'a')
    return whole
  })
  const out = path.join(folder, 'late')
  const words = ['work', 'document', 'a task for a late server', '--url', `${line.url}/v1/`, '--out', out]
  const { code, err } = await kherad(env(), ...words)
  expect(code, err).toBe(0)
  expect(err.split('\n').filter((text) => text.includes('Is it running?'))).toHaveLength(1)
  expect(await readFile(path.join(out, 'a.md'), 'utf8')).toBe('a')
})

test('what the server refuses is told in its words, and what is typed wrong in ours', async () => {
  at.upstream.reply(answer())
  const url = ['--url', at.world.url]
  expect(await refused(env(), 'work', 'code', 'short', ...url)).toMatchObject({
    exit: 1,
    code: 'INVALID_REQUEST',
  })
  const stranger = { ...env('fa'), KHERAD_KEY: 'khr_0' }
  expect(await refused(stranger, 'work', 'code', 'a long enough task', ...url)).toMatchObject({
    exit: 1,
    code: 'INVALID_API_KEY',
  })
  expect(await refused({ KHERAD_LOCALE: 'en' }, 'work', 'code', 'a long enough task', ...url)).toMatchObject({
    exit: 2,
    code: 'USAGE',
    message: expect.stringContaining('KHERAD_KEY'),
  })
  expect(await refused(env(), 'work', 'code', 'a long enough task', '--url', 'here')).toMatchObject({
    exit: 2,
  })
  expect(await refused(env(), 'work', 'code', 'a long enough task', '--title', '', ...url)).toMatchObject({
    exit: 1,
    code: 'INVALID_REQUEST',
  })
  // It fits into no header, so that no server is asked with it.
  expect(await refused(env('fa'), 'work', 'code', 'a long enough task', '--key', 'کلید')).toMatchObject({
    exit: 2,
    code: 'USAGE',
    message: expect.stringContaining('khr_'),
  })
  expect(await refused(env(), 'work', 'watch', '0198c5f0-0000-7000-8000-000000000000', ...url)).toMatchObject(
    {
      exit: 1,
      code: 'NOT_FOUND',
    },
  )
})
