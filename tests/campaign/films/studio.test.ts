/** `kherad image` and `kherad speak`: the real command against a real server. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ended, kherad, launcher, type Ran, start } from '../../cli/command-line.ts'
import { breakableLine, hostile } from '../../cli/lines.ts'
import { until } from '../../harness/until.ts'
import { json, type Script, stream } from '../../harness/upstream.ts'
import { bootOnImages, colourAt, fieldOf, halves, type ImagesWorld } from '../../media/images-world.ts'

let at: ImagesWorld
let folder: string
beforeAll(async () => {
  at = await bootOnImages({ credits: 100_000 })
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-cli-studio-'))
  return () => rm(folder, { recursive: true, force: true })
})

const env = (locale: 'fa' | 'en' = 'en', url = at.world.url) => ({
  KHERAD_KEY: at.key.secret,
  KHERAD_LOCALE: locale,
  KHERAD_BASE_URL: url,
})

/** Runs it in the folder of this test. */
function run(
  words: readonly string[],
  more: { env?: Record<string, string>; input?: Iterable<string> } = {},
) {
  const { input } = more
  return ended(start(more.env ?? env(), words, { cwd: folder, ...(input && { input }) }), words)
}

const refusal = ({ out, err, code }: Ran) => {
  expect(out).toBe('')
  return { exit: code, ...JSON.parse(err).error }
}

const saved = (name: string): Promise<Buffer> => readFile(path.join(folder, name))
const names = async (): Promise<string[]> => (await readdir(folder)).sort()

/** A picture that the upstream answers when this is over. */
const drawnAfter = async (step: Promise<unknown> | (() => unknown)): Promise<Script> => {
  const picture = { b64_json: (await halves(128, 128)).toString('base64') }
  return stream([step, JSON.stringify({ data: [picture] })], { 'content-type': 'application/json' })
}

/** Micro-credits that are spent while `work` runs, once everything has ended. */
async function costOf(work: () => Promise<unknown>): Promise<bigint> {
  const before = await at.world.balance()
  await work()
  await at.world.settled()
  return before.available - (await at.world.balance()).available
}

describe('kherad image', () => {
  test('saves a picture of the asked size under the first words of its prompt, and prints its path and nothing else', async () => {
    const words = ['image', 'توانا بود هر که دانا بود، ز دانش دل پیر برنا بود', '--model', 'sandbox/image']
    const { code, out, err } = await run([...words, '--size', '۳۲۰x۲۴۰'], { env: env('fa') })
    expect(code, err).toBe(0)
    expect(out).toBe('توانا-بود-هر-که-دانا-بود.png\n')
    const { format, width, height } = await sharp(await saved(out.trim())).metadata()
    expect([format, width, height]).toEqual(['png', 320, 240])
    expect(err).toMatch(/^۱ تصویر ۳۲۰×۲۴۰ · sandbox\/image · هزینه: [۰-۹٫٬]+ اعتبار\n$/)
    expect(await names()).toEqual([out.trim()])
  })

  test('--json is one line with what was saved, who drew it and the exact charge', async () => {
    const ran = await run([
      'image',
      'a cat',
      '--model',
      'test/painter',
      '--count',
      '2',
      '--out',
      'cats/',
      '--json',
    ])
    expect([ran.code, ran.err]).toEqual([0, ''])
    expect(ran.out.trimEnd()).not.toContain('\n')
    const { request_id: id, idempotency_key: key, files, ...rest } = ran.json
    expect(rest).toEqual({
      saved: [path.join(folder, 'cats/a-cat-1.png'), path.join(folder, 'cats/a-cat-2.png')],
      model: 'test/painter',
      microcredits: '84000000',
      repeated: false,
      missing: 0,
    })
    const receipt = await at.key.get(`/v1/requests/${id}`)
    expect(receipt.body).toMatchObject({ microcredits: '84000000', details: { files } })
    expect((await at.key.get(`/v1/requests/lookup?idempotency_key=${key}`)).body.data).toHaveLength(1)
  })

  test('a name that was typed decides the format, and no file is overwritten unless it is forced', async () => {
    await writeFile(path.join(folder, 'cat.webp'), 'mine')
    const words = ['image', 'a cat', '--model', 'test/painter', '--out', 'cat.webp']
    const calls = at.upstream.calls.length
    expect(refusal(await run([...words, '--json']))).toMatchObject({ exit: 1, code: 'EXISTS' })
    expect(String(await saved('cat.webp'))).toBe('mine')
    // It is refused before anything is ordered.
    expect(at.upstream.calls).toHaveLength(calls)
    const { code, out, err } = await run([...words, '--force'])
    expect([code, out], err).toEqual([0, 'cat.webp\n'])
    expect((await sharp(await saved('cat.webp')).metadata()).format).toBe('webp')
    expect(await names()).toEqual(['cat.webp'])
  })

  test('a file that appears while the picture is drawn stays as it is, and the order is not lost', async () => {
    at.upstream.replyOnce(await drawnAfter(() => writeFile(path.join(folder, 'cat.png'), 'mine')))
    const words = ['image', 'a cat', '--model', 'test/painter', '--json']
    const { code, exit, idempotency_key: key } = refusal(await run([...words, '--out', 'cat.png']))
    expect([exit, code]).toEqual([1, 'EXISTS'])
    expect(String(await saved('cat.png'))).toBe('mine')
    const spent = await costOf(async () => {
      const { json } = await run([...words, '--out', 'other.png', '--idempotency-key', key])
      expect(json).toMatchObject({ repeated: true, saved: [path.join(folder, 'other.png')] })
    })
    expect(spent).toBe(0n)
    expect(await names()).toEqual(['cat.png', 'other.png'])
  })

  test('without a typed name a second picture takes the next free one', async () => {
    const words = ['image', 'a cat', '--model', 'test/painter']
    expect([(await run(words)).out, (await run(words)).out]).toEqual(['a-cat.png\n', 'a-cat-2.png\n'])
    await run(['image', '-5 degrees', '--model', 'test/painter'])
    expect(fieldOf(at.upstream.calls.at(-1)!, 'prompt')).toBe('-5 degrees')
    expect((await run(['image', '!!!', '--model', 'test/painter'])).out).toMatch(
      /^kherad-\d{4}-\d\d-\d\d\.png\n$/,
    )
  })

  test('references and settings reach the model as they were given', async () => {
    await writeFile(path.join(folder, 'one.png'), await halves(64, 64))
    await writeFile(
      path.join(folder, 'two.webp'),
      await sharp(await halves(64, 64))
        .webp()
        .toBuffer(),
    )
    const calls = at.upstream.calls.length
    const { code, err } = await run(
      [
        ...['image', '-', '--model', 'test/painter', '--reference', 'one.png', '--reference', 'two.webp'],
        ...['--quality', 'high', '--aspect', '3:2', '--transparent', '--format', 'webp', '--out', 'mine'],
      ],
      { input: ['make it ', 'blue\n'] },
    )
    expect(code, err).toBe(0)
    const [call] = at.upstream.calls.slice(calls)
    expect(fieldOf(call!, 'prompt')).toBe('make it blue')
    expect(fieldOf(call!, 'quality')).toBe('high')
    expect(fieldOf(call!, 'background')).toBe('transparent')
    expect(call!.bytes.toString('latin1').match(/Content-Type: image\/\w+/gi)).toHaveLength(2)
    const bytes = await saved('mine.webp')
    expect((await sharp(bytes).metadata()).format).toBe('webp')
    expect(await colourAt(bytes, 2, 2)).toBeDefined()
  })

  test('the same key is charged once and saves the same bytes again, also where they are too large to be told again', async () => {
    const noise = await sharp(randomBytes(700 * 700 * 3), { raw: { width: 700, height: 700, channels: 3 } })
      .png()
      .toBuffer()
    for (const bytes of [await halves(128, 128), noise]) {
      at.upstream.replyOnce(json(200, { data: [{ b64_json: bytes.toString('base64') }] }))
      const words = ['image', 'a cat', '--model', 'test/plain', '--size', 'auto', '--json']
      const first = await run(words)
      expect(first.code, first.err).toBe(0)
      const spent = await costOf(async () => {
        const again = await run([...words, '--idempotency-key', first.json.idempotency_key])
        expect(again.code, again.err).toBe(0)
        const { saved: places, ...rest } = again.json
        const { saved: _, files: __, ...earlier } = first.json
        expect(rest).toMatchObject({ ...earlier, repeated: true })
        expect(await readFile(places[0])).toEqual(await readFile(first.json.saved[0]))
        expect(places).not.toEqual(first.json.saved)
      })
      expect(spent).toBe(0n)
    }
  })

  test('a connection that breaks while the picture is drawn is taken up with the same key, and charged once', async () => {
    await using line = await breakableLine(at.world.url)
    const release = Promise.withResolvers<void>()
    at.upstream.replyOnce(await drawnAfter(release.promise))
    const calls = at.upstream.calls.length
    const spent = await costOf(async () => {
      const running = run(['image', 'a cat', '--model', 'test/painter', '--json'], {
        env: env('en', line.url),
      })
      await at.upstream.call(calls)
      line.breakAll()
      await until(async () => line.opened() > 1)
      release.resolve()
      const { code, err, json } = await running
      expect(code, err).toBe(0)
      expect((await sharp(await saved(path.basename(json.saved[0]))).metadata()).width).toBe(128)
    })
    expect(spent).toBe(42_000_000n)
    expect(at.upstream.calls).toHaveLength(calls + 1)
  })

  test('Ctrl-C ends it at once, leaves nothing behind and says how to get what was ordered', async () => {
    const release = Promise.withResolvers<void>()
    at.upstream.replyOnce(await drawnAfter(release.promise))
    const words = ['image', 'a cat', '--model', 'test/painter']
    const calls = at.upstream.calls.length
    const spent = await costOf(async () => {
      const child = start(env(), words, { cwd: folder })
      const running = ended(child, words)
      await at.upstream.call(calls)
      child.kill('SIGINT')
      const { code, out, err } = await running
      expect([code, out]).toEqual([130, ''])
      const key = /--idempotency-key ([\w-]+)/.exec(err)![1]!
      expect(await names()).toEqual([])
      release.resolve()
      const again = await run([...words, '--idempotency-key', key, '--json'])
      expect(again.json, again.err).toMatchObject({ saved: [path.join(folder, 'a-cat.png')] })
    })
    expect(spent).toBe(42_000_000n)
    expect(at.upstream.calls).toHaveLength(calls + 1)
  })
})

const canScript = await promisify(execFile)('script', ['-qec', 'true', '/dev/null']).then(
  () => true,
  () => false,
)
if (!canScript) console.log('Progress on a terminal is not tested: there is no script of util-linux.')

test.skipIf(!canScript)('on a terminal the seconds are shown in one line, which is taken away', async () => {
  const release = Promise.withResolvers<void>()
  at.upstream.replyOnce(await drawnAfter(release.promise))
  const calls = at.upstream.calls.length
  const line = `exec "${process.execPath}" "${launcher}" image "a cat" --model test/painter`
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env() },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let shown = ''
  child.stdout.on('data', (piece) => {
    shown += piece
  })
  await at.upstream.call(calls)
  await until(async () => /\d s/.test(shown))
  release.resolve()
  await once(child, 'close')
  expect(shown.replaceAll('\x1b[K', '‹')).toMatch(
    /^\r‹\d+ s.*\r‹1 picture of 128×128 · test\/painter · cost: 42 credits\r\na-cat\.png\r\n$/s,
  )
})

const ffprobe = (place: string) =>
  promisify(execFile)('ffprobe', ['-v', 'error', '-show_format', '-of', 'json', place]).then(
    ({ stdout }) => JSON.parse(stdout).format as { format_name: string; duration: string },
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    },
  )

describe('kherad speak', () => {
  test('saves a playable mp3 of a text, of standard input and of a file', async () => {
    await writeFile(path.join(folder, 'line.txt'), '\ufeffتوانا بود هر که دانا بود.\n')
    const made = [
      await run(['speak', 'توانا بود هر که دانا بود.', '--out', 'typed.mp3']),
      await run(['speak', '-', '--out', 'piped.mp3'], { input: ['توانا بود ', 'هر که دانا بود.\n'] }),
      await run(['speak', '--file', 'line.txt', '--out', 'filed.mp3']),
    ]
    expect(made.map(({ code, out }) => [code, out])).toEqual([
      [0, 'typed.mp3\n'],
      [0, 'piped.mp3\n'],
      [0, 'filed.mp3\n'],
    ])
    expect(made[0]!.err).toMatch(/^[\d.]+ s of sound · sandbox\/speech · cost: [\d.]+ credits\n$/)
    const typed = await saved('typed.mp3')
    expect(await saved('piped.mp3')).toEqual(typed)
    expect(await saved('filed.mp3')).toEqual(typed)
    expect(typed.subarray(0, 3).toString() === 'ID3' || (typed[0] === 0xff && typed[1]! >= 0xe0)).toBe(true)
    const probed = await ffprobe(path.join(folder, 'typed.mp3'))
    if (probed) {
      expect(probed.format_name).toBe('mp3')
      expect(Number(probed.duration)).toBeGreaterThan(1)
    }
  })

  test('a dialogue is spoken from lines or JSON, as the format that the name says', async () => {
    const turns = [
      { text: 'سلام! امروز چه خواندی؟', voice: 'sandbox-mina' },
      { text: 'داستان رستم و سهراب را.', voice: 'sandbox-kian' },
    ]
    await writeFile(path.join(folder, 'turns.json'), JSON.stringify(turns))
    await writeFile(
      path.join(folder, 'turns.txt'),
      turns.map(({ text, voice }) => `${voice}: ${text}\n\n`).join(''),
    )
    const fromJson = await run(['speak', '--dialogue', 'turns.json', '--out', 'json.wav'])
    const fromLines = await run(['speak', '--dialogue', 'turns.txt', '--format', 'wav'])
    expect([fromJson.out, fromLines.out], fromJson.err + fromLines.err).toEqual(['json.wav\n', 'turns.wav\n'])
    const bytes = await saved('turns.wav')
    expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12)).toBe('RIFFWAVE')
    expect(await saved('json.wav')).toEqual(bytes)
    const probed = await ffprobe(path.join(folder, 'json.wav'))
    if (probed) expect(probed.format_name).toBe('wav')
  })
})

describe('what is refused', () => {
  test('is said in the words of the server with code and field, and in ours where it was typed wrong', async () => {
    const wrong = ['image', 'a cat', '--model', 'test/painter', '--quality', 'best']
    expect(refusal(await run([...wrong, '--json']))).toMatchObject({
      exit: 1,
      code: 'INVALID_REQUEST',
      param: 'quality',
      request_id: expect.any(String),
    })
    const told = await run(wrong, { env: env('fa') })
    expect(told.err).toMatch(/^درخواست نادرست است: .*\(INVALID_REQUEST, quality\)\n$/)
    const cases: [string[], string][] = [
      [['image', 'a cat', '--count', '5'], '--count'],
      [['image', 'a cat', '--timeout', '0'], '--timeout'],
      [['image', 'a cat', '--idempotency-key', 'کلید'], '--idempotency-key'],
      [['speak'], '--dialogue'],
      [['speak', 'سلام', '--file', 'x.txt'], 'one only'],
      [['speak', 'سلام', 'دوباره'], 'دوباره'],
      [['speak', ' '], 'TEXT'],
      [['speak', '--dialogue', 'turns.txt', '--voice', 'mina'], '--voice'],
      [['speak', '--dialogue', 'turns.txt'], 'Line 2'],
    ]
    await writeFile(path.join(folder, 'turns.txt'), 'mina: سلام\nno colon here\n')
    for (const [words, part] of cases)
      expect(refusal(await run([...words, '--json'])), words.join(' ')).toMatchObject({
        exit: 2,
        code: 'USAGE',
        message: expect.stringContaining(part),
      })
  })

  test('the key may stand in a file; one that is no key is sent nowhere', async () => {
    await writeFile(path.join(folder, 'key'), `${at.key.secret}\n`)
    const { KHERAD_KEY: _, ...bare } = env()
    const words = ['image', 'a cat', '--model', 'test/painter', '--json']
    expect((await run([...words, '--key-file', 'key'], { env: bare })).code).toBe(0)
    expect(refusal(await run(words, { env: bare })).message).toContain('KHERAD_KEY')
    expect(refusal(await run([...words, '--key-file', '/dev/zero'], { env: bare })).code).toBe(
      'FILE_TOO_LARGE',
    )
  })

  test('input without an end, too large, unreadable or of another kind is refused before anything is ordered', async () => {
    const calls = at.upstream.calls.length
    function* endless() {
      for (;;) yield 'دانا '.repeat(1_000)
    }
    expect(refusal(await run(['speak', '-', '--json'], { input: endless() })).message).toContain(
      '12,000 characters',
    )
    await mkdir(path.join(folder, 'a-folder'))
    await writeFile(path.join(folder, 'latin.txt'), Buffer.from([0xe9, 0x20, 0xff]))
    await writeFile(path.join(folder, 'page.png'), '<html>')
    await writeFile(path.join(folder, 'large.png'), Buffer.alloc(9_000_000))
    await writeFile(path.join(folder, 'long.txt'), 'x'.repeat(12_001))
    const picture = ['image', 'a cat', '--model', 'test/painter']
    const cases: [string[], string][] = [
      [['speak', '--file', '/dev/zero'], 'FILE_TOO_LARGE'],
      [['speak', '--file', 'long.txt'], 'USAGE'],
      [['speak', '--file', 'latin.txt'], 'USAGE'],
      [['speak', '--file', 'none.txt'], 'FILE_NOT_READ'],
      [['speak', '--file', 'a-folder'], 'FILE_NOT_READ'],
      [[...picture, '--reference', 'large.png'], 'FILE_TOO_LARGE'],
      [[...picture, '--reference', '/dev/zero'], 'FILE_TOO_LARGE'],
      [[...picture, '--reference', 'page.png'], 'USAGE'],
      [[...picture, ...Array.from({ length: 9 }, () => ['--reference', 'page.png']).flat()], 'USAGE'],
      [[...picture, '--out', `${'x'.repeat(300)}.png`], 'NOT_SAVED'],
      [[...picture, '--out', 'page.png/cat.png'], 'NOT_SAVED'],
    ]
    for (const [words, code] of cases)
      expect(refusal(await run([...words, '--json'])), words.join(' ').slice(0, 200)).toMatchObject({ code })
    expect(at.upstream.calls).toHaveLength(calls)
  })

  test('a server that answers a page, no answer, too much or without an end is left with a sentence', async () => {
    await using server = await hostile()
    const picture = (kind: string, ...more: string[]) =>
      run(['image', 'a cat', '--url', `${server.url}/${kind}`, '--json', ...more])
    expect(refusal(await picture('page'))).toMatchObject({ exit: 1, code: 'NOT_KHERAD' })
    expect(refusal(await picture('elsewhere'))).toMatchObject({ exit: 1, code: 'NOT_KHERAD' })
    expect(refusal(await picture('empty'))).toMatchObject({ exit: 1, code: 'NOT_KHERAD' })
    expect(refusal(await picture('program'))).toMatchObject({ exit: 1, code: 'NOT_KHERAD' })
    expect(refusal(await picture('nothing'))).toMatchObject({ exit: 1, code: 'NOT_KHERAD' })
    expect(refusal(await picture('many'))).toMatchObject({ exit: 1, code: 'NOT_KHERAD' })
    expect(refusal(await picture('endless'))).toMatchObject({
      exit: 1,
      code: 'ANSWER_TOO_LARGE',
      idempotency_key: expect.any(String),
    })
    expect(refusal(await picture('silent', '--timeout', '10'))).toMatchObject({
      exit: 1,
      code: 'TIMED_OUT',
      message: expect.stringContaining('--idempotency-key'),
    })
    expect(server.seen.get('silent')).toHaveLength(1)
    const told = await run(['image', 'a cat', '--url', `${server.url}/controls`])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(told.err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/)
    expect(told.err).toContain('[2J')
    expect(await names()).toEqual([])
  })
})

test('help names the commands with their options in both languages', async () => {
  const { out } = await kherad({ KHERAD_LOCALE: 'en' }, 'speak', '--help')
  expect(out).toMatch(/^ {2}kherad speak \[TEXT\] /)
  expect(out).toContain('"voice: text"')
  expect((await kherad({ KHERAD_LOCALE: 'fa' }, 'image', '--help')).out).toContain('[--reference FILE]…')
})
