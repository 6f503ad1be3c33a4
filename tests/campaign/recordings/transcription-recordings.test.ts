/** What recordings POST /v1/audio/transcriptions takes: by their bytes, from the disk, from the store, up to every bound; and what of hostile forms becomes. */

import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ffmpeg, hasFfmpeg, withFile } from '../../core/sound/ffmpeg.ts'
import type { Client, Seen } from '../../harness/client.ts'
import { formOf } from '../../harness/form.ts'
import { until } from '../../harness/until.ts'
import { postUntimed } from '../../harness/untimed.ts'
import {
  bodyOf,
  bootOnEars,
  sendForm,
  shareOnEars,
  type TranscriptionsWorld,
  path as url,
  wavOf,
} from '../../media/transcriptions-world.ts'

let at: TranscriptionsWorld
let two: Buffer
beforeAll(async () => {
  at = await bootOnEars({ config: 'audio: { max_upload_mb: 30 }' })
  two = await wavOf(1.5)
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => at.upstream.reset())

const model = { model: 'test/words' }
const send = (body: Record<string, unknown>): Promise<Seen> => at.key.post(url, body)
const form = (bytes: Uint8Array, name: string, type: string): Promise<Seen> =>
  sendForm(at.key, { bytes, name, type }, model)

/** Bytes that say they are so long: samples after the head of a WAV. */
async function wavOfBytes(bytes: number): Promise<Buffer> {
  const wav = Buffer.concat([two.subarray(0, 44), Buffer.alloc(bytes - 44)])
  wav.writeUInt32LE(bytes - 8, 4)
  wav.writeUInt32LE(bytes - 44, 40)
  return wav
}

const made = (args: string[], extension: string): Buffer =>
  withFile(new Uint8Array(0), extension, (file) => {
    ffmpeg([
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'sine=frequency=440:sample_rate=48000:duration=2',
      ...args,
      '-y',
      file,
    ])
    return readFileSync(file)
  })

describe.skipIf(!hasFfmpeg)('the bytes say what a recording is, whatever its name and type', () => {
  test.each([
    ['mp3', ['-c:a', 'libmp3lame'], 'audio/wav'],
    ['flac', ['-c:a', 'flac'], 'audio/mpeg'],
    ['ogg', ['-c:a', 'libopus'], 'audio/aac'],
    ['webm', ['-c:a', 'libopus'], 'audio/mp4'],
    // Without a length in its head, as browsers record.
    ['webm', ['-c:a', 'libopus', '-live', '1'], 'audio/webm'],
    ['mp4', ['-c:a', 'flac', '-strict', '-2'], 'audio/ogg'],
    ['ogg', ['-c:a', 'libvorbis'], 'audio/flac'],
  ] as const)('%s by %j under the name of %s', async (extension, args, mediaType) => {
    const bytes = made([...args], extension)
    const json = await send(bodyOf(bytes, { mediaType, ...model }))
    expect(json.status, json.text).toBe(200)
    expect(Math.abs(json.body.duration - 2)).toBeLessThan(0.1)
    expect(json.body.usage.seconds).toBe(Math.ceil(json.body.duration))
    const asForm = await form(bytes, 'note.txt', 'text/plain')
    expect(asForm.status, asForm.text).toBe(200)
  })

  test('a picture is no recording, and a film without sound is refused as one that has none', async () => {
    const refusal = async (bytes: Uint8Array, name: string, type: string) => {
      const before = await at.world.balance()
      const { status, body } = await form(bytes, name, type)
      expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_MEDIA', 'file'])
      expect(await at.world.balance()).toEqual(before)
      return body.error.message
    }
    const png = made(['-f', 'lavfi', '-i', 'color=s=64x64', '-map', '1:v', '-frames:v', '1'], 'png')
    expect(await refusal(png, 'talk.mp3', 'audio/mpeg')).toContain(
      'the bytes are image/png, and no recording; wav, mp3',
    )
    const silent = readFileSync('tests/fixtures/videos/480p-5s-silent.mp4')
    const said = await refusal(silent, 'talk.m4a', 'audio/mp4')
    expect(said).toContain('there is no audio track in it')
    expect(said).not.toContain('audio/mp4')
  })

  test.each([
    ['m4a', 'audio/webm'],
    ['aac', 'audio/mpeg'],
  ] as const)(
    '%s goes to a model that takes it; others refuse it before the hold',
    async (extension, mediaType) => {
      const bytes = made(['-c:a', 'aac'], extension)
      const taken = await send(bodyOf(bytes, { mediaType, model: 'test/aac' }))
      expect(taken.status, taken.text).toBe(200)
      expect(Math.abs(taken.body.duration - 2)).toBeLessThan(0.1)
      expect(at.upstream.forms().at(-1)!.file.name).toBe(`recording.${extension}`)
      const before = await at.world.balance()
      const refused = await send(bodyOf(bytes, { mediaType, ...model }))
      expect(refused.body.error).toMatchObject({ code: 'RECORDING_NOT_CONVERTIBLE', param: 'audioBase64' })
      expect(await at.world.balance()).toEqual(before)
    },
  )

  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=10:d=2']
  const film = (): Buffer => made([...picture, '-c:v', 'mpeg4', '-c:a', 'libmp3lame', '-shortest'], 'mp4')

  test('a film is refused under the name of sound, and heard in a form', async () => {
    const refused = await send(bodyOf(film(), { mediaType: 'audio/mp4', ...model }))
    expect(refused.body.error).toMatchObject({ code: 'INVALID_MEDIA', param: 'audioBase64' })
    const heard = await form(film(), 'meeting.mp4', 'video/mp4')
    expect(heard.status, heard.text).toBe(200)
  })

  test('a film without sound is refused wherever it comes', async () => {
    const silent = made([...picture, '-map', '1:v', '-c:v', 'mpeg4'], 'mp4')
    for (const reply of [
      await send(bodyOf(silent, { mediaType: 'audio/mp4', ...model })),
      await form(silent, 'meeting.mp4', 'video/mp4'),
    ])
      expect([reply.status, reply.body.error.code]).toEqual([400, 'INVALID_MEDIA'])
  })

  test('what is cut is heard up to there, which a header says, and goes as WAV', async () => {
    const whole = made(['-c:a', 'flac'], 'flac')
    const reply = await form(whole.subarray(0, whole.length - 500), 'a.flac', 'audio/flac')
    expect(reply.status, reply.text).toBe(200)
    const seconds = Number(reply.headers.get('x-truncated-audio'))
    expect(seconds).toBeGreaterThan(1.7)
    expect(seconds).toBeLessThan(2)
    expect(at.upstream.forms().at(-1)!.file.name).toBe('recording.wav')
    const none = await form(whole.subarray(0, 100), 'a.flac', 'audio/flac')
    expect([none.status, none.body.error.code]).toEqual([400, 'INVALID_MEDIA'])
  })
})

describe('bounds of a recording', () => {
  test('15 and 16 characters of Base64', async () => {
    for (const [length, code, why] of [
      [15, 'INVALID_REQUEST', 'audioBase64'],
      [16, 'INVALID_MEDIA', 'audioBase64'],
    ] as const) {
      const reply = await send({ ...model, audioBase64: 'A'.repeat(length), mediaType: 'audio/wav' })
      expect(reply.body.error).toMatchObject({ code, param: why })
    }
    const reply = await send({ ...model, input_audio: { data: 'A'.repeat(15), format: 'wav' } })
    expect(reply.body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'input_audio.data' })
  })

  test('18,666,668 characters of Base64 and one more', async () => {
    const bytes = await wavOfBytes(14_000_000)
    const reply = await send(bodyOf(bytes, model))
    expect(bytes.toString('base64')).toHaveLength(18_666_668)
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.duration).toBeCloseTo((14_000_000 - 44) / 32_000, 2)
    const more = await send({ ...model, audioBase64: 'A'.repeat(18_666_669), mediaType: 'audio/wav' })
    expect(more.body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'audioBase64' })
  })

  test('a form as large as the operator says, and one byte more', async () => {
    const most = 30 * 1024 * 1024
    const reply = await form(await wavOfBytes(most), 'long.wav', 'audio/wav')
    expect(reply.status, reply.text).toBe(200)
    const over = await form(await wavOfBytes(most + 1), 'long.wav', 'audio/wav')
    expect([over.status, over.body.error.code]).toEqual([413, 'BODY_TOO_LARGE'])
  })

  test('25 MB where the operator says nothing, and one byte more', async () => {
    await using usual = await shareOnEars()
    for (const [bytes, status] of [
      [25 * 1024 * 1024, 200],
      [25 * 1024 * 1024 + 1, 413],
    ] as const)
      expect((await sendForm(usual.key, { bytes: await wavOfBytes(bytes) }, model)).status).toBe(status)
  })
})

describe('a stored recording', () => {
  async function store(bytes: Uint8Array, by: Client = at.key): Promise<string> {
    const { body, headers } = formOf({ bytes, name: 'talk.wav', type: 'audio/wav' })
    const reply = await by.request('POST', '/v1/files', body, headers)
    expect(reply.status, reply.text).toBe(201)
    return reply.body.id
  }

  test('is taken by its id, in JSON and in a form', async () => {
    const id = await store(two)
    const json = await send({ ...model, file_id: id })
    expect(json.body).toMatchObject({ text: 'سلام دنیا', duration: 1.5, model: 'test/words' })
    const asForm = await sendForm(at.key, undefined, { ...model, file_id: id, response_format: 'text' })
    expect(asForm.text).toBe('سلام دنیا\n')
  })

  test('of another project, or deleted, is as one that never was', async () => {
    const id = await store(two)
    const sibling = await at.world.key({ project: await at.world.newProject() })
    const { client: stranger } = await at.world.stranger()
    for (const other of [sibling, stranger]) {
      const foreign = await other.post(url, { ...model, file_id: id })
      expect([foreign.status, foreign.body.error.code]).toEqual([404, 'FILE_NOT_FOUND'])
    }
    await at.key.request('DELETE', `/v1/files/${id}`)
    const gone = await send({ ...model, file_id: id })
    expect(gone.body.error).toMatchObject({ code: 'FILE_NOT_FOUND', param: 'file_id' })
  })

  test('that is a picture is no recording', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg==',
      'base64',
    )
    const { body, headers } = formOf({ bytes: png, name: 'a.png' })
    const { id } = (await at.key.request('POST', '/v1/files', body, headers)).body
    const reply = await send({ ...model, file_id: id })
    expect(reply.body.error).toMatchObject({ code: 'INVALID_MEDIA', param: 'file_id' })
  })

  test.skipIf(!hasFfmpeg)(
    'is what its tracks say: WebM and AAC are stored as sound, a film is not',
    async () => {
      for (const [extension, args, type] of [
        ['webm', ['-c:a', 'libopus'], 'audio/webm'],
        ['aac', ['-c:a', 'aac'], 'audio/aac'],
        ['mp4', ['-c:a', 'aac', '-brand', 'isom'], 'audio/mp4'],
      ] as const) {
        const { body, headers } = formOf({ bytes: made([...args], extension), name: `a.${extension}` })
        const reply = await at.key.request('POST', '/v1/files', body, headers)
        expect(reply.body, reply.text).toMatchObject({ media_type: type })
      }
      const film = made(
        ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=10:d=2', '-c:v', 'mpeg4', '-c:a', 'aac'],
        'mp4',
      )
      const { body, headers } = formOf({ bytes: film, name: 'a.mp4' })
      expect((await at.key.request('POST', '/v1/files', body, headers)).status).toBe(400)
    },
  )

  test.skipIf(!hasFfmpeg)(
    'of four hours at 64 kbit/s is written down from the disk, piece by piece',
    async () => {
      const minute = withFile(new Uint8Array(0), 'mp3', (file) => {
        const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=24000:duration=60']
        ffmpeg([
          '-v',
          'error',
          ...tone,
          '-c:a',
          'libmp3lame',
          '-b:a',
          '64k',
          '-write_xing',
          '0',
          '-id3v2_version',
          '0',
          '-y',
          file,
        ])
        return readFileSync(file)
      })
      const whole = Buffer.concat(Array.from({ length: 239 }, () => minute))
      expect(whole.length).toBeGreaterThan(114_000_000)
      const id = await store(whole)
      let calls = 0
      at.upstream.hear(() => {
        const text = `تکهٔ ${++calls}`
        return { text, segments: [{ start: 0, end: 100, text }] }
      })
      const order = { model: 'test/segments', file_id: id, response_format: 'srt' }
      const reply = await postUntimed(at.key.url + url, JSON.stringify(order), {
        authorization: `Bearer ${at.key.secret}`,
        'content-type': 'application/json',
      })
      expect(reply.status, reply.text.slice(0, 300)).toBe(200)
      expect(calls).toBeGreaterThan(10)
      const last = reply.text.trim().split('\n\n').at(-1)!
      expect(Number(/ --> (\d\d):/.exec(last)![1])).toBe(3)
      expect(BigInt(reply.headers.get('x-microcredits')!)).toBeGreaterThan(14_000n * 1_000_000n)
    },
    900_000,
  )
})

describe('hostile forms', () => {
  const boundary = 'b'
  const sendRaw = (parts: string[], end = `--${boundary}--\r\n`): Promise<Seen> =>
    at.key.request(
      'POST',
      url,
      Buffer.from(`${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}${end}`, 'latin1'),
      {
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
    )
  const field = (name: string, value: string) =>
    `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
  const file = (name = 'file') =>
    `Content-Disposition: form-data; name="${name}"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n${two.toString('latin1')}`

  test.each([
    ['two files', () => [file(), file(), field('model', 'test/words')], 'file'],
    ['a field twice', () => [file(), field('model', 'test/words'), field('model', 'test/plain')], 'model'],
    ['a field of 17 KiB', () => [file(), field('prompt', 'x'.repeat(17 * 1024))], 'prompt'],
    [
      'two hundred fields',
      () => [file(), ...Array.from({ length: 400 }, (_, index) => field(`x${index}`, '1'))],
      undefined,
    ],
    [
      'a list that does not end',
      () => [file(), ...Array.from({ length: 500 }, () => field('keywords[]', 'x'))],
      undefined,
    ],
    ['a number that is none', () => [file(), field('temperature', 'warm')], 'temperature'],
    ['a boolean that is none', () => [file(), field('stream', 'perhaps')], 'stream'],
    ['an id that is none', () => [field('file_id', '../../etc/passwd')], 'file_id'],
  ] as const)('%s', async (_name, parts, param) => {
    const reply = await sendRaw([...parts()])
    expect(reply.status, reply.text).toBe(400)
    expect(reply.body.error).toMatchObject({ code: 'INVALID_REQUEST', ...(param && { param }) })
  })

  test('a form that is cut, and one without a boundary', async () => {
    expect((await sendRaw([file()], '')).status).toBe(400)
    const reply = await at.key.request('POST', url, Buffer.from('x'), {
      'content-type': 'multipart/form-data',
    })
    expect(reply.status).toBe(400)
  })

  test('unknown fields and parts are named and have no effect', async () => {
    const reply = await sendRaw([
      file(),
      field('model', 'test/words'),
      field('made_up', '1'),
      field('known[]', 'x'),
    ])
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers.get('x-ignored-fields')).toBe('made_up, known??')
  })

  test('nothing of any of them stays on the disk', async () => {
    await at.world.settled()
    const spool = path.resolve(at.world.app.config.dataDir, 'spool')
    // A file is deleted once its request is over, which may be after its answer.
    await until(async () => {
      const left = await readdir(spool, { recursive: true, withFileTypes: true }).catch(() => [])
      return !left.some((entry) => entry.isFile())
    })
  })
})
