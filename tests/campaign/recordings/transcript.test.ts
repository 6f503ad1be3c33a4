/** What a paid transcription makes of a recording: pieces, joints, speakers, times, text as it comes, and its exact price. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TranscriptPart } from '#media/transcription'
import { json } from '../../harness/upstream.ts'
import {
  heardIn,
  saidIn,
  samplesOf,
  scriptOf,
  secondsOf,
  type Word,
} from '../../media/transcription/spoken.ts'
import {
  aacOf,
  bootTranscription,
  second,
  type TranscriptionWorld,
  whole,
} from '../../media/transcription/world.ts'

let at: TranscriptionWorld
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  at = stack.use(await bootTranscription())
})
afterAll(() => stack.disposeAsync())
afterEach(() => {
  at.upstream.reset()
  at.forms()
})

const textOf = (words: readonly Word[]): string => words.map(({ word }) => word).join(' ')
const collected = async (parts: AsyncIterable<TranscriptPart>): Promise<TranscriptPart[]> => {
  const all: TranscriptPart[] = []
  for await (const part of parts) all.push(part)
  return all
}
/** Of the sound in each call to the upstream. */
const sentSeconds = (): number[] =>
  at.forms().map(({ file }) => Math.round((file.bytes.length - 44) / 320) / 100)

describe('a recording that the upstream takes in one piece', () => {
  test('is converted, written down with its times, stored as JSON and charged by whole seconds', async () => {
    const words = scriptOf(40)
    at.speak(words)
    const own = await at.newcomer()
    const paid = await own.start({
      recording: await at.recorded(words),
      spec: { timestamps: 'word', language: 'fa-IR' },
    })
    const seconds = secondsOf(words)
    expect(await own.held()).toBe(BigInt(Math.ceil(seconds)) * second)
    const made = await whole(paid)
    expect(made.text).toBe(textOf(words))
    expect(made.words).toEqual(words)
    expect(made).toMatchObject({ language: 'fa', seconds, pieces: 1 })
    expect(made.segments.map(({ text }) => text).join(' ')).toBe(made.text)
    const [form] = at.forms()
    expect(form!.fields['language']).toEqual(['fa'])
    expect(form!.file).toMatchObject({ name: 'recording.wav', mediaType: 'audio/wav' })
    expect([await own.charged(), made.charged]).toEqual([
      BigInt(Math.ceil(seconds)) * second,
      await own.charged(),
    ])
    expect(await own.files()).toMatchObject([
      { id: made.file, media_type: 'application/json', source: 'transcript' },
    ])
    expect(await own.stored(made.file)).toMatchObject({
      ...{ task: 'transcribe', model: 'test/scribe', language: 'fa', duration: seconds, text: made.text },
      words,
    })
    const receipt = await own.receipt()
    expect(receipt).toMatchObject({
      details: {
        recording: { seconds, billed_seconds: Math.ceil(seconds), sent: 'converted', pieces: 1, filled: 1 },
        files: [made.file],
      },
    })
    expect(JSON.stringify(receipt)).not.toContain(words[0]!.word)
  })

  test('is sent as it came where the upstream takes its format, named by what it is', async () => {
    const words = scriptOf(10)
    const own = await at.newcomer()
    const recording = aacOf(words)
    const made = await whole(await own.start({ model: 'test/tokens', recording }))
    const { file } = at.forms()[0]!
    expect(file).toMatchObject({ name: 'recording.m4a', mediaType: 'audio/mp4' })
    expect(file.bytes.equals(recording.source as Buffer)).toBe(true)
    expect(made.text).toBe('سلام دنیا')
  })

  test('is billed for the least time of a call', async () => {
    const words = scriptOf(6)
    at.speak(words)
    const own = await at.newcomer()
    const paid = await own.start({ model: 'test/least', recording: await at.recorded(words) })
    expect(await own.held()).toBe(10n * second)
    await whole(paid)
    expect(await own.charged()).toBe(10n * second)
    expect(await own.receipt()).toMatchObject({ details: { recording: { billed_seconds: 10 } } })
  })

  test('without times of the upstream has one segment, without speech none, and both are charged', async () => {
    const words = scriptOf(10)
    at.upstream.hear({ text: 'سلام دنیا' })
    const own = await at.newcomer()
    const made = await whole(await own.start({ model: 'test/plain', recording: await at.recorded(words) }))
    expect(made.segments).toEqual([{ start: 0, end: secondsOf(words), text: 'سلام دنیا' }])
    at.upstream.hear({ text: ' ' })
    const silent = await whole(
      await own.start({ model: 'test/plain', recording: await at.recordingOf(new Float32Array(32_000)) }),
    )
    expect(silent).toMatchObject({ text: '', segments: [] })
    expect(await own.charged()).toBe((BigInt(Math.ceil(secondsOf(words))) + 2n) * second)
  })
})

describe('a long recording', () => {
  test('is cut in pauses, and joined to every word that was said, on its own clock', async () => {
    const words = scriptOf(600)
    at.speak(words)
    const own = await at.newcomer()
    const paid = await own.start({ recording: await at.recorded(words), spec: { timestamps: 'word' } })
    const held = await own.held()
    const made = await whole(paid)
    const sent = sentSeconds()
    expect(sent.length).toBeGreaterThan(4)
    expect(Math.max(...sent)).toBeLessThanOrEqual(60)
    // Cut in pauses: the pieces are the recording, and no word is in two of them.
    expect(sent.reduce((sum, one) => sum + one, 0)).toBeCloseTo(secondsOf(words), 1)
    expect(made.text).toBe(textOf(words))
    expect(made.words!.map(({ word }) => word)).toEqual(words.map(({ word }) => word))
    for (const [index, { start }] of made.words!.entries()) expect(start).toBeCloseTo(words[index]!.start, 2)
    const billed = sent.reduce((sum, one) => sum + Math.ceil(one), 0)
    expect(Math.abs(Number(made.charged / second) - billed)).toBeLessThanOrEqual(1)
    expect(held).toBe(made.charged)
    expect(made.pieces).toBe(sent.length)
  })

  test.each([
    ['test/scribe', 'word'],
    ['test/plain', 'none'],
  ] as const)(
    'without a pause is cut with overlaps, and no word of %s is lost or doubled',
    async (model, timestamps) => {
      const words = scriptOf(400, { every: 1_000 })
      at.speak(words)
      const own = await at.newcomer()
      const made = await whole(
        await own.start({ model, recording: await at.recorded(words), spec: { timestamps } }),
      )
      const sent = sentSeconds()
      expect(sent.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(secondsOf(words) + 8)
      // What was charged follows from the receipt, also where overlaps are paid twice.
      const { recording } = (await own.receipt())['details'] as { recording: { billed_seconds: number } }
      expect(BigInt(recording.billed_seconds) * second).toBe(made.charged)
      expect(made.text).toBe(textOf(words))
      if (timestamps === 'word')
        expect(made.words!.map(({ word }) => word)).toEqual(words.map(({ word }) => word))
    },
  )

  test('that nobody here decodes is cut by packets, with overlaps, and joined alike', async () => {
    const words = scriptOf(400)
    at.speak(words)
    const own = await at.newcomer()
    const recording = aacOf(words)
    const paid = await own.start({ model: 'test/packets', recording, spec: { timestamps: 'word' } })
    const held = await own.held()
    const made = await whole(paid)
    expect(made.text).toBe(textOf(words))
    for (const [index, { start }] of made.words!.entries()) expect(start).toBeCloseTo(words[index]!.start, 1)
    expect(at.forms().map(({ file }) => file.name)).toEqual(Array(made.pieces).fill('recording.aac'))
    expect(made.charged).toBeLessThanOrEqual(held)
    expect(held - made.charged).toBeLessThanOrEqual(BigInt(made.pieces) * second)
  })

  test('keeps the labels of two voices over five cuts, whatever the upstream calls them in each piece', async () => {
    const words = scriptOf(1_500, { every: 9, speakers: ['مینا', 'کیان'] })
    at.speak(words, {
      names: (piece, speaker) => (piece % 2 === 0 ? speaker : speaker === 'مینا' ? '0' : '1'),
    })
    const own = await at.newcomer()
    const recording = await at.recorded(words)
    const made = await whole(
      await own.start({ model: 'test/speakers', recording, spec: { timestamps: 'segment', diarize: true } }),
    )
    expect(at.forms().length).toBeGreaterThanOrEqual(6)
    expect(made.text).toBe(textOf(words))
    expect(made.speakers).toEqual(['A', 'B'])
    expect(made.unmatchedSpeakers).toBeUndefined()
    const speakerAt = (time: number) => words.findLast(({ start }) => start <= time + 0.01)!.speaker
    for (const { start, end, speaker } of made.segments)
      expect(speaker).toBe(speakerAt((start + end) / 2) === 'مینا' ? 'A' : 'B')
  })

  test('has the language of its first piece that says one, also when a later piece is answered before', async () => {
    const words = scriptOf(800)
    let requests = 0
    const sixth = Promise.withResolvers<void>()
    at.upstream.hear(async ({ file }) => {
      if (++requests === 6) sixth.resolve()
      const heard = heardIn(file.bytes, words)
      const { start } = words.find(({ word }) => word === heard[0]!.word)!
      const isSecond = start > 0.2 && start <= 61
      // Four are sent at a time behind the first: the sixth is sent when one behind the second was heard.
      if (isSecond) await sixth.promise
      return { ...saidIn(heard), language: start <= 0.2 ? '' : isSecond ? 'persian' : 'english' }
    })
    const own = await at.newcomer()
    const made = await whole(
      await own.start({ recording: await at.recorded(words), spec: { timestamps: 'segment' } }),
    )
    expect(made.language).toBe('fa')
    expect(made.text).toBe(textOf(words))
    expect(await own.receipt()).toMatchObject({ details: { recording: { language: 'fa' } } })
  })

  test('is transcribed by one model from the first piece to the last', async () => {
    const words = scriptOf(300)
    at.speak(words)
    at.upstream.replyOnce(json(404, { error: { message: 'no such model', code: 'model_not_found' } }))
    const own = await at.newcomer()
    const made = await whole(
      await own.start({
        model: 'test/second',
        recording: await at.recorded(words),
        spec: { timestamps: 'word' },
      }),
    )
    expect(made.text).toBe(textOf(words))
    const [refused, ...rest] = at.forms().map(({ fields }) => fields['model']![0])
    expect([refused, ...new Set(rest)]).toEqual(['second-1', 'scribe-1'])
    expect(rest.length).toBeGreaterThan(2)
  })
})

describe('text while it is made', () => {
  test('comes letter for letter of the piece whose turn it is, and all of it together is the transcript', async () => {
    const words = scriptOf(400)
    at.speak(words)
    const own = await at.newcomer()
    const paid = await own.start({
      model: 'test/plain',
      recording: await at.recorded(words),
      spec: { stream: true, language: 'fa' },
    })
    const parts = collected(paid.parts())
    const made = await whole(paid)
    const all = await parts
    const texts = all.flatMap((part) => (part.kind === 'text' ? part.text : []))
    expect(texts.join('')).toBe(made.text)
    expect(made.text).toBe(textOf(words))
    // Those of the first piece at least: of later ones, what came before their turn comes at once.
    expect(texts.length).toBeGreaterThan(60)
    expect(all.flatMap((part) => (part.kind === 'segment' ? [part.segment] : []))).toEqual(made.segments)
    expect(at.forms().every(({ fields }) => fields['stream']?.[0] === 'true')).toBe(true)
  })

  test('is folded while it comes where its language is known, and held back where only its end says it', async () => {
    const own = await at.newcomer()
    const words = scriptOf(5)
    at.upstream.hear({ text: 'يك كتاب خوب', language: 'fa' })
    for (const language of ['fa', undefined]) {
      const paid = await own.start({
        model: 'test/plain',
        recording: await at.recorded(words),
        spec: { stream: true, ...(language && { language }) },
      })
      const parts = collected(paid.parts())
      const made = await whole(paid)
      const shown = (await parts).flatMap((part) => (part.kind === 'text' ? part.text : []))
      // What nobody says the language of stays as it was written.
      expect(made.text).toBe(language ? 'یک کتاب خوب' : 'يك كتاب خوب')
      expect(shown.join('')).toBe(made.text)
    }
  })

  test('fails as the transcript does', async () => {
    at.upstream.reply(json(400, { error: { message: 'no' } }))
    const own = await at.newcomer()
    const paid = await own.start({
      model: 'test/plain',
      recording: await at.recorded(scriptOf(5)),
      spec: { stream: true },
    })
    const parts = collected(paid.parts())
    const refused = { code: 'UPSTREAM_INVALID_REQUEST' }
    await Promise.all([
      expect(parts).rejects.toMatchObject(refused),
      expect(whole(paid)).rejects.toMatchObject(refused),
    ])
  })
})

describe('letters of Persian text', () => {
  test.each([
    ['fa', undefined, 'یک می‌روم ۱۲'],
    ['fa', false, 'يك می‌روم ١٢'],
    ['ar', undefined, 'يك می‌روم ١٢'],
  ])('in %s with normalize %s: text, segments and words alike', async (language, normalize, expected) => {
    const written = 'يك می‌روم ١٢'
    at.upstream.hear({
      text: written,
      language: 'fa',
      segments: [{ start: 0, end: 1, text: written }],
      words: written.split(' ').map((word, index) => ({ word, start: index / 4, end: index / 4 + 0.2 })),
    })
    const own = await at.newcomer()
    const model = language === 'fa' ? 'test/scribe' : 'test/second'
    const made = await whole(
      await own.start({
        model,
        recording: await at.recorded(scriptOf(5)),
        spec: { timestamps: 'word', language, ...(normalize !== undefined && { normalize }) },
      }),
    )
    expect(made.text).toBe(expected)
    expect(made.segments.map(({ text }) => text)).toEqual([expected])
    expect(made.words!.map(({ word }) => word).join(' ')).toBe(expected)
  })
})

/** Frames of 20 ms. */
function* framesOf(samples: Float32Array) {
  for (let from = 0; from < samples.length; from += 320)
    yield { rate: 16_000, samples: samples.subarray(from, from + 320) }
}

describe('sound that still comes', () => {
  test('is written down piece by piece, ended by pauses, and no more is held than it may become', async () => {
    const words = scriptOf(300)
    at.speak(words)
    const own = await at.newcomer()
    const seconds = secondsOf(words)
    const sound = framesOf(samplesOf(words))
    const paid = await own.start({
      recording: { sound, maxSeconds: 200, pieceSeconds: 20 },
      spec: { timestamps: 'word' },
    })
    const held = await own.held()
    const made = await whole(paid)
    expect(made.text).toBe(textOf(words))
    expect(made.words!.map(({ start }) => start)).toEqual(words.map(({ start }) => expect.closeTo(start, 1)))
    const sent = sentSeconds()
    expect(sent.length).toBeGreaterThan(3)
    expect(sent.every((one) => one >= 20 || one === sent.at(-1))).toBe(true)
    expect(made.charged).toBe(BigInt(sent.reduce((sum, one) => sum + Math.ceil(one), 0)) * second)
    expect(made.charged).toBeLessThanOrEqual(held)
    expect(Math.abs(made.seconds - seconds)).toBeLessThan(1)
  })

  test('without a pause is cut within speech, and no word is lost or doubled', async () => {
    const words = scriptOf(300, { every: 1_000 })
    at.speak(words)
    const own = await at.newcomer()
    const recording = { sound: framesOf(samplesOf(words)), maxSeconds: 200, pieceSeconds: 20 }
    expect((await whole(await own.start({ recording, spec: { timestamps: 'word' } }))).text).toBe(
      textOf(words),
    )
  })

  test('is read for as long as was held, and no longer', async () => {
    const words = scriptOf(200)
    at.speak(words)
    const own = await at.newcomer()
    const made = await whole(
      await own.start({ recording: { sound: framesOf(samplesOf(words)), maxSeconds: 30 } }),
    )
    expect(made.seconds).toBeLessThanOrEqual(30)
    const said = words.filter(({ end }) => end <= 30).map(({ word }) => word)
    expect(made.text.split(' ').slice(0, said.length)).toEqual(said)
  })

  test('ends with its signal, while it lets wait: what came before is written down and charged', async () => {
    const words = scriptOf(24)
    at.speak(words)
    const own = await at.newcomer()
    const stop = new AbortController()
    const sound = (async function* () {
      yield* framesOf(samplesOf(words))
      stop.abort()
      await new Promise(() => {})
    })()
    const made = await whole(await own.start({ recording: { sound, maxSeconds: 100, signal: stop.signal } }))
    expect(made.text).toBe(textOf(words))
    expect(await own.held()).toBe(0n)
  })

  test('without speech is sent to nobody and costs nothing', async () => {
    const own = await at.newcomer()
    const made = await whole(
      await own.start({ recording: { sound: framesOf(new Float32Array(160_000)), maxSeconds: 20 } }),
    )
    expect([made.text, made.pieces, at.forms().length, await own.charged()]).toEqual(['', 0, 0, 0n])
  })
})
