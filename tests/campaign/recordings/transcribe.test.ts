/** `kherad transcribe`: the real command against a real server. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ended, start } from '../../cli/command-line.ts'
import { bootOnEars, type TranscriptionsWorld, wavOf } from '../../media/transcriptions-world.ts'

let at: TranscriptionsWorld
let folder: string
let sound: Buffer
beforeAll(async () => {
  at = await bootOnEars()
  sound = await wavOf(1.5)
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(async () => {
  at.upstream.reset()
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-cli-transcribe-'))
  await writeFile(path.join(folder, 'گفت‌وگو.wav'), sound)
  return () => rm(folder, { recursive: true, force: true })
})

function run(words: readonly string[], locale: 'fa' | 'en' = 'en') {
  const env = { KHERAD_KEY: at.key.secret, KHERAD_LOCALE: locale, KHERAD_BASE_URL: at.world.url }
  return ended(start(env, ['transcribe', ...words], { cwd: folder }), words)
}
const saved = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8')
const srt = '1\n00:00:00,000 --> 00:00:01,000\n\u202b\u200fسلام دنیا\u202c\n'

test('saves subtitles beside the recording under its name, and prints their path and nothing else', async () => {
  const { code, out, err } = await run(['گفت‌وگو.wav', '--language', 'fa'], 'fa')
  expect(code, err).toBe(0)
  expect(out).toBe('گفت‌وگو.srt\n')
  expect(await saved('گفت‌وگو.srt')).toBe(srt)
  expect(err).toMatch(/^متن ضبط \(srt\) · هزینه: ۲ اعتبار\n$/)
  expect(at.upstream.forms().at(-1)!.fields['language']).toEqual(['fa'])
})

test('saves what --format or the ending of --out says', async () => {
  expect((await run(['گفت‌وگو.wav', '--format', 'txt'])).out).toBe('گفت‌وگو.txt\n')
  expect(await saved('گفت‌وگو.txt')).toBe('سلام دنیا\n')
  expect((await run(['گفت‌وگو.wav', '--out', 'sub/talk.vtt'])).out).toBe('sub/talk.vtt\n')
  expect(await saved('sub/talk.vtt')).toMatch(/^WEBVTT\n/)
  const { json } = await run([
    'گفت‌وگو.wav',
    '--format',
    'json',
    '--json',
    '--keyword',
    'خرد',
    '--prompt',
    'نام',
  ])
  expect(json).toMatchObject({
    microcredits: '2000000',
    repeated: false,
    saved: [path.join(folder, 'گفت‌وگو.json')],
  })
  expect(JSON.parse(await saved('گفت‌وگو.json'))).toMatchObject({
    text: 'سلام دنیا',
    segments: [{ start: 0, end: 1 }],
  })
  expect(at.upstream.forms().at(-1)!.fields).toMatchObject({ 'keywords[]': ['خرد'], prompt: ['نام'] })
})

test('--speakers says who speaks', async () => {
  at.upstream.hear({
    text: 'سلام. علیک.',
    segments: [
      { start: 0, end: 0.5, text: 'سلام.', speaker: 'A' },
      { start: 0.6, end: 1.2, text: 'علیک.', speaker: 'B' },
    ],
  })
  const { code, err } = await run(['گفت‌وگو.wav', '--speakers', '--model', 'test/voices'])
  expect(code, err).toBe(0)
  expect(await saved('گفت‌وگو.srt')).toMatch(/A: سلام\.[\s\S]*B: علیک\./)
})

test('a file that exists is not overwritten unasked, and nothing is ordered', async () => {
  await writeFile(path.join(folder, 'گفت‌وگو.srt'), 'mine')
  const calls = at.upstream.calls.length
  const { code, err } = await run(['گفت‌وگو.wav'])
  expect([code, await saved('گفت‌وگو.srt')]).toEqual([1, 'mine'])
  expect(err).toContain('--force')
  expect(at.upstream.calls).toHaveLength(calls)
  expect((await run(['گفت‌وگو.wav', '--force'])).code).toBe(0)
  expect(await saved('گفت‌وگو.srt')).toBe(srt)
})

test('the same key gets the subtitles again, written of the stored transcript, without another charge', async () => {
  const words = ['گفت‌وگو.wav', '--idempotency-key', 'cli-1', '--force']
  await run(words)
  const calls = at.upstream.calls.length
  const { code, err } = await run(words)
  expect(code, err).toBe(0)
  expect(err).toContain('carried out before')
  expect(await saved('گفت‌وگو.srt')).toBe(srt)
  expect(at.upstream.calls).toHaveLength(calls)
})

test('what is refused is said as the server says it', async () => {
  await writeFile(path.join(folder, 'note.wav'), 'this is only a text, nothing to hear')
  const text = await run(['note.wav', '--json'])
  expect(JSON.parse(text.err).error).toMatchObject({ code: 'INVALID_MEDIA', param: 'file' })
  const times = await run(['گفت‌وگو.wav', '--model', 'test/plain', '--json'])
  expect(JSON.parse(times.err).error).toMatchObject({ code: 'INVALID_REQUEST', param: 'response_format' })
  const format = await run(['گفت‌وگو.wav', '--format', 'doc', '--json'])
  expect([format.code, JSON.parse(format.err).error.message]).toEqual([
    2,
    expect.stringContaining('srt, vtt'),
  ])
  expect((await readdir(folder)).sort()).toEqual(['note.wav', 'گفت‌وگو.wav'])
})

test('what is no recording to send is refused in both languages, and names no order to repeat', async () => {
  await writeFile(path.join(folder, 'empty.wav'), '')
  await mkdir(path.join(folder, 'recordings'))
  const calls = at.upstream.calls.length
  for (const [file, persian, english] of [
    ['nothing.wav', 'نام و دسترسی فایل را بررسی کنید', 'check the name'],
    ['recordings', 'recordings فایل نیست', 'recordings is no file'],
    ['empty.wav', 'empty.wav خالی است', 'empty.wav is empty'],
  ] as const) {
    const { code, err } = await run([file])
    expect([code, err]).toEqual([1, expect.stringContaining(persian)])
    expect(err).toContain(english)
    expect(err).not.toContain('--idempotency-key')
    expect(JSON.parse((await run([file, '--json'])).err).error.code).toBe('FILE_NOT_READ')
  }
  expect(at.upstream.calls).toHaveLength(calls)
  expect((await readdir(folder)).sort()).toEqual(['empty.wav', 'recordings', 'گفت‌وگو.wav'])
})

test('what is too large for a form of this server is stored first, and written down by its id', async () => {
  await using small = await bootOnEars({ config: 'audio: { max_upload_mb: 1 }' })
  await writeFile(path.join(folder, 'long.wav'), await wavOf(40))
  const env = { KHERAD_KEY: small.key.secret, KHERAD_LOCALE: 'en', KHERAD_BASE_URL: small.world.url }
  const words = ['transcribe', 'long.wav', '--format', 'txt']
  const { code, out, err } = await ended(start(env, words, { cwd: folder }), words)
  expect(code, err).toBe(0)
  expect([out, await saved('long.txt')]).toEqual(['long.txt\n', 'سلام دنیا\n'])
  const files = (await small.key.get('/v1/files')).body.data
  expect(files.map(({ media_type }: { media_type: string }) => media_type).sort()).toEqual([
    'application/json',
    'audio/wav',
  ])
})
